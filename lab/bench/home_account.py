"""What Home Assistant makes of a table, held against the table's other messages. Pure.

It knows docs/homeassistant.md and the messages, and shares no code with the table: each entity of
that page must be in the discovery message, and its templates, rendered as Home Assistant does
(Jinja in its sandbox), must give what each message says. It cannot know what Home Assistant
refuses: `tests/displays/test_home_assistant.py` asks the real one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lab.bench.observed import Sent

SEATS = 4

LONGEST = 255
"""Characters that a state of Home Assistant may have."""

PRESSES = ("undo", "redo", "pass", "cleared")

OF_EVENTS = {"topple": ("toppled",), "move": ("placed", "passed", "undone", "redone", "over")}
"""Entity -> events that it must tell, so that an automation can."""

KINDS = {
    **{f"score_{seat}": "sensor" for seat in range(1, SEATS + 1)},
    **dict.fromkeys(("turn", "die", "phase", "winner", "tension"), "sensor"),
    **dict.fromkeys(("answer", "pieces_tell"), "sensor"),
    **dict.fromkeys(("question", "problem"), "binary_sensor"),
    **dict.fromkeys(OF_EVENTS, "event"),
    **{f"button_{verb}": "button" for verb in PRESSES},
    "whose_turn": "select",
}
"""The entities of docs/homeassistant.md -> their kinds."""

ROWS = {
    "topple": "event", "move": "event", "problem": "status", "pieces_tell": "status",
    "answer": "reply/homeassistant",
}  # fmt: skip
"""Entity -> the topic that it reads; all others read `state`."""

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an entity must show; None for what is not looked at.

    Attributes:
        value: its state. attributes: beside it. there: whether it is available.
        name: what it is called.
    """

    value: str | None = None
    attributes: Any = None
    there: bool | None = None
    name: str | None = None


@dataclass(slots=True)
class HomeAssistant:
    """Hears one table.

    Attributes:
        table: its id.
        broken: what is not as docs/homeassistant.md says, in words.
        introduced: the newest discovery message; empty before the first.
    """

    table: str
    broken: list[str] = field(default_factory=list)
    introduced: bytes = b""
    _root: Document = field(default_factory=dict)
    _entities: dict[str, Document] = field(default_factory=dict)

    @property
    def config(self) -> str:
        """Topic of the discovery message."""
        return f"homeassistant/device/topple_{self.table}/config"

    def hear(self, message: Sent) -> None:
        """Take the next message."""
        row = message.suffix.split("/")[0]
        if message.suffix == self.config:
            self._introduce(message)
        elif row in _WANTED:
            if not self._entities:
                self._say(message, f"{row} before the table was introduced")
                return
            document = message.document()
            for name, wanted in _WANTED[row](document):
                self._look(message, name, wanted, document)

    def _say(self, message: Sent, words: str) -> None:
        self.broken.append(f"home: at {message.t_s:.1f} s: {words}")

    # --- what is described -------------------------------------------------------------------

    def _introduce(self, message: Sent) -> None:
        if message.payload == self.introduced:
            return
        self.introduced, self._root = message.payload, message.document()
        prefix = f"topple_{self.table.replace('-', '_')}_"
        known = self._root["components"].values()
        ids = [each["default_entity_id"] for each in known]
        self._entities = {
            name: each
            for name, kind in KINDS.items()
            for each in known
            if each["default_entity_id"] == f"{kind}.{prefix}{name}"
        }
        for name in KINDS.keys() - self._entities.keys():
            self._say(message, f"{KINDS[name]}.{prefix}{name} is not described")
        if len({*ids}) < len(ids) or len({each["unique_id"] for each in known}) < len(ids):
            self._say(message, "two entities have one id")
        for name, entity in self._entities.items():
            for words in self._ill_described(name, entity):
                self._say(message, f"{name}: {words}")

    def _ill_described(self, name: str, entity: Document) -> Iterator[str]:
        there = [each["topic"] for each in entity.get("availability", self._root["availability"])]
        if self._topic("availability") not in there:
            yield "stays available when the table is gone"
        verb = "turn" if name == "whose_turn" else name.removeprefix("button_")
        if KINDS[name] in ("button", "select"):
            if entity["command_topic"] != self._topic(f"cmd/{verb}") or entity.get("retain"):
                yield f"asks on {entity['command_topic']}, retained: {entity.get('retain')}"
            yield from _bad_command(entity)
        if KINDS[name] != "button":
            read = entity.get("state_topic", self._root.get("state_topic"))
            if read != self._topic(ROWS.get(name, "state")):
                yield f"reads {read}"

    def _topic(self, row: str) -> str:
        return f"topple/1/{self.table}/{row}"

    # --- what it shows -----------------------------------------------------------------------

    def _look(self, message: Sent, name: str, wanted: Wanted, document: Document) -> None:
        entity = self._entities.get(name)
        if entity is None:
            return
        try:
            differs = list(_differs(entity, wanted, document))
        except (TemplateError, ValueError) as problem:
            differs = [f"cannot be rendered: {problem}"]
        for words in differs:
            self._say(message, f"{name} {words}")


def _differs(entity: Document, wanted: Wanted, document: Document) -> Iterator[str]:
    if wanted.name is not None and entity["name"] != wanted.name:
        yield f"is called {entity['name']}, not {wanted.name}"
    if wanted.value is not None:
        shown = _rendered(entity["value_template"], document)
        if shown != wanted.value:
            yield f"is {shown:.80}, not {wanted.value:.80}"
    if wanted.attributes is not None:
        template = entity.get("json_attributes_template", entity.get("value_template"))
        told = json.loads(_rendered(template, document))
        if told != wanted.attributes:
            yield f"has {told!s:.80}, not {wanted.attributes!s:.80}"
    if wanted.there is not None:
        templates = [each.get("value_template") for each in entity["availability"]]
        there = all(_rendered(each, document) == "online" for each in templates if each)
        if there is not wanted.there:
            yield f"is {'' if there else 'not '}available"


def _bad_command(entity: Document) -> Iterator[str]:
    """What is sent on a press or a choice: a command of Home Assistant's, good at any time."""
    for name in entity.get("options", [None]):
        if name is None:
            sent = json.loads(entity["payload_press"])
        else:
            sent = json.loads(_template(entity["command_template"]).render(value=name))
        said = {} if name is None else {"data": {"player": name}}
        if sent != {"v": 1, "client": "homeassistant", **said}:
            yield f"sends {sent}"


# Home Assistant makes no page of it, so nothing is to be escaped.
_ENVIRONMENT = ImmutableSandboxedEnvironment(autoescape=False)


@cache
def _template(text: str) -> Template:
    return _ENVIRONMENT.from_string(text)


def _rendered(template: str, document: Document) -> str:
    return _template(template).render(value_json=document)


# --- what docs/homeassistant.md promises, by the message ----------------------------------------


def _by_state(state: Document) -> Iterator[tuple[str, Wanted]]:
    players, turn, tension = state["players"], state["turn"], state["tension"]
    for seat in range(1, SEATS + 1):
        player = players[seat - 1] if seat <= len(players) else None
        who = f"seat {seat}" if player is None else player["name"]
        score = None if player is None else player["score"]
        yield (
            f"score_{seat}",
            Wanted(str(score), player or {}, player is not None, f"Score of {who}"[:LONGEST]),
        )
    yield "turn", Wanted(turn["player"][:LONGEST] if turn else "None")
    yield "die", Wanted(str(turn["die"] if turn else None))
    yield "phase", Wanted(state["phase"])
    yield "winner", Wanted(", ".join(state["winners"])[:LONGEST] or "None")
    yield "tension", Wanted(str(int(tension["value"] * 100) if tension else None))
    yield "question", _asked(state["pending"])
    can = state["can"]
    yield (
        "whose_turn",
        Wanted(turn["player"][:LONGEST] if turn else "None", there="turn" in can["any"]),
    )
    for verb in PRESSES:
        offered = any(verb in verbs for verbs in can.values())
        there = state["phase"] in ("roll", "act") if verb == "pass" else offered
        yield f"button_{verb}", Wanted(there=there)


def _asked(question: Document | None) -> Wanted:
    if question is None:
        nothing: Document = {
            "question": None,
            "kind": None,
            "text": "",
            "answers": [],
            "labels": [],
        }
        return Wanted("OFF", nothing)
    options = question["options"]
    told = {
        "question": question["id"], "kind": question["kind"], "text": question["text"],
        "answers": [option["value"] for option in options],
        "labels": [option["label"] for option in options],
    }  # fmt: skip
    return Wanted("ON", told)


def _by_event(event: Document) -> Iterator[tuple[str, Wanted]]:
    told = {"event_type": event["type"], "player": event.get("player"), **event.get("data", {})}
    for name, types in OF_EVENTS.items():
        if event["type"] in types:
            yield name, Wanted(attributes=told)
        elif event["type"] in ("toppled", "fault"):
            yield name, Wanted(attributes={})


def _by_status(status: Document) -> Iterator[tuple[str, Wanted]]:
    ailing = "ON" if status["phase"] == "degraded" else "OFF"
    yield "problem", Wanted(ailing, {"troubles": status["troubles"]})
    yield "pieces_tell", Wanted(status["pieces_tell"])


def _by_reply(reply: Document) -> Iterator[tuple[str, Wanted]]:
    """Whoever is answered: Home Assistant would be answered so, too."""
    yield "answer", Wanted(reply.get("msg", "done")[:LONGEST])


_WANTED = {"state": _by_state, "event": _by_event, "status": _by_status, "reply": _by_reply}


def home_differs(sent: Sequence[Sent], table: str) -> tuple[str, ...]:
    """What Home Assistant would show otherwise than the messages of a table say."""
    home = HomeAssistant(table)
    for message in sent:
        home.hear(message)
    if not home.introduced:
        return ("home: the table is not introduced",)
    return tuple(home.broken)
