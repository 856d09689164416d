"""The MQTT contract as values: topic, payload, quality of service, retained or not.

Pure. One table of topics (`TOPICS`) is the whole contract; every function below looks its row
up there, so that a topic cannot be published in two ways. Sending is the work of
`controller.mqtt.client`.

The rule behind the rows: what a late joiner needs is retained, what happened is not, and
nothing that asks for an action is ever retained.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from engine.results import RESULTS_LIMIT_BYTES, Results
from engine.scoreboard import API_VERSION, Scoreboard
from engine.separation import Tells
from engine.summary import SUMMARY_LIMIT_BYTES
from engine.trouble import Trouble

BASE = f"topple/{API_VERSION}"
"""Root of the topic tree; the second level is the major version of the contract."""

PayloadKind = Literal["text", "json"]
Speaker = Literal["table", "client"]


@dataclass(frozen=True, slots=True)
class Topic:
    """One row of the contract.

    Attributes:
        suffix: levels after `topple/1/<table>/`; `{}` stands for the one variable level.
        qos: MQTT quality of service of the publisher.
        retain: whether the broker keeps the last message for late joiners.
        kind: `text` where other programs need plain words, else `json`.
        speaker: who publishes it: the table, or its clients (displays, phones).
    """

    suffix: str
    qos: Literal[0, 1]
    retain: bool
    kind: PayloadKind = "json"
    speaker: Speaker = "table"


TOPICS: dict[str, Topic] = {
    # Home Assistant compares this payload as text.
    "availability": Topic("availability", qos=1, retain=True, kind="text"),
    "status": Topic("status", qos=1, retain=True),
    "state": Topic("state", qos=1, retain=True),
    "summary": Topic("summary", qos=1, retain=True),
    # The last games whole: a league that missed some finds them in the next one.
    "results": Topic("results", qos=1, retain=True),
    # For animation only: a late joiner must not see an old topple fall again.
    "event": Topic("event", qos=1, retain=False),
    # Repeated every few seconds, so a lost one does not matter.
    "health": Topic("health", qos=0, retain=True),
    # Weight and tilt for drawing, at most ten a second; an old one is of no use to anybody.
    "trace": Topic("trace", qos=0, retain=False),
    # The last fall, to be watched again and by those who come later.
    "film": Topic("film", qos=1, retain=True),
    # A retained command would be obeyed again after every restart.
    "cmd": Topic("cmd/{}", qos=1, retain=False, speaker="client"),
    "reply": Topic("reply/{}", qos=1, retain=False),
    # Each client says itself that it is there; its last will clears it.
    "client": Topic("client/{}", qos=1, retain=True, speaker="client"),
}

ONLINE = b"online"
OFFLINE = b"offline"

_TABLE_ID = re.compile(r"[a-z0-9-]{1,32}")
CLIENT_ID = "[A-Za-z0-9_.-]{1,64}"
"""Pattern of a client's id, as the last level of a topic."""

_CLIENT_ID = re.compile(CLIENT_ID)
_VERB = re.compile(r"[a-z_]{1,32}")


@dataclass(frozen=True, slots=True)
class Publication:
    """A message ready to be sent."""

    topic: str
    payload: bytes
    qos: int
    retain: bool


LONGEST_TROUBLE = 200
"""Characters: a sentence with a player's name in it, and what to do."""


MOST_ARGS = 8
"""Arguments of a client's trouble."""

_Words = Annotated[str, Meta(max_length=LONGEST_TROUBLE)]


class Presence(msgspec.Struct, frozen=True):
    """The payload of `client/<client>`: a display or a phone says that it is there.

    An empty payload says that it is gone; the client's last will is exactly that. A client that
    has no will left for this table (one connection has one) repeats itself instead, and counts
    as gone when `lease_s` have passed without a word.

    Attributes:
        role: what it does.
        name: for people.
        player: whose phone it is, if it plays for somebody.
        lease_s: seconds for which this holds, counted from when it was heard; None for ever.
        trouble: what people at the table should see to, and how the game goes on meanwhile; the
            table tells it on. Empty when all is well.
        code: of `trouble`, for programs and translations; empty for one without.
        args: what `trouble` has in the gaps of its code's sentence.
    """

    role: Literal["display", "controller"]
    name: str = ""
    player: str | None = None
    lease_s: float | None = None
    trouble: _Words = ""
    code: _Words = ""
    args: Annotated[dict[_Words, _Words | int | float], Meta(max_length=MOST_ARGS)] = {}
    v: int = API_VERSION

    def troubled(self, trouble: Trouble) -> "Presence":
        """The same with something to see to."""
        told = {"trouble": trouble.sentence, "code": trouble.code, "args": dict(trouble.args)}
        return msgspec.structs.replace(self, **told)


class SensorTrouble(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sensor that cannot be trusted, and what to check next.

    Attributes:
        sensor: its name, or `journal`, `storage.<file>`, `recording`, `client`, `name`.
        reason: in English, for people.
        code: of the reason, for programs and translations; left out for a reason without one.
        args: what the reason has in the gaps of its code's sentence.
    """

    sensor: str
    reason: str
    code: str = ""
    args: dict[str, str | int | float] = {}

    @classmethod
    def of(cls, sensor: str, trouble: Trouble) -> "SensorTrouble":
        """As it is published."""
        return cls(sensor, trouble.sentence, trouble.code, dict(trouble.args))


class TableStatus(msgspec.Struct, frozen=True):
    """The payload of `status`: how the table itself is.

    Attributes:
        boot: new at each start of the table process; pairs this with `state`.
        phase: `init` not measuring yet, `ready`, `degraded` some sensor is lost, `stopping`.
        since: ISO 8601 UTC time of the last change of phase.
        sw: version of the software.
        simulated: true when no real tower stands behind it.
        troubles: why it is degraded.
        mode: how it plays on, for the players; empty unless degraded.
        pieces_tell: of how many pieces in play the weight tells whose they are; as in `health`.
    """

    boot: str
    phase: Literal["init", "ready", "degraded", "stopping"]
    since: str
    sw: str
    simulated: bool
    troubles: tuple[SensorTrouble, ...] = ()
    mode: str = ""
    pieces_tell: Tells = "none"
    api: int = API_VERSION
    v: int = API_VERSION


def topic(table: str, row: str, level: str = "") -> str:
    """Full topic of a row.

    Args:
        table: id of the table, lower-case letters, digits and hyphens.
        row: key of `TOPICS`.
        level: the variable level: of `cmd` the verb, of `reply` and `client` the client's id.

    Raises:
        ValueError: a level could not stand in a topic; the message names it.

    >>> topic("t1", "reply", "phone-ab12")
    'topple/1/t1/reply/phone-ab12'
    """
    suffix = TOPICS[row].suffix
    if not is_table_id(table):
        raise ValueError(
            f"table id {table!r} cannot be used in MQTT topics: "
            "use 1 to 32 lower-case letters, digits and hyphens"
        )
    if "{}" in suffix and not (_VERB if row == "cmd" else _CLIENT_ID).fullmatch(level):
        raise ValueError(f"{level!r} cannot be used as the last level of {row}/<...>")
    return f"{BASE}/{table}/{suffix.format(level)}"


def is_table_id(table: str) -> bool:
    """Whether `table` can stand in a topic."""
    return _TABLE_ID.fullmatch(table) is not None


def is_client_id(client: str) -> bool:
    """Whether a reply can be addressed to `client` without touching any other topic."""
    return _CLIENT_ID.fullmatch(client) is not None


def command_filter(table: str) -> str:
    """The filter of the commands for a table.

    >>> command_filter("t1")
    'topple/1/t1/cmd/+'
    """
    return topic(table, "cmd", "x")[:-1] + "+"


def heard_by(table: str) -> tuple[str, ...]:
    """The filters to which a table subscribes.

    >>> heard_by("t1")
    ('topple/1/t1/cmd/+', 'topple/1/t1/client/+', 'topple/1/t1/health')
    """
    return command_filter(table), topic(table, "client", "x")[:-1] + "+", topic(table, "health")


def reply_filter(client: str) -> str:
    """The filter of the replies to a client, from all tables.

    >>> reply_filter("scoreboard-1")
    'topple/1/+/reply/scoreboard-1'
    """
    return f"{BASE}/+/reply/{client}"


class Address(NamedTuple):
    """Where a message was said: what `topic` was made of."""

    table: str
    row: str
    level: str = ""


FOREIGN = Address("", "")
"""Of a topic that is none of ours."""


def parse(full_topic: str) -> Address:
    """Table, row and variable level of a topic; `FOREIGN` when it is not one of ours.

    >>> parse("topple/1/t1/cmd/roll")
    Address(table='t1', row='cmd', level='roll')
    >>> parse("topple/1/t1/state").row, parse("other/1/t1/state") is FOREIGN
    ('state', True)
    """
    levels = full_topic.split("/")
    if levels[:2] != BASE.split("/") or not 4 <= len(levels) <= 5 or not is_table_id(levels[2]):
        return FOREIGN
    found = Address(*levels[2:])
    if found.row not in TOPICS or ("{}" in TOPICS[found.row].suffix) != (len(levels) == 5):
        return FOREIGN
    return found


def _publication(table: str, row: str, payload: bytes, level: str = "") -> Publication:
    contract = TOPICS[row]
    return Publication(topic(table, row, level), payload, contract.qos, contract.retain)


def _json(document: Any) -> bytes:
    return document if isinstance(document, bytes) else msgspec.json.encode(document)


def availability(table: str, *, online: bool) -> Publication:
    """`online`, or `offline` (also the last will)."""
    return _publication(table, "availability", ONLINE if online else OFFLINE)


def status(table: str, document: TableStatus) -> Publication:
    """How the table itself is."""
    return _publication(table, "status", _json(document))


def state(document: Scoreboard) -> Publication:
    """The whole game; the table's id is in the document."""
    return _publication(document.table, "state", _json(document))


def summary(table: str, document: Any) -> Publication:
    """The score in few bytes, for small displays, from a struct, a dictionary, or JSON bytes.

    Raises:
        ValueError: longer than `SUMMARY_LIMIT_BYTES`.
    """
    payload = _json(document)
    if len(payload) > SUMMARY_LIMIT_BYTES:
        raise ValueError(
            f"summary has {len(payload)} bytes; small displays take {SUMMARY_LIMIT_BYTES}"
        )
    return _publication(table, "summary", payload)


def results(document: Results) -> Publication:
    """How the last games ended; the table's id is in the document.

    Raises:
        ValueError: longer than `RESULTS_LIMIT_BYTES`; see `engine.results.fitting`.
    """
    payload = _json(document)
    if len(payload) > RESULTS_LIMIT_BYTES:
        raise ValueError(f"results have {len(payload)} bytes; at most {RESULTS_LIMIT_BYTES}")
    return _publication(document.table, "results", payload)


def event(table: str, document: Any) -> Publication:
    """Something that happened, numbered by `seq`."""
    return _publication(table, "event", _json(document))


def health(table: str, document: Any) -> Publication:
    """How the sensors are."""
    return _publication(table, "health", _json(document))


def trace(table: str, document: Any) -> Publication:
    """Weight and tilt just now, for drawing (see `controller.table.trace`)."""
    return _publication(table, "trace", _json(document))


def film(table: str, document: Any) -> Publication:
    """How the board hung while pieces fell (see `controller.table.film`)."""
    return _publication(table, "film", _json(document))


def reply(table: str, client: str, document: Any) -> Publication:
    """The answer to one client's command.

    Raises:
        ValueError: `client` could not stand in a topic.
    """
    return _publication(table, "reply", _json(document), client)


def command(table: str, verb: str, document: Any) -> Publication:
    """A command, as a phone sends it; used by the web server and by tests."""
    return _publication(table, "cmd", _json(document), verb)


def presence(table: str, client: str, document: Presence | None) -> Publication:
    """That a client is there; None that it is gone, which is also its last will.

    Raises:
        ValueError: `client` could not stand in a topic.
    """
    return _publication(table, "client", b"" if document is None else _json(document), client)
