"""The one contract of everything that delivers samples: live table, recording, simulated tower.

A source never waits. Its owner tells it how far table time has come and gets what is new, so
that one loop can drive several sources, a test can drive one by hand, and a replay is the same
code at another pace.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from engine.events import HumanInput
from engine.samples import ImuSamples, Samples, ScaleSamples
from engine.tabletop import Tabletop
from engine.trouble import Trouble
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
    def calibration(self) -> Calibration:
        """How counts became grams: the calibration the samples are made with."""

    @property
    def tabletop(self) -> Tabletop:
        """Geometry and mass of the table the samples come from."""

    @property
    def simulated(self) -> bool:
        """True when no real table stands behind the samples."""

    @property
    def ended(self) -> bool:
        """True once nothing can come any more (end of a recording, device closed)."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for the owner that belong to no moment, such as a recording cut off."""

    def poll(self, until_s: float) -> list[Item]:
        """Everything new up to and including table time `until_s`; at once, perhaps nothing.

        Args:
            until_s: table time in seconds; a source never gives an item later than this, and
                a time earlier than that of the call before gives an empty list.

        Raises:
            HardwareError: the source is broken for good; the message says what to check.
        """

    def close(self) -> None:
        """Let go of files and devices. A closed source has ended."""


class TableSource:
    """What every source knows of its table from the beginning; see `SampleSource`."""

    def __init__(self, calibration: Calibration, *, simulated: bool) -> None:
        """The source of a table with this calibration."""
        self.calibration, self.simulated = calibration, simulated
        self.tabletop = calibration.tabletop()

    @property
    def notices(self) -> tuple[str, ...]:
        """None."""
        return ()


class LinkHealth(msgspec.Struct, frozen=True):
    """The microcontroller, its serial line and what the line tells about the sensors.

    Counters count since the microcontroller started, unless they say otherwise.

    Attributes:
        ok: samples come; `words` then is empty, or a hint that does no harm.
        words: what is wrong and what to check next. code, args: of the words, for translations.
        firmware: version of the firmware, None before it said so.
        boot: its boot counter: high byte power-ons, low byte resets since.
        reset_cause: why it started last: `power_on`, `external`, `brown_out`, `watchdog`.
        resets: restarts in mid-stream since this program started.
        age_s: time since the last frame; None before the first.
        bad_crc, bad_form: pieces thrown away because of damage, since this program started;
            after each the receiver found its step again at the next zero byte.
        lost_on_line: frames that were sent and did not arrive.
        dropped_by_device: frames for which the microcontroller had no room.
        missed: conversions of each load cell that nobody fetched from its chip.
        disordered: frames twice or in the wrong order; no serial line does that.
        overflowed, late: events that this program took too late, since it started.
        condemned: conversions of each cell that were not believed, since this program started.
        rates_hz: measured conversion rate of each cell; None until it is known.
        imu_rate_hz: of the inertial sensor.
        imu_errors: failed transfers to it. imu_who: its WHO_AM_I, 0 while there is none.
        imu_celsius: its temperature, None before it is known.
        cell_resets: power cycles the microcontroller gave to silent chips.
        busy_percent: how busy the microcontroller is.
        clock_ppm: how much its clock is too slow; None until it is known.
    """

    ok: bool
    words: str = ""
    firmware: int | None = None
    boot: int | None = None
    reset_cause: tuple[str, ...] = ()
    resets: int = 0
    age_s: float | None = None
    bad_crc: int = 0
    bad_form: int = 0
    lost_on_line: int = 0
    dropped_by_device: int = 0
    missed: tuple[int, ...] = ()
    disordered: int = 0
    overflowed: int = 0
    late: int = 0
    condemned: tuple[int, ...] = ()
    rates_hz: tuple[float | None, ...] = ()
    imu_rate_hz: float | None = None
    imu_errors: int = 0
    imu_who: int = 0
    imu_celsius: float | None = None
    cell_resets: int = 0
    busy_percent: int = 0
    clock_ppm: float | None = None
    code: str = ""
    args: dict[str, str | int | float] = {}


class ImuService(msgspec.Struct, frozen=True):
    """What the reader of the inertial sensor knows of it, on whichever way it is read.

    Attributes:
        bus_errors: failed transfers; counted from zero again when the reader restarts.
        int_open: its INT does not rise although it takes samples.
        who: its answer to WHO_AM_I; 0 while there is none.
        warning: of a chip that nobody knows.
    """

    bus_errors: int = 0
    int_open: bool = False
    who: int = 0
    warning: Trouble | None = None


UNKNOWN_SERVICE = ImuService()
"""Of a source without such a reader."""


@runtime_checkable
class HasImuService(Protocol):
    """A source that knows how its inertial sensor is read."""

    def imu_service(self) -> ImuService:
        """How it is now."""


@runtime_checkable
class HasLink(Protocol):
    """A source whose samples come over a line that can be well or ill by itself."""

    def link_health(self) -> LinkHealth:
        """How the line is now."""


class Voltages(NamedTuple):
    """What a microcontroller's own converter measured.

    Attributes:
        supply_v: its supply; within a tenth, as its reference is.
        probe_v: at its probe, a loose wire on A1; a free one has the supply.
    """

    supply_v: float
    probe_v: float


@runtime_checkable
class HasVoltages(Protocol):
    """A source whose microcontroller measures voltages, about once a second."""

    def voltages(self) -> Voltages | None:
        """What was measured since the last call; None when nothing was."""


@runtime_checkable
class Thermometer(Protocol):
    """A source whose inertial sensor tells its temperature."""

    @property
    def imu_temperature_c(self) -> float | None:
        """Degrees Celsius of the chip; None before the first reading."""


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
