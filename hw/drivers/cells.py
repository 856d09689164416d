"""Load cells as a group: which there are, how to open them, and how to take what they give.

    cells = Cells(HeaderWires((5, 6, 13, 19), (12, 16, 20, 21)), rate_hz=80)
    group = CellsHere.opened(cells, time.perf_counter)   # polled by whoever takes
    group = CellsApart(cells, time.perf_counter)         # by a process of their own

`Cells` is a value without pins: it can be sent to another process, which opens them there.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol

from engine.tabletop import load_cell_name
from engine.trouble import Trouble
from firmware_bridge.messages import CellState
from hw.drivers import pin_holders
from hw.drivers.hx711 import (
    CellCopy,
    CellReader,
    CellTally,
    ClockOutput,
    DataInput,
    DataWordReader,
    Hx711Cell,
    Hx711Reading,
    read_in_turn,
)
from hw.drivers.hx711_adafruit import AdafruitReader
from hw.drivers.hx711_bits import BitReader
from hw.drivers.hx711_reading import CellStatus

LOOK_S = 0.002
"""A fall of DOUT is known to a millisecond then; a data word takes a tenth of that to read."""

Wire = tuple[DataInput, ClockOutput]
"""DOUT and PD_SCK of a cell."""


@dataclass(frozen=True, slots=True)
class Untaken:
    """A cell whose pins cannot be had now: why, and how to try again."""

    trouble: Trouble
    again: Callable[[], "Wire | Untaken"]


Wires = Sequence[Wire | Untaken]
"""Of each cell."""
OpenWires = Callable[[ExitStack], Wires]
"""Takes the pins; the stack lets go of them."""
DataWordReaderFactory = Callable[[DataInput, ClockOutput, Callable[[], float]], DataWordReader]
"""Makes a reader of data words: `BitReader`, or `AdafruitReader` of the prescribed library."""
Driver = Literal["own", "adafruit"]
READERS: dict[Driver, DataWordReaderFactory] = {"own": BitReader, "adafruit": AdafruitReader}


def cell_names(count: int) -> tuple[str, ...]:
    """As on the drawings: `C2`; a starter's only one has none."""
    return ("",) if count == 1 else tuple(map(load_cell_name, range(count)))


@dataclass(frozen=True, slots=True)
class Cells:
    """The load cells of a table: four, or one on a starter; chips with a nominal 80 or 10 Hz.

    `wires` takes their pins; for a process of their own it must be picklable. If they are not
    `needed`, the table begins without them, says so and keeps trying.
    """

    wires: OpenWires
    rate_hz: float = 80.0
    driver: Driver = "own"
    count: int = 4
    needed: bool = True

    def open(self, stack: ExitStack, now: Callable[[], float]) -> "list[OpenedCell]":
        """Take the pins and give the chips power.

        Raises:
            NoPins: this machine has none, or none of them is for us.
            MissingDriver: the library that was chosen is not installed.
        """
        return cells_on(self.wires(stack), now, self.rate_hz, READERS[self.driver])


def cells_on(
    wires: Wires,
    now: Callable[[], float],
    rate_hz: float,
    make_reader: DataWordReaderFactory = BitReader,
) -> "list[OpenedCell]":
    """Load cells on pairs of DOUT and PD_SCK; see `Hx711Cell`."""

    def cell(name: str, wire: Wire) -> Hx711Cell:
        data, clock = wire
        return Hx711Cell(name, data, clock, make_reader(data, clock, now), now, rate_hz=rate_hz)

    return [
        LateCell(name, wire, partial(cell, name), now)
        if isinstance(wire, Untaken)
        else cell(name, wire)
        for name, wire in zip(cell_names(len(wires)), wires, strict=True)
    ]


class LateCell:
    """A `CellReader` of a cell whose pins cannot be had yet; the other cells do not wait for it."""

    def __init__(
        self,
        name: str,
        untaken: Untaken,
        make: Callable[[Wire], Hx711Cell],
        now: Callable[[], float],
    ) -> None:
        """It is tried again by `poll`, every `pin_holders.AGAIN_S`."""
        self.name, self._untaken, self._make, self._now = name, untaken, make, now
        self._cell: Hx711Cell | None = None
        self._again_s = now() + pin_holders.AGAIN_S

    @property
    def status(self) -> CellCopy:
        """How the cell is now."""
        if self._cell is not None:
            return self._cell.status
        # Why it is not read may reach another process later than its state: a chip that nobody
        # has asked is not called silent.
        return CellCopy(self.name, refused=self._untaken.trouble)

    @property
    def state(self) -> CellState:
        """Whether the chip answers."""
        return self.status.state

    @property
    def problem(self) -> Trouble | None:
        """What is wrong and what to check; None when all is well."""
        return self.status.problem

    @property
    def period_s(self) -> float | None:
        """Measured time from one conversion to the next; None until it is known."""
        return self.status.period_s

    @property
    def tally(self) -> CellTally:
        """What happened since the start."""
        return self.status.tally

    def poll(self) -> Hx711Reading | None:
        """The new reading, or None when there is none yet; at once."""
        if self._cell is not None:
            return self._cell.poll()
        if self._now() >= self._again_s:
            self._again_s = self._now() + pin_holders.AGAIN_S
            self._try()
        return None

    def _try(self) -> None:
        got = self._untaken.again()
        if isinstance(got, Untaken):
            self._untaken = got
        else:
            self._cell = self._make(got)


OpenedCell = Hx711Cell | LateCell


class CellGroup(Protocol):
    """All cells of a table, wherever they are read."""

    @property
    def cells(self) -> Sequence[CellStatus]:
        """How each is."""

    @property
    def problem(self) -> Trouble | None:
        """What keeps all of them from being read; None when nothing does."""

    @property
    def lost(self) -> int:
        """Readings that nobody took in time, since the start."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What the owner should know from the beginning."""

    def take(self) -> tuple[float, list[tuple[int, Hx711Reading]]]:
        """Readings that have come, each with its cell's number, and up to when they are all."""

    def close(self) -> None:
        """Let go of the pins."""


class CellsHere:
    """A `CellGroup` that is polled by whoever takes: simulated pins, and tests."""

    problem: Trouble | None = None
    lost = 0
    notices = ()

    def __init__(
        self,
        cells: Sequence[CellReader],
        now: Callable[[], float],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """Poll cells that are open already."""
        self.cells = tuple(cells)
        self._now, self.close = now, close

    @classmethod
    def opened(cls, cells: Cells, now: Callable[[], float]) -> "CellsHere":
        """Open the cells in this process.

        Raises:
            NoPins, MissingDriver: as `Cells.open`.
        """
        with ExitStack() as stack:
            opened = cells.open(stack, now)
            return cls(opened, now, stack.pop_all().close)

    def take(self) -> tuple[float, list[tuple[int, Hx711Reading]]]:
        """The new readings, after one look at each cell."""
        now_s = self._now()
        return now_s, read_in_turn(self.cells)
