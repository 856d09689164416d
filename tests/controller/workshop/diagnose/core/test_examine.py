"""The whole over tables drawn widely: no false alarm, and every fault by its name."""

from pathlib import Path

import pytest

from controller.workshop.diagnose.core.examine import Part, examine
from controller.workshop.diagnose.core.findings import Severity
from controller.workshop.diagnose.core.motion import PivotFigures
from controller.workshop.diagnose.core.presses import CellPress
from hw.source import LinkHealth
from lab.planted import PLANTED
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, rest
from tests.planted_tables import BY_HANDS, EIGHTY_HZ, PATHS, RATES, TEN_HZ, trial
from tests.soaked import soaked

EACH = [(path, words) for words, fault in PLANTED.items() for path in fault.paths]
ALWAYS = [
    ("pins", "wrong rate"),
    ("pins", "bad wires"),
    ("bridge", "wrong rate"),
    ("bridge", "stuck dout low"),
    ("bridge", "int open"),
]
"""Of the places where a fault was once hidden by what is made of the conversions above it."""
HEALTHY = [(path, n, rates) for path in PATHS for n in range(8) for rates in RATES]


@pytest.mark.parametrize(
    "case",
    soaked(
        HEALTHY,
        but=[("pins", 0, EIGHTY_HZ), ("bridge", 2, TEN_HZ)],
        mark=pytest.mark.slow,
    ),
)
def test_a_healthy_table_is_called_healthy_at_whatever_rate(
    case: tuple[str, int, tuple[float, ...]],
) -> None:
    path, index, rates_hz = case
    found = trial(path, index, rates_hz=rates_hz).found

    assert found.healthy, found.findings


@pytest.mark.parametrize("case", soaked(EACH, but=ALWAYS, mark=pytest.mark.slow), ids=str)
def test_a_fault_planted_at_its_place_is_told_by_its_name_and_nothing_else(
    case: tuple[str, str],
) -> None:
    path, fault = case
    judged = trial(path, 4, fault, hands=fault in BY_HANDS)

    assert judged.named, judged.said
    assert judged.beside == (), judged.said


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_wires_on_record_that_lose_two_of_three_words_are_told_as_what_they_are(path: str) -> None:
    """They were once taken for a wrong gain and for hum; about 11 conversions a second."""
    judged = trial(path, 4, "bad wires", rates_hz=TEN_HZ)

    assert judged.said == "chip_resets(scale.1)"
    assert judged.found.cells[1].rate_hz == pytest.approx(TEN_HZ[1], rel=0.01)


def test_every_planted_fault_names_a_finding_that_there_is() -> None:
    documented = Path("docs/diagnosis.md").read_text(encoding="utf-8")

    for words, fault in PLANTED.items():
        assert f"`{words}`" in documented
        assert all(f"`{kind}`" in documented for kind in fault.kinds)


@pytest.mark.slow
def test_only_the_parts_that_are_built_are_judged() -> None:
    stretch = rest("imu missing", "switch closed", "stuck cell C0")

    def kinds(*parts: Part) -> list[str]:
        return [f.kind for f in examine(stretch, CALIBRATION, parts=parts).findings]

    assert kinds(Part.CELLS) == ["cell_stuck"]
    assert kinds(Part.IMU, Part.LINK) == ["imu_missing"]
    assert kinds(Part.SWITCH) == ["switch_stuck"]
    assert kinds() == []


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["wrong rate", "resetting", "imu missing", "stuck dout low"])
def test_every_finding_has_a_sentence_a_next_step_a_figure_and_a_limit(fault: str) -> None:
    for finding in examine(rest(f"{fault} cell C1"), CALIBRATION).findings:
        assert finding.sentence.endswith("."), finding
        assert finding.check.endswith("."), finding
        assert finding.figure, finding
        assert finding.limit, finding
        assert finding.severity in Severity
