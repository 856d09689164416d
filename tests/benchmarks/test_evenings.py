"""The benchmark of whole games counts what it says it counts."""

import pytest

from tests.benchmarks.evenings import divergences, figures, fresh_seed, main
from tests.benchmarks.evenings_played import Ended, Played


def game(*, exact: bool, out_of_step: int = 0) -> Played:
    scores = {"Ann": 40, "Bob": 12 if exact else 9}
    ended = Ended(scores, exact, True, 2, out_of_step, "" if exact else "at 3.0 s a piece was none")
    return Played(
        "calm", "usual", 7, 12.0, {"Ann": 40, "Bob": 12}, {"untouched": ended, "answered": ended}
    )


def test_games_are_counted_with_questions_in_twelve_minutes() -> None:
    found = figures([game(exact=True), game(exact=False, out_of_step=3)], "untouched")

    assert (found.games, found.exact, found.winner, found.out_of_step) == (2, 1, 2, 1)
    assert found.questions == pytest.approx(2.0)


def test_each_wrong_game_is_named_with_its_first_divergence() -> None:
    lines = list(divergences([game(exact=True), game(exact=False)]))

    assert len(lines) == 2
    assert all("seed 7" in line and "a piece was none" in line for line in lines)


def test_a_commit_has_seeds_of_its_own() -> None:
    assert fresh_seed("a" * 40) != fresh_seed("b" * 40)
    assert fresh_seed("a" * 40) >= 100_000


@pytest.mark.slow
def test_fresh_games_are_played_to_their_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quick"]) == 0
    printed = capsys.readouterr().out

    assert "untouched" in printed
    assert "answered" in printed
