"""The one contract of everything that delivers samples: live table, recording, simulated tower.

A source never waits. Its owner tells it how far table time has come and gets what is new, so
that one loop can drive several sources, a test can drive one by hand, and a replay is the same
code at another pace.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from engine.events import HumanInput
from engine.samples import ImuSamples, Samples, ScaleSamples
from engine.tabletop import Tabletop
from hw.calibration import Calibration

Item = Samples | HumanInput
"""What a source yields. Only recordings and simulated evenings carry human inputs."""

REPLAY_STEP_S = 1.0
"""Step of `play`: the length of the blocks a replay yields. An input every few seconds cuts one;
longer blocks save nothing, shorter ones cost: handling a block takes as long as 0.2 s of ticks."""


class SampleSource(Protocol):
    """Samples of one table in order of table time.

    Order: blocks are cut so that nothing later than a `HumanInput`, `SwitchSample` or
    `SensorReport` comes before it and nothing earlier comes after it. Between two of those,
    blocks of different sensors may overlap in time; blocks of one sensor never do.
    """

    @property
    def tabletop(self) -> Tabletop:
        """Geometry and mass of the table the samples come from."""
        ...

    @property
    def simulated(self) -> bool:
        """True when no real table stands behind the samples."""
        ...

    @property
    def ended(self) -> bool:
        """True once nothing can come any more (end of a recording, device closed)."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for the owner that belong to no moment, such as a recording cut off."""
        ...

    def poll(self, until_s: float) -> list[Item]:
        """Everything new up to and including table time `until_s`; at once, perhaps nothing.

        Args:
            until_s: table time in seconds; a source never gives an item later than this, and
                a time earlier than that of the call before gives an empty list.

        Raises:
            HardwareError: the source is broken for good; the message says what to check.
        """
        ...

    def close(self) -> None:
        """Let go of files and devices. A closed source has ended."""
        ...


@runtime_checkable
class Calibrated(Protocol):
    """A source that knows how its counts became grams; needed to explain a count."""

    @property
    def calibration(self) -> Calibration:
        """The calibration its samples are made with."""
        ...


@dataclass(frozen=True, slots=True)
class LinkCounters:
    """What a source counts between the sensors and us, since it started.

    Attributes:
        lost: messages that were sent and did not arrive.
        device_dropped: messages the microcontroller could not send in time.
        bad_crc: messages that arrived damaged.
        disordered: messages that came twice or in the wrong order.
        reconnects: times the port was opened again after the first.
        reboots: times the microcontroller started anew.
        imu_bus_errors: reads of the inertial sensor that it did not answer.
        missed: conversions of each load cell that nobody fetched.
        chip_resets: power cycles of each HX711 that the reader noticed.
    """

    lost: int = 0
    device_dropped: int = 0
    bad_crc: int = 0
    disordered: int = 0
    reconnects: int = 0
    reboots: int = 0
    imu_bus_errors: int = 0
    missed: tuple[int, ...] = (0, 0, 0, 0)
    chip_resets: tuple[int, ...] = (0, 0, 0, 0)


@runtime_checkable
class Linked(Protocol):
    """A source with a link that can lose things (microcontroller, bus)."""

    @property
    def link(self) -> LinkCounters:
        """Its counters now."""
        ...


@runtime_checkable
class Thermometer(Protocol):
    """A source whose inertial sensor tells its temperature."""

    @property
    def imu_temperature_c(self) -> float | None:
        """Degrees Celsius of the chip; None before the first reading."""
        ...


def samples_of(items: Iterable[Item]) -> list[Samples]:
    """Items without what people said."""
    return [item for item in items if not isinstance(item, HumanInput)]


def item_time_s(item: Item) -> float:
    """Table time of an item: of its last sample, if it is a block."""
    if isinstance(item, ScaleSamples | ImuSamples):
        return float(item.t_s[-1])
    return item.t_s


def shifted(item: Item, by_s: float) -> Item:
    """The same at another time."""
    if isinstance(item, ScaleSamples | ImuSamples):
        return replace(item, t_s=item.t_s + by_s)
    return replace(item, t_s=item.t_s + by_s)


def play(
    source: SampleSource, step_s: float = REPLAY_STEP_S, until_s: float = float("inf")
) -> Iterator[Item]:
    """Every item of a source from table time 0 to its end (or to `until_s`), as fast as it gives.

    For recordings and simulated towers; a live source has no end.
    """
    now_s = 0.0
    while not source.ended and now_s < until_s:
        now_s = min(now_s + step_s, until_s)
        yield from source.poll(now_s)
