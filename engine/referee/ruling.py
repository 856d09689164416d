"""What a changed judgement means to everybody else: outcomes and amendments.

Outcomes are worked out by comparing the state before and after, so that an undo, a correction
and late evidence announce the new total exactly once, just as a placement does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import msgspec

from engine.errors import IllegalAction
from engine.public_events import (
    AskedEvent,
    CorrectedEvent,
    FaultEvent,
    OverEvent,
    PublicEvent,
    RedoneEvent,
    RestoredEvent,
    RetractedEvent,
    RoundEvent,
    ScoreEvent,
    SettledEvent,
    TurnEvent,
    UndoneEvent,
    event_of,
    made,
)
from engine.referee.basics import as_shown
from engine.referee.ledger import ELSEWHERE, LOOKED_AT, Move
from engine.referee.position import Applied, Position
from engine.referee.state import RefereeState

Amendment = tuple[int, str | None]
"""Number of a detector's placement, and the cell people say it was on (None: it was none)."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The referee's answer to one event or input.

    Attributes:
        state: the state from now on.
        outcomes: what happened, in order; empty when nothing changed.
        amendments: what the detector should know better.
        refused: why an input was not accepted; the game is as before.
    """

    state: RefereeState
    outcomes: tuple[PublicEvent, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    refused: IllegalAction | None = None


def refusal(state: RefereeState, code: str, message: str) -> Ruling:
    """Nothing is changed, for this reason."""
    return Ruling(state, refused=IllegalAction(code, message))


def passing(state: RefereeState, t_s: float, event: PublicEvent) -> Ruling:
    """Announce what passes by: the state stays as it is, and its number with it."""
    return Ruling(state, (msgspec.structs.replace(event, seq=state.seq, t_s=t_s),))


def ruling(
    before: RefereeState,
    after: RefereeState,
    t_s: float,
    events: Sequence[PublicEvent],
    amendments: tuple[Amendment, ...] = (),
) -> Ruling:
    """Announce the way from one state to the next."""
    events = [*_doubted_now(before, after, events), *events]
    if counting := _counting_now(before, after, events):
        events = _in_order(after, events, counting)
    differences = _differences(before, after)
    found = [*(_with_changes(event, differences) for event in events), *differences]
    if not found:
        return Ruling(replace(after, rev=before.rev + _unlike(before, after)), (), amendments)
    outcomes = _numbered(before.seq, t_s, found)
    played = [o for o in outcomes[: len(events)] if not isinstance(o, _OF_SENSORS)]
    last = played[-1] if played else after.last
    after = replace(after, rev=before.rev + 1, seq=outcomes[-1].seq, last=last)
    return Ruling(after, outcomes, amendments)


def announced(
    before: RefereeState, ruling: Ruling, after: RefereeState, events: Sequence[PublicEvent]
) -> Ruling:
    """A ruling that tells some more, and leads to a state that is like its own but for that.

    Args:
        before: the state before the ruling.
        ruling: what has been ruled.
        after: the state it leads to now.
        events: what is told after all the rest.
    """
    t_s = after.ledger[-1].t_s if not ruling.outcomes else ruling.outcomes[-1].t_s
    told = _numbered(after.seq, t_s, events)
    rev = max(after.rev, before.rev + bool(told))
    state = replace(after, seq=after.seq + len(told), rev=rev)
    return replace(ruling, state=state, outcomes=(*ruling.outcomes, *told))


def _numbered(seq: int, t_s: float, events: Sequence[PublicEvent]) -> tuple[PublicEvent, ...]:
    """Events with their numbers, which follow `seq`."""
    return tuple(
        msgspec.structs.replace(event, seq=number, t_s=t_s)
        for number, event in enumerate(events, seq + 1)
    )


def _unlike(before: RefereeState, after: RefereeState) -> bool:
    """Whether documents show what has no event.

    A piece that waits for its roll can be undone; where it went, in the question that is asked
    first, becomes clearer; and what it had confirmed may be confirmed no longer when it is gone.
    """
    return _shown(before) != _shown(after)


def _shown(state: RefereeState) -> tuple[object, ...]:
    """What documents show of a state, as far as it can change without an event."""
    applied = state.applied()
    lying = (state.position.standing or state.position.refs).items()
    board = [(cell, [_as_piece(applied[ref]) for ref in refs]) for cell, refs in lying]
    questions, doubts = state.questions(), state.doubts()
    first = questions[:1], doubts[:1], state.last_questions()
    # Only what is open can look unsettled: what lies further back counts, whatever confirmed it.
    newest = next((judged.applied for judged in reversed(state.judged_moves) if judged.applied), ())
    open_ones = {asked.ref for asked in (*questions, *doubts)} | {each.ref for each in newest}
    unsettled = [
        (each.ref, each.player, each.status)
        for each in applied.values()
        if each.ref in open_ones and each.status != "confirmed"
    ]
    return state.undo_depth, state.redo_depth, first, board, unsettled


def _as_piece(placed: Applied) -> tuple[object, ...]:
    return placed.colour, placed.status == "asked", placed.mass_g, placed.colour_p, placed.weighs


def _with_changes(event: PublicEvent, differences: Sequence[PublicEvent]) -> PublicEvent:
    """A change of mind is told by what it changes, not by what the move was worth."""
    if not isinstance(event, CorrectedEvent | RetractedEvent | UndoneEvent | RedoneEvent):
        return event
    score = next((found for found in differences if isinstance(found, ScoreEvent)), None)
    return msgspec.structs.replace(event, changes=score.changes if score else {})


_OF_SENSORS = (FaultEvent, RestoredEvent)
"""Events that are no part of the game: they do not take the last move's place in it."""


# --- differences -----------------------------------------------------------------------------


def _differences(before: RefereeState, after: RefereeState) -> list[PublicEvent]:
    old, new = before.position, after.position
    found = [*_score(old, new), *_round(old, after), *asked_and_settled(before, after)]
    player = as_shown(new).player
    if player is not None and player != as_shown(old).player:
        found.append(TurnEvent(player=player, phase=new.phase))
    if new.over and not old.over:
        found.append(OverEvent(winners=winners(new)))
    return found


def winners(position: Position) -> tuple[str, ...]:
    """Names of the winners; empty while the game goes on."""
    return () if position.game_state is None else position.rules.winners(position.game_state)


def _score(old: Position, new: Position) -> list[PublicEvent]:
    scores, earlier = new.scores, old.scores
    changes = {
        name: points - earlier.get(name, 0)
        for name, points in scores.items()
        if points != earlier.get(name, 0)
    }
    if not changes:
        return []
    return [ScoreEvent(scores=dict(scores), changes=changes)]


def _round(old: Position, after: RefereeState) -> list[PublicEvent]:
    """The end of a round, once; not again when only its culprit becomes known."""
    new = after.position
    if not new.by_sensors or old.game_state is None or old.over:
        return []
    if new.game_state is old.game_state:
        return []
    was, now = old.view, new.view
    end = now["round_end"]
    if end is None or (now["round"] <= was["round"] and not new.over):
        return []
    # While nobody is blamed the rules only know that the round was stopped.
    fell = any(applied.type == "toppled" for applied in after.judged_moves[-1].applied)
    return [RoundEvent(reason="topple" if fell else end["reason"], game_over=end["game_over"])]


def asked_and_settled(before: RefereeState, after: RefereeState) -> list[PublicEvent]:
    """Questions that are open no longer, and those that are from now on."""
    old = {question.id: question for question in before.questions()}
    new = {question.id: question for question in after.questions()}
    settled = [SettledEvent(id=name) for name in old if name not in new]
    asked = [
        AskedEvent(id=name, kind=q.kind, ref=q.ref, text=q.text)
        for name, q in new.items()
        if name not in old
    ]
    return [*settled, *asked]


# --- events of moves -------------------------------------------------------------------------


def told(applied: Applied) -> PublicEvent:
    """The event of what a move came to mean."""
    return event_of(applied.type, applied.player, fields_of(applied))


def fields_of(applied: Applied) -> dict[str, Any]:
    """What a move came to mean, by the names of the fields of events; without what is unknown."""
    found = {
        field.name: value
        for field in fields(applied)
        if field.name not in _NOT_TOLD and (value := getattr(applied, field.name)) not in _NOTHING
    }
    if applied.type not in ("placed", "toppled") and applied.status == "confirmed":
        del found["status"]
    # Not the roll of the next turn, which may stand behind it.
    if applied.die is None and applied.actions and applied.actions[0]["type"] == "roll":
        found["die"] = applied.actions[0]["value"]
    return found


_NOT_TOLD = ("type", "player", "actions")
_NOTHING: tuple[Any, ...] = (None, "", (), {})


def events_of(state: RefereeState, ref: int) -> list[PublicEvent]:
    """What a move has to tell, as it was judged."""
    found = state.judged_move(ref).applied
    # A roll that was told ahead has had its event then.
    return [told(applied) for applied in found if applied.ref == ref or applied.type != "rolled"]


def correction(was: Applied | None, now: Applied) -> CorrectedEvent:
    """The event of a move that means something else from now on."""
    told = {"player": now.player, "was": was.cell if was else None, "of": now.type}
    return made(CorrectedEvent, {**fields_of(now), **told, "changes": {}})


def reversals(before: RefereeState, after: RefereeState) -> list[CorrectedEvent]:
    """Topples that mean something else by what came later, or nothing any more."""
    old = [applied for applied in before.applied().values() if applied.type == "toppled"]
    new = after.applied()
    fresh = [a for a in new.values() if a.type == "toppled" and a.ref not in before.applied()]
    found = []
    for was in old:
        now = new.get(was.ref) or next(iter(fresh), None)
        if now is None:
            assumed = str(after.judged_move(was.ref).refusal or "")
            found.append(CorrectedEvent(ref=was.ref, of="nothing", assumed=assumed, changes={}))
        elif (now.ref, now.player, now.cause) != (was.ref, was.player, was.cause):
            found.append(correction(was, now))
    return found


def no_more(was: Applied | None, ref: int) -> CorrectedEvent:
    """The event of a piece that is none, or of a move that means nothing."""
    player, cell = (was.player, was.cell) if was else (None, None)
    return CorrectedEvent(player=player, ref=ref, was=cell, of="nothing", changes={})


def _doubted_now(
    before: RefereeState, after: RefereeState, events: Sequence[PublicEvent]
) -> list[CorrectedEvent]:
    """Pieces that a certain piece of the same turn has shown to be none."""
    new, told = after.applied(), _refs(events)
    gone = {ref: was for ref, was in before.applied().items() if ref not in {*new, *told}}
    return [
        no_more(was, ref) for ref, was in gone.items()
        if was.type == "placed" and _is_doubtful(after, ref)
    ]  # fmt: skip


def _counting_now(
    before: RefereeState, after: RefereeState, events: Sequence[PublicEvent]
) -> list[PublicEvent]:
    """Rolls, passes and pieces that were refused until now, and of which no event tells yet.

    Nobody knew that the board was empty; or it seemed to be cleared, and play had gone on; or a
    piece was taken for none. What undo leads to has its own event.
    """
    undone = any(isinstance(event, UndoneEvent | RedoneEvent) for event in events)
    known = {*before.applied(), *_refs(events)}
    found = [applied for judged in after.judged_moves for applied in judged.applied]
    return [
        told(each) for each in found
        if each.ref not in known and each.type in _OF_A_TURN
        and (not undone or _is_doubtful(before, each.ref))
    ]  # fmt: skip


_OF_A_TURN = ("rolled", "passed", "placed")


def _in_order(
    state: RefereeState, events: Sequence[PublicEvent], more: Sequence[PublicEvent]
) -> list[PublicEvent]:
    """Each of `more` before the first event of a later move: the last is what was done last."""
    order = {move.ref: place for place, move in enumerate(state.ledger)}

    def place_of(event: PublicEvent) -> int:
        return order.get(getattr(event, "ref", None) or 0, -1)

    found = list(events)
    for event in more:
        later = (n for n, other in enumerate(found) if place_of(other) > place_of(event))
        found.insert(next(later, len(found)), event)
    return found


def _refs(events: Sequence[PublicEvent]) -> set[int | None]:
    return {getattr(event, "ref", None) for event in events}


def _is_doubtful(state: RefereeState, ref: int) -> bool:
    """Whether the rules take a piece for none since hardly anything speaks for it."""
    try:
        refusal = state.judged_move(ref).refusal
    except KeyError:
        return False
    return refusal is not None and refusal.code == "doubtful"


# --- amendments ------------------------------------------------------------------------------


def amendments(before: RefereeState, after: RefereeState) -> tuple[Amendment, ...]:
    """What people's word about placements means to the detector."""
    old, new = _by_source(before), _by_source(after)
    found = []
    for source in {**old, **new}:
        was, now = old.get(source), new.get(source)
        if _on_the_board(was) != _on_the_board(now):
            found.append((source, _cell(after, now)))
    return tuple(found)


def _on_the_board(move: Move | None) -> Move | None:
    """A placement but for words about it that name no cell: its colour, and where it is not."""
    if move is None:
        return move
    said = {key: word for key, word in move.data.items() if key not in (LOOKED_AT, ELSEWHERE)}
    return replace(move, data=said)


def _by_source(state: RefereeState) -> dict[int, Move]:
    return {move.seen.id: move for move in state.ledger if move.seen is not None}


def _cell(state: RefereeState, move: Move | None) -> str | None:
    if move is None or move.void:
        return None
    if "cell" in move.data:
        return move.cell
    found = next((a for a in state.judged_move(move.ref).applied if a.ref == move.ref), None)
    if found is not None and found.cell is not None:
        return found.cell
    return move.cell
