"""What is told of a game afterwards: tallest stack, best and boldest placement, who came back."""

from typing import Any

import pytest

from controller.table.highlights import MOST_ROWS, highlights
from engine.games.registry import GAMES
from engine.referee import RefereeState
from engine.results import Fallen, Feat, Highlights
from tests.controller.evenings import TABLETOP
from tests.controller.whole_games import whole_game
from tests.engine.referee.script import Script, begin


def told(state: RefereeState) -> Highlights:
    return highlights(state, TABLETOP)


def untold(*cells: str, target: int = 1000) -> Script:
    """A game with these placements in turns; the die is not told."""
    game = begin(options={"dice": "untold"}, target=target)
    for cell in cells:
        game.say("place", cell=cell)
    return game


def test_of_a_game_that_has_just_begun_there_is_nothing_to_tell() -> None:
    assert told(begin().state) == Highlights()
    assert told(RefereeState()) == Highlights()


def test_the_tallest_stack_is_that_of_who_put_the_last_piece_on_it() -> None:
    found = told(untold("c3", "a1", "c3", "c3").state)

    assert found.highest == Feat("Bob", 3, "c3")


def test_a_stack_that_was_only_equalled_stays_the_first() -> None:
    found = told(untold("c3", "c4", "c3", "c4").state)

    assert found.highest == Feat("Ann", 2, "c3")


def test_pieces_of_a_round_before_do_not_count_for_this_one() -> None:
    game = untold("c3", "c3")
    game.say("topple", cause="placing", player="Ann")
    game.say("cleared")
    game.say("place", cell="c3")

    assert told(game.state).highest == Feat("Bob", 2, "c3")


def test_a_correction_is_told_as_it_is_understood_afterwards() -> None:
    game = begin()
    game.say("roll", value=6)
    game.placed("a1")
    ref = game.state.last.data["ref"] if game.state.last else 0
    game.say("correct", ref=ref, cell="c3")

    found = told(game.state)
    assert found.highest == Feat("Ann", 1, "c3")


def test_the_boldest_placement_is_the_one_where_most_would_have_fallen() -> None:
    found = told(untold("c3", "a1", "a1", "c3", "a1", "e5").state)

    assert found.boldest is not None
    assert (found.boldest.player, found.boldest.cell) == ("Ann", "a1")
    assert 0.0 <= found.boldest.value <= 1.0


def test_who_fell_is_not_bold() -> None:
    game = untold("a1", "a1", "a1")
    before = told(game.state).boldest
    game.say("topple", cause="placing", player="Bob")

    assert told(game.state).boldest == before


def test_topples_are_told_with_who_had_placed_before() -> None:
    game = untold("c3", "c3")
    game.say("topple", cause="placing", player="Ann")
    game.say("cleared")
    game.say("place", cell="c3")
    game.say("topple", cause="bump", player="Bob")

    assert told(game.state).topples == (Fallen("Ann", "Bob"), Fallen("Bob", "Bob"))


def rows_of(state: RefereeState) -> Any:
    return told(state).scores


def test_the_scores_begin_with_the_first_turn_and_end_with_the_last() -> None:
    game = untold("c3", "a1", "b2")

    assert len(rows_of(game.state)) == 3
    assert rows_of(game.state)[-1] == tuple(game.state.position.scores.values())


@pytest.mark.parametrize("kind", list(GAMES))
@pytest.mark.parametrize("seed", range(3))
def test_whole_games_of_every_kind_have_something_to_tell_and_it_is_small(
    kind: str, seed: int
) -> None:
    found, _ = whole_game(kind, seed)
    told_of = found.highlights

    assert told_of is not None
    assert len(told_of.scores) <= MOST_ROWS
    names = {player.name for player in found.players}
    feats = (told_of.highest, told_of.best, told_of.boldest, told_of.streak, told_of.comeback)
    assert {feat.player for feat in feats if feat} <= names
    if kind == "topple":
        assert told_of.highest is not None
        assert told_of.scores[-1] == tuple(player.score for player in found.players)
        assert told_of.comeback is None or told_of.comeback.player in found.winners


def test_players_without_points_have_no_comeback() -> None:
    game = begin(variant="young", target=None)
    game.say("roll", value=6)
    game.say("place", cell="c3")
    game.say("end")

    assert told(game.state).comeback is None
