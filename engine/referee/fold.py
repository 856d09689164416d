"""What one move means at a given moment: the referee's judgement, one function per kind of move.

`fold(position, move, following)` is pure and never raises: a move that the rules refuse leaves
the position as it was and carries the refusal. Things that players do at a real table and that
a rule book does not know are settled here:

* A piece placed before the roll was told waits for the roll. If the die then allows its cell,
  both count. If another piece follows first, the roll was forgotten, and the level of the cell
  stands in for it. If the die does not allow the cell, the table asks what happened.
* A roll although the player has not placed: the piece was not seen. The turn is closed as a
  pass (or as the only placement the die allowed), the roll belongs to the next player, and the
  table asks where the piece went.
* A topple while placing shortly after a piece was let go, before the next roll: that piece
  fell. Its points never were, and its player is the toppler (rule T16).
* A topple by a bump ends the round at once; the points wait until somebody is named.
* A board cleared in mid-round: the players agreed to stop; nobody gains or loses.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.errors import IllegalAction
from engine.events import ToppleCause
from engine.games.contract import Action
from engine.games.registry import GAMES
from engine.referee.ledger import Move, MoveKind
from engine.referee.position import (
    SURE,
    Applied,
    Choice,
    Position,
    Question,
    Status,
    Step,
    Turnback,
)
from engine.referee.sighting import NOTHING, Reading, legal_placements, read, where
from engine.tabletop import level

LATE_FALL_TOLD_S = 10.0
"""With the die told, nobody else can have been placing before the next roll: a swinging board
may take this long to shed the last piece."""

LATE_FALL_UNTOLD_S = 2.0
"""Without rolls only time tells whether the last piece fell or the next player's: nobody takes
a piece, rolls and reaches over in less."""

ANY_CELL = 6
"""The die that allows every cell: stands in for a roll nobody told before a topple."""


def fold(position: Position, move: Move, following: Move | None = None) -> Step:
    """The step that a move makes.

    Args:
        position: where the game stands before it.
        move: what was seen or said.
        following: the next move of the ledger, if it is known already.
    """
    # A placement that fell may still have ended a turn; anything else void is as if never said.
    if move.void and move.kind is not MoveKind.PLACE:
        return Step(move, position, refusal=IllegalAction("void", "it was taken back"))
    try:
        return _JUDGES[move.kind](position, move, following)
    except IllegalAction as refusal:
        return Step(move, position, refusal=refusal)


def _apply(position: Position, *actions: Action) -> Position:
    game = position.game
    for action in actions:
        game = position.book.apply(game, action)
    return replace(position, game=game)


def _require_playing(position: Position) -> None:
    if position.game is None:
        raise IllegalAction("no_game", "no game has been started yet")
    if position.over:
        raise IllegalAction("game_over", "the game is over; start a new one")
    if position.clearing:
        raise IllegalAction("clear_first", "the round is over: take all pieces off the board first")


def _turn_over(position: Position) -> Position:
    """Forget what belonged to one turn, and open the clearing when the round has ended."""
    view = position.book.view(position.game)
    position = replace(position, colour=None, waiting=None, rolled_t_s=None)
    if view.get("round_end") is None:
        return position
    return replace(position, clearing=not position.over, refs={}, turnback=None)


def _last(position: Position) -> Mapping[str, Any]:
    last: Mapping[str, Any] | None = position.book.view(position.game).get("last")
    return last or {}


# --- opening and ending ----------------------------------------------------------------------


def _start(_: Position, move: Move, __: Move | None) -> Step:
    rules = move.data["game"]
    action = {"type": "start", **move.data["action"]}
    game = GAMES[rules].start(action, move.data.get("options"))
    return Step(move, Position(rules=rules, game=game), (Applied(move.ref, "started", (action,)),))


def _end(position: Position, move: Move, _: Move | None) -> Step:
    if position.game is None or position.over:
        raise IllegalAction("no_game", "there is no game to end")
    ended = replace(position, ended=True, clearing=False)
    return Step(move, ended, (Applied(move.ref, "ended"),))


def _by_hand(position: Position, move: Move, _: Move | None) -> Step:
    _require_playing(position)
    action = dict(move.data)
    player = position.player
    after = _apply(position, action)
    last = _last(after)
    applied = Applied(
        move.ref,
        str(action["type"]),
        (action,),
        player=last.get("player", player),
        cell=action.get("cell"),
        points=last.get("points"),
    )
    return Step(move, after, (applied,))


# --- a turn ----------------------------------------------------------------------------------


def _roll(position: Position, move: Move, _: Move | None) -> Step:
    _require_playing(position)
    action = {"type": "roll", **move.data}
    if position.phase == "act" and position.rolled_t_s is not None:
        return _roll_of_the_next(position, move, action)
    rolled = replace(_apply(position, action), waiting=None, rolled_t_s=move.t_s)
    applied = (Applied(move.ref, "rolled", (action,), player=position.player),)
    if position.waiting is None:
        return Step(move, rolled, applied)
    return _joined(Step(move, rolled, applied), _late_roll(rolled, position.waiting))


def _joined(first: Step, second: Step) -> Step:
    return replace(
        first,
        after=second.after,
        applied=first.applied + second.applied,
        questions=first.questions + second.questions,
    )


def _late_roll(rolled: Position, waiting: Move) -> Step:
    """A roll told after the piece was placed, or a sighting that was none."""
    cells = rolled.book.view(rolled.game)["cells"]
    seen = waiting.seen
    if seen and seen.confidence >= SURE and seen.cells and seen.cells[0][0] in cells:
        return _place_now(rolled, waiting)
    return Step(waiting, rolled, questions=(_placed_before_roll(rolled, waiting),))


def _placed_before_roll(position: Position, move: Move) -> Question:
    cells = move.seen.cells if move.seen else ()
    choices = tuple(Choice(cell, cell, p) for cell, p in cells)
    text = f"Did {position.player} place a piece before the roll was told?"
    return Question("placed", move.ref, text, (*choices, NOTHING))


def _roll_of_the_next(position: Position, move: Move, action: Action) -> Step:
    """The piece of this turn was not seen: close the turn as well as can be, and ask."""
    missed, closed = _close_unseen(position, move)
    if closed.clearing or closed.over:
        raise IllegalAction("clear_first", "the round is over: take all pieces off the board first")
    rolled = replace(_apply(closed, action), rolled_t_s=move.t_s)
    applied = (missed, Applied(move.ref, "rolled", (action,), player=closed.player))
    return Step(move, rolled, applied, (_where_unseen(position, move, action),))


def _close_unseen(position: Position, move: Move) -> tuple[Applied, Position]:
    cells = position.book.view(position.game)["cells"]
    if len(cells) == 1:
        step = _place_now(position, replace(move, kind=MoveKind.PLACE, data={"cell": cells[0]}))
        applied = replace(
            step.applied[0], status="asked", confidence=None, assumed="the piece was not seen"
        )
        return applied, step.after
    action = {"type": "pass"}
    closed = _turn_over(_apply(position, action))
    applied = Applied(
        move.ref,
        "passed",
        (action,),
        player=position.player,
        status="asked",
        assumed="the piece was not seen",
    )
    return applied, closed


def _where_unseen(position: Position, move: Move, action: Action) -> Question:
    view = position.book.view(position.game)
    cells = tuple(Choice(cell, cell) for cell in view["cells"])
    again = Choice("reroll", f"{position.player} rolled {action.get('value')}, not {view['die']}")
    choices = (*cells, Choice("pass", f"{position.player} passed"), again)
    text = f"{position.player}'s piece was not seen. Where did it go?"
    return Question("placed", move.ref, text, choices)


def _pass(position: Position, move: Move, _: Move | None) -> Step:
    _require_playing(position)
    action = {"type": "pass", **move.data}
    passed = _turn_over(_apply(position, action))
    passed = replace(passed, turnback=None)
    return Step(move, passed, (Applied(move.ref, "passed", (action,), player=position.player),))


def _colour(position: Position, move: Move, _: Move | None) -> Step:
    _require_playing(position)
    colour = move.data["colour"]
    if colour not in colours_of(position, position.player):
        raise IllegalAction("not_your_colour", f"{position.player} does not play {colour!r}")
    chosen = replace(position, colour=colour)
    applied = Applied(move.ref, "colour", player=position.player, colour=colour)
    return Step(move, chosen, (applied,))


def colours_of(position: Position, player: str | None) -> tuple[str, ...]:
    """The colours a player of Topple plays, in the order of the start."""
    hands = position.game.match.hands if position.by_sensors else ()
    players = position.game.match.players if position.by_sensors else ()
    if player not in players:
        return ()
    return tuple(position.game.match.colours[c] for c in hands[players.index(player)])


# --- a placement -----------------------------------------------------------------------------


def _place(position: Position, move: Move, following: Move | None) -> Step:
    if move.void:
        return _voided(position, move, following)
    _require_playing(position)
    if position.phase == "act":
        return _place_now(position, move)
    if move.seen is None:
        raise IllegalAction("not_rolled", f"{position.player} must roll first")
    if move.settled:
        return _place_unrolled(position, move)
    if position.waiting is None:
        return Step(move, replace(position, waiting=move))
    return _second_before_roll(position, position.waiting, move)


def _voided(position: Position, move: Move, following: Move | None) -> Step:
    """A piece that did not stand. If the game went on with the next roll, the turn was over."""
    went_on = following is not None and following.kind is MoveKind.ROLL and move.void == "fell"
    if position.phase != "act" or not went_on or position.rolled_t_s is None:
        return Step(move, position, refusal=IllegalAction("void", "the piece did not stand"))
    action = {"type": "pass"}
    player = position.player
    closed = _turn_over(_apply(position, action))
    applied = Applied(move.ref, "fell", (action,), player=player, assumed="the piece fell later")
    return Step(move, closed, (applied,))


def _second_before_roll(position: Position, first: Move, second: Move) -> Step:
    """Two placements and no roll between: the roll of the first was forgotten."""
    without = replace(position, waiting=None)
    if first.seen is None or first.seen.confidence < SURE or not first.seen.cells:
        asked = _placed_before_roll(position, first)
        return Step(second, replace(without, waiting=second), questions=(asked,))
    step = _place_unrolled(without, first)
    if step.after.clearing or step.after.over:
        return replace(step, move=second)
    return replace(step, move=second, after=replace(step.after, waiting=second))


def _place_unrolled(position: Position, move: Move) -> Step:
    """Place with the roll that the cell stands for."""
    cell = move.data.get("cell") or (move.seen.cells[0][0] if move.seen else None)
    if cell is None:
        raise IllegalAction("cell_required", "say on which cell the piece was placed")
    roll = {"type": "roll", "value": level(cell)}
    step = _place_now(_apply(position, roll), move)
    applied = replace(
        step.applied[0],
        actions=(roll, *step.applied[0].actions),
        assumed="nobody told the roll; the level of the cell stands in for it",
    )
    return replace(step, applied=(applied,))


def _place_now(position: Position, move: Move) -> Step:
    reading = read(position, move)
    action = {"type": "place", "colour": reading.colour, "cell": reading.cell}
    if move.data.get("player") is not None:
        action["player"] = move.data["player"]
    player = position.player or ""
    placed = _apply(position, action)
    last = _last(placed)
    applied = Applied(
        move.ref,
        "placed",
        (action,),
        player=player,
        cell=reading.cell,
        colour=reading.colour,
        points=last.get("points"),
        ways=tuple(last.get("ways") or ()),
        changes=last.get("changes") or {},
        confidence=reading.confidence,
        status=_status(move, reading),
    )
    questions = (where(move, player, reading),) if reading.asked else ()
    before = Turnback(position.game, position.refs, move.ref, move.t_s, player, reading.colour)
    refs = {**position.refs, reading.cell: (*position.refs.get(reading.cell, ()), move.ref)}
    after = _turn_over(replace(placed, refs=refs, turnback=before))
    return Step(move, replace(after, turnback=before), (applied,), questions)


def _status(move: Move, reading: Reading) -> Status:
    if reading.asked:
        return "asked"
    return "confirmed" if move.seen is None or move.settled else "provisional"


# --- a topple --------------------------------------------------------------------------------


def _topple(position: Position, move: Move, _: Move | None) -> Step:
    placing = _cause(move) is ToppleCause.PLACING
    back = position.turnback
    if placing and back is not None and _last_piece_fell(position, move, back):
        return _last_piece_back(position, move, back)
    _require_playing(position)
    return _fell_while_placing(position, move) if placing else _bump(position, move)


def _cause(move: Move) -> ToppleCause:
    if "cause" in move.data:
        return ToppleCause(move.data["cause"])
    return move.fall.cause if move.fall else ToppleCause.PLACING


def _bump(position: Position, move: Move) -> Step:
    blamed = move.data.get("player")
    if blamed is None:
        return _ended_by(position, move, {"type": "end_round"}, (_who(position, move),))
    action = {"type": "topple", "cause": "bump", "player": blamed}
    if move.data.get("colour") is not None:
        action["colour"] = move.data["colour"]
    return _ended_by(position, move, action)


def _ended_by(
    position: Position, move: Move, action: Action, questions: tuple[Question, ...] = ()
) -> Step:
    """A round ended by pieces that fell."""
    toppled = _apply(position, action)
    last = _last(toppled)
    named = action["type"] == "topple"
    applied = Applied(
        move.ref,
        "toppled",
        (action,),
        player=last.get("player") if named else None,
        changes=last.get("changes") or {},
        confidence=move.fall.confidence if move.fall and not move.settled else None,
        status="asked" if questions else "confirmed" if move.settled else "provisional",
        cause=_cause(move).value,
        kind=move.fall.kind.value if move.fall else None,
    )
    after = replace(_turn_over(toppled), turnback=None)
    return Step(move, after, (applied,), questions)


def _last_piece_back(position: Position, move: Move, back: Turnback) -> Step:
    """Undo and topple in one step (rule T16), also when that piece had ended the round."""
    earlier = replace(
        position, game=back.game, refs=back.refs, clearing=False, waiting=None, turnback=None
    )
    step = _ended_by(earlier, move, _placing(back.player, back.colour), _doubt(position, move))
    fell = Applied(back.ref, "fell", player=back.player, colour=back.colour)
    return replace(step, applied=(fell, *step.applied))


def _fell_while_placing(position: Position, move: Move) -> Step:
    if position.phase == "roll":
        position = _apply(position, {"type": "roll", "value": ANY_CELL})
    named = move.data.get("player") or position.player
    colour = move.data.get("colour") or _colour_in_hand(position)
    return _ended_by(position, move, _placing(named, colour), _doubt(position, move))


def _doubt(position: Position, move: Move) -> tuple[Question, ...]:
    return () if _cause_sure(move) else (_who(position, move),)


def _placing(player: str | None, colour: str | None) -> dict[str, Any]:
    action: dict[str, Any] = {"type": "topple", "cause": "placing", "player": player}
    return action if colour is None else {**action, "colour": colour}


def _colour_in_hand(position: Position) -> str | None:
    playable = {action["colour"] for action in legal_placements(position.book, position.game)}
    return position.colour if position.colour in playable else None


def _last_piece_fell(position: Position, move: Move, back: Turnback) -> bool:
    named = move.data.get("player")
    if position.rolled_t_s is not None or named not in (None, back.player):
        return False
    if named == back.player and named != position.player:
        return True
    told = position.phase == "roll"
    return move.t_s - back.t_s <= (LATE_FALL_TOLD_S if told else LATE_FALL_UNTOLD_S)


def _cause_sure(move: Move) -> bool:
    if move.settled or move.fall is None or "cause" in move.data:
        return True
    return min(move.fall.cause_confidence, move.fall.confidence) >= SURE


def _who(position: Position, move: Move) -> Question:
    players = position.game.match.players
    out = {players[player] for player in position.game.out}
    choices = tuple(Choice(name, f"{name} bumped it") for name in players if name not in out)
    placing = Choice("placing", "It fell while placing")
    text = "Pieces fell. Who bumped the table?"
    return Question("blame", move.ref, text, (*choices, placing, Choice("none", "Nothing fell")))


# --- clearing --------------------------------------------------------------------------------


def _cleared(position: Position, move: Move, _: Move | None) -> Step:
    if position.game is None or position.over:
        raise IllegalAction("no_game", "there is no game whose board could be cleared")
    if position.clearing:
        cleared = replace(position, clearing=False, clears=position.clears + 1)
        return Step(move, cleared, (Applied(move.ref, "cleared"),))
    if not position.by_sensors or not position.book.view(position.game)["board"]:
        raise IllegalAction("nothing_to_clear", "there is no piece on the board")
    action = {"type": "end_round"}
    stopped = replace(_turn_over(_apply(position, action)), turnback=None)
    stopped = replace(stopped, clearing=False, clears=position.clears + 1)
    return Step(move, stopped, (Applied(move.ref, "cleared", (action,)),))


_JUDGES: Mapping[MoveKind, Callable[[Position, Move, Move | None], Step]] = {
    MoveKind.START: _start,
    MoveKind.ROLL: _roll,
    MoveKind.PASS: _pass,
    MoveKind.PLACE: _place,
    MoveKind.TOPPLE: _topple,
    MoveKind.COLOUR: _colour,
    MoveKind.CLEARED: _cleared,
    MoveKind.END: _end,
    MoveKind.ACTION: _by_hand,
}
