"""The public document: complete, honest about doubt, small where it must be."""

import json
import random

import msgspec
import pytest

from engine.events import Placed
from engine.games.registry import GAMES
from engine.referee import RefereeState
from engine.scoreboard import (
    Scoreboard,
    document,
    event,
)
from engine.tabletop import CELLS, level
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin


def shown(table: Script) -> Scoreboard:
    return document(table.state, table="t1", boot="b1")


def test_before_the_first_game_there_is_a_document_too() -> None:
    board = document(RefereeState(), table="t1", boot="b1", simulated=True)

    assert (board.phase, board.game, board.players, board.board) == ("idle", None, (), {})
    assert board.can == {"any": ("start",)}
    assert board.simulated


def test_a_question_says_whether_anything_was_seen_to_fall() -> None:
    table = begin()
    for cell in ("e2", "b1", "c3", "d4", "a1", "e5", "b3", "c2"):
        table.turn(level(cell), cell)
    table.cleared()
    agreed = shown(table).pending
    fallen = begin()
    fallen.turn(6, "e2")
    fallen.toppled("bump", sure=0.98)
    bumped = shown(fallen).pending

    assert agreed is not None
    assert bumped is not None
    assert (agreed.kind, agreed.of) == ("blame", "cleared")
    assert (bumped.kind, bumped.of) == ("blame", msgspec.UNSET)


ALL_PLACED = tuple(cell for cell in CELLS if cell != "c3")
"""24 cells: one for each piece of two players."""


def played_out(target: int = 1000) -> Script:
    """A round in which every piece has been placed, each on a cell of its own."""
    table = begin(target=target)
    for cell in ALL_PLACED:
        table.turn(level(cell), cell)
    return table


def test_pieces_stand_on_the_board_until_somebody_takes_them_off() -> None:
    table = played_out()
    board = shown(table)
    assert board.phase == "clear"
    assert {cell: [piece.colour for piece in stack] for cell, stack in board.board.items()} == {
        cell: [("blue", "red")[number % 2]] for number, cell in enumerate(ALL_PLACED)
    }

    table.cleared()

    assert shown(table).board == {}


def test_a_piece_that_fell_after_the_last_was_played_takes_the_board_with_it() -> None:
    table = played_out()
    table.toppled("placing", after_s=1.0)
    board = shown(table)

    assert (board.phase, board.board) == ("clear", {})
    assert board.last is not None
    assert board.last.type == "toppled"


def test_a_game_that_is_won_shows_its_last_board_and_final_scores() -> None:
    table = played_out(target=5)
    board = shown(table)
    assert (board.phase, board.round, board.winners != ()) == ("over", 1, True)

    assert sum(map(len, board.board.values())) == len(ALL_PLACED)
    assert {piece.status for stack in board.board.values() for piece in stack} == {"confirmed"}
    assert [player.provisional for player in board.players] == [False, False]
    assert board.last is not None
    assert board.last.status == "confirmed"
    assert len(board.history) == len(ALL_PLACED)


def test_a_game_that_is_won_with_a_question_open_is_not_final() -> None:
    table = begin(target=5)
    for cell in ALL_PLACED[:-1]:
        table.turn(level(cell), cell)
    table.say("roll", value=level(ALL_PLACED[-1]))
    table.placed(ALL_PLACED[-1], 0.6)
    board = shown(table)

    assert board.phase == "over"
    assert sum(player.provisional for player in board.players) == 1


def test_history_is_bounded_and_keeps_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    table = begin()
    for _ in range(5):
        table.turn(1, "c3")
    whole = shown(table).history
    monkeypatch.setattr("engine.scoreboard.MOST_HISTORY", 3)

    assert shown(table).history == whole[-3:]


def test_another_game_shows_its_own_view_and_players() -> None:
    table = Script()
    table.say("start", game="topolo", red="Ann", black="Bob")
    board = shown(table)

    assert [(player.name, player.colours) for player in board.players] == [
        ("Ann", ("red",)),
        ("Bob", ("black",)),
    ]
    assert board.view is not None
    assert board.can["Ann"] == ("action",)


def test_what_belongs_to_nobody_in_particular_anybody_may_do() -> None:
    table = Script()
    chance = random.Random(1).random
    start = GAMES["triple-topper-toe"].outcomes.completed(None, {"type": "start"}, chance)
    table.say("start", game="triple-topper-toe", x="Ann", o="Bob", variant="quiz", **start)
    assert shown(table).can == {"any": ("action", "end", "undo")}
    table.say("action", action={"type": "buzz", "player": "o", "correct": True})
    board = shown(table)

    assert board.can == {"any": ("end", "undo"), "Bob": ("action",)}
    assert board.last is not None
    assert (board.last.type, board.last.player) == ("buzz", "Bob")


def test_a_move_by_hand_names_its_player_and_its_place() -> None:
    table = Script()
    start = GAMES["topominos"].outcomes.completed(
        None, {"type": "start", "players": ["Ann", "Bob"]}, random.Random(1).random
    )
    table.say("start", game="topominos", **start)
    position = table.state.position
    placed = position.rules.legal_actions(position.game_state)[0]
    table.say("action", action={**placed, "cell": {"not": "a cell"}})
    last = shown(table).last

    assert last is not None
    assert (last.type, last.player) == ("place", position.player)
    assert last.cell == str(placed["compartment"])


def test_the_document_survives_json() -> None:
    table = begin()
    table.turn(4, "e2")
    board = shown(table)

    assert msgspec.json.decode(msgspec.json.encode(board), type=Scoreboard) == board


def test_an_event_names_the_revision_that_contains_it() -> None:
    table = begin()
    table.say("roll", value=4)
    outcome = table.ruling.outcomes[0]
    payload = event(outcome, table.state, table="t1", boot="b1")

    assert (payload.type, payload.player, payload.seq) == ("rolled", "Ann", outcome.seq)
    assert payload.rev == shown(table).rev
    assert json.loads(msgspec.json.encode(payload))["v"] == 1


def test_a_placement_before_any_game_leaves_the_document_alone() -> None:
    table = Script()
    before = shown(table)
    table.see(Placed(1, 1.0, 1.2, "c3", 0.99))

    assert shown(table) == before


@cases("""
a piece is provisional until play goes on
    turn 4 e2 -> shown.board.e2.0.status provisional; shown.players.0.provisional true
    roll 1 -> shown.board.e2.0.status confirmed; shown.players.0.provisional false
the last thing that happened carries points ways and probability
    turns a1 b1 c1 d1 e1 -> shown.last.type placed; shown.last.player Ann; shown.last.cell e1
    -> shown.last.points 5; shown.last.ways [{"way":"complete","where":"1","points":5}]
    -> shown.last.confidence 0.99
a round keeps its number until its board is cleared
    turn 4 e2; roll 1; fall placing -> shown.phase clear; shown.round 1
    emptied -> shown.phase roll; shown.round 2
what toppled stands no more
    turn 4 e2; roll 1; fall placing -> shown.board {}
a placement that was none says so and where it was thought to be
    roll 4; piece e2 p=0.8 e4=0.15; answer none -> shown.last.type corrected
    -> shown.last.of nothing; shown.last.was e2; shown.last.player Ann
a piece that is taken back is named with its cell
    turn 4 e2; gone 1 it lifted off again -> shown.last.type retracted; shown.last.player Ann
    -> shown.last.cell e2
history has a row for each finished turn
    turn 4 e2; roll 4; pass -> shown.history [[0,0],[0,0]]
two colours are scored apart
    start two-colour -> shown.players.0.colour_scores {"blue":0,"green":0}
    -> shown.players.0.left {"blue":12,"green":12}; shown.can.Ann ["roll","colour"]
turn, die, cells and marks are shown
    roll 2 -> shown.turn.player Ann; shown.turn.die 2; shown.turn.cells ["c2","b3","d3","c4"]
    -> shown.can.Ann ["place","pass"]; shown.players.0.mark ●; shown.players.1.mark ▲
a piece that nobody saw has its colour and is not confirmed
    # The die allows c3 alone, and the next player has rolled: so that is where it went.
    roll 1; roll 4; piece a3 -> shown.board.c3.0.colour blue; shown.board.c3.0.status asked
a question is shown with its options best first
    roll 4; piece e2 p=0.8 e4=0.15 -> shown.pending.kind cell; shown.pending.options.0.value e2
    -> shown.pending.options.1.value e4; shown.pending.options.0.p 0.8
    -> shown.can.any ["cleared","blame","topple","turn","correct","end","answer","undo"]
    -> shown.board.e2.0.status asked
while nobody is blamed every score is provisional
    turn 4 e2; fall bump -> shown.phase clear; shown.players.0.provisional true
    -> shown.players.1.provisional true; shown.can.any.0 cleared
while it is doubted who made it fall every score is provisional
    turn 4 e2; roll 4; fall placing sure=0.9 -> shown.doubt.kind blame
    -> shown.players.0.provisional true; shown.players.1.provisional true
    emptied; roll 1 -> shown.players.0.provisional false; shown.players.1.provisional false
a sensor that fails does not take the place of the last move
    turn 4 e2; broken imu -> told fault
    mended imu -> shown.last.type placed; shown.last.cell e2
a turn in which a piece fell has one row
    turn 4 e2; turn 4 d2; fall placing after_s=0.5 -> shown.history [[0,0],[3,-10]]
    gone 2 toppled while placing -> shown.history [[0,0],[3,-10]]
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)
