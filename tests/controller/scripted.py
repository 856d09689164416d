"""A detector in a test: it decides what it was told to, when it was told to."""

from math import inf
from typing import Any

from engine import troubles
from engine.detect.front.health import TableHealth
from engine.events import Expectation, Fault, Restored, TableEvent
from engine.samples import Samples, SensorReport


class ScriptedDetector:
    """Gives the events of a list, each as soon as samples reach the time of its decision.

    Attributes:
        cleared_is_news: whether a press of `cleared` says what was not known before.
    """

    def __init__(self, *events: TableEvent) -> None:
        self._events = list(events)
        self.cleared_is_news = True
        self.now_s = 0.0
        self.expectations: list[Expectation] = []
        self.amended: list[tuple[int, str | None]] = []
        self.pressed: list[float] = []
        self.blamed: list[float] = []
        self.restored: Any = None

    def feed(self, samples: Samples) -> None:
        """Only the time of a sensor report counts."""
        assert isinstance(samples, SensorReport)
        self.now_s = samples.t_s

    def next_event(self, until_s: float = inf) -> TableEvent | None:
        """The next event that is due."""
        due_s = min(until_s, self.now_s)
        if self._events and decided_s(self._events[0]) <= due_s:
            return self._events.pop(0)
        return None

    def expect(self, expectation: Expectation) -> None:
        """Keep what was expected."""
        self.expectations.append(expectation)

    def amend(self, ref: int, cell: str | None) -> None:
        """Keep what was amended."""
        self.amended.append((ref, cell))

    def press_cleared(self, t_s: float) -> bool:
        """Keep when cleared was pressed."""
        self.pressed.append(t_s)
        return self.cleared_is_news

    def press_blame(self, t_s: float) -> None:
        """Keep when somebody was blamed for what had not been seen."""
        self.blamed.append(t_s)

    def health(self) -> TableHealth:
        """A table in order."""
        return QUIET_TABLE

    def restore(self, placements: tuple[tuple[int, str], ...]) -> None:
        """Keep what stands on the board."""
        self.restored = placements


QUIET_TABLE = TableHealth(
    friction_deg=0.1234, friction_sd_deg=0.01, period_s=0.72, damping_s=2.5, noise_g=0.12,
    cop_noise_gmm=9.0, zero_drift_g=0.3, scale_hz=81.234, imu_hz=200.4, gyro_bias_dps=(0.0, 0.0),
    faults={}, verdict=troubles.PIVOT_GOOD(degrees=0.12),
)  # fmt: skip


def until(t_s: float) -> SensorReport:
    """Samples that reach this time."""
    return SensorReport(t_s, "imu", ok=True)


def decided_s(event: TableEvent) -> float:
    """When an event was decided: a sensor's fault as it happened."""
    return event.t_s if isinstance(event, Fault | Restored) else event.decided_s
