"""How the referee handles the events of the sensors: `observe`."""

from dataclasses import replace

from engine.events import (
    Cleared,
    Corrected,
    Dismissed,
    Fault,
    Placed,
    Restored,
    Retracted,
    Reweighed,
    Suspected,
    TableEvent,
    Toppled,
)
from engine.public_events import (
    CorrectedEvent,
    DismissedEvent,
    FaultEvent,
    PlacedEvent,
    PublicEvent,
    RestoredEvent,
    RetractedEvent,
    SuspectedEvent,
)
from engine.referee.ledger import (
    DOUBTED,
    Change,
    Edit,
    Move,
    MoveKind,
    SensedPlacement,
    SensedTopple,
    by_source,
    index_of,
    insertion,
)
from engine.referee.position import Applied
from engine.referee.ruling import (
    Ruling,
    correction,
    events_of,
    no_more,
    passing,
    reversals,
    ruling,
)
from engine.referee.settled import overrules
from engine.referee.state import RefereeState, changed, evidence
from engine.referee.stories import weighed_edits

SAME_FALL_S = 15.0
"""A topple people reported by hand and one the sensors report within this time are one: pieces
are looked at, discussed and blamed for about as long before the table has been cleared."""

AFTERMATH_S = 60.0
"""So long after the end of a game what the sensors saw may still turn out to belong to it."""

SAME_PIECE_S = 8.0
"""A piece entered by hand and one seen within this time, with no roll between, are one: the
slowest sure decision takes a few seconds, and so does a tap on the phone."""

SUSPICION_VALID_S = 6.0
"""A display believes a suspicion this long: twice the time in which nearly every topple is decided,
and not so long that a lost end spoils the turn after it."""


def observe(state: RefereeState, event: TableEvent) -> Ruling:  # noqa: C901, PLR0911 - one kind of event after the other
    """Take note of an event from the detector. Never refuses and never raises.

    Args:
        state: the referee's state.
        event: what the sensors saw; events of one detector in the order of their decision.
    """
    if isinstance(event, Fault):
        failed = FaultEvent(
            sensor=event.sensor, reason=event.reason, code=event.code, args=dict(event.args)
        )
        return ruling(state, state, event.t_s, [failed])
    if isinstance(event, Restored):
        return ruling(state, state, event.t_s, [RestoredEvent(sensor=event.sensor)])
    if not state.position.by_sensors or not state.ledger:
        return Ruling(state)
    match event:
        case Placed():
            return _placed(state, event)
        case Toppled():
            return _toppled(state, event)
        case Suspected():
            return _suspected(state, event)
        case Dismissed():
            return passing(state, event.decided_s, DismissedEvent(id=event.ref))
        case Cleared():
            return _cleared(state, event)
        case Corrected():
            return _corrected(state, event)
        case Reweighed():
            return _reweighed(state, event)
        case Retracted():
            return _retracted(state, event)


def _placed(state: RefereeState, event: Placed) -> Ruling:
    if _outside(state, event.t_s):
        return Ruling(state)
    cells = () if event.cell is None else ((event.cell, event.confidence), *event.alternatives)
    seen = SensedPlacement(
        event.id, cells, event.confidence, event.mass_g, event.mass_sd_g, event.stands
    )
    known = _known(state, event.id)
    if known is not None:
        return _stands_again(state, event, known, seen)
    entered = _entered_by_hand(state, event)
    if entered is not None:
        after = evidence(state, entered.ref, lambda move: replace(move, seen=seen))
        return ruling(state, after, event.decided_s, [])
    ref = state.next_ref
    move = Move(ref, event.t_s, MoveKind.PLACE, seen=seen)
    change = Change("place", (insertion(state.ledger, move),))
    after = _weighed_up(replace(state, next_ref=ref + 1), change)
    events = [*reversals(state, after), *_others(state, after, but=ref), *_news(state, after, ref)]
    return ruling(state, after, event.decided_s, events)


def _weighed_up(state: RefereeState, change: Change) -> RefereeState:
    """The state after a change, and after what the weights of pieces make of it."""
    after = changed(state, change)
    weighed = weighed_edits(after)
    if not weighed:
        return after
    fresh = replace(state, next_ref=state.next_ref + len(weighed))
    return changed(fresh, replace(change, edits=(*change.edits, *weighed)))


def _stands_again(state: RefereeState, event: Placed, known: Move, seen: SensedPlacement) -> Ruling:
    """A piece that had been retracted stands after all: under its number, at its latest release."""
    if known.void != "fell" or known.settled:
        return Ruling(state)

    def standing(move: Move) -> Move:
        return replace(move, t_s=event.t_s, seen=seen, void="")

    after = evidence(state, known.ref, standing)
    told = by_source(after.ledger, event.id) is not None
    events = _news(state, after, known.ref) if told else []
    others, falls = (find(state, after, but=known.ref) for find in (_others, _other_falls))
    return ruling(state, after, event.decided_s, [*others, *events, *falls])


def _other_falls(before: RefereeState, after: RefereeState, *, but: int) -> list[PublicEvent]:
    """Falls that count otherwise, or again, by what is known of move `but`."""
    found: list[PublicEvent] = [told for told in reversals(before, after) if told.ref != but]
    if found:
        return found
    falls = (applied for applied in after.applied().values() if applied.type == "toppled")
    again = [fall.ref for fall in falls if fall.ref not in before.applied()]
    return [event for ref in again for event in events_of(after, ref)]


def _outside(state: RefereeState, t_s: float) -> bool:
    """Whether something was seen before the game began, or long after it had ended.

    Shortly after the end it is kept: if the topple that ended the game turns out to have been
    none, the game goes on with what has been placed since.
    """
    if t_s < state.ledger[0].t_s or state.position.ended:
        return True
    return state.position.over and t_s - _ended_s(state) > AFTERMATH_S


def _ended_s(state: RefereeState) -> float:
    return next(judged.move.t_s for judged in reversed(state.judged_moves) if judged.applied)


def _entered_by_hand(state: RefereeState, event: Placed) -> Move | None:
    """The placement that somebody was quicker to enter than the sensors to decide."""
    near = [
        move
        for move in state.ledger
        if move.kind is MoveKind.PLACE
        and move.seen is None
        and not move.void
        and abs(move.t_s - event.t_s) <= SAME_PIECE_S
        and not _rolled_between(state, move, event)
    ]
    return min(near, key=lambda move: abs(move.t_s - event.t_s), default=None)


def _rolled_between(state: RefereeState, move: Move, event: Placed) -> bool:
    begin_s, end_s = sorted((move.t_s, event.t_s))
    return any(m.kind is MoveKind.ROLL and begin_s < m.t_s < end_s for m in state.ledger)


def _news(before: RefereeState, after: RefereeState, ref: int) -> list[PublicEvent]:
    """What a new placement has to tell, also where it lies before a roll that was told by then.

    The roll is this piece's then, and not that of the piece before, which is where it was told.
    """
    known = {was.ref for was in before.applied().values() if was.type == "placed"}
    found = [
        event
        for event in events_of(after, ref)
        if not (isinstance(event, PlacedEvent) and event.ref in known)
    ]
    own = any(getattr(event, "ref", None) == ref for event in found)
    return found if own else [*found, *_decided_elsewhere(after, ref)]


def _others(before: RefereeState, after: RefereeState, *, but: int) -> list[CorrectedEvent]:
    """Pieces that are another player's, lie elsewhere or wait, by what is known of move `but`.

    Told before that move: what came last is the move itself.
    """
    found = after.applied()
    placed = [(ref, was) for ref, was in before.applied().items() if was.type == "placed"]
    changed_ones = [(was, ref, found.get(ref)) for ref, was in placed if ref != but]
    return [
        no_more(was, ref) if now is None else correction(was, now)
        for was, ref, now in changed_ones
        if now is None or (now.type == "placed" and _of_whom(now) != _of_whom(was))
    ]


def _of_whom(placed: Applied) -> tuple[str | None, ...]:
    return placed.player, placed.cell, placed.colour


def _decided_elsewhere(state: RefereeState, ref: int) -> list[PublicEvent]:
    """A placement that a roll after it in the ledger gave its meaning to."""
    found = [judged for judged in state.judged_moves if any(a.ref == ref for a in judged.applied)]
    return events_of(state, found[-1].move.ref) if found else []


def rolled_while_clearing(state: RefereeState) -> int | None:
    """The die somebody told although the sensors saw a topple that nobody has confirmed.

    None when the round ended otherwise: the topple of an earlier round lies behind a clearing,
    that of this round has only rolls and placements the rules refused after it.
    """
    if not state.position.clearing or state.position.over:
        return None
    topple = _topple_to_clear(state)
    if topple is None or topple_told(state):
        return None
    later = state.ledger[index_of(state.ledger, topple.ref) + 1 :]
    roll = next((move for move in reversed(later) if move.kind is MoveKind.ROLL), None)
    return None if roll is None else int(roll.data["value"])


def topple_told(state: RefereeState) -> bool:
    """Whether the round, or the game, ended by a topple of which people have told."""
    topple = _topple_to_clear(state)
    return topple is not None and (topple.settled or topple.fall is None)


def _topple_to_clear(state: RefereeState) -> Move | None:
    """The topple after which the board has not been cleared yet."""
    ends = (m for m in reversed(state.ledger) if m.kind in (MoveKind.CLEARED, MoveKind.TOPPLE))
    last = next((m for m in ends if m.kind is MoveKind.CLEARED or not m.void), None)
    return last if last is not None and last.kind is MoveKind.TOPPLE else None


def _toppled(state: RefereeState, event: Toppled) -> Ruling:
    if _outside(state, event.t_s):
        return Ruling(state)
    fall = _fall(event)
    known = by_source(state.ledger, event.id) or _reported_by_hand(state, event)
    if known is not None:
        after = evidence(state, known.ref, lambda move: replace(move, fall=fall))
        return ruling(state, after, event.decided_s, reversals(state, after))
    ref = state.next_ref
    move = Move(ref, event.t_s, MoveKind.TOPPLE, fall=fall)
    change = Change("topple", (insertion(state.ledger, move),))
    after = _weighed_up(replace(state, next_ref=ref + 1), change)
    # A piece that lay there before its roll was told is none if it fell before that roll.
    none_now = [told for told in _others(state, after, but=ref) if told.of == "nothing"]
    events = [*none_now, *(reversals(state, after) or events_of(after, ref))]
    return ruling(state, after, event.decided_s, events)


def _fall(event: Toppled) -> SensedTopple:
    return SensedTopple(
        event.id,
        event.kind,
        event.cause,
        event.confidence,
        event.cause_confidence,
        event.fallen,
        event.rested,
        event.mass_g,
        event.mass_sd_g,
    )


def _suspected(state: RefereeState, event: Suspected) -> Ruling:
    if state.position.over or state.position.clearing:
        # Pieces are being taken off the board; a topple would not count either.
        return Ruling(state)
    suspected = SuspectedEvent(
        id=event.id, kind=event.kind, probability=event.probability, valid_s=SUSPICION_VALID_S
    )
    return passing(state, event.decided_s, suspected)


def _reported_by_hand(state: RefereeState, event: Toppled) -> Move | None:
    for move in reversed(state.ledger):
        if move.kind is MoveKind.TOPPLE and not move.void:
            near = abs(move.t_s - event.t_s) <= SAME_FALL_S
            return move if near and move.fall is None else None
    return None


def _cleared(state: RefereeState, event: Cleared) -> Ruling:
    if _outside(state, event.t_s):
        return Ruling(state)
    ref = state.next_ref
    move = Move(ref, event.t_s, MoveKind.CLEARED)
    edits: tuple[Edit, ...] = (insertion(state.ledger, move),)
    if event.perhaps is not None:
        fall, t_s = _fall(event.perhaps), event.perhaps.t_s
        doubted = Move(ref + 1, t_s, MoveKind.TOPPLE, fall=fall, void=DOUBTED)
        edits = (*edits, insertion(edits[0].apply(state.ledger), doubted))
    change = Change("cleared", edits)
    fresh = replace(state, next_ref=ref + len(edits))
    after = changed(fresh, change)
    if _same_game(after, state):
        # Somebody has pressed the button for this clearing already. It is remembered all the
        # same: what is decided late may show that it was another one.
        return Ruling(changed(fresh, change, known=True))
    events: list[PublicEvent] = [*reversals(state, after)]
    events = events or events_of(after, ref)
    return ruling(state, after, event.decided_s, events)


def _same_game(after: RefereeState, before: RefereeState) -> bool:
    """Whether a clearing leaves the game as it was, but for the time at which it is known."""
    same_time = replace(after.position, cleared_t_s=before.position.cleared_t_s)
    return same_time == before.position and after.questions() == before.questions()


def _corrected(state: RefereeState, event: Corrected) -> Ruling:
    cells = ((event.cell, event.confidence), *event.alternatives)
    known = _known(state, event.ref)
    if known is None or known.settled or known.seen is None:
        return Ruling(state)

    def seen_better(move: Move) -> Move:
        if move.settled or move.seen is None:
            return move
        return replace(move, seen=replace(move.seen, cells=cells, confidence=event.confidence))

    after = evidence(state, known.ref, seen_better)
    return ruling(state, after, event.decided_s, _change_of(state, after, known.ref))


def _reweighed(state: RefereeState, event: Reweighed) -> Ruling:
    """A piece weighs otherwise: the turns that its first weight moved are put right."""
    known = _known(state, event.ref)
    if known is None or known.seen is None:
        return Ruling(state)

    def seen_better(move: Move) -> Move:
        if move.seen is None:
            return move
        return replace(
            move, seen=replace(move.seen, mass_g=event.mass_g, mass_sd_g=event.mass_sd_g)
        )

    after = evidence(state, known.ref, seen_better)
    weighed = weighed_edits(after)
    if weighed:
        fresh = replace(after, next_ref=after.next_ref + len(weighed))
        after = changed(fresh, Change("weighed", weighed), known=True)
    was, now = state.applied().get(known.ref), after.applied().get(known.ref)
    other = was is not None and now is not None and was.player != now.player
    told = _change_of(state, after, known.ref) if other else []
    return ruling(state, after, event.decided_s, [*reversals(state, after), *told])


def _retracted(state: RefereeState, event: Retracted) -> Ruling:
    known = _known(state, event.ref)
    if known is None or known.void:
        return Ruling(state)
    void = "fell" if known.seen is not None else "denied"
    after = evidence(state, known.ref, lambda move: replace(move, void=move.void or void))
    if overrules(state, after, known):
        stands = known.seen is not None
        return Ruling(state, amendments=((event.ref, known.cell),) if stands else ())
    was = state.applied().get(known.ref)
    events = _other_falls(state, after, but=known.ref)
    if was is not None and was.type != "fell":
        gone = RetractedEvent(
            player=was.player, ref=known.ref, reason=event.reason, changes={},
            cell=was.cell, colour=was.colour if was.cell else None,
        )  # fmt: skip
        events = [*_others(state, after, but=known.ref), gone, *events]
    return ruling(state, after, event.decided_s, events)


def _known(state: RefereeState, event_id: int) -> Move | None:
    """The move behind an event, also if undo has just taken it out of the ledger."""
    found = by_source(state.ledger, event_id)
    if found is not None:
        return found
    undone = (edit.new for change in state.undone for edit in change.edits)
    return next((m for m in undone if m is not None and m.source == event_id), None)


def _change_of(before: RefereeState, after: RefereeState, ref: int) -> list[PublicEvent]:
    was, now = before.applied().get(ref), after.applied().get(ref)
    if was == now or now is None:
        return []
    return [correction(was, now)]
