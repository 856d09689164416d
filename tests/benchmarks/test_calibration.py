"""A wizard's calibration sees as well as the true values: a small floor.

The whole measurement is `python -m tests.benchmarks.calibration`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.calibration import calibrated, main, measure, report, true_calibration

pytestmark = pytest.mark.slow


def test_detection_after_the_wizard_is_as_good_as_with_true_values(tmp_path: Path) -> None:
    found = measure(tmp_path, "normal", range(7001, 7002), dice=True, seconds=60.0)

    assert found.truth.placements > 7
    assert found.truth.right - found.wizard.right <= 1, report(found, "normal")


def test_true_values_are_those_of_the_table() -> None:
    table = calibrated("calm", 7005)

    true = true_calibration(table.parameters)

    assert true.scale.counts_per_gram == table.parameters.scale.counts_per_gram
    assert true.empty_moment_gmm == table.parameters.body.empty_moment_gmm


def test_wrong_use_ends_with_code_2() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--tables", "many"])
    assert ended.value.code == 2
