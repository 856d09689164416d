"""How a game ended, as a league reads it."""

import msgspec
import pytest
from msgspec.structs import replace

from engine.games.checks import LONGEST_ID, LONGEST_NAME
from engine.results import (
    RESULTS_LIMIT_BYTES,
    Fallen,
    GameResult,
    Highlights,
    PlayerResult,
    Results,
    fitting,
    result,
)
from tests.engine.referee.script import begin


def test_a_game_that_goes_on_has_no_result() -> None:
    assert result(begin().state, "now") is None


def test_a_game_broken_off_has_points_but_no_winner() -> None:
    game = begin()
    game.turn(1, "c3")
    game.say("end")

    found = result(game.state, "")

    assert found is not None
    assert (found.broken_off, found.winners) == (True, ())
    assert found.players == (
        PlayerResult("Ann", 0, ("blue",)),
        PlayerResult("Bob", 0, ("red",)),
    )


def test_a_table_that_still_asks_says_so() -> None:
    game = begin()
    game.say("roll", value=1)
    game.placed("c3", p=0.6, alternatives=(("c2", 0.3),))
    game.say("end")

    found = result(game.state, "")

    assert found is not None
    assert found.asked


def games(count: int, letter: str, length: int) -> tuple[GameResult, ...]:
    names = tuple(f"{seat}{letter * (length - 1)}" for seat in range(4))
    players = tuple(PlayerResult(name, -99_999) for name in names)
    name = letter * (LONGEST_ID - 2)
    return tuple(
        GameResult(f"{n:02}{name}", "triple-topper-toe", 10**9, "2026-11-22T05:00:00+00:00",
                   players, names)
        for n in range(count)
    )  # fmt: skip


@pytest.mark.parametrize("letter", ["x", '"', "\\", "\u2685", "\N{GAME DIE}"])
def test_twenty_games_with_the_longest_names_that_come_in_keep_the_promised_size(
    letter: str,
) -> None:
    whole = Results("t" * 32, "b" * 32, games(20, letter, LONGEST_NAME))

    assert fitting(whole) is whole
    assert len(msgspec.json.encode(whole)) <= RESULTS_LIMIT_BYTES


@pytest.mark.parametrize(("length", "least"), [(870, 5), (4000, 1), (70_000, 0)])
def test_old_games_with_longer_names_make_room_the_oldest_first(length: int, least: int) -> None:
    whole = Results("t1", "b", games(20, "x", length))
    told = fitting(whole)

    assert len(msgspec.json.encode(told)) <= RESULTS_LIMIT_BYTES
    assert len(told.games) >= least
    assert told.games == whole.games[len(whole.games) - len(told.games) :]


def test_what_is_to_be_told_makes_room_before_a_result_does() -> None:
    told = Highlights(scores=((-9_999,) * 4,) * 40, topples=(Fallen("x" * 40, "y" * 40),) * 20)
    long = Results("t1", "b", tuple(replace(game, highlights=told) for game in games(20, "x", 24)))
    found = fitting(long)

    assert len(msgspec.json.encode(found)) <= RESULTS_LIMIT_BYTES
    assert [game.game for game in found.games] == [game.game for game in long.games]
    kept = [game.highlights is not None for game in found.games]
    assert kept == sorted(kept)
    assert any(kept)
