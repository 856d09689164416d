"""The whole over tables drawn widely: no false alarm, and every fault by its name."""

import pytest

from controller.workshop.diagnose.core.examine import Part, examine
from controller.workshop.diagnose.core.findings import Severity
from controller.workshop.diagnose.core.motion import PivotFigures
from controller.workshop.diagnose.core.presses import CellPress
from hw.source import LinkHealth
from hw.stretch import gather
from lab.twin.tower import Tower
from tests.benchmarks.diagnosis import BY_HANDS, EXPECTED, drawn, trial
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, rest
from tests.soaked import soaked

HEALTHY = 24


@pytest.mark.parametrize("index", soaked(range(HEALTHY), but=range(6)))
def test_a_healthy_table_is_called_healthy(index: int) -> None:
    tower = Tower(drawn(index), index)
    found = examine(gather(tower.poll(10.0), 0.0, 10.0), tower.calibration)

    assert found.healthy, found.findings


@pytest.mark.parametrize("fault", [words for words in EXPECTED if words not in BY_HANDS])
@pytest.mark.parametrize("index", soaked([500, 501], but=[500]))
def test_a_broken_table_is_told_by_the_name_of_its_fault(fault: str, index: int) -> None:
    # Cells of nearly the same tare can only be told apart by pressing.
    judged = trial(index, fault, hands=fault == "swapped cells")

    assert judged.named
    assert judged.beside == ()


def test_only_the_parts_that_are_built_are_judged() -> None:
    stretch = rest("imu missing", "switch closed", "stuck cell C0")

    def kinds(*parts: Part) -> list[str]:
        return [f.kind for f in examine(stretch, CALIBRATION, parts=parts).findings]

    assert kinds(Part.CELLS) == ["cell_stuck"]
    assert kinds(Part.IMU, Part.LINK) == ["imu_missing"]
    assert kinds(Part.SWITCH) == ["switch_stuck"]
    assert kinds() == []


def test_a_cell_known_to_be_dead_is_not_told_again_by_its_press() -> None:
    stretch = rest("stuck cell C1")
    presses = [CellPress(1, stretch)]
    found = examine(stretch, CALIBRATION, presses=presses)

    assert [f.kind for f in found.findings] == ["cell_stuck"]
    assert found.tried == ("press C1",)


def test_a_pivot_is_not_judged_by_sensors_that_are_wrong() -> None:
    rough = PivotFigures(1.5, 0.1)

    sound = examine(rest(), CALIBRATION, pivot=rough)
    broken = examine(rest("stuck cell C1"), CALIBRATION, pivot=rough)

    assert [f.kind for f in sound.findings] == ["pivot_rough"]
    assert [f.kind for f in broken.findings] == ["cell_stuck"]


def test_counters_and_temperature_are_passed_on() -> None:
    counters = LinkHealth(ok=True), LinkHealth(ok=True, resets=2)
    found = examine(rest(), CALIBRATION, link=counters, temperature_c=99.0)

    assert [f.kind for f in found.findings] == ["mcu_reboots", "imu_temperature"]
    assert found.imu.temperature_c == 99.0


def test_every_finding_has_a_sentence_a_next_step_a_figure_and_a_limit() -> None:
    for fault in EXPECTED:
        for finding in examine(rest(f"{fault} cell C1", seconds=3.0), CALIBRATION).findings:
            assert finding.sentence.endswith("."), finding
            assert finding.check.endswith("."), finding
            assert finding.figure, finding
            assert finding.limit, finding
            assert finding.severity in Severity
