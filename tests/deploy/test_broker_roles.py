"""What each role may say and hear: the shipped rules, on a real Mosquitto, message by message.

Mosquitto grants every subscription and then keeps back what may not be heard, so deliveries are
judged and not answers.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.app.run import connected
from controller.mqtt import topics
from controller.mqtt.topics import Publication
from controller.table.keepers import NullJournal
from controller.table.pipeline import Pipeline
from controller.table.publisher import Home, Identity
from tests.controller.conftest import (
    PASSWORDS,
    RunningBroker,
    running_mosquitto,
    shipped_configuration,
    wait_until,
    write_passwords,
)
from tests.controller.evenings import Detector, Source
from tests.deploy.debian_mosquitto import RELEASES, mosquitto_of
from tests.deploy.test_hub import AT_THE_HUB, DEPLOY, Ear, hub
from tests.ports import free_port

SAID = {"availability", "status", "state", "summary", "results", "event", "health", "trace", "film"}
"""What a table says to everybody who has a password."""

TOPICS = sorted(
    {f"topple/1/t1/{row}" for row in SAID}
    | {
        "topple/1/t1/reply/me", "topple/1/t1/reply/phone-7", "topple/1/t1/reply/homeassistant",
        "topple/1/t1/cmd/undo", "topple/1/t1/client/me", "topple/1/t1/client/phone-7",
        "topple/1/t1/new", "homeassistant/status", "homeassistant/device/topple_t1/config",
        "homeassistant/light/hall/config", "elsewhere",
    }
)  # fmt: skip

MAY_HEAR = {
    "table": {"cmd/undo", "client/me", "client/phone-7", "health", "reply/me", "HA/status"},
    "display": SAID,
    "controller": SAID | {"reply/me"},
    "homeassistant": SAID - {"trace", "film"} | {
        "reply/me", "reply/homeassistant",
        "HA/status", "HA/device/topple_t1/config", "HA/light/hall/config",
    },
}  # fmt: skip
MAY_SAY = {
    "table": SAID | {
        "reply/me", "reply/phone-7", "reply/homeassistant", "client/me",
        "HA/device/topple_t1/config",
    },
    "display": {"client/me"},
    "controller": {"client/me", "cmd/undo"},
    "homeassistant": {
        "client/me", "cmd/undo",
        "HA/status", "HA/device/topple_t1/config", "HA/light/hall/config",
    },
}  # fmt: skip

ALL_POWERFUL = "\nuser judge\ntopic readwrite #\n"
"""Besides the shipped rules: somebody who says and hears everything."""


@pytest.fixture(
    scope="module",
    params=["this computer's", *(pytest.param(each, marks=pytest.mark.slow) for each in RELEASES)],
)
def judged(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[RunningBroker]:
    """The shipped broker with a judge, in each version that a table meets."""
    folder, port = tmp_path_factory.mktemp("judged"), free_port()
    rules = (DEPLOY / "topple-table.acl").read_text() + ALL_POWERFUL
    passwords = PASSWORDS | {"judge": "j"}
    if request.param in RELEASES:
        yield from mosquitto_of(request.param).run(port, free_port(), rules, passwords)
        return
    (folder / "topple-table.acl").write_text(rules)
    write_passwords(folder / "topple-table.passwd", passwords)
    (folder / "mosquitto.conf").write_text(shipped_configuration(folder, port))
    yield from running_mosquitto(folder / "mosquitto.conf", port)


@pytest.fixture
def ear() -> Iterator[Callable[..., Ear]]:
    """Makes ears, and closes them at the end."""
    made: list[Ear] = []

    def make(broker: RunningBroker, user: str, *heard: str, name: str = "me") -> Ear:
        address = broker.address(user, "j" if user == "judge" else None)
        made.append(Ear(address, *heard, name=name))
        return made[-1]

    yield make
    for one in made:
        one.edge.stop()


def short(names: set[str]) -> set[str]:
    return {
        topic.removeprefix("topple/1/t1/").replace("homeassistant/", "HA/", topic[0] == "h")
        for topic in names
    }


@pytest.mark.parametrize("role", sorted(PASSWORDS))
def test_a_role_hears_what_it_may_and_nothing_else(
    judged: RunningBroker, ear: Callable[..., Ear], role: str
) -> None:
    listener = ear(judged, role, "#", "$SYS/#", "topple/1/+/reply/#", *TOPICS)
    judge = ear(judged, "judge", name="judge")
    fence = "topple/1/t1/cmd/fence" if role == "table" else "topple/1/t1/state"
    for topic in TOPICS:
        judge.edge.publish(Publication(topic, b"secret", 1, retain=False))
    judge.edge.publish(Publication(fence, b"fence", 1, retain=False))

    listener.hears(fence, b"fence")
    heard = {m.topic for m in listener.heard if m.payload == b"secret"}
    assert short(heard) == MAY_HEAR[role]
    assert not any(message.topic.startswith("$SYS") for message in listener.heard)


@pytest.mark.parametrize("role", sorted(PASSWORDS))
def test_a_role_is_heard_where_it_may_speak_and_nowhere_else(
    judged: RunningBroker, ear: Callable[..., Ear], role: str
) -> None:
    judge = ear(judged, "judge", "#", name="judge")
    speaker = ear(judged, role)
    for topic in TOPICS:
        speaker.edge.publish(Publication(topic, role.encode(), 1, retain=False))
    speaker.edge.publish(Publication("topple/1/t1/client/me", b"fence", 1, retain=False))

    judge.hears("topple/1/t1/client/me", b"fence")
    assert short({m.topic for m in judge.heard if m.payload == role.encode()}) == MAY_SAY[role]


@pytest.mark.parametrize("role", ["display", "controller"])
def test_a_last_will_has_no_more_rights_than_a_message(
    judged: RunningBroker, ear: Callable[..., Ear], role: str
) -> None:
    judge = ear(judged, "judge", "topple/#", name="judge")
    forbidden = "topple/1/t1/state" if role == "controller" else "topple/1/t1/cmd/end"
    for topic in (forbidden, "topple/1/t1/client/dying"):
        dying = paho.Client(CallbackAPIVersion.VERSION2, "dying", protocol=paho.MQTTv311)
        dying.username_pw_set(role, PASSWORDS[role])
        dying.will_set(topic, b"will", 1, retain=False)
        dying.connect("127.0.0.1", judged.port)
        dying.loop_start()
        wait_until(dying.is_connected, "the connection")
        dying._sock_close()
        dying.loop_stop()

    judge.hears("topple/1/t1/client/dying", b"will")
    assert [m.topic for m in judge.heard if m.payload == b"will"] == ["topple/1/t1/client/dying"]


@pytest.mark.parametrize("taken", ["phone-7", "homeassistant", "scoreboard-1"])
def test_a_display_that_takes_another_clients_id_hears_none_of_its_answers(
    judged: RunningBroker, ear: Callable[..., Ear], taken: str
) -> None:
    thief = ear(judged, "display", "topple/1/+/reply/+", f"topple/1/t1/reply/{taken}",
                "topple/1/t1/state", name=taken)  # fmt: skip
    judge = ear(judged, "judge", name="judge")
    judge.edge.publish(topics.reply("t1", taken, {"view": "a hand of cards"}))
    judge.edge.publish(Publication("topple/1/t1/state", b"fence", 1, retain=False))

    thief.hears("topple/1/t1/state", b"fence")
    assert not any(b"cards" in message.payload for message in thief.heard)


def test_a_hall_or_league_that_takes_a_hosts_id_hears_none_of_its_answers(tmp_path: Path) -> None:
    port = free_port()
    with hub(tmp_path / "hub", port) as central:
        for user in ("hall", "league"):
            fence = f"topple/1/attic/{'state' if user == 'hall' else 'results'}"
            address = central.address(user, AT_THE_HUB[user])
            thief = Ear(address, "topple/1/+/reply/+", fence, name="host-1")
            table = Ear(central.address("attic", AT_THE_HUB["attic"]), name="table")
            table.edge.publish(topics.reply("attic", "host-1", {"view": "cards"}))
            table.edge.publish(Publication(fence, b"fence", 1, retain=False))

            thief.hears(fence, b"fence")
            assert [message.payload for message in thief.heard] == [b"fence"]
            thief.edge.stop()
            table.edge.stop()


OBVIOUS = ("table-t1", "table", "t1", "topple-hub", "scoreboard")


def test_a_display_cannot_push_the_table_off_by_taking_its_id(
    judged: RunningBroker, ear: Callable[..., Ear]
) -> None:
    """A real table; the thief tries every id it could guess, and is there before and after."""
    hall = ear(judged, "display", "topple/1/t1/availability", name="hall")
    with connected(
        Source(), Pipeline(Detector()), NullJournal(), Identity("t1", "b"), judged.address("table"),
        home=Home(enabled=False), listener=lambda _outcome, _board: None,
    ) as (table, _edge):  # fmt: skip

        def steps_until(true: Callable[[], bool], what: str) -> None:
            def stepped() -> bool:
                table.step(time.monotonic() - began_s, time.time())
                return true()

            wait_until(stepped, what)

        began_s = time.monotonic()
        steps_until(lambda: hall.last("topple/1/t1/availability") == b"online", "the table")
        for obvious in OBVIOUS:
            ear(judged, "display", name=obvious)
        phone = ear(judged, "controller", "topple/1/t1/reply/me")
        phone.edge.publish(topics.command("t1", "undo", {"id": "a", "client": "me"}))
        steps_until(lambda: bool(phone.heard), "an answer of the table")
        said = [message.payload for message in hall.heard]

    assert json.loads(phone.heard[0].payload)["id"] == "a"
    assert said == [b"online"]
