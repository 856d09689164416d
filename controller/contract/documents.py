"""The MQTT contract as documents: JSON Schemas and AsyncAPI 3.0, made from the code.

    python -m controller.contract.documents [--check] [FOLDER]

writes `asyncapi.json` and one schema for each payload into `docs/mqtt`; `--check` only says
whether they are current (exit code 1 when not). Topics, quality of service and retention come
from `topics.TOPICS`, payloads from the structs that encode and decode them, verbs from
`verbs`, descriptions from their docstrings. Run this again after each change of the contract.

The document describes the table's side: it *sends* what displays read and *receives* commands.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from controller.common.troubles import ENGLISH
from controller.contract.schema import Json, event_schema, schema_of
from controller.contract.verbs import VERB_DATA, VERB_WORDS
from controller.mqtt import homeassistant, topics
from controller.mqtt.client import KEEPALIVE_S, LARGEST_PACKET_BYTES
from controller.mqtt.topics import TOPICS, Presence, TableStatus, Topic
from controller.table.commands import CODES, LARGEST_COMMAND_BYTES, Command, Reply
from controller.table.film import Film
from controller.table.game_moves import GameMoves
from controller.table.trace import TracePoint
from controller.table.vitals import Health
from engine.games.checks import LONGEST_NAME
from engine.results import RESULTS_LIMIT_BYTES, Results
from engine.scoreboard import API_VERSION, EventPayload, Scoreboard
from engine.summary import SUMMARY_LIMIT_BYTES, Summary

FOLDER = Path(__file__).parents[2] / "docs" / "mqtt"
BINDING = "0.2.0"
"""Version of AsyncAPI's MQTT binding."""

PAYLOADS: dict[str, type[msgspec.Struct]] = {
    "status": TableStatus,
    "state": Scoreboard,
    "summary": Summary,
    "results": Results,
    "event": EventPayload,
    "health": Health,
    "trace": TracePoint,
    "film": Film,
    "reply": Reply,
    "client": Presence,
}
"""Row of the table of topics -> what travels on it. `cmd` has a schema for each verb."""

WORDS: dict[str, str] = {
    "availability": "Whether the table is there. `offline` is also its last will; `online` is "
    "said again at every connection, after everything else that is retained.",
    "status": "How the table itself is.",
    "state": "The whole game in one document. Who reads only this is always right.",
    "summary": f"The score in at most {SUMMARY_LIMIT_BYTES} bytes, for small displays.",
    "results": "How the last games ended, for leagues. Of one game the highest `rev` counts. "
    f"At most {RESULTS_LIMIT_BYTES} bytes.",
    "event": "What happened, numbered by `seq`: for animation only. The state that contains it "
    "follows. One that sees a gap in `seq` draws the state and animates nothing. What may just be "
    "happening (`suspected`, `dismissed`) and what the table's own buttons asked for in vain "
    "(`refused`) is told here too, and nowhere else.",
    "health": "How sensors, link and table are; repeated, and good for `valid_s`.",
    "trace": "Weight and tilt now, a few times a second while something moves: for curves and "
    "bubbles only, and lost without harm.",
    "film": "How the board hung and what lay on it while pieces fell, the last time that the "
    "sensors saw it: some seconds in frames of equal length. Of one game it belongs to the event "
    "`toppled` of that `seq`.",
    "reply": "The answer to one client's commands.",
    "client": "A display or phone says that it is there; its last will is the empty message. "
    "Optional: the table only counts.",
}


def command_schema(verb: str) -> Json:
    """The JSON Schema of a command: the fields of all, and the verb's own data."""
    schema = schema_of(Command, spoken=False)
    data = schema_of(VERB_DATA[verb], spoken=False)
    data.pop("$schema")
    parts = data.pop("$defs", {})
    schema["title"] = _title(verb)
    schema["description"] = VERB_WORDS[verb]
    schema["properties"]["data"] = data
    required = data.get("required")
    if required:
        schema["required"] = ["data"]
    return {**schema, "$defs": parts} if parts else schema


def schemas() -> dict[str, Json]:
    """Every payload's schema, by file name without its ending."""
    found = {
        row: schema_of(kind, spoken=TOPICS[row].speaker == "table")
        for row, kind in PAYLOADS.items()
    }
    commands = {f"cmd-{verb}": command_schema(verb) for verb in VERB_DATA}
    return found | {"event": event_schema()} | commands


def _title(verb: str) -> str:
    return f"{verb.capitalize()}Command"


# --- the document --------------------------------------------------------------------------------


def asyncapi() -> Json:
    """The whole contract as an AsyncAPI 3.0 document."""
    rows = [row for row in TOPICS if row != "cmd"]
    return {
        "asyncapi": "3.0.0",
        "id": "urn:topple-table:mqtt",
        "info": _info(),
        "defaultContentType": "application/json",
        "servers": {"table": _server()},
        "channels": {row: _row_channel(row) for row in rows}
        | {f"cmd-{verb}": _command_channel(verb) for verb in VERB_DATA}
        | _other_channels(),
        "operations": dict(map(_operation, rows))
        | {f"obey-{verb}": _obey(verb) for verb in VERB_DATA}
        | {"introduce": _operation_on("homeassistant", "send", TOPICS["state"])}
        | {"hear-homeassistant": _operation_on("homeassistant-status", "receive", TOPICS["cmd"])}
        | {"say-link": _operation_on("link", "send", TOPICS["availability"])},
        "components": {"schemas": _components(), "messages": _messages()},
    }


def _info() -> Json:
    return {
        "title": "Topple Table",
        "version": f"{API_VERSION}.0.0",
        "description": (
            "What a Topple table says and hears over MQTT 3.1.1. Retained `state` is the truth; "
            "`event` is for animation. Accept a state when `boot` or `game` differ from the one "
            "shown, or `rev` is not lower. Ignore fields you do not know.\n\n"
            f"Limits: a command has at most {LARGEST_COMMAND_BYTES} bytes, and an empty message "
            f"is none. Names have at most {LONGEST_NAME} characters. No packet of a table has "
            f"more than {LARGEST_PACKET_BYTES} bytes, `results` at most {RESULTS_LIMIT_BYTES}, "
            f"`summary` at most {SUMMARY_LIMIT_BYTES}.\n\n"
            f"Codes of replies:\n\n{_listed(CODES.items())}\n\n"
            "Codes of troubles (`status`, `health`, `fault`, `client`), each with its sentence in "
            f"English, where `args` fill the gaps:\n\n{_listed(ENGLISH.items())}"
        ),
        "license": {"name": "MIT"},
    }


def _listed(words: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"* `{code or '(none)'}`: {sentence}" for code, sentence in words)


def _server() -> Json:
    will = TOPICS["availability"]
    return {
        "host": "table.local:1883",
        "protocol": "mqtt",
        "protocolVersion": "3.1.1",
        "description": "The broker at the table. The bindings are the table's own connection.",
        "security": [{"type": "userPassword", "description": "One user a role, see the ACL."}],
        "bindings": {
            "mqtt": {
                "clientId": "table-{table}",
                "cleanSession": True,
                "keepAlive": KEEPALIVE_S,
                "lastWill": {
                    "topic": f"{topics.BASE}/{{table}}/{will.suffix}",
                    "qos": will.qos,
                    "message": topics.OFFLINE.decode(),
                    "retain": will.retain,
                },
                "bindingVersion": BINDING,
            }
        },
    }


_TABLE_PARAMETER = {
    "table": {"description": "Id of the table: 1 to 32 lower-case letters, digits and hyphens."}
}
_CLIENT_PARAMETER = {
    "client": {"description": "Id of the client: 1 to 64 letters, digits, `_`, `.` and `-`."}
}


def _channel(address: str, description: str, name: str, message: str = "") -> Json:
    """A channel with one message, whose name among the components is `message` or the same."""
    known = {**_TABLE_PARAMETER, **_CLIENT_PARAMETER}
    parameters = {each: words for each, words in known.items() if f"{{{each}}}" in address}
    return {
        "address": address,
        "description": description,
        **({"parameters": parameters} if parameters else {}),
        "messages": {name: {"$ref": f"#/components/messages/{message or name}"}},
    }


def _row_channel(row: str) -> Json:
    level = TOPICS[row].suffix.replace("{}", "{client}")
    return _channel(f"{topics.BASE}/{{table}}/{level}", WORDS[row], row)


def _command_channel(verb: str) -> Json:
    address = f"{topics.BASE}/{{table}}/cmd/{verb}"
    return _channel(address, VERB_WORDS[verb], verb, f"cmd-{verb}")


def _other_channels() -> dict[str, Json]:
    home = "homeassistant"
    return {
        home: _channel(
            homeassistant.config_topic(home, "{table}"),
            "The table as a device, for Home Assistant's MQTT discovery.",
            "device",
            home,
        ),
        f"{home}-status": _channel(
            homeassistant.status_topic(home),
            "Home Assistant says that it has started; the table introduces itself again. Of any "
            "quality of service, retained or not.",
            "started",
            f"{home}-status",
        ),
        "link": _channel(
            f"{topics.BASE}/{{table}}/link",
            "Only at a hub: whether the bridge of the table's own broker stands. The bridge says "
            "it; a table whose power was cut is known by it.",
            "link",
        ),
    }


def _operation(row: str) -> tuple[str, Json]:
    name, action = ("hear", "receive") if TOPICS[row].speaker == "client" else ("say", "send")
    return f"{name}-{row}", _operation_on(row, action, TOPICS[row])


def _operation_on(channel: str, action: str, topic: Topic) -> Json:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "bindings": {"mqtt": {"qos": topic.qos, "retain": topic.retain, "bindingVersion": BINDING}},
    }


def _obey(verb: str) -> Json:
    operation = _operation_on(f"cmd-{verb}", "receive", TOPICS["cmd"])
    return {
        **operation,
        "summary": VERB_WORDS[verb],
        "reply": {
            "channel": {"$ref": "#/channels/reply"},
            "messages": [{"$ref": "#/channels/reply/messages/reply"}],
        },
    }


def _messages() -> dict[str, Json]:
    there = (topics.ONLINE.decode(), topics.OFFLINE.decode())
    found = {
        "availability": _words_message("Availability", *there),
        "homeassistant-status": _words_message("HomeAssistantStatus", *there),
        "link": _words_message("Link", "1", "0"),
    }
    for row, kind in PAYLOADS.items():
        found[row] = _message(kind.__name__, WORDS[row])
    for verb in VERB_DATA:
        found[f"cmd-{verb}"] = _message(_title(verb), VERB_WORDS[verb])
    device: Json = {"type": "object", "required": ["device", "origin", "components"]}
    found["homeassistant"] = {
        "title": "Device",
        "contentType": "application/json",
        "summary": "As documented by Home Assistant; an empty message removes the device.",
        "payload": device,
    }
    return found


def _words_message(title: str, *words: str) -> Json:
    payload: Json = {"type": "string", "enum": list(words)}
    return {"title": title, "contentType": "text/plain", "payload": payload}


def _message(title: str, summary: str) -> Json:
    return {
        "title": title,
        "summary": summary,
        "contentType": "application/json",
        "payload": {"$ref": f"#/components/schemas/{title}"},
    }


def _components() -> dict[str, Json]:
    """The schemas of all payloads side by side, with references inside this document."""
    found: dict[str, Json] = {}
    for schema in schemas().values():
        moved = json.loads(json.dumps(schema).replace("#/$defs/", "#/components/schemas/"))
        parts = moved.pop("$defs", {})
        moved.pop("$schema")
        found |= {moved["title"]: moved, **parts}
    return found


# --- the files -----------------------------------------------------------------------------------


def files() -> dict[str, str]:
    """The documents by their path inside the folder."""
    made = {"asyncapi.json": asyncapi()}
    # What the answer to `moves` unpacks to is no message.
    every = schemas() | {"moves": schema_of(GameMoves, spoken=True)}
    made |= {f"schemas/{name}.json": schema for name, schema in every.items()}
    return {
        name: json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        for name, document in made.items()
    }


def outdated(folder: Path = FOLDER, wanted: Mapping[str, str] | None = None) -> list[str]:
    """Paths that are missing, differ from the code, or belong to nothing any more."""
    wanted = files() if wanted is None else wanted
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    wrong = {
        name
        for name, text in wanted.items()
        if name not in there or (folder / name).read_text(encoding="utf-8") != text
    }
    return sorted(wrong | (there - set(wanted)))


def write(folder: Path = FOLDER, wanted: Mapping[str, str] | None = None) -> list[str]:
    """Bring the folder up to date and return what had to be changed; arguments as above."""
    wanted = files() if wanted is None else wanted
    changed = outdated(folder, wanted)
    for name in changed:
        path = folder / name
        if name in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
    return changed


def main(
    arguments: list[str],
    folder: Path = FOLDER,
    wanted: Mapping[str, str] | None = None,
    module: str = "controller.contract.documents",
) -> int:
    """Write or check documents of a module; the exit code is 1 when a check finds old ones."""
    wanted = files() if wanted is None else wanted
    check = "--check" in arguments
    rest = [argument for argument in arguments if argument != "--check"]
    if len(rest) > 1 or any(argument.startswith("-") for argument in rest):
        print(f"contract: use python -m {module} [--check] [FOLDER]", file=sys.stderr)
        return 2
    folder = Path(rest[0]) if rest else folder
    if check:
        found = outdated(folder, wanted)
        sentence = (
            "current" if not found else f"out of date ({', '.join(found)}); run make contract"
        )
        print(f"{folder}: {sentence}")
        return 1 if found else 0
    changed = write(folder, wanted)
    print(f"{folder}: {len(changed)} of {len(wanted)} documents updated")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
