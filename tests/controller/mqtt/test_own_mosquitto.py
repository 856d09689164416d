"""An installed Mosquitto, started for one run."""

import queue
import socket
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.mqtt import own_mosquitto
from controller.mqtt.broker import BrokerUnavailableError
from controller.mqtt.own_mosquitto import OwnMosquitto
from tests.controller.conftest import PATIENCE_S, mosquitto_program
from tests.ports import free_port


@pytest.mark.parametrize("version", [MQTTProtocolVersion.MQTTv311, MQTTProtocolVersion.MQTTv5])
def test_it_takes_both_versions_and_ends(version: MQTTProtocolVersion) -> None:
    mosquitto_program()
    broker = OwnMosquitto(free_port())
    port = broker.start()
    answers: queue.Queue[bool] = queue.Queue()
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id="x", protocol=version)
    client.on_connect = lambda *heard: answers.put(heard[3].is_failure)
    client.connect("127.0.0.1", port)
    client.loop_start()
    assert answers.get(timeout=PATIENCE_S) is False
    client.disconnect()
    client.loop_stop()

    broker.stop()

    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_taken_port_is_passed_over() -> None:
    mosquitto_program()
    wanted = free_port()
    with socket.create_server(("127.0.0.1", wanted)):
        broker = OwnMosquitto(wanted)
        assert broker.start() > wanted
        broker.stop()


def test_without_mosquitto_or_a_free_port_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    mosquitto_program()
    monkeypatch.setattr(own_mosquitto, "_is_free", lambda _port: False)
    with pytest.raises(BrokerUnavailableError, match="no port from 1883 to 1902"):
        OwnMosquitto(1883).start()

    monkeypatch.setattr(own_mosquitto, "program", lambda: None)
    with pytest.raises(BrokerUnavailableError, match="apt install mosquitto"):
        OwnMosquitto(1883).start()


def test_one_that_ends_at_once_is_told_with_its_own_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "mosquitto"
    broken.write_text("#!/bin/sh\necho no entropy today\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(own_mosquitto, "program", lambda: str(broken))

    with pytest.raises(BrokerUnavailableError, match="no entropy today"):
        OwnMosquitto(free_port()).start()
