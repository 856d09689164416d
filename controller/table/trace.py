"""The live trace: weight and tilt in few numbers, for charts.

A decimated look at the samples for the topic `trace`: at most ten points a second of wall time
while something moves, one a second while nothing does. Nothing is decided by it and nothing
waits for it: a block of samples costs a mean and two sums.

The tilt is a complementary filter: the gyroscope carries it over a swing, the accelerometer pulls
it slowly. (The detector has a better one, `engine.detect.front.attitude`, which knows the lever arm
and looks behind each decision; this one is for drawing.)
"""

import math

import msgspec
import numpy as np

from engine.samples import ImuSamples, Samples, ScaleSamples
from engine.scoreboard import API_VERSION

EVERY_S = 0.1
"""Shortest wall time between two points: ten a second is as smooth as a chart needs."""

RESTING_EVERY_S = 1.0
"""A table at rest says so once a second, so that a display sees it is alive."""

MOVED_G = 1.0
"""A fifteenth of the lightest piece, and well above a load cell's noise."""

MOVED_DEG = 0.15
"""A tenth of the tilt that one piece on the rim makes."""

PULL_S = 0.7
"""Time constant of the accelerometer's pull: about one swing (0.72 s), which it averages."""


class TracePoint(msgspec.Struct, frozen=True):
    """The payload of `trace`.

    Attributes:
        boot: pairs it with `state`.
        t_s: table time of the newest sample in it.
        unix_s: the table's wall time when it was sent, for measuring latency only.
        late_ms: how far table time was ahead of that sample when it was sent: the cost of reading
            and of deciding.
        mass_g: total weight over the tare; None when no load cell was heard.
        cells_g: weight on each load cell; None for one that was not heard.
        tilt_deg: how far the board hangs towards file e and towards rank 5; None without the
            inertial sensor.
    """

    boot: str
    t_s: float
    unix_s: float
    late_ms: float
    mass_g: float | None
    cells_g: tuple[float | None, ...]
    tilt_deg: tuple[float, float] | None
    v: int = API_VERSION


class Tracer:
    """Watches the samples and computes the next point."""

    def __init__(self) -> None:
        self._newest_s = 0.0
        self._cells_sum_g = np.zeros(4)
        self._cells_heard = np.zeros(4)
        self._felt_until_s: float | None = None
        self._up: tuple[float, float] | None = None
        self._felt = False
        self._sent: TracePoint | None = None
        self._sent_unix_s = -math.inf

    def samples(self, block: Samples) -> None:
        """Take a block that arrived."""
        match block:
            case ScaleSamples() if len(block.t_s):
                self._weigh(block)
            case ImuSamples() if len(block.t_s):
                self._feel(block)
            case _:
                pass

    def point(self, boot: str, t_s: float, unix_s: float) -> TracePoint | None:
        """The next point, when one is due and there is something to say.

        Wall time alone paces the points, also when a game is played faster.
        """
        waited_s = abs(unix_s - self._sent_unix_s)
        if waited_s < EVERY_S or not (self._felt or self._cells_heard.any()):
            return None
        found = self._point(boot, t_s, unix_s)
        if waited_s < RESTING_EVERY_S and self._sent is not None and not _moved(self._sent, found):
            self._forget()
            return None
        self._sent, self._sent_unix_s = found, unix_s
        self._forget()
        return found

    def _point(self, boot: str, t_s: float, unix_s: float) -> TracePoint:
        cells = tuple(
            round(float(total / heard), 2) if heard else None
            for total, heard in zip(self._cells_sum_g, self._cells_heard, strict=True)
        )
        heard_g = [cell for cell in cells if cell is not None]
        return TracePoint(
            boot,
            round(self._newest_s, 3),
            round(unix_s, 3),
            round(max(0.0, t_s - self._newest_s) * 1000, 1),
            round(sum(heard_g), 2) if heard_g else None,
            cells,
            _hanging_deg(self._up) if self._felt and self._up is not None else None,
        )

    def _forget(self) -> None:
        self._cells_sum_g[:] = 0.0
        self._cells_heard[:] = 0.0
        self._felt = False

    def _weigh(self, block: ScaleSamples) -> None:
        self._newest_s = max(self._newest_s, float(block.t_s[-1]))
        self._cells_sum_g += np.where(block.valid, block.mass_g, 0.0).sum(axis=0)
        self._cells_heard += block.valid.sum(axis=0)

    def _feel(self, block: ImuSamples) -> None:
        end_s = float(block.t_s[-1])
        self._newest_s = max(self._newest_s, end_s)
        self._felt = True
        force_x_g, force_y_g, force_z_g = block.accel_g.mean(axis=0).tolist()
        leaning = (force_x_g / max(0.1, force_z_g), force_y_g / max(0.1, force_z_g))
        if self._up is None or self._felt_until_s is None or end_s - self._felt_until_s > PULL_S:
            self._up = leaning
        else:
            span_s = max(0.0, end_s - self._felt_until_s)
            rate_x, rate_y, _ = block.rate_rad_s.mean(axis=0).tolist()
            # A board that turns by w about x, y sees the vertical turn by -w.
            carried = (self._up[0] - rate_y * span_s, self._up[1] + rate_x * span_s)
            pull = 1.0 - math.exp(-span_s / PULL_S)
            self._up = (
                carried[0] + pull * (leaning[0] - carried[0]),
                carried[1] + pull * (leaning[1] - carried[1]),
            )
        self._felt_until_s = end_s


def _hanging_deg(up: tuple[float, float]) -> tuple[float, float]:
    """Where the board hangs low, from where it sees the vertical."""
    return (
        round(-math.degrees(math.atan(up[0])), 2) + 0.0,
        round(-math.degrees(math.atan(up[1])), 2) + 0.0,
    )


def _moved(sent: TracePoint, found: TracePoint) -> bool:
    if (sent.mass_g is None) != (found.mass_g is None):
        return True
    if (sent.tilt_deg is None) != (found.tilt_deg is None):
        return True
    heavier_g = abs((found.mass_g or 0.0) - (sent.mass_g or 0.0))
    tilted_deg = max(
        abs(now - was)
        for now, was in zip(found.tilt_deg or (0.0, 0.0), sent.tilt_deg or (0.0, 0.0), strict=True)
    )
    return heavier_g >= MOVED_G or tilted_deg >= MOVED_DEG
