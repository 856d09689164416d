"""Targets that act on a game: commands, MQTT messages, phones, records, the journal.

A command's input is one line `<table> <verb or topic>` and below it the payload; the number says
which of the prepared games it meets.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request

from controller.journal.journal import from_json, to_json
from controller.mqtt.client import ConnectionStatus, Message
from controller.mqtt.topics import Publication
from controller.table.commands import DESK, CommandDesk
from controller.table.keepers import NullJournal
from controller.table.loop import LiveTable
from controller.table.pipeline import Cause, Output, Pipeline, replayed
from controller.table.publisher import Announcer, Identity
from engine.errors import BadRecord
from engine.events import HumanInput, Placed, ToppleCause, Toppled, ToppleKind
from engine.games.playthrough import play_through
from engine.games.registry import GAMES
from engine.record import difference_of, result_of, score_lines
from engine.referee import VERBS, RefereeState
from engine.samples import SensorReport
from engine.scoreboard import document
from pages.guard import RequestRefused, parse_body
from pages.mirror import MOST_TABLES, Mirror
from pages.phone.play import Act, EmptyBody, Join, Sit
from tests.controller.evenings import Source, Wire
from tests.controller.scripted import ScriptedDetector
from tests.fuzz.running import Target
from tests.records import record_lines

NOW_S, UNIX_S = 60.0, 1_790_000_000.0
LARGEST_DOCUMENT_BYTES = 400_000
"""Of a state: 16 KiB of command make no more, however often names are repeated in it."""

START = {
    "players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}],
    "target": 20,
    "first": 0,
}
SURE = Placed(1, 9.0, 9.4, "c3", 0.999, (), 3.0)
UNSURE = Placed(2, 19.0, 19.4, "c2", 0.5, (("c3", 0.3), ("b2", 0.2)), 3.0)
NOWHERE = Placed(2, 19.0, 19.4, None, 0.0, (), 3.0)
FALL = Toppled(3, 29.0, 29.4, ToppleKind.COLLAPSE, ToppleCause.BUMP, 0.9, 0.8, 2)

COMMANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("start", START | {"options": {"dice": "untold"}, "id": "g7"}),
    ("start", {"game": "topolo", "dealt": True, **GAMES["topolo"].example}),
    ("start", {"game": "topominos", "dealt": True, **GAMES["topominos"].example}),
    ("roll", {"value": 4}),
    ("pass", {}),
    ("place", {"cell": "c3", "colour": "red"}),
    ("topple", {"cause": "bump", "player": "Bob"}),
    ("blame", {"player": "Ann"}),
    ("cleared", {}),
    ("colour", {"colour": "red", "ref": 1}),
    ("answer", {"question": "q1", "value": "c2"}),
    ("correct", {"ref": 1, "cell": "b2"}),
    ("correct", {"ref": 2, "nothing": True}),
    ("undo", {}),
    ("redo", {}),
    ("end", {}),
    ("action", {"action": {"type": "place", "cell": "d4", "piece": "red-L"}}),
    ("view", {}),
    ("corrections", {"ref": 2}),
    ("hints", {"on": True}),
    ("moves", {"game": "g1"}),
    ("past", {}),
    ("forget", {"player": "Ann"}),
    ("film", {"game": "g1", "seq": 3}),
)
TOKENS = tuple(
    word.encode()
    for word in (*VERBS, "client", "rev", "exp", "2026-11-21T20:00:00+00:00", "data", "players",
                 "topple/1/t1/cmd/roll", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00")
)  # fmt: skip


def pipeline(state: RefereeState | None, *events: Any) -> Pipeline:
    """A table in this state whose detector decides these events, with a chance of its own."""
    return Pipeline(ScriptedDetector(*events), state, chance=random.Random(1).random)


@cache
def games() -> tuple[RefereeState, ...]:
    """The referee in the middle of everything."""

    def played(inputs: Iterable[HumanInput], *events: Any) -> RefereeState:
        table = pipeline(None, *events)
        for said in inputs:
            table.feed(SensorReport(said.t_s, "mains", ok=True))
            assert table.say(said)[-1].refused is None, said
        table.feed(SensorReport(NOW_S - 5.0, "mains", ok=True))
        return table.state

    start = HumanInput(0.5, "start", START)
    rolls = [HumanInput(t_s, "roll", {"value": value}) for t_s, value in ((5.0, 1), (15.0, 2))]
    by_hand = [
        played([HumanInput(0.5, "start", {**GAMES[game].example, "game": game, "dealt": True})])
        for game in GAMES
        if game != "topple"
    ]
    return (
        RefereeState(),
        played([start]),
        played([start, rolls[0]]),
        played([start], SURE),
        played([start, rolls[0]], SURE, UNSURE),
        played([start, *rolls], SURE, UNSURE),
        played([start, *rolls], SURE, NOWHERE),
        played([start, *rolls], SURE, UNSURE, FALL),
        *by_hand,
    )


def parted(data: bytes) -> tuple[RefereeState, str, bytes]:
    """The game, the words, and the payload of an input."""
    head, _, payload = data.partition(b"\n")
    number, _, words = head.decode("utf-8", "replace").partition(" ")
    state = games()[sum(number.encode()) % len(games())]
    return state, words, payload


def commands() -> list[bytes]:
    """Every verb, in every game."""
    found = []
    for number, (verb, data) in enumerate(COMMANDS * 2):
        payload = {"v": 1, "id": f"a{number}", "client": "phone-1", "player": "Ann", "data": data}
        if number % 3 == 0:
            payload |= {"exp": UNIX_S + 5.0, "rev": number % 5}
        found.append(f"{number % 10} {verb}\n".encode() + msgspec.json.encode(payload))
    return found


# --- judges -----------------------------------------------------------------------------------


def check_kept(outputs: Iterable[Output]) -> None:
    """What was obeyed can be written down, read back, and makes the same game again."""
    for output in outputs:
        if not output.remembered:
            continue
        text = to_json(output.cause)
        text.encode()
        again = from_json(type(output.cause).__name__, text)
        assert replayed([again], output.before) == output.state, "the journal tells another game"


def desk() -> Callable[[bytes], str]:
    """Obeyed and shown, or refused with a code and nothing changed; always answered."""

    def judge(data: bytes) -> str:
        state, verb, payload = parted(data)
        table = pipeline(state)
        answered = CommandDesk(table).receive(verb, payload, t_s=NOW_S, unix_s=UNIX_S)
        msgspec.json.encode(answered.reply)
        check_kept(answered.outputs)
        if not answered.reply.ok:
            assert answered.reply.code
            assert answered.reply.msg
            kept = any(output.remembered for output in answered.outputs)
            assert kept or table.state is state, "refused, and yet changed"
        shown = msgspec.json.encode(document(table.state, table="t1", boot="b"))
        assert len(shown) < LARGEST_DOCUMENT_BYTES
        msgspec.json.decode(shown)
        known = verb if verb in (*VERBS, *DESK) else "?"
        reply = answered.reply
        return f"{known} {games().index(state)} {reply.code} {reply.reason}"

    return judge


class _Written(NullJournal):
    """Keeps what a journal would have been told."""

    def __init__(self) -> None:
        self.outputs: list[Output] = []

    def write(self, output: Output) -> None:
        self.outputs.append(output)


def table() -> Callable[[bytes], str]:
    """A message of any topic: the table goes on, and says only what its contract knows."""

    def judge(data: bytes) -> str:
        state, topic, payload = parted(data)
        wire, written, me = Wire(), _Written(), Identity("t1", "boot-1")
        source = Source()
        live = LiveTable(source, pipeline(state), written, Announcer(wire, me), me)
        live.open(UNIX_S)
        live.receive(Message(topic, payload, retained=data[:1] == b"r"))
        live.step(NOW_S, UNIX_S)
        check_kept(written.outputs)
        _check_said(wire.sent)
        live.close(UNIX_S)
        return f"{len(written.outputs)} {sorted(set(wire.rows()))}"[:200]

    return judge


def _check_said(sent: Iterable[Publication]) -> None:
    for said in sent:
        assert said.topic.startswith(("topple/1/t1/", "homeassistant/")), said.topic
        assert "#" not in said.topic
        assert "+" not in said.topic
        if "/summary" in said.topic:
            assert len(said.payload) <= 200
        assert not (said.retain and ("/cmd/" in said.topic or "/reply/" in said.topic))


def messages() -> list[bytes]:
    """Messages a table hears, and some it must not care for."""
    found = []
    for seed in commands():
        head, _, payload = seed.partition(b"\n")
        number, _, verb = head.partition(b" ")
        found.append(b"%s topple/1/t1/cmd/%s\n%s" % (number, verb, payload))
    return [
        *found,
        b'1 topple/1/t1/client/d-1\n{"role":"display","name":"Hall","lease_s":30}',
        b"1 topple/1/t1/client/d-1\n",
        b"1 homeassistant/status\nonline",
        b"1 topple/1/t2/state\n{}",
    ]


def mirror() -> Callable[[bytes], str]:
    """What cannot be used leaves the mirror as it was; what can is shown."""
    known = Mirror().connected(ConnectionStatus(up=True, text="connected"))
    for said in _documents():
        known = known.updated(said, 1.0)

    def judge(data: bytes) -> str:
        topic, _, payload = data.partition(b"\n")
        said = Message(topic.decode("utf-8", "replace"), payload, retained=False)
        after = known.updated(said, 2.0)
        assert len(after.tables) <= MOST_TABLES
        for table_id in ("t1", *after.tables):
            msgspec.json.encode(after.view(table_id, 3.0))
            msgspec.json.encode(after.health(table_id, 3.0))
        msgspec.json.encode(after.lines(3.0))
        return f"{after is known} {sorted(after.tables)}"

    return judge


def _documents() -> list[Message]:
    wire, me = Wire(), Identity("t1", "boot-1")
    live = LiveTable(Source(), pipeline(games()[3]), _Written(), Announcer(wire, me), me)
    live.open(UNIX_S)
    live.step(NOW_S, UNIX_S)
    return [Message(said.topic, said.payload, retained=True) for said in wire.sent]


def said_by_tables() -> list[bytes]:
    """What a table publishes, by topic."""
    return [said.topic.encode() + b"\n" + said.payload for said in _documents()]


KINDS: tuple[type[msgspec.Struct], ...] = (Join, Sit, Act, EmptyBody)


def phone() -> Callable[[bytes], str]:
    """A request's body: understood, or turned away with a status."""

    def judge(data: bytes) -> str:
        kind = KINDS[data[0] % len(KINDS) if data else 0]
        try:
            return type(_done(parse_body(_request(data[1:]), kind))).__name__
        except RequestRefused as refused:
            return f"{refused.status} {refused.code}"

    return judge


def _request(body: bytes) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"host", b"t"), (b"origin", b"http://t"), (b"content-type", b"application/json")]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


# In a thread of its own: a browser that a test has left open holds the loop of this one.
_LOOP, _THREAD = asyncio.new_event_loop(), ThreadPoolExecutor(1)


def _done(waiting: Coroutine[Any, Any, Any]) -> Any:
    return _THREAD.submit(_LOOP.run_until_complete, waiting).result()


def bodies() -> list[bytes]:
    """What the phone page sends."""
    act = {"verb": "roll", "id": "abcdefgh", "seen": {"boot": "b", "game": "g", "rev": 3},
           "data": {"value": 4}}  # fmt: skip
    return [b'\0{"pin":"123456"}', b'\1{"player":"Ann"}', b"\2" + msgspec.json.encode(act), b"\3{}"]


def record() -> Callable[[bytes], str]:
    """Each line is played or refused with words; a refused one leaves the game as it was."""

    def judge(data: bytes) -> str:
        seen, before = set(), None
        try:
            for scored in score_lines(data.split(b"\n")):
                if scored.refusal is not None and before is not None:
                    entry = before.entry
                    same = (entry.game, entry.id) == (scored.entry.game, scored.entry.id)
                    assert not same or scored.entry.n == 0 or scored.state is before.state
                msgspec.json.encode(result_of(scored))
                str(difference_of(scored))
                seen.add(scored.refusal.code if scored.refusal else scored.entry.action["type"])
                before = scored
        except BadRecord:
            seen.add("bad")
        return str(sorted(seen))

    return judge


def records() -> list[bytes]:
    """The first actions of each game, as they are written."""
    found = []
    for game in GAMES:
        steps = zip(play_through(game, random.Random(3).random), range(10), strict=False)
        lines = record_lines(game, "g1", [step.action for step, _ in steps])
        short = [msgspec.json.encode(_without_view(line)) for line in lines]
        found.append(b"\n".join(short))
    return found


def _without_view(line: str) -> dict[str, Any]:
    entry: dict[str, Any] = msgspec.json.decode(line)
    return {name: value for name, value in entry.items() if name != "expect" or entry["n"] % 4 == 0}


def journal() -> Callable[[bytes], str]:
    """A row of the journal: a cause that the referee can take, or refused with words."""
    from controller.common.errors import JournalError

    def judge(data: bytes) -> str:
        state, kind, text = parted(data)
        try:
            cause = from_json(kind, text.decode("utf-8", "replace"))
        except JournalError:
            return "refused"
        after = replayed([cause], state)
        document(after, table="t1", boot="b")
        verb = cause.type if isinstance(cause, HumanInput) and cause.type in VERBS else ""
        return f"{kind} {verb} {games().index(state)} {after is state}"

    return judge


def rows() -> list[bytes]:
    said = [HumanInput(NOW_S, verb, data) for verb, data in COMMANDS]
    causes: list[Cause] = [SURE, UNSURE, NOWHERE, FALL, *said]
    return [
        f"{number % 10} {type(cause).__name__}\n{to_json(cause)}".encode()
        for number, cause in enumerate(causes)
    ]


TARGETS = (
    Target("commands", "MQTT commands to decisions", desk, commands, TOKENS, share=1.0),
    Target("mqtt", "MQTT messages of any topic, at a live table", table, messages, TOKENS, 0.3),
    Target("mirror", "a table's documents, as a display hears them", mirror, said_by_tables,
           TOKENS, 1.0),
    Target("phone", "bodies of phones' requests", phone, bodies, TOKENS, 1.0),
    Target("record", "game records", record, records, TOKENS, 1.0),
    Target("journal", "rows of the journal", journal, rows, TOKENS, 1.0),
)  # fmt: skip
