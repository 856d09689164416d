"""Faults of the wiring, from the simulated pin or line up to the sentence that the owner reads."""

from collections.abc import Callable
from math import sin

import pytest

from controller.workshop.diagnose.core.examine import examine
from controller.workshop.diagnose.core.findings import Finding, Severity
from hw.stretch import gather
from lab.chips.fake_mcu import FakeMcu
from lab.mock import living_parameters, quiet_parameters
from lab.on_pins import WiredTable
from lab.twin.tower import Tower
from tests.hw.boards import Board

LONG_S = 6.0
STEP_S = 0.1


def on_pins(plant: Callable[[WiredTable], object]) -> tuple[Finding, ...]:
    """What is found on a table whose sensors hang on a Pi's pins."""
    table = WiredTable(Tower(living_parameters(), 5))
    plant(table)
    table.source.poll(0.0)
    items = []
    while table.tower.now_s < LONG_S:
        table.tower.advance(table.tower.now_s + STEP_S)
        table.run()
        items += table.poll()
    table.source.close()
    rest, service = gather(items, 1.0, LONG_S), table.source.imu_service()
    return examine(rest, table.tower.calibration, service=(service, service)).findings


def behind_a_line(plant: Callable[[Board], object]) -> tuple[Finding, ...]:
    """What is found on a table with a microcontroller."""
    board = Board(FakeMcu(counts=_flickering, imu=_trembling, buffer_bytes=4000))
    plant(board)
    items = board.run(LONG_S)
    rest, service = gather(items, 1.0, LONG_S), board.source.imu_service()
    return examine(rest, board.calibration, service=(service, service)).findings


def _flickering(cell: int, t_s: float) -> int:
    tare = quiet_parameters().calibration.scale.tare_counts[cell]
    return round(tare) + round(90 * sin(7919 * t_s + cell))


def _trembling(t_s: float) -> tuple[int, int, int, int, int, int, int]:
    noise = round(40 * sin(6037 * t_s))
    one_g = round(quiet_parameters().calibration.imu.accel_lsb_per_g)
    return noise, -noise, one_g + noise, 0, noise, noise, -noise


@pytest.mark.slow
@pytest.mark.parametrize("who", [0x68, 0x69, 0x70, 0x98, 0x19])
def test_an_inertial_sensor_of_the_list_is_no_fault(who: int) -> None:
    found = on_pins(lambda table: setattr(table.imu, "who", who))

    assert [each.kind for each in found if each.severity is not Severity.NOTE] == []


def test_an_unknown_inertial_sensor_is_tried_and_its_number_told() -> None:
    (found,) = on_pins(lambda table: setattr(table.imu, "who", 0xEA))

    assert "says it is 0xEA" in found.sentence
    assert "it is tried" in found.sentence
    assert "play on and report the number" in found.check


def test_an_open_data_wire_is_an_unplugged_load_cell_with_what_to_check() -> None:
    (found,) = on_pins(lambda table: table.cells[2].unplug())

    assert (found.kind, found.sensor) == ("cell_silent", "scale.2")
    assert "Load cell C2" in found.sentence
    assert "its wire DT is on the right pin" in f"{found.sentence} {found.check}"


def test_an_open_interrupt_wire_is_named_and_costs_no_sensor() -> None:
    (found,) = behind_a_line(lambda board: setattr(board.mcu, "imu_int_open", True))

    assert found.kind == "imu_int_open"
    assert "INT wire" in found.check


def test_a_panel_that_is_not_there_is_named_and_stops_nothing() -> None:
    def lose(board: Board) -> None:
        board.join_panel().refused = "there are no pins"

    (found,) = behind_a_line(lose)

    assert found.kind == "panel"
    assert found.severity is Severity.WARNING
