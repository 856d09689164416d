"""A slip of whose turn it is heals with the next pieces, if pieces are marked."""

from statistics import median

import pytest

from tests.benchmarks.slips import KINDS, NEVER, PIECES_AFTER, main, slip, ten

MOST_PIECES = 2
"""The goal, in the median: a slip shows with the first piece that contradicts it, and one weighing
in fifty is wrong."""


@pytest.mark.slow
def test_ten_slips_heal_by_the_weight_of_the_next_pieces() -> None:
    found = ten(1)

    assert [each.kind for each in found] == [kind for kind in KINDS for _ in range(2)]
    assert min(each.lasted for each in found) > 0  # each was one
    assert median(each.lasted for each in found) <= MOST_PIECES
    assert sum(each.credited for each in found) >= 0.95 * PIECES_AFTER * len(found)


@pytest.mark.parametrize("kind", KINDS)
def test_without_weights_a_slip_lasts(kind: str) -> None:
    found = slip(kind, 1, weighed=False)  # type: ignore[arg-type]

    assert (found.lasted, found.credited) == (NEVER, 0)


@pytest.mark.slow
def test_the_figures_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tens", "1"]) == 0

    assert "weighed, all: 10 slips" in capsys.readouterr().out
