"""Checks what must be true after every run. Pure: values in, broken invariants out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import inf
from typing import Any

import msgspec

from engine.errors import EngineError
from engine.referee import RefereeState
from engine.referee.state import refolded
from engine.scoreboard import Scoreboard, document
from lab.bench.home_account import home_differs
from lab.bench.observed import Sent
from lab.bench.published import broken_schemas
from lab.bench.wire import TABLE

Document = Mapping[str, Any]

RETAINED = {
    "availability", "status", "state", "summary", "health", "results", "film", "homeassistant",
}  # fmt: skip
"""Topics that must be retained; listed here again, independently of the contract."""

QOS = {
    "availability": 1, "status": 1, "state": 1, "summary": 1, "event": 1, "health": 0,
    "results": 1, "film": 1, "trace": 0, "reply": 1, "homeassistant": 1,
}  # fmt: skip

LARGEST_BYTES = {"summary": 200, "results": 64_000}
"""Small displays have little room."""

PECULIAR = {"boot", "simulated", "hints", "tension"}
"""Keys of the document that belong to one process and its sensors, not to the game."""

ROUNDED_S = 1.5
"""Times of day are told in whole seconds."""

REPEATED_S = 10.0
"""A new connection begins with the newest health, and there is one every ten seconds."""


def broken_at_end(
    last: RefereeState,
    kept: RefereeState,
    sent: Sequence[Sent],
    retained: Mapping[str, bytes],
) -> tuple[str, ...]:
    """Everything that does not hold at the end of a run.

    Args:
        last: the referee as the process left it.
        kept: the referee as the journal gives it back.
        sent: all messages.
        retained: what the broker keeps.
    """
    return (
        *journal_differs(last, kept),
        *folded_differs(last),
        *rescored_differs(last),
        *late_joiner_differs(last, retained),
        *contract_broken(sent),
        *broken_schemas(sent),
        *home_differs(sent, TABLE),
    )


def plain(state: RefereeState) -> dict[str, Any]:
    """The public document as plain data, without what differs from process to process."""
    found: dict[str, Any] = msgspec.to_builtins(document(state, table=TABLE, boot=""))
    return found


def journal_differs(last: RefereeState, kept: RefereeState) -> Iterator[str]:
    """The journal must rebuild the game as it was shown, with its undo steps."""
    return _differ("journal", plain(kept), plain(last), "the table had")


def shown_is_lost(shown: Scoreboard, kept: RefereeState) -> Iterator[str]:
    """Everything a table has shown must be there again after it was killed."""
    return _differ("after a kill", plain(kept), msgspec.to_builtins(shown), "shown was", PECULIAR)


def _differ(
    what: str, found: Document, wanted: Document, whose: str, but: Collection[str] = ()
) -> Iterator[str]:
    for key, value in wanted.items():
        if key not in but and found.get(key) != value:
            yield f"{what}: {key} is {found.get(key)!r:.80}, {whose} {value!r:.80}"


def folded_differs(state: RefereeState) -> Iterator[str]:
    """What is remembered of each move must be what it means when all are judged anew."""
    anew = refolded(replace(state, ledger=(), judged_moves=()), state.ledger)
    for kept, judged in zip(state.judged_moves, anew.judged_moves, strict=True):
        if kept != judged:
            yield f"referee: move {kept.move.ref} is remembered otherwise than it is judged"
            return


def rescored_differs(state: RefereeState) -> Iterator[str]:
    """The rules must give the same score when all actions are applied again."""
    position = state.position
    if position.game_state is None:
        return
    rules = position.rules
    actions = [action for action in _actions(state) if action["type"] != "start"]
    opening = state.ledger[0].data
    try:
        game = rules.start(opening["action"], opening.get("options"))
        for action in actions:
            game = rules.apply(game, action)
    except EngineError as error:
        yield f"record: the rules refuse what was scored ({error})"
        return
    if dict(rules.scores(game)) != dict(position.scores):
        yield f"record: re-scored {dict(rules.scores(game))}, shown {dict(position.scores)}"


def _actions(state: RefereeState) -> list[Mapping[str, Any]]:
    """What the rules were told, in order: of several judgements about a move the last counts."""
    judged: dict[int, tuple[Mapping[str, Any], ...]] = {}
    for move in state.judged_moves:
        now: dict[int, tuple[Mapping[str, Any], ...]] = {}
        for applied in move.applied:
            # One move can mean two things: a roll out of turn is a pass and a roll.
            now[applied.ref] = (*now.get(applied.ref, ()), *applied.actions)
        for ref, actions in now.items():
            # A piece seen before anybody told the roll counts from then on; all else stays put.
            if not judged.get(ref):
                judged.pop(ref, None)
            judged[ref] = actions
    return [action for actions in judged.values() for action in actions]


def late_joiner_differs(last: RefereeState, retained: Mapping[str, bytes]) -> Iterator[str]:
    """A display that connects now must show the right game at once."""
    if "state" not in retained:
        yield "late joiner: no state is retained"
        return
    shown = msgspec.json.decode(retained["state"])
    truth = msgspec.json.decode(msgspec.json.encode(plain(last)))
    yield from _differ("late joiner", shown, truth, "the table has", PECULIAR)
    if retained.get("availability") != b"online":
        yield f"late joiner: the table is {retained.get('availability', b'unheard of').decode()}"


def times_broken(
    sent: Sequence[Sent],
    clocks_s: Iterable[float],
    *,
    heard_s: float = 0.0,
    off_s: float = ROUNDED_S,
) -> Iterator[str]:
    """Times of day have a zone, and are those of the table's clock, wherever its computer stands.

    Args:
        sent: all messages.
        clocks_s: what the clock said at bench time 0, in Unix seconds; another for each jump.
        heard_s: since when all is heard.
        off_s: how far clocks may be apart.
    """
    begun_s: dict[int, float] = {}
    known: set[str] = set()
    for message in sent:
        began_s = begun_s.setdefault(message.process, message.t_s)
        for text in _times_of_day(message):
            # What a process says as it begins happened before; what comes later happened since.
            old = text in known or (message.suffix != "status" and message.t_s <= began_s)
            known.add(text)
            first_s = -inf if old else heard_s - off_s
            yield from _bad_time(message, text, clocks_s, first_s, message.t_s + off_s)
        if message.suffix == "health":
            health = message.document()
            old_s = message.t_s - (health["until"] - health["valid_s"])
            if not any(-off_s <= old_s + clock_s <= REPEATED_S + off_s for clock_s in clocks_s):
                yield "health: until is not valid_s from when it was said"
        heard_s = message.t_s


def _bad_time(
    message: Sent, text: str, clocks_s: Iterable[float], first_s: float, last_s: float
) -> Iterator[str]:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        yield f"{message.suffix}: {text!r} is no time"
        return
    if at.tzinfo is None:
        yield f"{message.suffix}: {text} has no time zone"
    elif not any(first_s <= at.timestamp() - clock_s <= last_s for clock_s in clocks_s):
        yield f"{message.suffix}: {text} is not the time at which it happened"


def _times_of_day(message: Sent) -> list[str]:
    if message.suffix == "status":
        return [message.document()["since"]]
    if message.suffix == "results":
        return [game["ended"] for game in message.document()["games"]]
    return []


def contract_broken(sent: Sequence[Sent]) -> Iterator[str]:
    """Quality of service, retention and size follow the contract."""
    wrong = {
        f"{m.suffix}: qos {m.qos}, retained {m.retain}"
        for m in sent
        if (row := m.suffix.split("/")[0]) in QOS
        and (m.qos != QOS[row] or m.retain is not (row in RETAINED))
    }
    yield from sorted(wrong)
    for message in sent:
        most = LARGEST_BYTES.get(message.suffix)
        if most is not None and len(message.payload) > most:
            yield f"{message.suffix}: {len(message.payload)} bytes; displays take {most}"
