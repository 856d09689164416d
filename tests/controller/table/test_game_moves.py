"""A finished game move by move: each board as it stood, and nothing that was hidden."""

import base64
import json
import random
import zlib
from typing import Any

import pytest
from msgspec.structs import replace

from controller.table.game_moves import (
    PACKED_LIMIT,
    UNPACKED_LIMIT_BYTES,
    GameMoves,
    Moment,
    QuestionPut,
    Told,
    game_moves,
    packed,
    unpacked,
)
from engine.games.registry import GAMES
from engine.public_events import LastShown
from engine.referee import RefereeState
from engine.results import GameResult, result
from tests.controller.evenings import TABLETOP
from tests.controller.table.test_loop_hand_games import secrets_in
from tests.controller.whole_games import played_through
from tests.engine.referee.script import Script, begin


def moves_of(state: RefereeState, told: Told | None = None) -> GameMoves:
    ended = result(state, "2026-11-28T20:00:00+00:00")
    assert ended is not None
    return game_moves(state, ended, TABLETOP, told or Told())


def untold(*cells: str) -> Script:
    game = begin(options={"dice": "untold"}, id="g1", first=0)
    for cell in cells:
        game.say("place", cell=cell)
    return game


def ended(game: Script) -> RefereeState:
    game.say("end")
    return game.state


def boards(moves: GameMoves) -> list[dict[str, Any]]:
    """Every board and view, put together from the changes as a page does."""
    board, view, found = dict[str, Any](), dict[str, Any](), []
    for moment in json.loads(unpacked(packed(moves)))["moments"]:
        board = {c: s for c, s in {**board, **moment.get("board", {})}.items() if s}
        view = {**view, **moment.get("view", {})}
        found.append({"board": board, "view": view})
    return found


def test_each_move_has_its_board_its_score_who_was_next_and_how_bold_it_was() -> None:
    moves = moves_of(ended(untold("c3", "a1", "c3")))
    beginning, first, second, third, end = moves.moments

    assert [one.last.type for one in moves.moments] == [
        "started", "placed", "placed", "placed", "ended",
    ]  # fmt: skip
    assert [one["board"] for one in boards(moves)][1:4] == [
        {"c3": ["blue"]},
        {"c3": ["blue"], "a1": ["red"]},
        {"c3": ["blue", "blue"], "a1": ["red"]},
    ]
    assert (beginning.turn, first.turn, second.last.player) == ("Ann", "Bob", "Bob")
    assert third.scores == (0, 0)
    assert end.phase == "over"


def test_a_placement_is_the_bolder_the_higher_the_stack_at_the_rim() -> None:
    risks = [one.risk for one in moves_of(ended(untold(*["e5"] * 6))).moments]

    assert risks[0] is risks[-1] is None
    assert risks[1:-1] == sorted(risk for risk in risks if risk is not None)
    assert (risks[1] or 0.0) < (risks[-2] or 0.0)


def test_a_fall_empties_the_board_and_names_its_film() -> None:
    game = untold("c3", "c4")
    game.say("topple", cause="placing", player="Ann")
    fall = next(o for o in game.ruling.outcomes if o.type == "toppled")
    game.say("cleared")
    game.say("place", cell="d4")
    moves = moves_of(ended(game), Told(falls={fall.data["ref"]: 77}))

    assert [one.last.type for one in moves.moments[3:5]] == ["toppled", "placed"]
    assert moves.moments[3].seq == 77
    assert boards(moves)[3]["board"] == {}
    assert list(boards(moves)[4]["board"]) == ["d4"]


def test_what_was_corrected_is_where_it_belongs_and_what_was_undone_is_not_there() -> None:
    game = untold("c3", "a1")
    ref = moves_of(ended(game)).moments[2].last.ref
    game.say("undo")
    game.say("correct", ref=ref, cell="e5")
    game.say("place", cell="b2")
    game.say("undo")

    assert [one["board"] for one in boards(moves_of(ended(game)))][2:] == [
        {"c3": ["blue"], "e5": ["red"]},
    ] * 2


def test_the_die_stands_with_the_move_for_which_it_was_rolled() -> None:
    game = begin(id="g1")
    game.say("roll", value=1)
    game.say("place", cell="c3")
    game.say("roll", value=5)
    game.say("pass")

    assert [one.die for one in moves_of(ended(game)).moments] == [None, 1, 5, None]


def test_a_question_stands_with_its_move_or_with_the_next() -> None:
    state = ended(untold("c3", "a1"))
    first = moves_of(state).moments[1].last.ref or 0
    asked = [
        QuestionPut(first, "cell", "Where?", "Ann", "c3"),
        QuestionPut(first - 1, "turn", "Who?"),
        QuestionPut(999, "blame", "Who bumped?"),
    ]
    found = moves_of(state, Told(asked=asked)).moments

    assert [tuple(one.kind for one in moment.asked) for moment in found][1:] == [
        ("cell",), (), ("blame",),
    ]  # fmt: skip
    assert [one.kind for one in found[0].asked] == ["turn"]


@pytest.mark.parametrize("kind", list(GAMES))
def test_a_game_of_every_kind_ends_as_it_ended_and_shows_what_was_public(kind: str) -> None:
    state = played_through(kind, 5)
    moves = moves_of(state)
    last, rules = boards(moves)[-1], GAMES[kind].rules
    public: Any = rules.public_view(state.position.game_state)

    assert moves.moments[-1].scores == tuple(rules.scores(state.position.game_state).values())
    if not GAMES[kind].by_sensors:
        assert last["view"] == json.loads(json.dumps(public))
    assert not [secret for one in boards(moves) for secret in secrets_in(one)]
    assert len(packed(moves)) < PACKED_LIMIT / 4


def test_of_a_game_that_is_too_long_for_a_message_the_end_is_kept() -> None:
    noise = random.Random(1)
    long = tuple(
        Moment(float(at), LastShown("placed", player=noise.randbytes(90).hex()), "act", 1,
               board={"c3": ("red",)})
        for at in range(1200)
    )  # fmt: skip
    moves = GameMoves(GameResult("g1", "topple", 1, "", ()), 100, long)
    found = json.loads(unpacked(packed(moves)))["moments"]

    assert len(packed(moves)) <= PACKED_LIMIT
    assert 100 < len(found) < 1200
    assert found[-1]["last"]["player"] == long[-1].last.player
    assert found[0]["board"] == {"c3": ["red"]}


@pytest.mark.parametrize("text", ["", "x", "AAAA", packed(replace(
    GameMoves(GameResult("g1", "topple", 1, "", ()), 100, ()), target=1))[:-8]])  # fmt: skip
def test_what_is_damaged_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no moves or games"):
        unpacked(text)


def test_what_would_fill_the_memory_is_refused() -> None:
    bomb = base64.b64encode(zlib.compress(b"0" * (UNPACKED_LIMIT_BYTES + 1))).decode()

    assert len(bomb) < PACKED_LIMIT
    with pytest.raises(ValueError, match="no end"):
        unpacked(bomb)
