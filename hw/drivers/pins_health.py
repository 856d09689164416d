"""How the sensors on this computer's pins are: one frozen document for page, owner and bug report.

Counters count since this program started.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

from hw.troubles import words_of

if TYPE_CHECKING:
    from hw.drivers.imu import ImuReader
    from hw.drivers.one_cell import OneCellReader
    from hw.drivers.scale import ScaleReader


class CellHealth(msgspec.Struct, frozen=True):
    """One HX711, as its driver found it.

    Attributes:
        words: what is wrong and what to check next; empty when all is well.
        code, args: of the words, for translations.
        rate_hz: measured; None until it is known.
        read, good: conversions clocked out, and those of them that could be used.
        stretched: a pulse lasted too long, because this computer was busy with something else.
        late: fetched so late that the next conversion may have slipped under it.
        not_high, saturated, settling: condemned for these reasons.
        power_cycles: given to the chip.
    """

    words: str = ""
    rate_hz: float | None = None
    read: int = 0
    good: int = 0
    stretched: int = 0
    late: int = 0
    not_high: int = 0
    saturated: int = 0
    settling: int = 0
    power_cycles: int = 0
    code: str = ""
    args: dict[str, str | int | float] = {}


class ImuHealth(msgspec.Struct, frozen=True):
    """The inertial sensor, as its driver found it.

    Attributes:
        words: which chip it is, when it is a substitute for the MPU-6050.
        code, args: of the words, for translations.
        who: its answer to WHO_AM_I; 0 before the first.
        rate_hz: measured, by this computer's clock.
        celsius: its temperature; None before the first sample.
        bus_errors: transfers that failed.
        overflows: times its FIFO ran over because nobody came to read it.
        starts: times it was taken into service.
    """

    words: str = ""
    who: int = 0
    rate_hz: float = 0.0
    celsius: float | None = None
    bus_errors: int = 0
    overflows: int = 0
    starts: int = 0
    code: str = ""
    args: dict[str, str | int | float] = {}


class PinsHealth(msgspec.Struct, frozen=True):
    """All sensors on the pins.

    Attributes:
        cells: load cells C0 to C3.
        lost: samples and events that did not fit between reader and table.
        late: samples that came after something later had been decided.
    """

    cells: tuple[CellHealth, ...] = ()
    imu: ImuHealth = ImuHealth()
    lost: int = 0
    late: int = 0


@runtime_checkable
class HasPins(Protocol):
    """A source whose sensors are on this computer's pins."""

    def pins_health(self) -> PinsHealth:
        """How they are now."""


def health_of(scale: "ScaleReader | OneCellReader", imu: "ImuReader | None") -> PinsHealth:
    """How the readers find their sensors now; a starter has no inertial one."""
    return PinsHealth(cells_of(scale), ImuHealth() if imu is None else imu_of(imu))


_TOLD = frozenset(CellHealth.__struct_fields__)


def cells_of(scale: "ScaleReader | OneCellReader") -> tuple[CellHealth, ...]:
    """How the load cells are."""
    return tuple(
        CellHealth(
            rate_hz=None if cell.period_s is None else round(1 / cell.period_s, 2),
            **{name: number for name, number in asdict(cell.tally).items() if name in _TOLD},
            **words_of(cell.problem),
        )
        for cell in scale.group.cells
    )


def imu_of(imu: "ImuReader") -> ImuHealth:
    """How the inertial sensor is."""
    status = imu.status
    return ImuHealth(
        who=status.who,
        rate_hz=round(status.rate_hz, 2),
        celsius=status.temperature_c,
        bus_errors=status.bus_errors,
        overflows=status.overflows,
        starts=status.starts,
        **words_of(status.remark),
    )
