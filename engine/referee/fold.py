"""Judges one move: what it means at its moment in the game.

`fold(position, move, following)` is pure and never raises: a move that the rules refuse leaves
the position as it was and carries the refusal. What players do at a real table and a rule book
does not know is settled in `placing` (rolls, passes, pieces) and `falling` (topples, clearing).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.errors import IllegalAction
from engine.games.registry import GAMES
from engine.plainly import as_said
from engine.referee.basics import colours_of, last_of, play, require_playing
from engine.referee.falling import cleared, topple
from engine.referee.ledger import Ledger, Move, MoveKind
from engine.referee.placing import ANY_CELL, passed, place, roll, then_rolled, unrolled
from engine.referee.position import Applied, JudgedMove, Position

LONGEST_PLACE = 20
"""`yellow-triangle-4` has 17 letters."""


def fold(position: Position, move: Move, following: Ledger = ()) -> JudgedMove:
    """What a move leads to.

    Args:
        position: where the game stands before it.
        move: what was seen or said.
        following: the moves after it that play, as far as they are known already.
    """
    # A placement that fell may still have ended a turn; anything else void is as if never said.
    if move.void and move.kind is not MoveKind.PLACE:
        return JudgedMove(move, position, refusal=IllegalAction("void", "it was taken back"))
    try:
        return _JUDGES[move.kind](position, move, following)
    except IllegalAction as refusal:
        return JudgedMove(move, position, refusal=refusal)


# --- opening and ending ----------------------------------------------------------------------


def _start(_: Position, move: Move, __: Ledger) -> JudgedMove:
    kind = move.data["game"]
    action = {"type": "start", **move.data["action"]}
    state = GAMES[kind].rules.start(action, move.data.get("options"))
    started = Position(
        game_kind=kind, game_state=state, began_t_s=move.t_s, given=move.data.get("masses"),
        pieces=move.data.get("masses"),
    )  # fmt: skip
    return JudgedMove(move, started, (Applied(move.ref, "started", (action,)),))


def _end(position: Position, move: Move, _: Ledger) -> JudgedMove:
    if position.game_state is None or position.over:
        raise IllegalAction("no_game", "there is no game to end")
    return JudgedMove(move, replace(position, ended=True), (Applied(move.ref, "ended"),))


def _by_hand(position: Position, move: Move, _: Ledger) -> JudgedMove:
    require_playing(position)
    action = dict(move.data)
    after = play(position, action)
    last = last_of(after)
    applied = Applied(
        move.ref,
        str(action["type"]),
        (action,),
        player=position.player or _answerer(after, last.get("player")),
        cell=_where(action),
        points=last.get("points"),
    )
    return JudgedMove(move, after, (applied,))


def _answerer(position: Position, seat: Any) -> str | None:
    """Who acted when it was nobody's turn: the rules then tell the seat, `x` or `o`."""
    seats = position.view.get("marks", ())
    return dict(zip(seats, position.scores, strict=False)).get(seat)


def _where(action: Mapping[str, Any]) -> str | None:
    """Where on the board, for displays; anything that is no name of a place is left out."""
    place = action.get("compartment", action.get("cell"))
    known = isinstance(place, (str, int)) and len(str(place)) <= LONGEST_PLACE
    return str(place) if known else None


def _colour(position: Position, move: Move, _: Ledger) -> JudgedMove:
    require_playing(position)
    colour = move.data["colour"]
    if colour not in colours_of(position, position.player):
        raise IllegalAction("not_your_colour", f"{position.player} does not play {as_said(colour)}")
    chosen = replace(position, colour=colour)
    applied = Applied(move.ref, "colour", player=position.player, colour=colour)
    return JudgedMove(move, chosen, (applied,))


def _turn(position: Position, move: Move, _: Ledger) -> JudgedMove:
    """People said whose turn it is: those in between have passed, and nobody told."""
    require_playing(position)
    name = move.data["player"]
    waited = unrolled(position)
    position = waited.after
    actions, after, ahead = [], position, position.ahead
    for _seat in position.game_state.match.players:
        if after.player == name:
            break
        steps: list[dict[str, Any]] = [{"type": "pass"}]
        if after.phase == "roll":
            told = {"value": ANY_CELL} if ahead is None else ahead.data
            steps.insert(0, {"type": "roll", **told})
            ahead = None
        after = play(after, *steps)
        actions += steps
    if after.player != name:
        raise IllegalAction("not_in_turn", f"{name} has no piece left, or is out of the game")
    if actions:
        after = replace(after, before_placement=None, waiting=None, rolled_t_s=None, ahead=None)
    said = "the weight of a piece says" if move.weighed else "people said"
    text = f"{said} that it is {name}'s turn" if actions else ""
    applied = Applied(move.ref, "turn", tuple(actions), player=name, assumed=text)
    judged = JudgedMove(move, after, (*waited.applied, applied), waited.questions)
    return then_rolled(judged, ahead) if actions else judged


_JUDGES: Mapping[MoveKind, Callable[[Position, Move, Ledger], JudgedMove]] = {
    MoveKind.START: _start,
    MoveKind.ROLL: roll,
    MoveKind.PASS: passed,
    MoveKind.PLACE: place,
    MoveKind.TOPPLE: topple,
    MoveKind.COLOUR: _colour,
    MoveKind.TURN: _turn,
    MoveKind.CLEARED: cleared,
    MoveKind.END: _end,
    MoveKind.ACTION: _by_hand,
}
