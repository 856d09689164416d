"""What is told of a game afterwards: tallest stack, best and boldest placement, who came back."""

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


def toppled_once() -> Script:
    """A game of two pieces on one cell, all fallen."""
    game = untold("c3", "c3")
    game.say("topple", cause="placing", player="Ann")
    game.say("cleared")
    return game


@pytest.mark.parametrize(
    ("cells", "highest"),
    [
        (("c3", "a1", "c3", "c3"), Feat("Bob", 3, "c3")),
        (("c3", "c4", "c3", "c4"), Feat("Ann", 2, "c3")),
    ],
    ids=["who put the last piece on it", "one that was only equalled stays the first"],
)
def test_the_tallest_stack_is_that_of_who_made_it(cells: tuple[str, ...], highest: Feat) -> None:
    state = untold(*cells).state

    assert told(state).highest == highest
    assert len(told(state).scores) == 4
    assert told(state).scores[-1] == tuple(state.position.scores.values())


def test_pieces_of_a_round_before_do_not_count_and_topples_name_who_had_placed() -> None:
    game = toppled_once()
    game.say("place", cell="c3")
    assert told(game.state).highest == Feat("Bob", 2, "c3")

    game.say("topple", cause="bump", player="Bob")
    assert told(game.state).topples == (Fallen("Ann", "Bob"), Fallen("Bob", "Bob"))


def test_a_correction_is_told_as_it_is_understood_afterwards() -> None:
    game = begin()
    game.say("roll", value=6)
    game.placed("a1")
    ref = game.state.last.data["ref"] if game.state.last else 0
    game.say("correct", ref=ref, cell="c3")

    found = told(game.state)
    assert found.highest == Feat("Ann", 1, "c3")


def test_the_boldest_placement_is_where_most_would_have_fallen_and_who_fell_is_not_bold() -> None:
    game = untold("c3", "a1", "a1", "c3", "a1", "e5")
    bold = told(game.state).boldest

    assert bold is not None
    assert (bold.player, bold.cell) == ("Ann", "a1")
    assert 0.0 <= bold.value <= 1.0
    game.say("topple", cause="placing", player="Bob")
    assert told(game.state).boldest == bold


@pytest.mark.slow
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
