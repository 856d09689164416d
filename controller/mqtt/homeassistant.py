"""The table as a device of Home Assistant: what is published for its MQTT discovery.

Pure. One message describes the whole device (`<prefix>/device/topple_<table>/config`); Home
Assistant then reads the table's own topics, so no other message is needed. Scores belong to
seats, not to people: an entity keeps its id and its place on a dashboard from game to game, and
bears the name of whoever sits there. All seats are always described; one that nobody sits on is
unavailable, and so keeps what its owner has made of it (a name, a room) for the next game of four.

What is required of the message is written down in `tests/controller/homeassistant_schema.py`.
"""

from typing import Any

import msgspec

from controller.mqtt.topics import Publication, topic

SEATS = 4
"""As many as any of the games has."""

STATUS_ONLINE = b"online"
"""What Home Assistant says on `<prefix>/status` when it has started."""

CLIENT = "homeassistant"
"""Under this name it gets its replies; the table believes it as any other client."""

BUTTONS = {
    "undo": ("Undo", "mdi:undo"),
    "redo": ("Redo", "mdi:redo"),
    "pass": ("Pass", "mdi:skip-next"),
    "cleared": ("Board is empty", "mdi:broom"),
}
"""Verbs that need nothing but a press, with their names and icons."""

TURN_IS = f'{{"v":1,"client":"{CLIENT}","data":{{"player":{{{{ value | tojson }}}}}}}}'
"""What is sent when somebody chooses whose turn it is."""

_MOVES = ("started", "placed", "passed", "corrected", "undone", "redone", "round", "over", "asked")

QUESTION = (
    "{% set asked = value_json.pending or {} %}"
    "{{ {'question': asked.id | default(none), 'kind': asked.kind | default(none), "
    "'text': asked.text | default(''), "
    "'answers': asked.options | default([]) | map(attribute='value') | list, "
    "'labels': asked.options | default([]) | map(attribute='label') | list} | tojson }}"
)
"""What an automation needs to ask somebody, and to send `cmd/answer`."""

LONGEST_STATE = 255
"""Characters that a state of Home Assistant may have; a longer one makes the entity unknown."""

Component = dict[str, Any]


_CUT = f"[:{LONGEST_STATE}]"


def status_topic(prefix: str) -> str:
    """Where Home Assistant says that it has started.

    >>> status_topic("homeassistant")
    'homeassistant/status'
    """
    return f"{prefix}/status"


def config_topic(prefix: str, table: str) -> str:
    """Where the device is described.

    >>> config_topic("homeassistant", "t1")
    'homeassistant/device/topple_t1/config'
    """
    return f"{prefix}/device/topple_{table}/config"


def removal(prefix: str, table: str) -> Publication:
    """Takes the whole device away again."""
    return Publication(config_topic(prefix, table), b"", 1, retain=True)


def introduction(
    prefix: str, table: str, names: tuple[str, ...], *, sw: str, simulated: bool, pages: str = ""
) -> Publication:
    """The message that makes Home Assistant know the table and these players, in this order.

    Args:
        prefix: of discovery topics, `homeassistant` unless somebody changed it there.
        table: id of the table.
        names: of the players, by seat.
        sw: version of this software.
        simulated: no real tower stands behind it.
        pages: address of the table's pages, for "Visit"; empty: there is no such button.
    """
    seats = (*names, *(f"seat {seat}" for seat in range(len(names) + 1, SEATS + 1)))
    components = {
        **{f"score_{seat}": _score(table, seat, name) for seat, name in enumerate(seats, start=1)},
        **_game(table),
        "whose_turn": _whose_turn(table, names or seats),
        **_happenings(table),
        **_condition(table),
        **{f"button_{verb}": _button(table, verb) for verb in BUTTONS},
    }
    device = {
        "identifiers": [f"topple_{table}"],
        "name": f"Topple Table {table}",
        "manufacturer": "Topple Table",
        "model": "Simulated tower" if simulated else "Tower on four load cells",
        "sw_version": sw,
        **({"configuration_url": pages} if pages else {}),
    }
    said = {
        "device": device,
        "origin": {"name": "Topple Table", "sw_version": sw},
        "availability": [_there(table)],
        "state_topic": topic(table, "state"),
        "qos": 1,
        "components": {key: _named(table, key, made) for key, made in components.items()},
    }
    return Publication(config_topic(prefix, table), msgspec.json.encode(said), 1, retain=True)


def _there(table: str) -> dict[str, str]:
    """Whether the table is there at all."""
    return {"topic": topic(table, "availability")}


def _only_while(table: str, condition: str) -> Component:
    """Available while the table is there and its document is like this."""
    template = f"{{{{ 'online' if {condition} else 'offline' }}}}"
    in_game = {"topic": topic(table, "state"), "value_template": template}
    return {"availability_mode": "all", "availability": [_there(table), in_game]}


def _named(table: str, key: str, component: Component) -> Component:
    """With the ids under which Home Assistant keeps it; no player's name is in them.

    `object_id` is the word of versions before 2025.10, which know no `default_entity_id`; later
    ones pass over it when both are there.
    """
    name = f"topple_{table.replace('-', '_')}_{key}"
    return {
        "platform": component["platform"],
        "unique_id": f"topple_{table}_{key}",
        "object_id": name,
        "default_entity_id": f"{component['platform']}.{name}",
        **component,
    }


def _score(table: str, seat: int, name: str) -> Component:
    player = f"value_json.players[{seat - 1}]"
    # Between two games the document may have fewer players than this message.
    there = f"value_json.players | count >= {seat}"
    return {
        "platform": "sensor",
        "name": f"Score of {name}"[:LONGEST_STATE],
        "icon": "mdi:counter",
        "unit_of_measurement": "points",
        "state_class": "measurement",
        "value_template": f"{{{{ {player}.score if {there} else none }}}}",
        "json_attributes_topic": topic(table, "state"),
        "json_attributes_template": f"{{{{ ({player} if {there} else {{}}) | tojson }}}}",
        **_only_while(table, there),
    }


def _game(table: str) -> dict[str, Component]:
    """Whose turn it is, how far the game is, who has won, whether the table asks."""
    return {
        "turn": _sensor("Turn", "mdi:account", f"value_json.turn.player{_CUT} if value_json.turn"),
        "die": _sensor("Die", "mdi:dice-multiple", "value_json.turn.die if value_json.turn"),
        "phase": _sensor("Phase", "mdi:progress-clock", "value_json.phase if true"),
        "winner": _sensor(
            "Winner",
            "mdi:trophy",
            f"(value_json.winners | join(', ')){_CUT} if value_json.winners",
        ),
        "question": {
            "platform": "binary_sensor",
            "name": "Question",
            "icon": "mdi:help-circle",
            "value_template": "{{ 'ON' if value_json.pending else 'OFF' }}",
            "json_attributes_topic": topic(table, "state"),
            "json_attributes_template": QUESTION,
        },
        "tension": {
            **_sensor(
                "Tension",
                "mdi:gauge",
                "(value_json.tension.value * 100) | int if value_json.tension",
            ),
            "unit_of_measurement": "%",
            "state_class": "measurement",
        },
    }


def _whose_turn(table: str, names: tuple[str, ...]) -> Component:
    """Shows whose turn it is; who knows better chooses another."""
    return {
        "platform": "select",
        "name": "It is the turn of",
        "icon": "mdi:account-switch",
        "options": [name[:LONGEST_STATE] for name in names],
        "value_template": f"{{{{ value_json.turn.player{_CUT} if value_json.turn else none }}}}",
        "command_topic": topic(table, "cmd", "turn"),
        "command_template": TURN_IS,
        "retain": False,
        **_only_while(table, "'turn' in value_json.can.any"),
    }


def _sensor(name: str, icon: str, value: str) -> Component:
    return {
        "platform": "sensor",
        "name": name,
        "icon": icon,
        # An empty payload would leave the old value standing; none makes it unknown.
        "value_template": f"{{{{ {value} else none }}}}",
    }


def _happenings(table: str) -> dict[str, Component]:
    """Events for automations: the tower has fallen; anything else of note."""
    return {
        "topple": {
            "name": "Tower toppled",
            "icon": "mdi:alert-octagram",
            **_event(table, ("toppled",)),
        },
        "move": {"name": "Move", "icon": "mdi:chess-pawn", **_event(table, _MOVES)},
    }


def _event(table: str, types: tuple[str, ...]) -> Component:
    told = "{'event_type': value_json.type, 'player': value_json.player | default(none)}"
    data = f"dict({told}, **(value_json.data | default({{}})))"
    wanted = f"value_json.type in {list(types)!r}"
    return {
        "platform": "event",
        "event_types": list(types),
        "state_topic": topic(table, "event"),
        # An empty object is passed over.
        "value_template": f"{{{{ ({data} if {wanted} else {{}}) | tojson }}}}",
    }


def _condition(table: str) -> dict[str, Component]:
    """What is wrong with the table, and what it answered to the last button."""
    return {
        "problem": {
            "platform": "binary_sensor",
            "name": "Problem",
            "device_class": "problem",
            "entity_category": "diagnostic",
            "state_topic": topic(table, "status"),
            "value_template": "{{ 'ON' if value_json.phase == 'degraded' else 'OFF' }}",
            "json_attributes_topic": topic(table, "status"),
            "json_attributes_template": "{{ {'troubles': value_json.troubles} | tojson }}",
        },
        "pieces_tell": {
            "platform": "sensor",
            "name": "Pieces told by weight",
            "icon": "mdi:weight-gram",
            "entity_category": "diagnostic",
            "state_topic": topic(table, "status"),
            "value_template": "{{ value_json.pieces_tell }}",
        },
        "answer": {
            "platform": "sensor",
            "name": "Answer",
            "icon": "mdi:message-reply-text",
            "entity_category": "diagnostic",
            # Two presses with the same answer are two answers.
            "force_update": True,
            "state_topic": topic(table, "reply", CLIENT),
            "value_template": f"{{{{ (value_json.msg | default('done')){_CUT} }}}}",
        },
    }


def _button(table: str, verb: str) -> Component:
    name, icon = BUTTONS[verb]
    return {
        "platform": "button",
        "name": name,
        "icon": icon,
        "command_topic": topic(table, "cmd", verb),
        # No id: each press counts. No rev: a button shows no game that could be an old one.
        "payload_press": f'{{"v":1,"client":"{CLIENT}"}}',
        "retain": False,
        **_only_while(table, _pressable(verb)),
    }


def _pressable(verb: str) -> str:
    """When a button is offered.

    Passing is offered in every turn: by `can` it would come and go with every roll, hundreds of
    times an evening in the house's history. Too early, the table refuses it and `Answer` says so.
    """
    if verb == "pass":
        return "value_json.phase in ['roll', 'act']"
    return f"'{verb}' in value_json.can.values() | sum(start=[])"
