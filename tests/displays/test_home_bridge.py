"""A table's broker bridged to the one broker of a house, by the shipped file."""

from pathlib import Path

from controller.mqtt.topics import Publication
from tests.controller.conftest import (
    DEPLOY,
    RunningBroker,
    _mosquitto_configuration,
    running_mosquitto,
    wait_until,
    write_passwords,
)
from tests.deploy.test_hub import Ear
from tests.displays.conftest import FIRST_MINUTE_S, TABLE, PlayedTable, playing
from tests.ports import free_port

THERE = {"house": "h", "table": "t"}
"""Users of the house's broker, which knows no rules of ours."""


def broker_of_house(folder: Path, port: int) -> Path:
    folder.mkdir()
    write_passwords(folder / "passwd", THERE)
    conf = folder / "mosquitto.conf"
    conf.write_text(
        f"user root\nallow_anonymous false\npassword_file {folder / 'passwd'}\n"
        f"listener {port} 127.0.0.1\n"
    )
    return conf


def broker_of_table(folder: Path, port: int, house_port: int) -> Path:
    folder.mkdir()
    conf = _mosquitto_configuration(folder, port, guarded=True)
    bridge = (DEPLOY / "homeassistant-bridge.conf").read_text()
    for word, value in {
        "HOST:1883": f"127.0.0.1:{house_port}", "NAME": TABLE, "USER": "table", "PASSWORD": "t",
    }.items():  # fmt: skip
        assert word in bridge
        bridge = "\n".join(
            line if line.startswith("#") else line.replace(word, value)
            for line in bridge.splitlines()
        )
    conf.write_text(f"{conf.read_text()}\n{bridge}")
    return conf


def test_the_house_hears_the_table_and_its_button_is_answered(tmp_path: Path) -> None:
    house_port, port = free_port(), free_port()
    house_conf = broker_of_house(tmp_path / "house", house_port)
    table_conf = broker_of_table(tmp_path / "table", port, house_port)
    for house in running_mosquitto(house_conf, house_port):
        for broker in running_mosquitto(table_conf, port):
            with playing(broker) as table:
                look(house, table)


def look(house: RunningBroker, table: PlayedTable) -> None:
    table.play(0.0, FIRST_MINUTE_S)
    home = Ear(house.address("house", THERE["house"]), "#", name="homeassistant")
    config = f"homeassistant/device/topple_{TABLE}/config"
    state = f"topple/1/{TABLE}/state"
    wait_until(lambda: home.last(config) is not None, "the device in the house")
    home.hears(f"topple/1/{TABLE}/availability", b"online")
    # The bridge may still be handing on earlier states of the game.
    home.hears(state, table.replay.retained[state].payload)

    press = Publication(
        f"topple/1/{TABLE}/cmd/undo", b'{"v":1,"client":"homeassistant"}', 1, retain=False
    )
    home.edge.publish(press)
    reply = f"topple/1/{TABLE}/reply/homeassistant"
    wait_until(lambda: home.last(reply) is not None, "the answer")
    wait_until(lambda: home.count("/cmd/undo") == 1, "one press, not two")

    table.go_off()
    home.hears(f"topple/1/{TABLE}/availability", b"offline")
    assert not [m.topic for m in home.heard if m.topic.endswith(("/summary", "/health", "/trace"))]
    home.edge.stop()
