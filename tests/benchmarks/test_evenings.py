"""The benchmark of whole games counts what it says it counts."""

from collections.abc import Sequence

import pytest

from tests.benchmarks import evenings
from tests.benchmarks.evenings import (
    FRESH,
    divergences,
    figures,
    fresh_seed,
    games,
    head,
    main,
)
from tests.benchmarks.evenings_played import MODES, Ended, Evenings, Mode, Played

EXACT_OF_FRESH = 8
"""Of twelve fresh games at least so many must end with the exact score. If 95 % of all games do, as
on calm tables, fewer come by chance once in 5,000 commits; if only half did, it would be noticed
four times in five."""

TARGET = 20
"""Three to six minutes of play a game: all twelve take two minutes on two idle cores."""


def game(*, exact: bool, out_of_step: int = 0, modes: Sequence[Mode] = MODES) -> Played:
    scores = {"Ann": 40, "Bob": 12 if exact else 9}
    ended = Ended(scores, exact, True, 2, out_of_step, "" if exact else "at 3.0 s a piece was none")
    return Played("calm", "usual", 7, 12.0, {"Ann": 40, "Bob": 12}, dict.fromkeys(modes, ended))


def test_games_are_counted_with_questions_in_twelve_minutes() -> None:
    found = figures([game(exact=True), game(exact=False, out_of_step=3)], "untouched")

    assert (found.games, found.exact, found.winner, found.out_of_step) == (2, 1, 2, 1)
    assert found.questions == pytest.approx(2.0)


def test_each_wrong_game_is_named_in_each_mode_with_its_first_divergence() -> None:
    lines = list(divergences([game(exact=True), game(exact=False)]))

    assert len(lines) == len(MODES)
    assert all("seed 7" in line and "a piece was none" in line for line in lines)


def test_only_the_modes_asked_for_are_played_and_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[Mode, ...]] = []

    def played(*job: object) -> list[Played]:
        asked.append(job[-1])  # type: ignore[arg-type]
        return [game(exact=True, modes=asked[-1])]

    monkeypatch.setattr(evenings, "games", played)
    assert main(["--modes", "watched", "untouched", "--seed", "1"]) == 0
    printed = capsys.readouterr().out

    assert asked == [("untouched", "watched")]
    assert "watched" in printed
    assert "answered" not in printed


def test_a_game_that_goes_on_for_ever_is_broken_off() -> None:
    (found,) = games(("rough",), ("usual",), 1, 3, Evenings(longest_s=30.0), ("untouched",))

    assert found.minutes == pytest.approx(0.5, abs=0.01)


def test_a_commit_has_seeds_of_its_own() -> None:
    assert fresh_seed("a" * 40) != fresh_seed("b" * 40)
    assert fresh_seed("a" * 40) >= 100_000


@pytest.mark.slow
def test_a_short_game_is_played_to_its_end_in_each_mode(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--quick"]) == 0
    printed = capsys.readouterr().out

    assert all(mode in printed for mode in MODES)


@pytest.mark.slow
def test_fresh_games_of_this_commit_end_with_the_right_score() -> None:
    found = games(["calm"], ["usual"], FRESH, fresh_seed(head()), Evenings(TARGET), ("untouched",))
    exact = figures(found, "untouched").exact

    assert exact >= EXACT_OF_FRESH, "\n".join(divergences(found))
