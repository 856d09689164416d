from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import HumanInput
from engine.referee import RefereeState, corrections, handle_input
from engine.tabletop import CELLS, level
from tests.engine.referee.script import TWO_COLOURS, Script, begin

TURNS = st.tuples(st.integers(1, 6), st.integers(0, 24), st.sampled_from(["seen", "late", "fell"]))
OPENINGS = st.sampled_from(
    [{}, {"players": TWO_COLOURS}, {"options": {"dice": "untold"}}, {"target": 20}]
)


def taken(state: RefereeState, data: dict[str, Any]) -> bool:
    said = HumanInput(1000.0, "correct", data)
    return handle_input(state, said).refused is None


def on_board(state: RefereeState) -> list[int]:
    position = state.position
    return [ref for refs in (position.standing or position.refs).values() for ref in refs]


def played(opening: dict[str, Any], turns: list[tuple[int, int, str]]) -> Script:
    """A game in which dice are told in time, late or not; some pieces fall, some lie anywhere."""
    game = begin(**opening)
    for die, place, how in turns:
        if game.state.position.over:
            break
        if how not in ("late", "untold"):
            game.say("roll", value=die)
        cells = game.state.position.view["cells"] or CELLS
        if how == "unknown":
            game.placed(None, alternatives=((cells[0], 0.5), ("c3", 0.4)))
        else:
            game.placed(cells[place % len(cells)])
        if how == "late":
            game.say("roll", value=die)
        if how == "fell" and game.state.position.refs:
            game.toppled()
            game.cleared()
    return game


@pytest.mark.slow  # each game is judged anew some hundred times
@given(OPENINGS, st.lists(TURNS, min_size=1, max_size=7))
def test_exactly_what_is_offered_is_taken(
    opening: dict[str, Any], turns: list[tuple[int, int, str]]
) -> None:
    state = played(opening, turns).state
    for ref in on_board(state)[-2:]:
        offered = list(corrections(state, ref))
        assert all(taken(state, data) for data in offered), offered
        here = state.applied()[ref].cell
        offers = {data["cell"]: data.get("value") for data in offered if "cell" in data}
        for cell in set(CELLS) - {here}:
            as_rolled = taken(state, {"ref": ref, "cell": cell})
            other_die = taken(state, {"ref": ref, "cell": cell, "value": level(cell)})
            assert (cell in offers) == (as_rolled or other_die)
            assert cell not in offers or offers[cell] is not None or as_rolled


def test_a_cell_that_the_die_forbids_is_offered_with_the_die_it_takes() -> None:
    game = begin()
    game.turn(3, "c1")
    offers = {data.get("cell"): data for data in corrections(game.state, on_board(game.state)[0])}

    assert offers["a3"] == {"ref": offers["a3"]["ref"], "cell": "a3"}
    assert offers["a1"] == {"ref": offers["a1"]["ref"], "cell": "a1", "value": 5}
    assert "c1" not in offers
    assert len(offers) == 25
    assert offers[None] == {"ref": offers["a1"]["ref"], "nothing": True}


def test_the_die_that_is_put_right_is_that_of_the_piece_however_late_it_was_told() -> None:
    """Both place before they tell their dice; the roll before Bob's piece is Ann's."""
    game = begin()
    for cell, die in (("c3", 1), ("c2", 2)):
        game.placed(cell)
        game.say("roll", value=die)
    ann, bob = on_board(game.state)
    offers = {data.get("cell"): data for data in corrections(game.state, bob)}
    assert offers["b3"] == {"ref": bob, "cell": "b3"}
    game.say("correct", **offers["a1"])

    assert [move.data["value"] for move in game.state.ledger if move.kind == "roll"] == [1, 5]
    assert (game.board["c3"], game.board["a1"]) == (["blue"], ["red"])
    assert {*on_board(game.state)} == {ann, bob}
    assert (game.state.position.player, game.state.position.phase) == ("Ann", "roll")


def test_a_piece_that_nobody_saw_is_put_where_it_lies() -> None:
    """Ann rolled a one, so her piece can only lie in the middle; then Bob rolled."""
    game = begin()
    game.say("roll", value=1)
    game.say("roll", value=4)
    game.placed("b1")
    unseen = next(ref for ref, one in game.state.applied().items() if one.cell == "c3")
    offers = {data.get("cell"): data for data in corrections(game.state, unseen)}
    assert offers["b2"] == {"ref": unseen, "cell": "b2", "value": 3}
    game.say("correct", **offers["b2"])

    assert game.ruling.refused is None
    last: Any = game.state.last
    assert last.was == "c3"
    assert {cell: on for cell, on in game.board.items() if on} == {"b2": ["blue"], "b1": ["red"]}
    assert (game.state.position.player, game.state.position.phase) == ("Ann", "roll")
    game.say("undo")
    assert unseen in on_board(game.state)


def test_a_roll_that_stands_for_no_piece_has_no_cell() -> None:
    game = begin()
    game.say("roll", value=4)
    ref = game.state.ledger[-1].ref

    assert {data.get("value") for data in corrections(game.state, ref)} == {*range(1, 7), None}
    assert game.say("correct", ref=ref, cell="c3").refused is not None


def test_other_colours_of_the_same_player_are_offered_while_pieces_of_them_are_left() -> None:
    game = begin(TWO_COLOURS)
    game.turn(6, "c3")
    ref = on_board(game.state)[0]

    assert {"ref": ref, "colour": "green"} in corrections(game.state, ref)
    assert not [data for data in corrections(game.state, ref) if data.get("colour") == "red"]


def test_of_a_fall_every_cause_and_player_are_offered() -> None:
    game = begin()
    game.turn(6, "c3")
    game.turn(6, "c3")
    game.toppled()
    last: Any = game.state.last
    fall = last.ref
    offered = corrections(game.state, fall)

    assert {"ref": fall, "cause": "bump", "player": "Ann"} in offered
    assert all(taken(game.state, data) for data in offered)


def test_of_a_move_that_cannot_be_corrected_nothing_is_offered() -> None:
    game = begin()
    assert corrections(game.state, game.state.ledger[0].ref) == ()
    with pytest.raises(Exception, match="no move number 999"):
        corrections(game.state, 999)
