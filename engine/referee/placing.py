"""Rolls and placements: what they mean, also when they come late, early or not at all.

* A piece placed before the roll was told waits for the roll. If the die then allows its cell,
  both count. If another piece follows first, the roll was forgotten, and the level of the cell
  stands in for it. If the die does not allow the cell, the table asks what happened.
* A roll although the player has not placed: it was told ahead, while the last hand was still
  there, or the piece was not seen. What follows tells which. If a piece is let go sooner than
  anybody could have placed it after that roll, it is the piece of the turn that goes on, and the
  roll belongs to the next one. Else the turn is closed as a pass (or as the only placement the
  die allowed), the roll belongs to the next player, and the table asks where the piece went.
* Pieces and then their rolls: each roll belongs to its piece, in order.
* A pass before the roll was told waits for it like a piece, where rolls are told late: nobody
  passes before rolling (rule T5). Elsewhere it is refused.
"""

from dataclasses import replace
from typing import Any

from engine.errors import IllegalAction
from engine.events import SURE, ToppleCause
from engine.games.contract import Action
from engine.games.topple.board import cells_for
from engine.pieces import UNLIKELY, Weighing
from engine.public_events import Status
from engine.referee.basics import (
    after_roll,
    last_of,
    placing,
    play,
    require_playing,
    turn_over,
)
from engine.referee.ledger import Ledger, Move, MoveKind
from engine.referee.position import (
    UNKNOWN,
    Applied,
    BeforePlacement,
    Choice,
    JudgedMove,
    Position,
    Question,
)
from engine.referee.sighting import (
    FELL,
    NOTHING,
    PlacementReading,
    WeightEvidence,
    own_colour,
    read,
    weighed,
    where,
    which_colour,
)
from engine.tabletop import level

FASTEST_TURN_S = 1.5
"""Nobody rolls, picks up a piece, places it and lets go in less."""

STEADY_S = 0.3
"""A piece that has lain still for so long after it was let go had been placed."""

LITTLE = 0.5
"""A piece of which no cell is likelier may be none: of two in one turn the certain one counts.
Where no die is told, one that does not stand with more than this."""

ANY_CELL = 6
"""The die that allows every cell: stands in for a roll nobody told before a topple."""


def roll(position: Position, move: Move, following: Ledger) -> JudgedMove:
    """The die was told: in time, late for a waiting piece, or before a piece was seen."""
    require_playing(position)
    action = {"type": "roll", **move.data}
    if position.phase == "act" and position.rolled_t_s is not None:
        if position.ahead is None and _told_ahead(position, move, following):
            return _kept_for_the_next(position, move, action)
        return _roll_of_the_next(position, move, action)
    if _of_another(position, move):
        return _next_after_unrolled(position, move)
    rolled = replace(play(position, action), waiting=None, rolled_t_s=move.t_s)
    astray = position.rolls_astray or position.waiting is not None
    rolled = replace(rolled, die_confirmed=move.settled, rolls_astray=astray)
    if _told_late(position, move, following):
        late = Applied(move.ref, "rolled", player=position.untold[0][1], die=action.get("value"))
        return JudgedMove(move, replace(position, untold=position.untold[1:]), (late,))
    rolled = replace(rolled, untold=())
    applied = (Applied(move.ref, "rolled", (action,), player=position.player),)
    if position.waiting is None:
        return JudgedMove(move, rolled, applied)
    return _joined(JudgedMove(move, rolled, applied), _late_roll(rolled, position.waiting))


def passed(position: Position, move: Move, _: Ledger) -> JudgedMove:
    """The player in turn passes, and has told the roll or tells it yet."""
    require_playing(position)
    late = position.phase == "roll" and position.rolls_astray and position.waiting is None
    if not late:
        return _passed(position, move)
    # Refused at once where there are rolls with which nobody may pass.
    play(position, {"type": "roll", "value": 1}, {"type": "pass"})
    return JudgedMove(move, replace(position, waiting=move))


def _passed(position: Position, move: Move) -> JudgedMove:
    action = {"type": "pass", **move.data}
    after = replace(turn_over(play(position, action)), before_placement=None)
    applied = Applied(move.ref, "passed", (action,), player=position.player)
    return JudgedMove(move, after, (applied,))


def _told_late(position: Position, move: Move, following: Ledger) -> bool:
    """Whether this is the roll of a piece that has counted already without it.

    It is if it fits that piece, and either does not fit the piece that waits for a roll now or is
    followed by the roll that does.
    """
    value, waiting = move.data.get("value"), position.waiting
    if not position.untold or waiting is None or not _allowed(position.untold[0][0], value):
        return False
    another = bool(following) and following[0].kind is MoveKind.ROLL
    return another or not _allowed(waiting, value)


def _of_another(position: Position, move: Move) -> bool:
    """Whether a roll cannot be that of the piece that waits for one, for certain."""
    waiting = position.waiting
    if waiting is None or waiting.settled or position.untold or not position.rolls_astray:
        return False
    return _certain(waiting) and not _allowed(waiting, move.data.get("value"))


def _next_after_unrolled(position: Position, move: Move) -> JudgedMove:
    """The roll of the piece that waits was not told, or earlier: this one is the next player's."""
    judged = unrolled(position)
    if judged.after.clearing or judged.after.over:
        raise IllegalAction("clear_first", "the round is over: take all pieces off the board first")
    return replace(then_rolled(judged, move), move=move)


def _certain(move: Move) -> bool:
    """Whether the sensors say for certain on which cell a piece lies."""
    return move.seen is not None and move.seen.confidence >= SURE and bool(move.seen.cells)


def _allowed(move: Move, value: Any) -> bool:
    """Whether a die allows the cell on which a piece was placed; any allows a pass."""
    return value == ANY_CELL or move.kind is MoveKind.PASS or move.cell in cells_for(value)


def _told_ahead(position: Position, move: Move, following: Ledger) -> bool:
    """Whether a roll was told while the player before was still placing."""
    if not following:
        return True  # what comes next will tell
    after = following[0]
    soon = after.t_s - move.t_s < FASTEST_TURN_S
    if after.kind is MoveKind.TOPPLE:
        return soon and (after.cause is ToppleCause.PLACING or bool(position.refs))
    if after.kind is not MoveKind.PLACE:
        return False
    cells = position.view["cells"]
    if after.seen is None:
        return after.cell in cells and _said_of_the_old(position, move, after)
    # Soon, but only the new die allows it: then it is not the piece of the old one.
    return soon and (after.cell in cells or not _allowed(after, move.data.get("value")))


def _said_of_the_old(position: Position, rolled: Move, placed: Move) -> bool:
    """Whether a piece that people enter after a second roll is of the turn before it.

    It is the next player's turn by then, so they say so, or only the old die allows it.
    """
    named = placed.data.get("player")
    if named is not None:
        return bool(named == position.player)
    return not _allowed(placed, rolled.data.get("value"))


def _kept_for_the_next(position: Position, move: Move, action: Action) -> JudgedMove:
    """Nothing is asked yet: mostly the piece is seen a moment later. It may be told, though."""
    closed = play(position, {"type": "pass"})
    play(closed, action)  # refused at once if it is no roll at all
    told = Applied(move.ref, "rolled", player=closed.player, die=action.get("value"))
    unseen = replace(_where_unseen(position, move, action), quiet=True)
    after = replace(position, ahead=move, rolls_astray=True)
    return JudgedMove(move, after, (told,), (unseen,))


def then_rolled(judged: JudgedMove, ahead: Move | None) -> JudgedMove:
    """The turn that a move ends, and the roll that was told ahead of the next one."""
    if ahead is None or judged.after.clearing or judged.after.over:
        return judged
    action = {"type": "roll", **ahead.data}
    player = judged.after.player
    rolled = replace(play(judged.after, action), rolled_t_s=ahead.t_s)
    told = Applied(ahead.ref, "rolled", (action,), player=player)
    return replace(judged, after=rolled, applied=(*judged.applied, told))


def _joined(first: JudgedMove, second: JudgedMove) -> JudgedMove:
    return replace(
        first,
        after=second.after,
        applied=first.applied + second.applied,
        questions=first.questions + second.questions,
    )


def _late_roll(rolled: Position, waiting: Move) -> JudgedMove:
    """A roll told after the piece was placed or its player passed, or a sighting that was none."""
    if waiting.kind is MoveKind.PASS:
        return _passed(rolled, waiting)
    if waiting.settled:
        return _place_now(rolled, waiting)
    cells = rolled.view["cells"]
    seen = waiting.seen
    if seen and _certain(waiting) and seen.cells[0][0] in cells:
        return _place_now(rolled, waiting)
    return JudgedMove(waiting, rolled, questions=(_placed_before_roll(rolled, waiting),))


def _placed_before_roll(position: Position, move: Move) -> Question:
    cells = move.seen.cells if move.seen else ()
    choices = tuple(Choice(cell, cell, p) for cell, p in cells)
    text = f"Did {position.player} place a piece before the roll was told?"
    choices = (*choices, FELL, NOTHING, UNKNOWN)
    return Question("placed", move.ref, text, choices, player=position.player, cell=move.cell)


def _roll_of_the_next(position: Position, move: Move, action: Action) -> JudgedMove:
    """The piece of this turn was not seen: close the turn as well as can be, and ask."""
    missed, closed = _close_unseen(position, move)
    if closed.clearing or closed.over:
        raise IllegalAction("clear_first", "the round is over: take all pieces off the board first")
    rolled = replace(play(closed, action), rolled_t_s=move.t_s)
    applied = (missed, Applied(move.ref, "rolled", (action,), player=closed.player))
    return JudgedMove(move, rolled, applied, (_where_unseen(position, move, action),))


def _close_unseen(position: Position, move: Move) -> tuple[Applied, Position]:
    cells = position.view["cells"]
    if len(cells) == 1:
        judged = _place_now(position, replace(move, kind=MoveKind.PLACE, data={"cell": cells[0]}))
        applied = replace(
            judged.applied[0], status="asked", confidence=None, assumed="the piece was not seen"
        )
        return applied, judged.after
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
    view = position.view
    cells = tuple(Choice(cell, cell) for cell in view["cells"])
    again = Choice("reroll", f"{position.player} rolled {action.get('value')}, not {view['die']}")
    by = Choice("pass", f"{position.player} passed")
    choices = (*cells, by, again, FELL, NOTHING, UNKNOWN)
    text = f"{position.player}'s piece was not seen. Where did it go?"
    return Question("placed", move.ref, text, choices, player=position.player)


def place(position: Position, move: Move, following: Ledger) -> JudgedMove:
    """A piece was placed, as the sensors saw or people said."""
    if move.void and not _stood_when_bumped(position, move, following):
        return _voided(position, move, following)
    require_playing(position)
    if position.phase == "act" and _outshone(position, move, following):
        text = "a certain piece of the same turn followed, so this was none"
        return JudgedMove(move, position, refusal=IllegalAction("doubtful", text))
    if position.phase == "act":
        return then_rolled(_place_now(position, move), position.ahead)
    if move.seen is None:
        raise IllegalAction("not_rolled", f"{position.player} must roll first")
    if move.settled and not _roll_follows(move, following):
        return _place_unrolled(position, move)
    if position.waiting is None:
        return JudgedMove(move, replace(position, waiting=move))
    return _second_before_roll(position, position.waiting, move)


def _outshone(position: Position, move: Move, following: Ledger) -> bool:
    """Whether a piece that hardly anything speaks for is followed by the certain one of its turn.

    A hand that hovers or an arm on the table weighs like a piece now and then. Where no die is told
    every piece is a turn of its own: then only one that hardly stood at all is none.
    """
    if move.settled or move.data or move.seen is None:
        return False
    speaks = move.seen.confidence if position.die_is_told else move.seen.stands
    if speaks >= LITTLE:
        return False
    after = following[0] if following else None
    if after is None or after.kind is not MoveKind.PLACE or after.void or not _certain(after):
        return False
    if position.ahead is not None and after.t_s - position.ahead.t_s >= FASTEST_TURN_S:
        return False  # it is the piece of the next player, who has rolled
    return after.cell in position.view["cells"]


def _roll_follows(move: Move, following: Ledger) -> bool:
    """Whether the next thing told is a roll that allows a piece's cell: then it is that piece's.

    As it would be if nobody had said where the piece lies: to correct a cell moves no turn.
    """
    after = following[0] if following else None
    return (
        after is not None
        and after.kind is MoveKind.ROLL
        and _allowed(move, after.data.get("value"))
    )


def _stood_when_bumped(position: Position, move: Move, following: Ledger) -> bool:
    """Whether a bump felled this piece once it counted: the last of all, or one that lay still.

    All pieces are played with the last one: what is bumped off then costs nobody. Of one that lay
    still people say so: the sensors took the fall for the placing and the piece for one that fell
    by it. Who bumps the table pays for it, and nobody else.
    """
    after = following[0] if following else None
    if move.void != "fell" or after is None or after.fall is None:
        return False
    stood = move.seen is not None and move.seen.stands >= SURE
    if stood and after.cause is ToppleCause.BUMP and not after.void and _last_of_all(position):
        return True
    if "cause" not in after.data:
        return False
    mistaken = after.fall.cause is ToppleCause.PLACING and after.cause is ToppleCause.BUMP
    if after.fall.rested is not None:
        return mistaken and after.fall.rested > 0.5
    return mistaken and after.t_s - move.t_s >= STEADY_S


def _last_of_all(position: Position) -> bool:
    """Whether but one piece is left to be placed."""
    left = position.view["left"]
    return position.phase == "act" and sum(left.values()) == 1


def _voided(position: Position, move: Move, following: Ledger) -> JudgedMove:
    """A piece that did not stand. If the game went on with the next roll, the turn was over."""
    refusal = IllegalAction("void", "the piece did not stand")
    acts, fallen = position.phase == "act", move.void == "fell"
    told = acts and position.rolled_t_s is not None
    if fallen and not told and position.phase in ("roll", "act"):
        position = replace(position, tried_t_s=move.t_s)
    if fallen and position.phase == "roll":
        return JudgedMove(move, position, refusal=refusal)
    if not told or not fallen or not _rolled_next(position, following):
        fell = (move.ref, position.player or "") if told and fallen else None
        dropped = own_colour(position, move) if acts else None
        return JudgedMove(move, replace(position, fell=fell, dropped=dropped), refusal=refusal)
    action = {"type": "pass"}
    player = position.player
    closed = turn_over(play(position, action))
    applied = Applied(move.ref, "fell", (action,), player=player, assumed="the piece fell later")
    return then_rolled(JudgedMove(move, closed, (applied,)), position.ahead)


def _rolled_next(position: Position, following: Ledger) -> bool:
    """Whether the next roll ended the turn: not if the same hand was still at it."""
    if position.ahead is not None:
        return not following or following[0].kind is MoveKind.ROLL
    if not following or following[0].kind is not MoveKind.ROLL:
        return False
    return len(following) == 1 or not _told_ahead(position, following[0], following[1:])


def _second_before_roll(position: Position, first: Move, second: Move) -> JudgedMove:
    """Two placements and no roll between: the roll of the first was forgotten."""
    without = replace(position, waiting=None)
    if first.kind is MoveKind.PLACE and not _certain(first):
        asked = _placed_before_roll(position, first)
        return JudgedMove(second, replace(without, waiting=second), questions=(asked,))
    judged = _without_roll(without, first)
    if judged.after.clearing or judged.after.over:
        return replace(judged, move=second)
    after = replace(
        judged.after,
        waiting=second,
        untold=(*position.untold, (first, judged.applied[0].player or "")),
    )
    return replace(judged, move=second, after=after)


def unrolled(position: Position) -> JudgedMove:
    """The piece or pass that waits for its roll, if one does, counted without it."""
    waiting = position.waiting
    if waiting is None:
        return JudgedMove(Move(0, 0.0, MoveKind.PLACE), position)
    return _without_roll(replace(position, waiting=None), waiting)


def _without_roll(position: Position, move: Move) -> JudgedMove:
    """A piece or a pass whose roll nobody told."""
    if move.kind is MoveKind.PLACE:
        return _place_unrolled(position, move)
    roll = {"type": "roll", "value": ANY_CELL}
    judged = _passed(play(position, roll), move)
    return after_roll(judged, roll, "nobody told the roll of a turn that was passed")


def _place_unrolled(position: Position, move: Move) -> JudgedMove:
    """Place with the roll that the cell stands for."""
    cell = move.cell
    if cell is None:
        raise IllegalAction("cell_required", "say on which cell the piece was placed")
    roll = {"type": "roll", "value": level(cell)}
    judged = _place_now(play(position, roll), move)
    return after_roll(judged, roll, "nobody told the roll; the level of the cell stands in for it")


def _place_now(position: Position, move: Move) -> JudgedMove:
    """Place, also where the die that was told allows no piece, if one lies there for certain."""
    shown = _die_shown(position, move)
    if shown is None:
        return _place(position, move)
    roll = {"type": "roll", "value": shown, "again": True}
    judged = _place(play(position, roll), move)
    return after_roll(judged, roll, "the die that was told allows no piece on this cell")


def _die_shown(position: Position, move: Move) -> int | None:
    """The level of a piece's cell, where the die was not the one that was told.

    Only where rolls were told late or early before: else people are asked, for somebody may have
    misread the die. What the sensors say of the cell has the told die in it already.
    """
    said = "cell" in move.data or move.settled or position.die_confirmed
    said = said or not position.rolls_astray
    if said or move.seen is None or not _certain(move) or position.rolled_t_s is None:
        return None
    cell, _ = move.seen.cells[0]
    return None if cell in position.view["cells"] else level(cell)


def _place(position: Position, move: Move) -> JudgedMove:
    reading = read(position, move)
    action = _action(position, move, reading)
    player = position.player or ""
    placed = play(position, action)
    last = last_of(placed)
    weight = weighed(position, move, reading.colour)
    wrong = which_colour(position, move, reading, weight)
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
        status=_status(move, reading, wrong),
        mass_g=weight.mass_g,
        colour_p=weight.colour_p,
        weighs=weight.weighs,
    )
    questions = (where(move, player, reading),) if reading.unsure else ()
    questions = questions if wrong is None else (wrong, *questions)
    before = BeforePlacement(
        position.game_state, position.refs, move.ref, move.t_s, player, reading.colour,
        reading.confidence,
    )  # fmt: skip
    refs = {**position.refs, reading.cell: (*position.refs.get(reading.cell, ()), move.ref)}
    weighings = _weighed(position, move, reading.colour, weight)
    after = turn_over(replace(placed, refs=refs, weighed=weighings))
    return JudgedMove(move, replace(after, before_placement=before), (applied,), questions)


def _weighed(
    position: Position, move: Move, colour: str, weight: WeightEvidence
) -> tuple[Weighing, ...]:
    if move.seen is None or move.mass_g is None:
        return position.weighed
    said = move.colour is not None and weight.after.get(colour, 1.0) < UNLIKELY
    return (*position.weighed, Weighing(colour, move.seen.mass_g, move.seen.mass_sd_g, said))


def _action(position: Position, move: Move, reading: PlacementReading) -> Action:
    action = placing(position, reading.colour, reading.cell)
    if "colour" in move.data:  # a word about own colours, which the rules refuse if it is none
        action = {"type": "place", "colour": reading.colour, "cell": reading.cell}
    named = move.data.get("player")
    return action if named is None else {**action, "player": named}


def _status(move: Move, reading: PlacementReading, wrong: Question | None) -> Status:
    if reading.asked or (wrong is not None and not wrong.spared):
        return "asked"
    return "confirmed" if move.seen is None or move.settled else "provisional"
