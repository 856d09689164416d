"""The bench's connection, at real brokers: the shipped Mosquitto with its rules, and our own."""

from collections.abc import Callable, Iterator

import pytest

from controller.common.errors import BadTarget
from controller.mqtt.client import BrokerAddress, Mqtt
from controller.mqtt.topics import Publication
from lab.bench.observed import Sent
from lab.bench.outside.link import MqttLink
from tests.controller.conftest import RunningBroker, wait_until

TABLE = "t3"
KEPT = ("availability", "status", "state", "summary", "health")


class Speaker:
    """Somebody who speaks as a table."""

    def __init__(self, address: BrokerAddress) -> None:
        self.heard: list[bytes] = []
        self._edge = Mqtt(address, "table-x", subscriptions=(f"topple/1/{TABLE}/cmd/+",))
        self._edge.on_message(lambda message: self.heard.append(message.payload))
        self._edge.start()
        wait_until(lambda: self._edge.connection.up, "the table's connection")

    def says(self, row: str, text: str, *, qos: int = 1, retain: bool = True) -> None:
        self._edge.publish(Publication(f"topple/1/{TABLE}/{row}", text.encode(), qos, retain))

    def begins(self) -> None:
        for row in KEPT:
            self.says(row, "0")

    def stop(self) -> None:
        self._edge.stop()


def listened(link: MqttLink, *suffixes: str) -> dict[str, Sent]:
    """The newest message of each, once all have come."""
    found: dict[str, Sent] = {}

    def come() -> bool:
        found.update({message.suffix: message for message in link.listen(0.05)})
        return found.keys() >= set(suffixes)

    wait_until(come, str(suffixes))
    return found


def joined(link: MqttLink) -> dict[str, Sent]:
    """What is retained, once all that the speaker begins with is at the broker.

    A row that comes while the bench joins has no retain flag in MQTT 3.1.1.
    """
    wait_until(lambda: link.kept().keys() >= set(KEPT), "what the speaker begins with")
    return link.join()


@pytest.fixture
def table(guarded_mosquitto: RunningBroker) -> Iterator[Speaker]:
    speaker = Speaker(guarded_mosquitto.address("table"))
    speaker.begins()
    yield speaker
    speaker.stop()


@pytest.fixture
def link(guarded_mosquitto: RunningBroker, table: Speaker) -> Iterator[MqttLink]:
    found = MqttLink(guarded_mosquitto.address("controller"), TABLE)
    assert set(joined(found)) >= set(KEPT)
    yield found
    found.close()


def test_of_each_message_the_flag_and_the_quality_are_those_of_the_table(
    link: MqttLink, table: Speaker
) -> None:
    table.says("state", "1")
    table.says("summary", "2", retain=False)
    table.says("health", "3", qos=0)
    heard = listened(link, "state", "summary", "health")

    assert link.flags
    assert {name: (m.qos, m.retain) for name, m in heard.items()} == {
        "state": (1, True), "summary": (1, False), "health": (0, True),
    }  # fmt: skip


def test_whoever_comes_later_is_another_one(link: MqttLink, table: Speaker) -> None:
    table.says("state", "7")
    listened(link, "state")

    assert link.kept()["state"].payload == b"7"


def test_commands_go_out_under_our_own_id_and_the_rules_let_the_answer_in(
    link: MqttLink, table: Speaker
) -> None:
    link.say("roll", b'{"id":"bench-1","client":"bench"}')
    wait_until(lambda: table.heard, "the command")
    client = table.heard[0].split(b'"client":"')[1].rstrip(b'"}').decode()
    table.says(f"reply/{client}", "{}", retain=False)
    table.says("reply/phone", "{}", retain=False)

    assert client.startswith("bench-")
    assert listened(link, "reply/bench").keys() == {"reply/bench"}


def test_a_broker_of_the_old_protocol_hides_the_flags(embedded_broker: RunningBroker) -> None:
    speaker = Speaker(embedded_broker.address())
    speaker.begins()
    link = MqttLink(embedded_broker.address(), TABLE)

    assert joined(link)["status"].retain
    assert not link.flags
    link.close()
    speaker.stop()


def test_who_cannot_be_heard_is_named_with_what_to_check(
    guarded_mosquitto: RunningBroker, table: Speaker, free_port: Callable[[], int]
) -> None:
    stranger = BrokerAddress("127.0.0.1", guarded_mosquitto.port, "controller", "wrong")
    for address, name, words in (
        (guarded_mosquitto.address("controller"), "t9", "nothing is retained of table t9"),
        (stranger, TABLE, "check --user and --password-file"),
        (BrokerAddress("127.0.0.1", free_port()), TABLE, "refused; is a broker running there"),
    ):
        with pytest.raises(BadTarget, match=words):
            MqttLink(address, name).join()


def test_a_broker_that_hangs_up_ends_the_case(guarded_broker: RunningBroker) -> None:
    speaker = Speaker(guarded_broker.address("table"))
    speaker.begins()
    link = MqttLink(guarded_broker.address("controller"), TABLE)
    joined(link)
    guarded_broker.stop()

    def lost() -> bool:
        try:
            link.listen(0.05)
        except BadTarget as problem:
            return "has hung up on the bench" in str(problem)
        return False

    wait_until(lost, "the end of the connection")
    link.close()
    speaker.stop()
