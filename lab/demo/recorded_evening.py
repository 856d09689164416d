"""A recorded evening of MQTT messages, made to look as if it happened now.

The shipped one begins with every kind of event within a minute and goes on with a whole game; it
is made by `python -m scripts.record_evening` from the bench's simulated table. One message is one
line: seconds since the begin, topic without `topple/1/<table>/`, quality of service, retained or
not, and the payload as text.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import msgspec

from controller.common.errors import BadInput
from controller.common.files import clipped
from controller.mqtt import topics
from controller.mqtt.topics import Publication
from engine.errors import UNREADABLE
from engine.plainly import plainly
from engine.scoreboard import Scoreboard

SHIPPED = Path(str(resources.files("lab.demo") / "evening.jsonl.gz"))

LONGEST_BYTES = 50_000_000
"""Of the unpacked text: a hundred evenings."""

UNIX_FIELDS = ("until", "unix_s", "now")
"""Fields that hold a moment in Unix seconds, in whichever message they are."""

ISO_FIELDS = ("since", "ended")
"""The same as texts of ISO 8601."""


class RecordedMessage(msgspec.Struct, frozen=True, array_like=True):
    """One message, as it was published.

    Attributes:
        t_s: since the begin of the recording.
        suffix: its topic after `topple/1/<table>/`.
        payload: a JSON document, or plain words.
    """

    t_s: float
    suffix: str
    qos: Annotated[int, msgspec.Meta(ge=0, le=1)]
    retain: bool
    payload: str


def read(path: Path = SHIPPED) -> tuple[RecordedMessage, ...]:
    """The messages of a recording, in order.

    Raises:
        BadInput: it cannot be read, or is none.
    """
    try:
        with gzip.open(path, "rb") as packed:
            text = packed.read(LONGEST_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput(f"{path}: {error}; it must be a recorded evening (.jsonl.gz)") from None
    messages = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            messages.append(_playable(msgspec.json.decode(line, type=RecordedMessage)))
        except (*UNREADABLE, LookupError, TypeError, AttributeError, ValueError) as error:
            words = clipped(plainly(error))
            raise BadInput(f"{path}, line {number}: no message of a table ({words})") from None
    if not messages:
        raise BadInput(f"{path}: there is no message in it")
    return tuple(messages)


def _playable(message: RecordedMessage) -> RecordedMessage:
    """The same, once it has been played for nobody: its topic and payload are a table's."""
    list(renewed((message,), "t1", 0.0, str))
    if message.suffix == "state":
        msgspec.json.decode(message.payload, type=Scoreboard)
    return message


def write(path: Path, messages: tuple[RecordedMessage, ...]) -> None:
    """Store a recording; the same messages always give the same bytes."""
    lines = b"".join(msgspec.json.encode(message) + b"\n" for message in messages)
    path.write_bytes(gzip.compress(lines, compresslevel=9, mtime=0))


def renewed(
    messages: tuple[RecordedMessage, ...], table: str, begin_unix_s: float, boot: Callable[[], str]
) -> Iterator[tuple[float, Publication]]:
    """The recording as of a table of this name that plays it from this moment.

    Each start of a process in the recording gets a new id, so that a display takes a repetition
    for what it is: a table that was started again.

    Args:
        messages: of a recording.
        table: id of the table.
        begin_unix_s: when its first second begins.
        boot: makes the id of a process.

    Yields:
        Seconds since the begin, and what is published then.
    """
    shift_s = begin_unix_s - _begin_unix_s(messages)
    boots: dict[str, str] = {}
    for message in messages:
        row, _, level = message.suffix.partition("/")
        payload = message.payload.encode()
        if topics.TOPICS[row].kind == "json":
            document = msgspec.json.decode(payload)
            was = document.get("boot")
            if was is not None and was not in boots:
                boots[was] = boot()
            payload = msgspec.json.encode(_of_now(document, shift_s, {"table": table}, boots))
        topic = topics.topic(table, row, level)
        yield message.t_s, Publication(topic, payload, message.qos, message.retain)


def later(payload: str, seconds: float) -> str:
    """A JSON payload as if it had been sent so much later."""
    return msgspec.json.encode(_of_now(msgspec.json.decode(payload), seconds, {}, {})).decode()


def _of_now(value: Any, shift_s: float, ids: Mapping[str, str], boots: Mapping[str, str]) -> Any:
    """A document with its moments moved, and other ids of table and process."""
    if isinstance(value, list):
        return [_of_now(each, shift_s, ids, boots) for each in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, each in value.items():
        if key in UNIX_FIELDS and isinstance(each, (int, float)):
            found[key] = round(each + shift_s, 3)
        elif key in ISO_FIELDS and isinstance(each, str):
            found[key] = (datetime.fromisoformat(each) + timedelta(seconds=shift_s)).isoformat()
        elif key == "boot":
            found[key] = boots.get(each, each)
        elif isinstance(each, str):
            found[key] = ids.get(key, each)
        else:
            found[key] = _of_now(each, shift_s, ids, boots)
    return found


def _begin_unix_s(messages: tuple[RecordedMessage, ...]) -> float:
    """When the recording began by its own clock, which `trace` tells."""
    for message in messages:
        if message.suffix == "trace":
            return float(msgspec.json.decode(message.payload)["unix_s"]) - message.t_s
    return 0.0
