from math import inf

import pytest

from lab.fit.assumptions import ASSUMPTIONS, Agreement, judged
from lab.fit.estimates import Estimate, missing


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.10, 0.16, Agreement.AGREES),
        (0.50, 0.60, Agreement.AGREES),
        (0.60, 0.70, Agreement.CONTRADICTS),
        (0.00, inf, Agreement.OPEN),
    ],
)
def test_a_table_contradicts_only_with_its_whole_interval(
    low: float, high: float, answer: Agreement
) -> None:
    (verdict,) = judged([Estimate("friction_band_deg", (low + min(high, 1)) / 2, low, high, 9)])

    assert verdict.answer is answer


def test_what_was_not_seen_contradicts_nothing() -> None:
    (verdict,) = judged([missing("creep_share", 0, "a load")])

    assert verdict.answer is Agreement.OPEN


def test_a_table_that_is_better_than_assumed_is_not_told_to_be_mended() -> None:
    (verdict,) = judged([Estimate("cell_drift_g_per_sqrt_s", 0.002, 0.001, 0.003, 9)])

    assert verdict.answer is Agreement.CONTRADICTS
    assert verdict.follows.startswith("better than assumed")


def test_each_assumption_is_tested_by_one_figure_and_says_what_follows() -> None:
    assert len({each.figure for each in ASSUMPTIONS}) == len(ASSUMPTIONS)
    assert all(each.low <= each.high and each.follows and each.source for each in ASSUMPTIONS)
