"""What people say of an earlier move, and what of it the referee would take: `correct`.

`corrections` is not a second set of rules: each correction that can be thought of is judged as if
it had been said, up to the move that it is about.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import IllegalAction
from engine.events import HumanInput, ToppleCause
from engine.games.checks import is_whole
from engine.games.topple.board import cells_for, known_cell
from engine.plainly import as_said
from engine.public_events import CorrectedEvent
from engine.referee.basics import colours_of
from engine.referee.ledger import (
    LOOKED_AT,
    Change,
    Edit,
    Ledger,
    Move,
    MoveKind,
    index_of,
    replacement,
)
from engine.referee.ruling import Ruling, amendments, correction, no_more, ruling
from engine.referee.state import RefereeState, changed, judging
from engine.tabletop import CELLS, level

_FIELDS: Mapping[MoveKind, tuple[str, ...]] = {
    MoveKind.PLACE: ("cell", "colour"),
    MoveKind.ROLL: ("value",),
    MoveKind.TOPPLE: ("cause", "player", "colour"),
    MoveKind.PASS: (),
}
"""What can be corrected, by kind of move."""


@dataclass(frozen=True, slots=True)
class _Word:
    """What people say of a move; `first` is what that changes of earlier ones.

    `before`: the move is a new one, which belongs before that of this number.
    """

    new: Move
    first: tuple[Edit, ...] = ()
    before: int | None = None

    def edits(self, ledger: Ledger) -> tuple[Edit, ...]:
        if self.before is None:
            return (*self.first, replacement(ledger, self.new))
        return (*self.first, Edit(index_of(ledger, self.before), None, self.new))

    def refs(self) -> tuple[int, ...]:
        """The moves that the rules must take."""
        return (self.new.ref, *(edit.new.ref for edit in self.first if edit.new is not None))


def correct(state: RefereeState, said: HumanInput) -> Ruling:
    """Correct an earlier move.

    Raises:
        IllegalAction: it cannot be corrected so, or is known to be so already.
    """
    word = _corrected(state, said.data)
    if all(edit.old == edit.new for edit in word.edits(state.ledger)):
        # It would be no step, and undo after it would take back what was done before.
        raise IllegalAction("nothing_to_correct", "this is known to be so already")
    return _settled(state, said, word)


def corrections(state: RefereeState, ref: Any) -> tuple[dict[str, Any], ...]:
    """What `correct` would take of a move now.

    Args:
        state: the referee's state.
        ref: number of the move.

    Returns:
        The data of each; with the cell of a piece where its die forbids it comes the `value` that
        was rolled then.

    Raises:
        IllegalAction: there is no such move.
    """
    return tuple(data for data in _thought_of(state, move_of(state, ref)) if _taken(state, data))


def _thought_of(state: RefereeState, move: Move) -> Iterator[dict[str, Any]]:
    if move.kind not in _FIELDS:
        return
    for data in _OTHERWISE.get(move.kind, lambda *_: ())(state, move):
        yield {"ref": move.ref, **data}
    yield {"ref": move.ref, "nothing": True}


def _placed_otherwise(state: RefereeState, move: Move) -> Iterator[dict[str, Any]]:
    known = state.applied().get(move.ref)
    cell, colour, player = (known.cell, known.colour, known.player) if known else (None,) * 3
    for other in (one for one in CELLS if one != cell):
        as_rolled = _allowed(state, move, other) and _taken(state, {"ref": move.ref, "cell": other})
        # The level and not the six, which allows it as well: with a six few pieces go just there.
        yield {"cell": other} if as_rolled else {"cell": other, "value": level(other)}
    if move.kind is MoveKind.PLACE:
        yield from ({"colour": one} for one in colours_of(state.position, player) if one != colour)


def _rolled_otherwise(state: RefereeState, move: Move) -> Iterator[dict[str, Any]]:
    yield from ({"value": value} for value in range(1, 7))
    if _stands_for_a_piece(state, move):
        yield from _placed_otherwise(state, move)


def _stands_for_a_piece(state: RefereeState, roll: Move) -> bool:
    """Whether nobody saw the piece of the turn before this roll, and the die left it one cell."""
    known = state.applied().get(roll.ref)
    return known is not None and known.type == "placed"


def _allowed(state: RefereeState, placed: Move, cell: str) -> bool:
    """Whether the roll that was told after a piece allows it on this cell.

    If not the piece would count without it, and the roll as that of the next player.
    """
    late = _late_roll(state, placed)
    return late is None or cell in cells_for(late.data["value"])


def _late_roll(state: RefereeState, placed: Move) -> Move | None:
    """The roll of a piece that was placed before it was told."""
    if placed.kind is not MoveKind.PLACE:
        return None
    rolls = (each for each in state.judged_moves if each.move.kind is MoveKind.ROLL)
    late = (roll.move for roll in rolls if any(one.ref == placed.ref for one in roll.applied))
    return next(late, None)


def _fell_otherwise(state: RefereeState, _: Move) -> Iterator[dict[str, Any]]:
    for player in state.position.game_state.match.players:
        yield from ({"cause": cause.value, "player": player} for cause in ToppleCause)


_OTHERWISE = {
    MoveKind.PLACE: _placed_otherwise,
    MoveKind.ROLL: _rolled_otherwise,
    MoveKind.TOPPLE: _fell_otherwise,
}


def _taken(state: RefereeState, data: Mapping[str, Any]) -> bool:
    """Whether `correct` would take this."""
    try:
        word = _corrected(state, data)
    except IllegalAction:
        return False
    ledger = Change("correct", word.edits(state.ledger)).apply(state.ledger)
    wanted, judged = set(word.refs()), judging(state, ledger)
    refused = False
    while wanted:
        one = next(judged)
        refused |= one.move.ref in wanted and one.refusal is not None
        wanted.discard(one.move.ref)
    return bool(word.new.void) or not refused


def _corrected(state: RefereeState, said: Mapping[str, Any]) -> _Word:
    move = move_of(state, said.get("ref"))
    if move.kind not in _FIELDS:
        raise IllegalAction("not_correctable", "this cannot be corrected; undo it")
    if said.get("nothing") is True:
        return _word(move, {"void": "denied"})
    data = only(said, *_FIELDS[move.kind])
    if move.kind is MoveKind.ROLL and said.get("cell") is not None:
        return _unseen(state, move, said)
    if "cell" in data and said.get("value") is not None:
        return _word(move, {"data": data}, _with_its_roll(state, said["value"], move))
    if move.kind is MoveKind.TOPPLE:
        data = fall_data(state, data)
    if not data:
        fields = ", ".join((*_FIELDS[move.kind], "nothing"))
        raise IllegalAction("nothing_to_correct", f"say what was wrong: {fields}")
    return _word(move, {"data": data})


def _unseen(state: RefereeState, roll: Move, said: Mapping[str, Any]) -> _Word:
    """The piece that nobody saw before this roll lies here."""
    if not _stands_for_a_piece(state, roll):
        raise IllegalAction("nothing_to_correct", "this roll stands for no piece")
    placed = Move(state.next_ref, roll.t_s, MoveKind.PLACE, data=only(said, "cell"), settled=True)
    value = said.get("value")
    return _Word(placed, () if value is None else _with_its_roll(state, value, roll), roll.ref)


def _with_its_roll(state: RefereeState, value: Any, placed: Move) -> tuple[Edit, ...]:
    """A piece lies where its die does not allow it: then the die was told wrong."""
    roll = _late_roll(state, placed) or move_of(state, roll_before(state, placed.ref))
    new = replace(roll, data={**roll.data, "value": value}, settled=True)
    return (replacement(state.ledger, new),)


def roll_before(state: RefereeState, ref: int) -> int:
    """The last roll that was told before a move.

    Raises:
        IllegalAction: none was.
    """
    earlier = state.ledger[: index_of(state.ledger, ref)]
    rolls = (m.ref for m in reversed(earlier) if m.kind is MoveKind.ROLL and not m.void)
    found = next(rolls, None)
    if found is None:
        raise IllegalAction("nothing_to_correct", "no roll was told before this piece")
    return found


def settle(state: RefereeState, said: HumanInput, ref: int, word: Mapping[str, Any]) -> Ruling:
    """Replace what is known of a move by people's word, and re-score everything after it.

    Args:
        state: before it.
        said: what they said, to be named when it is undone.
        ref: number of the move.
        word: `data` of the move, or why it is `void`.
    """
    return _settled(state, said, _word(move_of(state, ref), word))


def _word(move: Move, word: Mapping[str, Any], first: tuple[Edit, ...] = ()) -> _Word:
    data = {**move.data, **word.get("data", {})}
    # Who plays which colour says nothing about the cell: sensors may still do better there.
    settled = move.settled or not set(word.get("data", {"all": 1})) <= {"colour", LOOKED_AT}
    return _Word(replace(move, data=data, settled=settled, void=word.get("void", "")), first)


def _settled(state: RefereeState, said: HumanInput, word: _Word) -> Ruling:
    change = Change(said.type, word.edits(state.ledger))
    after = changed(replace(state, next_ref=max(state.next_ref, word.new.ref + 1)), change)
    refusals = (after.judged_move(one).refusal for one in word.refs())
    refused = next(filter(None, refusals), None)
    if refused is not None and not word.new.void:
        return Ruling(state, refused=refused)
    ref = word.new.ref
    event = settled_event(state, after, ref if word.before is None else word.before, ref)
    return ruling(state, after, said.t_s, [event], amendments(state, after))


def settled_event(
    before: RefereeState, after: RefereeState, ref: int, now_ref: int | None = None
) -> CorrectedEvent:
    """What a correction changed of a move; `now_ref`: of that which takes its place."""
    was, now = before.applied().get(ref), after.applied().get(now_ref or ref)
    return no_more(was, ref) if now is None else correction(was, now)


def fall_data(state: RefereeState, data: Mapping[str, Any]) -> dict[str, Any]:
    """What people say of a fall.

    Raises:
        IllegalAction: there is no such cause or player.
    """
    found = only(data, "cause", "player", "colour")
    if "cause" in found and found["cause"] not in tuple(ToppleCause):
        raise IllegalAction("bad_cause", "a topple is by placing or by a bump")
    if "player" in found:
        found["player"] = player_of(state, found["player"])
    return found


def only(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Those of the named fields that say something.

    Raises:
        IllegalAction: the board has no such cell; while no die is known the rules do not look.
    """
    found = {name: data[name] for name in names if data.get(name) is not None}
    if "cell" in found:
        known_cell(found["cell"])
    return found


def move_of(state: RefereeState, ref: Any) -> Move:
    """The move with this number.

    Raises:
        IllegalAction: there is none.
    """
    try:
        return state.ledger[index_of(state.ledger, ref if is_whole(ref) else 0)]
    except KeyError:
        raise IllegalAction("unknown_ref", f"this game has no move number {as_said(ref)}") from None


def player_of(state: RefereeState, who: Any) -> str:
    """A player's name, from the name or the seat number (as in traces).

    Raises:
        IllegalAction: nobody of that name plays in this game.
    """
    players = state.position.game_state.match.players if state.position.by_sensors else ()
    if isinstance(who, int) and not isinstance(who, bool) and 0 <= who < len(players):
        return str(players[who])
    if who in players:
        return str(who)
    if who is None:
        raise IllegalAction("unknown_player", "say which player: a name, or a seat from 0")
    raise IllegalAction("unknown_player", f"{as_said(who)} does not play in this game")
