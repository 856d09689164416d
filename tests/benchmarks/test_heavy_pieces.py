"""Rounds with heavier pieces are played to a fall, and counted right."""

import pytest

from tests.benchmarks.heavy_pieces import Round, played, report


@pytest.mark.slow
def test_a_round_of_very_heavy_pieces_ends_sooner() -> None:
    plain = [played("normal", seed, 0.0) for seed in range(3)]
    heavy = [played("normal", seed, 12.0) for seed in range(3)]

    assert sum(each.placed for each in heavy) < sum(each.placed for each in plain)
    assert all(each.fell for each in heavy)


def test_the_report_counts_pieces_and_moves() -> None:
    plain = [Round(10, fell=True, heavy=False), Round(12, fell=True, heavy=True)]
    heavy = [Round(8, fell=True, heavy=True), Round(12, fell=True, heavy=True)]

    line = report("calm", 1.02, heavy, plain)

    assert "laid 10.00  fewer +1.00" in line
    assert "fell 2  in the heavy player's move 2" in line
