"""The shipped broker's places: guests can take theirs, and none of the table's and its pages'."""

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from controller.common.config import load
from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Mqtt
from tests.controller.conftest import (
    PASSWORDS,
    PATIENCE_S,
    running_mosquitto,
    shipped_configuration,
    wait_until,
    write_passwords,
)
from tests.deploy.test_hub import DEPLOY, Ear
from tests.ports import free_port

GUESTS = 200
MOST_TRIED = 2 * GUESTS
"""Mosquitto 2.0.11 counts who hangs up without a word twice, so there can be some more."""

ACCEPTED = b"\x20\x02\0\0"


@dataclass
class Listeners:
    """The two ports of the shipped broker."""

    everybody: int
    own: int


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Listeners]:
    """Debian's Mosquitto with the shipped settings, users and rules."""
    ports = Listeners(free_port(), free_port())
    (tmp_path / "topple-table.acl").write_text((DEPLOY / "topple-table.acl").read_text())
    write_passwords(tmp_path / "topple-table.passwd", PASSWORDS)
    conf = tmp_path / "mosquitto.conf"
    conf.write_text(shipped_configuration(tmp_path, ports.everybody, ports.own))
    for _ in running_mosquitto(conf, ports.everybody):
        yield ports


def connect_packet(client: str, user: str, password: str) -> bytes:
    """A login that never needs to say anything again: keepalive 0."""
    words = b"".join(
        len(word).to_bytes(2, "big") + word.encode() for word in (client, user, password)
    )
    body = b"\0\4MQTT\4\xc2\0\0" + words
    return b"\x10" + bytes([len(body)]) + body


def take_all_places(port: int, guests: ExitStack, *, logged_in: bool) -> None:
    """Open connections, and keep them, until one who has a password is not let in any more."""
    for number in range(MOST_TRIED):
        guest = guests.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_S))
        if (logged_in or number >= GUESTS) and not lets_in(guest, f"guest-{number}"):
            return
    pytest.fail(f"{MOST_TRIED} connections, and there is still room")


def lets_in(guest: socket.socket, name: str) -> bool:
    try:
        guest.sendall(connect_packet(name, "display", PASSWORDS["display"]))
        return guest.recv(4) == ACCEPTED
    except ConnectionError:
        return False


def address(port: int, user: str) -> BrokerAddress:
    return BrokerAddress("127.0.0.1", port, user, PASSWORDS[user])


@pytest.mark.parametrize("logged_in", [True, False], ids=["silent displays", "no password"])
def test_a_table_and_its_pages_find_a_place_when_guests_have_taken_all_of_theirs(
    broker: Listeners, *, logged_in: bool
) -> None:
    with ExitStack() as guests:
        take_all_places(broker.everybody, guests, logged_in=logged_in)

        pages = Ear(address(broker.own, "controller"), "topple/1/t1/state", name="pages")
        table = Mqtt(address(broker.own, "table"), "table", quiet=True)
        table.start()
        wait_until(lambda: table.connection.up, "the table")
        table.publish(topics.Publication("topple/1/t1/state", b"{}", 1, retain=True))
        pages.hears("topple/1/t1/state", b"{}")
        for edge in (pages.edge, table):
            edge.stop()


def listeners(text: str) -> dict[str, int]:
    """Listeners of a Mosquitto's configuration with their places."""
    found = re.findall(r"^listener (.+)\n(?:.*\n)*?max_connections (\d+)$", text, re.MULTILINE)
    return {listener: int(places) for listener, places in found}


def test_what_guests_can_reach_is_not_where_the_table_and_its_pages_connect() -> None:
    places = listeners((DEPLOY / "topple-table.conf").read_text())
    unit = (DEPLOY.parent / "systemd/topple-table-scoreboard.service").read_text()
    installer = (DEPLOY.parent / "install.sh").read_text()

    assert places == {"1884 127.0.0.1": 50, "1883": GUESTS}
    assert "--broker 127.0.0.1:1884 " in unit
    assert 'set_key "$config" broker port 1884' in installer
    assert load(DEPLOY.parent / "topple-table.toml").broker.host == "127.0.0.1"


@pytest.mark.parametrize("name", ["topple-table.conf", "hub.conf"])
def test_there_are_files_for_every_place(name: str) -> None:
    """Each connection takes one; listeners, the log and the memory of epoll take some more."""
    places = listeners((DEPLOY / name).read_text())
    files = re.findall(
        r"^LimitNOFILE=(\d+)$", (DEPLOY / "hardening.conf").read_text(), re.MULTILINE
    )

    assert places
    assert int(files[0]) >= sum(places.values()) + 100
