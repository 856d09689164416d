"""Every kind of source on a table that a test can let go on, break and mend."""

import io
from collections.abc import Callable
from itertools import pairwise
from typing import Protocol

import numpy as np

from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples, SensorReport
from hw.building.design import drawn_table
from hw.drivers.cells import CellsHere
from hw.drivers.one_cell import OneCellReader, one_cell
from hw.drivers.pi import PiSource
from hw.live import Accompanied
from hw.source import Item, SampleSource, item_time_s
from hw.traces.recorder import Recorder
from hw.traces.recording import Recording
from hw.troubles import THE_CHIP_SILENT
from lab.mock import MockTable, living_parameters
from lab.on_pins import WiredTable
from lab.people.simulation import SimulatedEvening
from lab.twin.faults import FaultKind, InjectedFault
from lab.twin.one_cell import OneCellTower
from lab.twin.tower import Tower
from tests.hw.boards import Board
from tests.hw.drivers.test_scale import Cell
from tests.hw.panels import HandPanel

GONE_S, BACK_S, END_S = 2.0, 4.0, 7.0
"""A sensor of each table is gone for two seconds; recordings end a while later."""


class Table(Protocol):
    """A source and what stands behind it."""

    source: SampleSource

    @property
    def clock_s(self) -> float:
        """How far time has come."""
        ...

    def run(self, seconds: float, step_s: float = 0.1) -> list[Item]:
        """Let time pass; what the source gives, polled in steps."""
        ...

    def take_sensor(self) -> None:
        """The inertial sensor, or a starter's load cell, is gone."""
        ...

    def give_sensor(self) -> None:
        """It is back."""
        ...


class Computed:
    """A source whose time passes as it is polled: a tower, an evening, a recording."""

    def __init__(self, source: SampleSource, tower: Tower | None = None) -> None:
        self.source, self._tower, self.clock_s = source, tower, 0.0

    def run(self, seconds: float, step_s: float = 0.1) -> list[Item]:
        items: list[Item] = []
        for _ in range(round(seconds / step_s)):
            self.clock_s += step_s
            items += self.source.poll(self.clock_s)
        return items

    def take_sensor(self) -> None:
        if self._tower is not None:
            one = isinstance(self.source, OneCellTower)
            kind = FaultKind.NO_SCALE if one else FaultKind.IMU_NACK
            self._tower.faults.append(InjectedFault(kind, GONE_S, end_s=BACK_S))

    def give_sensor(self) -> None:
        """It comes back by itself."""


class Wired:
    """The drivers of a Pi on simulated chips and gpiozero's mock pins."""

    def __init__(self) -> None:
        self._table = WiredTable(Tower(living_parameters(), 5))
        self.source: SampleSource = self._table.source
        self.source.poll(0.0)
        self.take_sensor, self.give_sensor = self._table.imu.unplug, self._table.imu.plug

    @property
    def clock_s(self) -> float:
        return self._table.time.now_us * 1e-6

    def run(self, seconds: float, step_s: float = 0.1) -> list[Item]:
        items: list[Item] = []
        for _ in range(round(seconds / step_s)):
            self._table.tower.advance(self._table.tower.now_s + step_s)
            self._table.run()
            items += self._table.poll()
        return items


class Starter:
    """A starter's one load cell on a Pi."""

    def __init__(self) -> None:
        self._cell, self.clock_s = Cell(0, 0.0125), 0.0
        calibration = one_cell(drawn_table(), 1000.0, 200_000.0, 80.0)
        self._source = PiSource(
            [OneCellReader(CellsHere([self._cell], lambda: self.clock_s), calibration)],
            calibration, lambda: self.clock_s, simulated=True, threads=False,
        )  # fmt: skip
        self.source: SampleSource = self._source
        self.source.poll(0.0)

    def run(self, seconds: float, step_s: float = 0.1) -> list[Item]:
        items: list[Item] = []
        for _ in range(round(seconds / step_s)):
            for _ in range(round(step_s / 0.005)):
                self.clock_s += 0.005
                self._cell.now_s = self.clock_s
                self._source.step()
            items += self.source.poll(self.clock_s)
        return items

    def take_sensor(self) -> None:
        self._cell.dead, self._cell.problem = True, THE_CHIP_SILENT()

    def give_sensor(self) -> None:
        self._cell.dead, self._cell.problem = False, None
        self._cell.skip_to(self.clock_s)


class Behind:
    """The fake microcontroller at the other end of a line."""

    def __init__(self, *, panel: bool = False) -> None:
        self._board = Board()
        if panel:
            self._board.join_panel()
        self.source: SampleSource = self._board.source
        self.take_sensor, self.give_sensor = self._board.mcu.unplug_imu, self._board.mcu.plug_imu

    @property
    def clock_s(self) -> float:
        return self._board.t_s

    def run(self, seconds: float, step_s: float = 0.1) -> list[Item]:
        del step_s  # a line is looked at every few milliseconds
        return self._board.run(seconds)


def recording() -> Computed:
    """A recorded table: it lost its inertial sensor for a while, and somebody spoke."""
    table = MockTable(living_parameters())
    table.tower.faults.append(InjectedFault(FaultKind.IMU_NACK, GONE_S, end_s=BACK_S))
    table.tower.put_events([
        SensorReport(GONE_S, "imu", ok=False, reason="The sensor is silent; check its wires"),
        HumanInput(3.0, "roll", {"value": 3}),
        SensorReport(BACK_S, "imu", ok=True),
    ])  # fmt: skip
    stream = io.BytesIO()
    stream.close = lambda: None  # type: ignore[method-assign]
    with Recorder(stream, table.calibration, simulated=True) as recorder:
        recorder.write(table.poll(END_S))
    return Computed(Recording(io.BytesIO(stream.getvalue()), "evening.mcap"))


def over(kind: Callable[[Tower], SampleSource]) -> Callable[[], Computed]:
    """A simulated tower, seen by some kind of source."""

    def made() -> Computed:
        tower = Tower(living_parameters(), 3)
        return Computed(kind(tower), tower)

    return made


def mock_table() -> Computed:
    table = MockTable(living_parameters())
    return Computed(table, table.tower)


def beside_panel(table: Computed) -> Computed:
    """The same table with buttons that are really there."""
    source = Accompanied(table.source, lambda: table.clock_s)
    HandPanel(lambda: table.clock_s).join(source)
    table.source = source
    return table


def evening(*, starter: bool) -> Computed:
    made = SimulatedEvening.begin(3, "calm", starter=starter)
    return Computed(made, None if starter else made.tower)


KINDS: dict[str, Callable[[], Table]] = {
    "recording": recording,
    "tower": over(lambda tower: tower),
    "one-cell tower": over(OneCellTower),
    "mock table": mock_table,
    "evening": lambda: evening(starter=False),
    "starter's evening": lambda: evening(starter=True),
    "pi": Wired,
    "pi of a starter": Starter,
    "bridge": Behind,
    "bridge with a panel": lambda: Behind(panel=True),
    "mock table with a panel": lambda: beside_panel(mock_table()),
}


def assert_in_order(items: list[Item]) -> None:
    """The order of `SampleSource`: blocks of one sensor never overlap, nothing crosses an event."""
    newest: dict[type, float] = {ScaleSamples: -np.inf, ImuSamples: -np.inf}
    event_s = -np.inf
    for item in items:
        if isinstance(item, ScaleSamples | ImuSamples):
            assert (np.diff(item.t_s) > 0).all()
            assert item.t_s[0] > max(newest[type(item)], event_s)
            newest[type(item)] = item_time_s(item)
        else:
            assert item.t_s >= max(event_s, *newest.values())
            event_s = item.t_s


def column(items: list[Item], kind: type, name: str = "t_s") -> np.ndarray:
    """One column of all blocks of a kind."""
    return np.concatenate([getattr(item, name) for item in items if isinstance(item, kind)])


def longest_gap_s(t_s: np.ndarray) -> float:
    """The longest time without a sample."""
    return max(after - before for before, after in pairwise(t_s))
