"""A wizard's calibration sees as well as the true values: a small floor.

The whole measurement is `python -m tests.benchmarks.calibration`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.calibration import measure, report

pytestmark = pytest.mark.slow


def test_detection_after_the_wizard_is_as_good_as_with_true_values(tmp_path: Path) -> None:
    found = measure(tmp_path, "normal", range(7001, 7002), dice=True, seconds=60.0)

    assert found.truth.placements > 7
    assert found.truth.right - found.wizard.right <= 1, report(found, "normal")
