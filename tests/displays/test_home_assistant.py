"""The table in a real Home Assistant: discovery, values, buttons, dashboard and blueprints.

On a bare Debian 13 with its own Python, joined to Mosquitto as shipped as its user `homeassistant`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from controller.mqtt.homeassistant import SEATS
from controller.mqtt.topics import Publication
from tests.controller.conftest import PASSWORDS, RunningBroker
from tests.controller.conftest import wait_until as until
from tests.controller.judge import faults_of_obeyed
from tests.deploy.bare_debian import BareDebian
from tests.deploy.test_hub import Ear
from tests.displays.conftest import TABLE, PlayedTable, playing, posted_to, shipped_broker
from tests.displays.home_assistant import HomeAssistant
from tests.ports import free_port

pytestmark = pytest.mark.slow

DEPLOY = Path(__file__).parents[2] / "deploy" / "homeassistant"
NAME = f"topple_{TABLE}"
ASKED_S = 43.5
"""The recorded table asks where a piece went."""

HARMLESS = ("zlib_ng and isal are not available", "libturbojpeg")
"""What Home Assistant warns of itself on a computer without cameras."""

LIGHT = {
    "unique_id": "hall", "name": "Hall", "schema": "json", "supported_color_modes": ["rgb"],
    "brightness": True, "command_topic": "homeassistant/light/hall/set",
    "state_topic": "homeassistant/light/hall/state", "optimistic": True,
}  # fmt: skip


@dataclass
class Phone:
    """Where Home Assistant sends its notifications, as to the service of a phone's maker.

    Attributes:
        shown: each notification, in order.
    """

    shown: list[dict[str, Any]] = field(default_factory=list)
    webhook: str = ""

    def take(self, _path: str, body: bytes) -> None:
        self.shown.append(json.loads(body))


@dataclass(frozen=True)
class Home:
    """A house in which the broker is known and a phone is registered, without a table yet."""

    assistant: HomeAssistant
    broker: RunningBroker
    phone: Phone


@dataclass
class House:
    """A house with a table in it.

    Attributes:
        ear: hears what Home Assistant says.
    """

    home: HomeAssistant
    table: PlayedTable
    phone: Phone
    ear: Ear

    def shows(self, entity: str, value: str) -> None:
        until(lambda: self.home.state(entity) == value, f"{entity} to be {value}")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("house")
    assistant = HomeAssistant(BareDebian(folder, "trixie"), free_port())
    assistant.install()
    assistant.configure(*(DEPLOY / "blueprints").glob("*.yaml"))
    phone = Phone()
    with (
        posted_to(phone.take, code=201) as address,
        shipped_broker(folder / "mosquitto") as (broker, _),
    ):
        assistant.start()
        try:
            assistant.welcome()
            assistant.join_broker(broker.port, "homeassistant", PASSWORDS["homeassistant"])
            phone.webhook = assistant.register_phone("Ann's phone", f"{address}/push")
            yield Home(assistant, broker, phone)
        finally:
            assistant.stop()


@pytest.fixture
def house(installed: Home) -> Iterator[House]:
    """The table is switched on for one test, so that tests may run in any order."""
    ear = Ear(
        installed.broker.address("homeassistant"), "homeassistant/light/hall/set", name="judge"
    )
    with playing(installed.broker) as table:
        yield House(installed.assistant, table, installed.phone, ear)
    ear.edge.stop()


def test_the_table_is_found_with_all_its_values_and_nothing_is_logged(house: House) -> None:
    home, table = house.home, house.table
    table.play(0.0, 30.0)
    for seat, player in enumerate(table.state["players"], start=1):
        house.shows(f"sensor.{NAME}_score_{seat}", str(player["score"]))
    house.shows(f"sensor.{NAME}_turn", table.state["turn"]["player"])
    house.shows(f"sensor.{NAME}_tension", str(int(100 * table.state["tension"]["value"])))
    states = home.states()

    seats = [states[f"sensor.{NAME}_score_{seat}"]["state"] for seat in range(1, SEATS + 1)]
    assert seats[2:] == ["unavailable", "unavailable"]
    assert states[f"sensor.{NAME}_score_1"]["attributes"]["friendly_name"].endswith("Score of Ann")
    assert not complaints(home)


def test_a_press_is_answered_and_the_same_answer_twice_is_told_twice(house: House) -> None:
    house.table.play(0.0, 30.0)
    answer, undo = f"sensor.{NAME}_answer", f"button.{NAME}_button_undo"
    until(lambda: house.home.state(undo) not in (None, "unavailable"), "the button")
    told: list[str] = []
    for _ in range(2):
        house.home.call("button", "press", {"entity_id": undo})
        before = told[-1:]
        until(
            lambda: house.home.states()[answer]["last_updated"] not in before,  # noqa: B023
            "the answer",
        )
        told.append(house.home.states()[answer]["last_updated"])

    assert "recorded evening" in str(house.home.state(answer))
    assert told[0] != told[1]


def test_a_topple_is_told_and_lights_flash_and_are_as_before(house: House) -> None:
    home = house.home
    config = Publication("homeassistant/light/hall/config", json.dumps(LIGHT).encode(), 1, True)
    house.ear.edge.publish(config)
    dim = b'{"state":"ON","color_mode":"rgb","brightness":20,"color":{"r":0,"g":0,"b":255}}'
    house.ear.edge.publish(Publication("homeassistant/light/hall/state", dim, 1, retain=True))
    house.shows("light.hall", "on")
    home.automate("tower_toppled.yaml", topple=f"event.{NAME}_topple", lights=["light.hall"])
    house.table.play(0.0, 30.0)
    house.shows(f"sensor.{NAME}_score_1", str(house.table.state["players"][0]["score"]))
    house.ear.heard.clear()

    house.table.play(30.0, 40.0)

    def last() -> dict[str, Any]:
        return dict(json.loads(house.ear.heard[-1].payload)) if house.ear.heard else {}

    until(lambda: last().get("brightness") == 20, "the light of before")
    orders = [json.loads(message.payload) for message in house.ear.heard]
    reds = [order for order in orders if order.get("color") == {"r": 255, "g": 0, "b": 0}]
    assert len(reds) == 3
    assert last()["color"] == {"r": 0, "g": 0, "b": 255}
    event = home.states()[f"event.{NAME}_topple"]
    assert event["attributes"]["event_type"] == "toppled"


def test_a_question_is_asked_on_a_phone_and_its_answer_reaches_the_table(house: House) -> None:
    home, table = house.home, house.table
    commands = table.ear(f"topple/1/{TABLE}/cmd/answer")
    home.automate(
        "question.yaml", question=f"binary_sensor.{NAME}_question",
        phone=home.device_of("Ann's phone"), table=TABLE,
    )  # fmt: skip
    table.play(0.0, ASKED_S)
    pending = table.state["pending"]

    def asked() -> list[dict[str, Any]]:
        return [each for each in house.phone.shown if each["message"] == pending["text"]]

    until(lambda: bool(asked()), "the question on the phone")
    shown = asked()[-1]
    offered = shown["data"]["actions"]
    assert [each["title"] for each in offered] == [each["label"] for each in pending["options"]]
    home.press(house.phone.webhook, offered[1]["action"])
    until(lambda: bool(commands.heard), "the answer at the table")

    (said,) = commands.heard
    assert not faults_of_obeyed("answer", said.payload)
    data = json.loads(said.payload)["data"]
    assert data == {"question": pending["id"], "value": pending["options"][1]["value"]}
    table.play(52.0, 60.0)
    until(lambda: house.phone.shown[-1]["message"] == "clear_notification", "it to go away")
    commands.edge.stop()


def test_the_dashboard_names_only_what_there_is(house: House) -> None:
    text = (DEPLOY / "dashboard.yaml").read_text().replace("topple_t1", NAME)
    named: set[str] = set()

    def look(value: Any) -> None:
        if isinstance(value, dict):
            list(map(look, value.values()))
        elif isinstance(value, list):
            list(map(look, value))
        elif isinstance(value, str) and f".{NAME}_" in value and "{{" not in value:
            named.add(value)

    look(yaml.safe_load(text))
    assert len(named) > SEATS
    # They come one by one.
    until(lambda: named <= set(house.home.states()), "the entities")


def test_a_table_that_goes_off_is_unavailable_and_still_nothing_is_logged(house: House) -> None:
    house.table.play(0.0, 30.0)
    house.shows(f"sensor.{NAME}_score_1", str(house.table.state["players"][0]["score"]))

    house.table.go_off()

    house.shows(f"sensor.{NAME}_score_1", "unavailable")
    assert not complaints(house.home)


def complaints(home: HomeAssistant) -> list[str]:
    lines = home.log.splitlines()
    return [
        line for line in lines
        if (" WARNING " in line or " ERROR " in line) and not any(word in line for word in HARMLESS)
    ]  # fmt: skip
