"""Load cells in a real process of their own, on simulated chips that live there."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from engine.samples import ScaleSamples, SensorReport
from hw.drivers import pin_holders
from hw.drivers.cells import Cells, Untaken, Wire, Wires
from hw.drivers.cells_apart import UNOPENED_RETRY_S, CellsApart
from hw.drivers.pi import PiSource
from hw.drivers.scale import ScaleReader
from hw.errors import MissingDriver, NoPins
from hw.troubles import CHIP_SILENT, PIN_REFUSED
from lab.chips.hx711 import Conversion
from lab.mock import quiet_parameters
from tests.hw.real_time import ChipsOnPins

CALIBRATION = quiet_parameters().calibration
DEADLINE_S = 120.0
"""It only bounds a failure."""


def numbered(conversion: Conversion) -> float:
    return 200_000.0 + conversion.number


FOUR = ChipsOnPins((82.0, 78.5, 80.6, 93.4), numbered)


def no_pins(_stack: ExitStack) -> Wires:
    raise NoPins("the pins cannot be used (Permission denied); ask for the group gpio")


def no_library(_stack: ExitStack) -> Wires:
    raise MissingDriver("adafruit-circuitpython-hx711 is not installed")


def broken(_stack: ExitStack) -> Wires:
    raise ZeroDivisionError


UNTAKEN = PIN_REFUSED(pin=16, key="source.pi.hx711_clock[1]", error="busy")


def one_later(told: Path, stack: ExitStack) -> Wires:
    """In the process that reads: the pins of one cell can be had once it was told of them."""
    pin_holders.AGAIN_S = 0.3
    wires = FOUR(stack)

    def again() -> Wire | Untaken:
        return wires[1] if told.exists() else Untaken(UNTAKEN, again)

    return [wires[0], Untaken(UNTAKEN, again), *wires[2:]]


class Table:
    """A source whose load cells are read by a process."""

    def __init__(self, wires: Callable[[ExitStack], Wires] = FOUR) -> None:
        self.group = CellsApart(Cells(wires), time.perf_counter)
        reader = ScaleReader(self.group, CALIBRATION)
        self.source = PiSource(
            [reader], CALIBRATION, time.perf_counter, simulated=True, group=self.group
        )
        self.items: list[object] = []

    def until(self, come: Callable[["Table"], bool]) -> None:
        """Poll until something has come."""
        began_s = time.monotonic()
        while not come(self):
            assert time.monotonic() - began_s < DEADLINE_S, self.items[-3:]
            self.items += self.source.poll(time.monotonic() - began_s)
            time.sleep(0.01)

    @property
    def rows(self) -> int:
        """Good ones."""
        blocks = [item for item in self.items if isinstance(item, ScaleSamples)]
        return sum(int(block.valid.any(axis=1).sum()) for block in blocks)

    @property
    def all_well(self) -> bool:
        """Whether every cell is read; a busy computer may miss one for a moment."""
        return all(cell.tally.read > 0 and not cell.problem for cell in self.group.cells)

    def reports(self, sensor: str = "scale") -> list[SensorReport]:
        found = [item for item in self.items if isinstance(item, SensorReport)]
        return [report for report in found if report.sensor == sensor]


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.source.close()


def alive(process: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it may go while it is read
        return False


def wait_until(true: Callable[[], bool]) -> None:
    end_s = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def test_rows_and_how_the_cells_are_come_from_the_process(table: Table) -> None:
    table.until(lambda it: it.rows > 20 and it.all_well)
    process = table.group.process_id
    assert process != os.getpid()
    table.source.close()

    assert table.source.lost == 0
    assert not alive(process)
    assert table.reports() == []


def test_a_cell_that_is_not_plugged_is_named_by_the_process() -> None:
    table = Table(ChipsOnPins(FOUR.rates_hz, numbered, unplugged=(2,)))
    table.until(lambda it: bool(it.reports("scale.2")) and it.rows > 5)
    table.source.close()

    assert table.group.cells[2].problem == CHIP_SILENT(n="C2")
    assert table.reports("scale.2")[0].reason == CHIP_SILENT(n="C2").sentence


def test_a_cell_whose_pins_are_held_is_named_by_the_process_and_read_later(
    tmp_path: Path,
) -> None:
    told = tmp_path / "told"
    table = Table(partial(one_later, told))
    table.until(lambda it: bool(it.reports("scale.1")) and it.rows > 5)
    told.touch()
    table.until(lambda it: it.reports("scale.1")[-1].ok and it.all_well)
    table.source.close()

    assert table.reports("scale.1")[0].reason == UNTAKEN.sentence
    assert table.group.starts == 1


def test_cells_that_a_table_can_begin_without_are_told_and_tried_again() -> None:
    now_s = [100.0]
    group = CellsApart(Cells(no_pins, needed=False), lambda: now_s[0])
    assert group.problem is not None
    assert group.problem.code == "cells_unopened"
    assert "Permission denied" in group.problem.sentence

    now_s[0] += UNOPENED_RETRY_S - 1
    group.take()
    assert group.starts == 1
    now_s[0] += 1
    group.take()
    assert group.starts == 2
    group.close()


@pytest.mark.slow
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGSTOP])
def test_a_process_that_is_killed_or_hangs_is_named_and_started_again(
    by: signal.Signals, table: Table
) -> None:
    table.until(lambda it: it.rows > 5)
    read = sum(cell.tally.read for cell in table.group.cells)
    first = table.group.process_id
    os.kill(first, by)
    table.until(lambda it: len(it.reports()) == 1)
    before = table.rows
    table.until(lambda it: len(it.reports()) == 2 and it.rows > before + 5)
    gone, back = table.reports()

    assert not gone.ok
    assert ("was killed (signal 9)" if by is signal.SIGKILL else "hangs") in gone.reason
    assert "is started again" in gone.reason
    assert back.ok
    assert not alive(first)
    assert table.group.starts == 2
    assert sum(cell.tally.read for cell in table.group.cells) > read


@pytest.mark.parametrize(("wires", "error"), [(no_pins, NoPins), (no_library, MissingDriver)])
def test_what_the_process_lacks_is_raised_here_as_if_it_were_lacking_here(
    wires: Callable[[ExitStack], Wires], error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"Permission denied|not installed"):
        CellsApart(Cells(wires), time.perf_counter)


def test_a_process_that_fails_in_a_way_nobody_foresaw_says_so(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(NoPins, match="ended at once; its last words are above"):
        CellsApart(Cells(broken), time.perf_counter)

    assert "ZeroDivisionError" in capfd.readouterr().err


PARENT = """
import time
from hw.drivers.cells import Cells
from hw.drivers.cells_apart import CellsApart
from tests.hw.drivers.test_cells_apart import FOUR
group = CellsApart(Cells(FOUR), time.perf_counter)
print(group.process_id, flush=True)
time.sleep(600)
"""


def test_it_does_not_outlive_a_table_that_was_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.communicate()

    wait_until(lambda: not alive(child))


def test_interrupting_the_table_leaves_the_end_to_the_table(table: Table) -> None:
    table.until(lambda it: it.rows > 5)
    os.kill(table.group.process_id, signal.SIGINT)
    os.kill(table.group.process_id, signal.SIGTERM)
    before = table.rows
    table.until(lambda it: it.rows > before + 10)

    assert table.reports() == []


def test_a_computer_that_lets_nobody_go_first_says_so_once() -> None:
    """As an ordinary user without a limit on priorities."""
    group = CellsApart(Cells(FOUR), time.perf_counter)
    group.refused = "Operation not permitted"
    notices = group.notices
    group.close()

    assert len(notices) == 1
    assert "may not go before other programs (Operation not permitted)" in notices[0]
