"""Rolls and placements: what they mean, also when they come late, early or not at all.

* A piece placed before the roll was told waits for the roll. If the die then allows its cell,
  both count. If another piece follows first, the roll was forgotten, and the level of the cell
  stands in for it. If the die does not allow the cell, the table asks what happened.
* A roll although the player has not placed: the piece was not seen. The turn is closed as a
  pass (or as the only placement the die allowed), the roll belongs to the next player, and the
  table asks where the piece went.
"""

from dataclasses import replace

from engine.errors import IllegalAction
from engine.games.contract import Action
from engine.referee.basics import after_roll, last_of, play, require_playing, turn_over
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
from engine.referee.sighting import NOTHING, Reading, read, where
from engine.tabletop import level


def roll(position: Position, move: Move, _: Move | None) -> Step:
    """The die was told: in time, late for a waiting piece, or before a piece was seen."""
    require_playing(position)
    action = {"type": "roll", **move.data}
    if position.phase == "act" and position.rolled_t_s is not None:
        return _roll_of_the_next(position, move, action)
    rolled = replace(play(position, action), waiting=None, rolled_t_s=move.t_s)
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
    rolled = replace(play(closed, action), rolled_t_s=move.t_s)
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
    closed = turn_over(play(position, action))
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


def place(position: Position, move: Move, following: Move | None) -> Step:
    """A piece was placed, as the sensors saw or people said."""
    if move.void:
        return _voided(position, move, following)
    require_playing(position)
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
    closed = turn_over(play(position, action))
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
    step = _place_now(play(position, roll), move)
    return after_roll(step, roll, "nobody told the roll; the level of the cell stands in for it")


def _place_now(position: Position, move: Move) -> Step:
    reading = read(position, move)
    action = {"type": "place", "colour": reading.colour, "cell": reading.cell}
    if move.data.get("player") is not None:
        action["player"] = move.data["player"]
    player = position.player or ""
    placed = play(position, action)
    last = last_of(placed)
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
    after = turn_over(replace(placed, refs=refs, turnback=before))
    return Step(move, replace(after, turnback=before), (applied,), questions)


def _status(move: Move, reading: Reading) -> Status:
    if reading.asked:
        return "asked"
    return "confirmed" if move.seen is None or move.settled else "provisional"
