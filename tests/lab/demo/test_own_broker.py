"""The broker of a demonstration ends: another one is started, and no stranger's is joined."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from controller.mqtt.broker import BrokerUnavailableError, EmbeddedBroker
from controller.mqtt.client import Message, Mqtt
from controller.mqtt.topics import Publication
from lab.demo.own_broker import OwnBroker
from tests.controller.conftest import mosquitto_program

WORD = Publication("topple/1/demo/state", b"ours", qos=1, retain=True)


@pytest.fixture(params=["mosquitto", "small"])
def own(
    request: pytest.FixtureRequest, free_port: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> Iterator[OwnBroker]:
    """A Mosquitto, and the small one where there is none."""
    if request.param == "mosquitto":
        mosquitto_program()
    else:
        monkeypatch.setattr("controller.mqtt.own_mosquitto.program", lambda: None)
    made = OwnBroker(free_port())
    yield made
    made.stop()


def end(broker: OwnBroker) -> None:
    """As somebody else would who kills it."""
    assert broker._broker is not None
    broker._broker.stop()


@contextlib.contextmanager
def connected(broker: OwnBroker, **options: Any) -> Iterator[Mqtt]:
    client = Mqtt(broker.where, "client", **options)
    client.start()
    yield client
    client.stop()


def test_one_that_ended_is_started_again_for_whoever_connects(
    own: OwnBroker, wait_until: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[Message] = []
    port = own.where().port
    with connected(own, birth=lambda: [WORD]) as table:
        wait_until(lambda: table.connection.up, "a connection")
        end(own)
        wait_until(lambda: not table.connection.up, "the end of it")
        wait_until(lambda: table.connection.up, "another connection")
        page = Mqtt(own.where, "page", subscriptions=(WORD.topic,))
        page.on_message(heard.append)
        page.start()
        wait_until(lambda: bool(heard), "what the table says at each birth")
        page.stop()

    assert own.where().port == port
    assert "The broker has ended" in capsys.readouterr().out


def test_a_strangers_broker_at_our_port_is_not_joined(own: OwnBroker, wait_until: Any) -> None:
    heard: list[Message] = []
    port = own.where().port
    with connected(own, subscriptions=(WORD.topic,)) as page:
        page.on_message(heard.append)
        wait_until(lambda: page.connection.up, "a connection")
        end(own)
        stranger = EmbeddedBroker(port)
        assert stranger.start() == port
        wait_until(lambda: not page.connection.up, "the end of it")
        wait_until(lambda: page.connection.up, "another connection")
        assert own.where().port != port
        assert str(own.where()) in page.connection.text
        stranger.stop()


def test_one_that_was_stopped_stays_so(own: OwnBroker) -> None:
    own.where()
    own.stop()

    with pytest.raises(BrokerUnavailableError, match="the demo has ended"):
        own.where()
