"""The test that an owner makes at home."""

import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from controller.common.errors import BadInput
from controller.workshop.accuracy import command as accuracy_session
from controller.workshop.accuracy.core import AccuracyTest, Report, Trial
from engine.tabletop import level
from hw.source import samples_of
from lab.mock import MockTable, living_parameters

RIGHT = Trial("c3", "c3", 0.999, 0.2, "c3")
WRONG = Trial("c3", "c4", 0.99, 0.2, "c4")
ASKED = Trial("c3", "c4", 0.6, 0.2, None)
MISSED = Trial("c3", None, 0.0, float("nan"), None)


def test_a_simulated_table_passes_its_own_test() -> None:
    out = io.StringIO()

    code = accuracy_session.run(None, count=12, seed=3, out=out)

    words = " ".join(out.getvalue().split())
    assert code == 0, words
    assert "right cell, die known 12/12 100.0 % 75.8 to 100.0 %" in words
    assert "release to decision" in words


@pytest.mark.slow
def test_cells_of_all_levels_are_asked_for() -> None:
    table = MockTable(living_parameters())
    test = AccuracyTest(table.tabletop, 10, np.random.default_rng(1))
    wanted: list[str] = []
    while not test.done and test.wanted is not None and len(wanted) < 10:
        wanted.append(test.wanted)
        table.wait(2.0)
        table.place(grams=3.05, cell=test.wanted)
        table.wait(4.0)
        for item in samples_of(table.take()):
            test.feed(item)

    assert [trial.seen for trial in test.trials] == wanted
    assert Counter(level(cell) for cell in wanted[:5]) == Counter([1, 2, 3, 4, 5])


def test_what_was_not_seen_counts_and_the_board_is_cleared() -> None:
    test = AccuracyTest(MockTable().tabletop, 10, np.random.default_rng(1))

    test.missed()

    assert test.trials[0].seen is None
    assert not test.trials[0].right
    assert test.clearing
    assert test.wanted is None


def test_wrong_without_asking_is_told_from_wrong_and_asked() -> None:
    report = Report((RIGHT, WRONG, ASKED, MISSED))

    assert (report.right, report.silent, report.asked) == (1, 1, 2)
    assert next(iter(report.by_level())) == (1, 1, 4)


@pytest.mark.parametrize(
    ("trials", "passed"),
    [
        ((RIGHT,) * 25, True),
        ((RIGHT,) * 24 + (ASKED,), True),
        ((RIGHT,) * 23 + (WRONG,) * 2, False),
        ((RIGHT,) * 15 + (ASKED,) * 10, False),
        ((), False),
    ],
)
def test_the_claim_is_judged_by_its_interval(trials: tuple[Trial, ...], passed: bool) -> None:
    assert Report(trials).passed is passed


def test_too_few_placements_and_a_starter_that_sees_no_cells_are_not_tested(
    tmp_path: Path,
) -> None:
    config = tmp_path / "table.toml"
    config.write_text("[source]\nstarter = true\n")

    with pytest.raises(BadInput, match="--n 2"):
        accuracy_session.run(None, count=2)
    with pytest.raises(BadInput, match="a starter table sees no cells"):
        accuracy_session.run(config)
