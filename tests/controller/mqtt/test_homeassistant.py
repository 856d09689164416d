"""The table in Home Assistant: what it is told, checked against its rules and its templates."""

import json
from collections.abc import Callable
from typing import Any

import jinja2
import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from controller.mqtt import homeassistant, topics
from controller.mqtt.client import Message, Mqtt
from controller.mqtt.topics import Publication, TableStatus
from controller.table.publisher import Announcer, Home, Identity
from engine.events import Dismissed, HumanInput, Suspected, ToppleCause, Toppled, ToppleKind
from tests.controller.conftest import wait_until
from tests.controller.evening_online import OnlineTable
from tests.controller.evenings import PLACED, START, Evening, Wire, samples
from tests.controller.homeassistant_schema import DEVICE_DISCOVERY
from tests.controller.judge import HOME

TOPIC = "homeassistant/device/topple_t1/config"
NAMES = ("Ann", "Bob")


def introduced(names: tuple[str, ...] = NAMES, table: str = "t1", **more: Any) -> dict[str, Any]:
    said = homeassistant.introduction(
        "homeassistant", table, names, sw="0.1.0", simulated=True, **more
    )  # fmt: skip
    return dict(json.loads(said.payload))


def rendered(template: str, payload: bytes | dict[str, Any]) -> str:
    """As Home Assistant does it: jinja2 over `value_json`."""
    document = payload if isinstance(payload, dict) else json.loads(payload)
    # No page is made of it, so nothing is to be escaped.
    environment = jinja2.Environment(autoescape=False)  # noqa: S701
    return environment.from_string(template).render(value_json=document)


def game() -> Evening:
    """Ann has placed a piece for one point."""
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), events=(PLACED,))
    evening.step(6.0)
    evening.announcer.flush_now()
    return evening


@given(
    st.lists(st.text(min_size=1, max_size=20), max_size=4),
    st.from_regex(r"[a-z0-9-]{1,32}", fullmatch=True),
)
def test_what_is_said_keeps_the_rules_whoever_plays(names: list[str], table: str) -> None:
    device = introduced(tuple(names), table, pages="http://table.local:8080/t/t1")
    HOME.validate(device)
    ids = [c["unique_id"] for c in device["components"].values()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "broken",
    [
        lambda device: device.pop("origin"),
        lambda device: device["components"]["turn"].pop("unique_id"),
        lambda device: device["components"]["turn"].update(object_id="Score of Ann"),
        lambda device: device["components"]["turn"].update(entity="x"),
        lambda device: device["components"]["turn"].update(platform="light"),
        lambda device: device["components"]["topple"].pop("event_types"),
        lambda device: device["components"]["button_undo"].update(retain=True),
    ],
)
def test_the_rules_notice_what_home_assistant_would_refuse(broken: Callable[[Any], Any]) -> None:
    device = introduced()
    broken(device)

    with pytest.raises(jsonschema_rs.ValidationError):
        HOME.validate(device)


def test_an_empty_seat_is_described_but_not_available() -> None:
    """So a renamed entity of the fourth seat survives an evening of two."""
    components = introduced()["components"]
    state = game().wire.last("state")

    there = [
        rendered(components[f"score_{seat}"]["availability"][1]["value_template"], state)
        for seat in (1, 2, 3, 4)
    ]
    assert there == ["online", "online", "offline", "offline"]
    assert components["score_4"]["name"] == "Score of seat 4"


def test_it_is_retained_and_names_the_pages_where_they_are_known() -> None:
    address = "http://table.local:8080/t/t1"
    said = homeassistant.introduction("homeassistant", "t1", NAMES, sw="0.1.0", simulated=False)

    jsonschema_rs.meta.validate(DEVICE_DISCOVERY)
    assert (said.topic, said.qos, said.retain) == (TOPIC, 1, True)
    assert introduced(pages=address)["device"]["configuration_url"] == address
    assert "configuration_url" not in introduced()["device"]


def test_a_seat_keeps_its_ids_whoever_sits_there_and_no_name_of_a_player_is_in_one() -> None:
    """Before 2025.10 an entity without `object_id` is called after its name, the player's."""
    ann, eve = introduced(("Ann", "Bob"))["components"], introduced(("Eve",))["components"]

    assert ann["score_1"]["unique_id"] == eve["score_1"]["unique_id"]
    assert (ann["score_1"]["name"], eve["score_1"]["name"]) == ("Score of Ann", "Score of Eve")
    for made in ann.values():
        platform, name = made["default_entity_id"].split(".")
        assert (platform, name) == (made["platform"], made["object_id"])
        assert not {"ann", "bob"} & set(name.split("_"))


# --- what Home Assistant makes of it -------------------------------------------------------------


def values(evening: Evening) -> dict[str, str]:
    """The state of every entity that has one in the game's document."""
    components = introduced()["components"]
    state = evening.wire.last("state")
    return {
        key: rendered(made["value_template"], state)
        for key, made in components.items()
        if "value_template" in made and "state_topic" not in made
    }


def test_scores_turn_and_phase_are_read_from_the_document() -> None:
    evening = game()
    shown = values(evening)
    scores = [str(player.score) for player in evening.table.board.players]
    template = introduced()["components"]["score_1"]["json_attributes_template"]
    attributes = json.loads(rendered(template, evening.wire.last("state")))

    assert [shown["score_1"], shown["score_2"]] == scores
    assert (shown["turn"], shown["phase"], shown["question"]) == ("Bob", "roll", "OFF")
    assert (shown["die"], shown["winner"]) == ("None", "None")
    assert (attributes["name"], attributes["score"], attributes["mark"]) == ("Ann", 0, "●")


def test_each_seat_of_four_shows_its_own_score() -> None:
    players = [{"name": name, "score": 7 * seat} for seat, name in enumerate("abcd")]
    components = introduced(tuple("abcd"))["components"]
    templates = [components[f"score_{seat}"]["value_template"] for seat in range(1, 5)]

    shown = [rendered(template, {"players": players}) for template in templates]
    assert shown == ["0", "7", "14", "21"]


def test_no_value_is_longer_than_home_assistant_takes() -> None:
    """Names of any length may stand in a journal of an older version."""
    names = ("A" * 870, "B" * 870)
    state = game().wire.last("state")
    state["turn"]["player"], state["winners"] = names[0], list(names)
    components = introduced(names)["components"]
    answer = {"msg": "x" * 300}

    assert all(len(made["name"]) <= 255 for made in components.values())
    for key in ("turn", "winner"):
        assert len(rendered(components[key]["value_template"], state)) == 255
    assert len(rendered(components["answer"]["value_template"], answer)) == 255


def test_before_the_first_game_everything_is_unknown_and_nothing_fails() -> None:
    evening = Evening()
    shown, state = values(evening), evening.wire.last("state")

    assert {shown[key] for key in ("score_1", "score_2", "turn", "die", "winner")} == {"None"}
    for made in introduced()["components"].values():
        if made.get("json_attributes_topic", "").endswith("/state"):
            json.loads(rendered(made["json_attributes_template"], state))
    chosen = introduced(())["components"]["whose_turn"]
    assert chosen["options"] == ["seat 1", "seat 2", "seat 3", "seat 4"]
    assert rendered(chosen["value_template"], state) == "None"
    assert rendered(chosen["availability"][1]["value_template"], state) == "offline"


def test_a_question_brings_all_that_an_automation_needs_to_answer_it() -> None:
    template = introduced()["components"]["question"]["json_attributes_template"]
    options = [{"value": "Ann", "label": "Ann"}, {"value": "nobody", "label": "Nobody"}]
    pending = {"id": "blame-3", "kind": "blame", "text": "Who?", "options": options}

    attributes = json.loads(rendered(template, {"pending": pending}))

    assert (attributes["question"], attributes["kind"]) == ("blame-3", "blame")
    assert attributes["answers"] == ["Ann", "nobody"]
    assert attributes["labels"] == ["Ann", "Nobody"]


def told(key: str, evening: Evening) -> list[dict[str, Any]]:
    """The events of an entity, each of one of its types."""
    made = introduced()["components"][key]
    events = [p.payload for p in evening.wire.sent if p.topic.endswith("/event")]
    shown = [json.loads(rendered(made["value_template"], event)) for event in events]
    found = [event for event in shown if event]
    assert all(event["event_type"] in made["event_types"] for event in found)
    return found


def available(verb: str, evening: Evening) -> str:
    template = introduced()["components"][f"button_{verb}"]["availability"][1]["value_template"]
    return rendered(template, evening.wire.last("state"))


def test_a_topple_is_an_event_with_who_and_how_many() -> None:
    fall = Toppled(
        2, 8.0, 9.0, ToppleKind.OFF_BOARD, ToppleCause.PLACING, 0.99, 0.99
    )  # fmt: skip
    evening = Evening(
        START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0),
        HumanInput(6.0, "roll", {"value": 2}), samples(10.0), events=(PLACED, fall),
    )  # fmt: skip
    evening.step(11.0)
    happened = told("topple", evening)

    assert [event["event_type"] for event in happened] == ["toppled"]
    assert happened[0]["player"] == "Bob"
    assert [event["event_type"] for event in told("move", evening)][:2] == ["started", "placed"]


def test_a_suspicion_is_no_event_of_home_assistant() -> None:
    evening = Evening(
        START, samples(5.0), events=(Suspected(1, 3.0, 3.2, 0.6, ToppleKind.OFF_BOARD),
                                     Dismissed(1, 4.0)),
    )  # fmt: skip
    evening.step(6.0)

    assert evening.heard[-2:] == ["suspected", "dismissed"]
    assert told("topple", evening) == []
    assert [event["event_type"] for event in told("move", evening)] == ["started"]


def test_a_button_is_there_while_the_table_would_obey_it_and_passing_in_the_whole_game() -> None:
    """A button for passing that came and went with every roll would fill the house's history."""
    offered = []
    for said in ((), (START,), (START, HumanInput(1.0, "roll", {"value": 4}))):
        evening = Evening(*said)
        evening.step(2.0)
        evening.announcer.flush_now()
        offered.append([available(verb, evening) for verb in ("undo", "redo", "pass")])

    on, off = "online", "offline"
    assert offered == [[off, off, off], [on, off, on], [on, off, on]]


def test_a_press_is_obeyed_and_the_answer_is_shown() -> None:
    evening = game()
    button = introduced()["components"]["button_undo"]
    answer = introduced()["components"]["answer"]
    for _ in range(3):
        message = Message(button["command_topic"], button["payload_press"].encode(), retained=False)
        evening.table.receive(message)
        evening.step(7.0)
    replies = [p.payload for p in evening.wire.sent if p.topic == answer["state_topic"]]

    assert [rendered(answer["value_template"], reply) for reply in replies] == ["done"] * 3
    evening.table.receive(Message("topple/1/t1/cmd/undo", button["payload_press"].encode(), False))
    evening.step(8.0)
    refused = next(p for p in reversed(evening.wire.sent) if p.topic == answer["state_topic"])
    assert rendered(answer["value_template"], refused.payload) == "there is nothing to undo"


def test_who_knows_whose_turn_it_is_chooses_the_name_and_is_obeyed() -> None:
    names = ("Ann", 'B"o</b>b')
    hands = zip(names, ("red", "blue"), strict=True)
    players = [{"name": name, "colours": [colour]} for name, colour in hands]
    start = HumanInput(0.5, "start", {"players": players})
    evening = Evening(start)
    evening.step(1.0)
    evening.announcer.flush_now()
    chosen = introduced(names)["components"]["whose_turn"]
    there = chosen["availability"][1]["value_template"]

    def shown() -> tuple[str, str]:
        state = evening.wire.last("state")
        return rendered(there, state), rendered(chosen["value_template"], state)

    assert chosen["options"] == [*names]
    assert shown() == ("online", "Ann")
    environment = jinja2.Environment(autoescape=False)  # noqa: S701
    payload = environment.from_string(chosen["command_template"]).render(value=names[1])
    evening.table.receive(Message(chosen["command_topic"], payload.encode(), retained=False))
    evening.step(7.0)
    evening.announcer.flush_now()
    assert shown() == ("online", names[1])
    replies = [p.payload for p in evening.wire.sent if p.topic.endswith("reply/homeassistant")]
    assert json.loads(replies[-1])["ok"]


def test_a_lost_sensor_is_a_problem_and_of_how_many_pieces_the_weight_tells_is_shown() -> None:
    components = introduced()["components"]
    problem, tell = (components[key]["value_template"] for key in ("problem", "pieces_tell"))
    ready = TableStatus("b", "ready", "", "0.1", simulated=False, pieces_tell="some")

    for status, shown in ((ready, "OFF"), (structs.replace(ready, phase="degraded"), "ON")):
        payload = topics.status("t1", status).payload
        assert (rendered(problem, payload), rendered(tell, payload)) == (shown, "some")


# --- when it is said -----------------------------------------------------------------------------


def announced(home: Home | None) -> tuple[Announcer, Wire]:
    wire = Wire()
    return Announcer(wire, Identity("t1", "b"), home), wire


def configs(sent: list[Publication]) -> list[bytes]:
    return [publication.payload for publication in sent if publication.topic == TOPIC]


def test_players_who_sit_down_are_announced_once() -> None:
    announcer, wire = announced(Home())
    board = game().table.board
    announcer.state(board)
    announcer.state(board)
    said = configs(wire.sent)

    assert len(said) == 1
    assert json.loads(said[0])["components"]["score_2"]["name"] == "Score of Bob"
    assert configs(announcer.birth()) == said


def test_switched_off_the_device_is_taken_away_and_left_alone_nothing_is_said() -> None:
    for home, expected in ((Home(enabled=False), [b""]), (None, [])):
        announcer, wire = announced(home)
        announcer.state(game().table.board)

        assert configs(announcer.birth()) == expected
        assert set(configs(wire.sent)) <= {b""}


def test_a_home_assistant_with_the_shipped_rules_finds_the_table_and_presses_a_button(
    guarded_broker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.table.loop.GREETING_WAIT_S", (0.0, 0.0))
    table = OnlineTable(guarded_broker.address("table"), home=Home())
    heard: list[Message] = []
    rows = (f"topple/1/t1/{row}" for row in ("availability", "state", "reply/homeassistant"))
    home = Mqtt(
        guarded_broker.address("homeassistant"), "ha", subscriptions=("homeassistant/#", *rows)
    )
    home.on_message(heard.append)

    def times(topic: str) -> int:
        return sum(message.topic == topic for message in heard)

    try:
        wait_until(lambda: bool(table.edge.connection.up), "the table")
        table.hear("start", START.data)
        home.start()
        wait_until(lambda: bool(times(TOPIC) and times("topple/1/t1/availability")), "discovery")
        found = next(m for m in heard if m.topic == TOPIC)
        HOME.validate(json.loads(found.payload))
        before = times(TOPIC), times("topple/1/t1/state")
        home.publish(Publication("homeassistant/status", b"online", 0, retain=True))
        wait_until(
            lambda: times(TOPIC) > before[0] and times("topple/1/t1/state") > before[1],
            "everything again after the birth",
        )  # fmt: skip
        press = json.loads(found.payload)["components"]["button_undo"]
        home.publish(
            Publication(press["command_topic"], press["payload_press"].encode(), 1, retain=False)
        )
        wait_until(lambda: bool(times("topple/1/t1/reply/homeassistant")), "the answer")
    finally:
        home.stop()
        table.stop()
