"""How the referee handles what people say: `handle_input`.

Verbs and their data:

| verb | data |
|---|---|
| `start` | `players`, `target`, `first` (name or seat), `variant`, `options`, `game`, `id` |
| | `dealt`: the table draws and shuffles (see `dealing`) |
| `roll` | `value` 1 to 6 |
| `pass` | |
| `place` | `cell`, `colour` |
| `topple` | `cause` `placing` or `bump`, `player` |
| `blame` | `player` (name or seat): who bumped the table |
| `cleared` | the board is empty: also ends a round everybody agrees to stop |
| `turn` | `player` (name or seat): whose turn it is |
| `colour` | `colour`, `ref`: of the placement to come, or of one that was made |
| `answer` | `question`, `value`: also to what the table believes and has not asked |
| `correct` | `ref`, and `cell`, `colour`, `value`, `cause`, `player` or `nothing: true` |
| `undo`, `redo`, `end` | |
| `action` | an action of the rules, for games played by hand |
"""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from engine.errors import IllegalAction
from engine.events import HumanInput, ToppleCause
from engine.games.registry import DEFAULT_GAME, GAMES
from engine.pieces import PieceSet
from engine.plainly import as_said
from engine.public_events import RedoneEvent, UndoneEvent
from engine.referee.basics import as_shown, colours_of, require_playing
from engine.referee.corrections import (
    correct,
    fall_data,
    move_of,
    only,
    player_of,
    roll_before,
    settle,
    settled_event,
)
from engine.referee.ledger import (
    ELSEWHERE,
    LOOKED_AT,
    Change,
    Edit,
    Ledger,
    Move,
    MoveKind,
    index_of,
    insertion,
    replacement,
)
from engine.referee.placing import LITTLE
from engine.referee.position import UNKNOWN, Question
from engine.referee.ruling import (
    Ruling,
    amendments,
    events_of,
    refusal,
    reversals,
    ruling,
)
from engine.referee.sighting import ANOTHER, FELL, NOTHING
from engine.referee.state import RefereeState, changed, evidence, redo, undo
from engine.referee.turns import edits_for, otherwise_counted
from engine.tabletop import CELLS

TWICE_TOLD_S = 0.7
"""A roll that follows another so soon was tapped twice: nobody rolls, places and hands the die on
in less (the most hurried of the simulated people: 1.0 s)."""

Handler = Callable[[RefereeState, HumanInput], Ruling]

VERBS: tuple[str, ...] = (
    "start",
    "roll",
    "pass",
    "place",
    "topple",
    "blame",
    "cleared",
    "turn",
    "colour",
    "answer",
    "correct",
    "undo",
    "redo",
    "end",
    "action",
)
"""Everything people can say, in the order of a game."""


def handle_input(state: RefereeState, said: HumanInput) -> Ruling:
    """Take note of what a person said.

    Args:
        state: the referee's state.
        said: verb, data and table time.

    Returns:
        The ruling; `refused` holds a code and words if it cannot be so, and the game is as
        before then.
    """
    try:
        handler = _handler(state, said)
        return handler(state, said)
    except IllegalAction as refused:
        return Ruling(state, refused=refused)


def _handler(state: RefereeState, said: HumanInput) -> Handler:
    if said.type not in VERBS:
        known = ", ".join(VERBS)
        raise IllegalAction(
            "unknown_verb", f"the table knows no {as_said(said.type)}; it knows {known}"
        )
    by_rules = state.position.game_state is not None and not state.position.by_sensors
    if by_rules and said.type in ("roll", "pass", "place", "topple"):
        return _by_verb
    return _HANDLERS[said.type]


def _say(
    state: RefereeState,
    said: HumanInput,
    kind: MoveKind,
    data: Mapping[str, Any],
    first: tuple[Edit, ...] = (),
) -> Ruling:
    """Enter a move, and `first` what it says of earlier ones; the rules decide if it may be."""
    ref = state.next_ref + len(first)
    ledger = Change(said.type, first).apply(state.ledger)
    move = Move(ref, said.t_s, kind, data=data)
    change = Change(said.type, (*first, insertion(ledger, move)))
    after = changed(replace(state, next_ref=ref + 1), change)
    refused = after.judged_move(ref).refusal
    if refused is None:
        return ruling(state, after, said.t_s, events_of(after, ref))
    if not _is_evidence(kind, data, refused):
        return Ruling(state, refused=refused)
    heard = ruling(state, after, said.t_s, reversals(state, after))
    return replace(heard, refused=refused)


def _is_evidence(kind: MoveKind, data: Mapping[str, Any], refused: IllegalAction) -> bool:
    """Whether the table remembers what it does not accept.

    If players go on playing after a topple of the sensors, nothing had fallen; and a roll told
    late says who had been placing.
    """
    if refused.code not in ("clear_first", "game_over"):
        return False
    return kind is MoveKind.PASS or (kind is MoveKind.ROLL and data.get("value") in range(1, 7))


# --- the verbs -------------------------------------------------------------------------------


def _start(state: RefereeState, said: HumanInput) -> Ruling:
    if state.position.phase not in ("idle", "over") and said.data.get("replace") is not True:
        return refusal(state, "game_running", "a game is being played; end it first")
    data = _opening(said.data) | _masses(state, said.data.get("masses"))
    ref, games = state.next_ref, state.games + 1
    move = Move(ref, said.t_s, MoveKind.START, data=data)
    fresh = RefereeState(next_ref=ref + 1, rev=state.rev, seq=state.seq, games=games)
    fresh = replace(fresh, game_id=str(said.data.get("id") or f"game-{games}"))
    after = changed(fresh, Change("start", (Edit(0, None, move),)))
    refused = after.judged_move(ref).refusal
    if refused is not None:
        return Ruling(state, refused=refused)
    return ruling(fresh, after, said.t_s, events_of(after, ref))


def _opening(data: Mapping[str, Any]) -> dict[str, Any]:
    rules = data.get("game", DEFAULT_GAME)
    if not isinstance(rules, str) or rules not in GAMES:
        known = ", ".join(GAMES)
        raise IllegalAction("unknown_game", f"there is no game {as_said(rules)}; there are {known}")
    aside = ("game", "options", "id", "replace", "again", "type", "dealt", "masses")
    action = {key: value for key, value in data.items() if key not in aside}
    filled = GAMES[rules].filled_in(action)
    opening = {"game": rules, "action": filled, "options": _options(data)}
    return {**opening, "dealt": True} if data.get("dealt") is True else opening


def _masses(state: RefereeState, given: Any) -> dict[str, Any]:
    """What the pieces of the table weigh, with what was learned in the game before."""
    if given is None:
        return {}
    learned = state.position.pieces
    if learned is not None and learned.given == given:
        return {"masses": learned}
    return {"masses": PieceSet.of(given)}


def _options(data: Mapping[str, Any]) -> dict[str, Any]:
    options = {} if data.get("options") is None else data["options"]
    if not isinstance(options, Mapping):
        raise IllegalAction("bad_option", "options must be given by name")
    return dict(options)


def _roll(state: RefereeState, said: HumanInput) -> Ruling:
    position = state.position
    rolled_t_s = position.rolled_t_s if position.ahead is None else position.ahead.t_s
    twice = refusal(state, "already_rolled", "the die has been told; one roll a turn")
    if rolled_t_s is not None and said.t_s - rolled_t_s < TWICE_TOLD_S:
        return twice
    data = only(said.data, "value", "player")
    ruled = _say(state, said, MoveKind.ROLL, data, _turn_of_speaker(state, said))
    own = position.phase == "act" and data.get("player") == as_shown(position).player
    if own and ruled.refused is not None and ruled.refused.code == "not_current_player":
        # A roll in that phase is the next player's, and this player says it is none.
        return twice
    return ruled


def _turn_of_speaker(state: RefereeState, said: HumanInput) -> tuple[Edit, ...]:
    """What follows when somebody rolls whose turn the table thinks it is not: it is theirs."""
    position = state.position
    if position.phase != "roll" or not position.by_sensors:
        return ()
    named = str(said.data.get("player"))
    if named == position.player or named not in position.game_state.match.players:
        return ()
    return edits_for(state, named, said.t_s)


def _pass(state: RefereeState, said: HumanInput) -> Ruling:
    return _say(state, said, MoveKind.PASS, only(said.data, "player"))


def _turn(state: RefereeState, said: HumanInput) -> Ruling:
    """People say whose turn it is."""
    if not state.position.by_sensors:
        return refusal(state, "no_game", "no game of Topple is being played")
    asked = next((q for q in state.questions() if q.kind == "turn"), None)
    if asked is None or not (state.position.clearing or state.position.over):
        require_playing(state.position)
    name = player_of(state, said.data.get("player"))
    over = asked is not None and state.position.over
    if asked is not None and over:
        edits = () if name == asked.player else otherwise_counted(state, asked.ref)
    else:
        shown = as_shown(state.position).player
        edits = () if name == shown else edits_for(state, name, said.t_s)
    if asked is not None:
        edits = (*edits, *_begun(state, asked.ref, name, edits))
    if not edits:
        # While a roll was told ahead, the piece of the turn before it may still be seen.
        weighed = state.position.pieces is not None and state.position.ahead is None
        return Ruling(_confirmed(state, name, said.t_s) if weighed else state)
    after = changed(replace(state, next_ref=state.next_ref + 1), Change("turn", edits))
    if after.position.player != name and not over:
        return refusal(state, "not_in_turn", f"{name} has no piece left, or is out of the game")
    return ruling(state, after, said.t_s, [])


def _confirmed(state: RefereeState, name: str, t_s: float) -> RefereeState:
    """The state in which people have said what the table believes: no weight says otherwise."""
    move = Move(state.next_ref, t_s, MoveKind.TURN, data={"player": name})
    change = Change("turn", (insertion(state.ledger, move),))
    return changed(replace(state, next_ref=state.next_ref + 1), change, known=True)


def _begun(state: RefereeState, ref: int, name: str, first: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The topple after which it was asked who begins, with the answer."""
    ledger = Change("turn", first).apply(state.ledger)
    move = ledger[index_of(ledger, ref)]
    return (replacement(ledger, replace(move, data={**move.data, "begins": name})),)


def _place(state: RefereeState, said: HumanInput) -> Ruling:
    return _say(state, said, MoveKind.PLACE, only(said.data, "cell", "colour", "player"))


def _topple(state: RefereeState, said: HumanInput) -> Ruling:
    data = fall_data(state, said.data)
    if data.get("cause", "placing") == "bump" and "player" not in data:
        raise IllegalAction("unknown_player", "say who bumped the table")
    return _say(state, said, MoveKind.TOPPLE, {"cause": "placing", **data})


def _cleared(state: RefereeState, said: HumanInput) -> Ruling:
    ruling = _say(state, said, MoveKind.CLEARED, {"pressed": True})
    heard = ruling.refused is not None and ruling.refused.code == "nothing_to_clear"
    return replace(ruling, state=pressed_for_the_last(state, said.t_s)) if heard else ruling


def pressed_for_the_last(state: RefereeState, t_s: float) -> RefereeState:
    """The state in which people have pressed the button for the clearing that has been.

    Args:
        state: the referee, who knows of that clearing.
        t_s: table time at which they pressed.
    """
    if not state.position.by_sensors or state.position.die_is_told:
        return state  # a roll says that another round has begun
    clearings = (move for move in reversed(state.ledger) if move.kind is MoveKind.CLEARED)
    last = next(clearings, None)
    if last is None or last.data.get("pressed"):
        return state
    return evidence(state, last.ref, lambda m: replace(m, data={**m.data, "pressed_t_s": t_s}))


def _end(state: RefereeState, said: HumanInput) -> Ruling:
    return _say(state, said, MoveKind.END, {})


def _blame(state: RefereeState, said: HumanInput) -> Ruling:
    """Name who bumped the table: for the open question, the topple just seen, or an unseen one.

    Once pieces stand on the board again, a question about an earlier round is answered by name
    (`answer`); who is blamed then has made something fall now.
    """
    if not state.position.by_sensors:
        return refusal(state, "no_game", "no game of Topple is being played")
    data = {"cause": "bump", "player": player_of(state, said.data.get("player"))}
    asked = state.blame_asked()
    ref = asked if asked is not None else _topple_being_cleared(state)
    if ref is None:
        return _say(state, said, MoveKind.TOPPLE, data, _last_of_all_denied(state))
    return settle(state, said, ref, {"data": data})


def blamed_for_unseen(state: RefereeState, said: HumanInput) -> bool:
    """Whether a blame tells of a fall that the table has not seen, so that it looks again.

    It must come from a game that goes on and name a player who is still in; a blame that is
    refused makes nothing fall.
    """
    if state.position.ended or state.position.clearing or state.blame_asked() is not None:
        return False
    with contextlib.suppress(IllegalAction):
        return player_of(state, said.data.get("player")) not in state.position.view.get("out", ())
    return False


def _last_of_all_denied(state: RefereeState) -> tuple[Edit, ...]:
    """What takes back a piece that hardly stood and was taken for the last of all.

    Nobody is blamed once all pieces are played: so they were not.
    """
    if not state.position.standing:
        return ()
    last = next(
        (m for m in reversed(state.ledger) if m.kind is MoveKind.PLACE and not m.void), None
    )
    if last is None or last.settled or last.seen is None or last.seen.stands >= LITTLE:
        return ()
    return (replacement(state.ledger, replace(last, void="fell")),)


def _topple_being_cleared(state: RefereeState) -> int | None:
    if not state.position.clearing and state.position.phase != "over":
        return None
    last = next((m for m in reversed(state.ledger) if not m.void and _counts(state, m)), None)
    return last.ref if last is not None and last.kind is MoveKind.TOPPLE else None


def _counts(state: RefereeState, move: Move) -> bool:
    return state.judged_move(move.ref).refusal is None


def _colour(state: RefereeState, said: HumanInput) -> Ruling:
    """The colour of the coming placement, or of the last one if its player plays that colour."""
    colour, ref = said.data.get("colour"), said.data.get("ref")
    if ref is None and colour not in colours_of(state.position, state.position.player):
        back = state.position.before_placement
        ref = back.ref if back and colour in colours_of(state.position, back.player) else None
    if ref is None:
        return _say(state, said, MoveKind.COLOUR, {"colour": colour})
    return correct(state, replace(said, data={"ref": ref, "colour": colour}))


def _by_verb(state: RefereeState, said: HumanInput) -> Ruling:
    return _say(state, said, MoveKind.ACTION, {**said.data, "type": said.type})


def _action(state: RefereeState, said: HumanInput) -> Ruling:
    action = said.data.get("action", said.data)
    if not isinstance(action, Mapping) or not isinstance(action.get("type"), str):
        return refusal(state, "bad_action", "an action needs a type")
    rest = {key: value for key, value in action.items() if key != "type"}
    if action["type"] == "start" or state.position.by_sensors:
        if action["type"] == "action":
            return refusal(state, "bad_action", "an action needs a type of the rules")
        return handle_input(state, HumanInput(said.t_s, action["type"], rest))
    return _say(state, said, MoveKind.ACTION, dict(action))


# --- answers and corrections -----------------------------------------------------------------


def _answer(state: RefereeState, said: HumanInput) -> Ruling:
    question = _question(state, said.data)
    value = said.data.get("value")
    if value not in [choice.value for choice in question.choices]:
        choices = ", ".join(choice.value for choice in question.choices)
        raise IllegalAction("bad_answer", f"{as_said(value)} is none of the answers: {choices}")
    if value == UNKNOWN.value:
        return _leave_open(state, said, question)
    if question.kind == "turn":
        return _turn(state, replace(said, type="turn", data={"player": value}))
    return _fact_answer(state, said, question, str(value))


def _fact_answer(state: RefereeState, said: HumanInput, question: Question, value: str) -> Ruling:
    """What people say has happened."""
    if question.kind == "blame":
        cleared = move_of(state, question.ref).kind is MoveKind.CLEARED
        if value == "none" and cleared:
            return settle(state, said, question.ref, {"data": {"cause": "agreed"}})
        if value == "none":
            return _nothing_fell(state, said, question.ref)
        return settle(state, said, question.ref, _fall_answer(value))
    if move_of(state, question.ref).kind is MoveKind.ROLL:
        return _unseen_answer(state, said, question, value)
    if question.kind == "colour":
        return settle(state, said, question.ref, {"data": {LOOKED_AT: value}})
    return _piece_answer(state, said, question, value)


def _piece_answer(state: RefereeState, said: HumanInput, question: Question, value: str) -> Ruling:
    """What has become of a piece that was seen."""
    if value == FELL.value:
        return _fell_answer_of(state, said, question)
    if value == ANOTHER.value:
        return _elsewhere(state, said, question)
    return settle(state, said, question.ref, _placement_answer(value))


def _leave_open(state: RefereeState, said: HumanInput, question: Question) -> Ruling:
    """Nobody knows: what the table believes stays, and it asks no more."""
    move = move_of(state, question.ref)
    new = replace(move, unknown=(*move.unknown, question.kind))
    after = changed(state, Change(said.type, (replacement(state.ledger, new),)))
    return ruling(state, after, said.t_s, [])


def _elsewhere(state: RefereeState, said: HumanInput, asked: Question) -> Ruling:
    """The piece lies on none of the cells offered: the others are offered now."""
    move = move_of(state, asked.ref)
    offered = (choice.value for choice in asked.choices if choice.value in CELLS)
    cells = (*move.data.get(ELSEWHERE, ()), *offered)
    new = replace(move, data={**move.data, ELSEWHERE: cells})
    after = changed(state, Change(said.type, (replacement(state.ledger, new),)))
    return ruling(state, after, said.t_s, [settled_event(state, after, asked.ref)])


def _fell_answer_of(state: RefereeState, said: HumanInput, asked: Question) -> Ruling:
    """The piece did not stand: its player toppled it, whatever the sensors saw of that."""
    ref = asked.ref
    fallen = replace(move_of(state, ref), void="fell", settled=True)
    first = replacement(state.ledger, fallen)
    at = index_of(state.ledger, ref) + 1
    seen = state.ledger[at] if at < len(state.ledger) else None
    data = {"cause": ToppleCause.PLACING.value, "player": asked.player}
    if seen is not None and seen.kind is MoveKind.TOPPLE:
        told = replace(seen, data={**seen.data, **data}, settled=True, void="")
        edit = replacement(state.ledger, told)
    else:
        told = Move(state.next_ref, fallen.t_s, MoveKind.TOPPLE, data=data, settled=True)
        edit = Edit(at, None, told)
    after = changed(replace(state, next_ref=state.next_ref + 1), Change(said.type, (first, edit)))
    refused = after.judged_move(told.ref).refusal
    if refused is not None:
        return Ruling(state, refused=refused)
    events = events_of(after, told.ref)
    return ruling(state, after, said.t_s, events, amendments(state, after))


def _question(state: RefereeState, data: Mapping[str, Any]) -> Question:
    name = data.get("question")
    questions = (*state.questions(), *state.doubts())
    found = next((q for q in questions if name in (None, q.id)), None)
    if found is None:
        raise IllegalAction("no_question", "this question has been settled already")
    return found


def _nothing_fell(state: RefereeState, said: HumanInput, ref: int) -> Ruling:
    """The topple was none: what the sensors took to have fallen in it was placed.

    If the board has been cleared since, people had agreed to stop: that is not asked again.
    """
    at = index_of(state.ledger, ref)
    earlier, later = reversed(state.ledger[:at]), state.ledger[at + 1 :]
    stood = [m for ms in (earlier, later) for m in takewhile(_taken_to_have_fallen, ms)]
    known = [replace(state.ledger[at], void="denied", settled=True)]
    known += [replace(move, void="") for move in stood]
    ends = (m for m in later if m.kind in (MoveKind.CLEARED, MoveKind.PLACE) and m not in stood)
    then = next(ends, None)
    if then is not None and then.kind is MoveKind.CLEARED and not then.settled:
        known.append(replace(then, data={**then.data, "cause": "agreed"}, settled=True))
    edits = tuple(replacement(state.ledger, move) for move in known)
    after = changed(state, Change(said.type, edits))
    events = [settled_event(state, after, ref)]
    return ruling(state, after, said.t_s, events, amendments(state, after))


def _taken_to_have_fallen(move: Move) -> bool:
    """Whether the sensors took a piece that had been placed to have fallen; people said nothing."""
    return move.kind is MoveKind.PLACE and move.void == "fell" and not move.settled


def _fall_answer(value: str) -> dict[str, Any]:
    if value == "placing":
        return {"data": {"cause": "placing"}}
    return {"data": {"cause": "bump", "player": value}}


def _placement_answer(value: str) -> dict[str, Any]:
    return {"void": "denied"} if value == "none" else {"data": {"cell": value}}


def _unseen_answer(state: RefereeState, said: HumanInput, asked: Question, value: str) -> Ruling:
    """What the player did whose piece was not seen before this roll."""
    if value == "reroll":
        return settle(state, said, roll_before(state, asked.ref), {"void": "mistyped"})
    moves = _unseen_deed(state, asked, value)
    at = index_of(state.ledger, asked.ref)
    edits = tuple(Edit(at + place, None, move) for place, move in enumerate(moves))
    after = changed(replace(state, next_ref=state.next_ref + len(moves)), Change("answer", edits))
    refused = after.judged_move(moves[0].ref).refusal
    if refused is not None:
        return Ruling(state, refused=refused)
    events = [event for move in moves for event in events_of(after, move.ref)]
    return ruling(state, after, said.t_s, events)


def _unseen_deed(state: RefereeState, asked: Question, value: str) -> tuple[Move, ...]:
    """What belongs into the ledger before the roll by which a piece was missed."""
    new, t_s = state.next_ref, move_of(state, asked.ref).t_s
    if value == FELL.value:
        data = {"cause": ToppleCause.PLACING.value, "player": asked.player}
        fell = Move(new, t_s, MoveKind.TOPPLE, data=data, settled=True)
        # Who rolls after a fall and places has cleared the board, as nobody saw.
        cleared = Move(new + 1, t_s, MoveKind.CLEARED, data={"pressed": True}, settled=True)
        return (fell, cleared) if _placed_since(state.ledger, asked.ref) else (fell,)
    if value in ("pass", NOTHING.value):
        return (Move(new, t_s, MoveKind.PASS, settled=True),)
    return (Move(new, t_s, MoveKind.PLACE, data={"cell": value}, settled=True),)


def _placed_since(ledger: Ledger, ref: int) -> bool:
    """Whether a piece was placed after this roll, in the round in which it was told."""
    for move in ledger[index_of(ledger, ref) + 1 :]:
        if move.kind in (MoveKind.CLEARED, MoveKind.TOPPLE):
            return False
        if move.kind is MoveKind.PLACE and not move.void:
            return True
    return False


def _undo(state: RefereeState, said: HumanInput) -> Ruling:
    after, change = undo(state)
    if change is None:
        return refusal(state, "nothing_to_undo", "there is nothing to undo")
    return _turned(state, after, said, UndoneEvent, change)


def _redo(state: RefereeState, said: HumanInput) -> Ruling:
    after, change = redo(state)
    if change is None:
        return refusal(state, "nothing_to_redo", "there is nothing to redo")
    return _turned(state, after, said, RedoneEvent, change)


def _turned(
    before: RefereeState,
    after: RefereeState,
    said: HumanInput,
    kind: type[UndoneEvent | RedoneEvent],
    change: Change,
) -> Ruling:
    move = next(m for edit in change.edits for m in (edit.new, edit.old) if m is not None)
    there = after if kind is RedoneEvent else before
    applied = there.applied().get(move.ref)
    player, cell = (applied.player, applied.cell) if applied else (None, None)
    event = kind(player=player, ref=move.ref, verb=change.verb, cell=cell, changes={})
    return ruling(before, after, said.t_s, [event], amendments(before, after))


_HANDLERS: Mapping[str, Handler] = {
    "start": _start,
    "roll": _roll,
    "pass": _pass,
    "place": _place,
    "topple": _topple,
    "blame": _blame,
    "cleared": _cleared,
    "turn": _turn,
    "colour": _colour,
    "answer": _answer,
    "correct": correct,
    "undo": _undo,
    "redo": _redo,
    "end": _end,
    "action": _action,
}
