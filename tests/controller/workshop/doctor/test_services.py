"""Brokers with and without the right password, tables online and offline, services up and down."""

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

from controller.common.config import Config, parse
from controller.mqtt.client import Mqtt
from controller.mqtt.topics import Publication
from controller.workshop.doctor.computer import Computer
from controller.workshop.doctor.services import (
    RetainedDocuments,
    look_at_broker,
    look_at_pages,
    look_at_table,
    look_at_units,
    read_retained,
)
from tests.controller.conftest import wait_until
from tests.ports import free_port


def config_for(port: int, secret: Path | None = None) -> Config:
    user = "" if secret is None else f'user = "table"\npassword_file = "{secret}"\n'
    return parse(f'[broker]\nkind = "mqtt"\nport = {port}\n{user}')


def secret(folder: Path, text: str) -> Path:
    (folder / "secret").write_text(text)
    return folder / "secret"


@pytest.mark.parametrize(("word", "verdict"), [("t-secret", "ok"), ("stale", "wrong")])
def test_the_broker_opens_to_the_tables_own_password(
    word: str, verdict: str, guarded_broker: Any, tmp_path: Path
) -> None:
    config = config_for(guarded_broker.port, secret(tmp_path, word))

    (found,) = look_at_broker(config, Computer())

    assert found.verdict == verdict
    assert word not in found.words


def test_a_broker_that_is_not_there_is_named_and_an_embedded_one_needs_no_look() -> None:
    (found,) = look_at_broker(config_for(free_port()), Computer())
    (embedded,) = look_at_broker(parse(""), Computer())

    assert (found.verdict, embedded.verdict) == ("wrong", "ok")
    assert "nothing listens there" in found.words


def test_the_table_is_heard_by_a_displays_name(guarded_broker: Any, tmp_path: Path) -> None:
    table = Mqtt(guarded_broker.address("table"), "table")
    table.start()
    wait_until(lambda: table.connection.up, "the table to be connected")
    table.publish(Publication("topple/1/t1/availability", b"online", 1, retain=True))
    table.publish(Publication("topple/1/t1/status", b'{"phase":"ready"}', 1, retain=True))
    secrets = tmp_path / "etc/topple-table/secrets"
    secrets.mkdir(parents=True)
    (secrets / "display").write_text("d-secret\n")
    config = config_for(guarded_broker.port, secret(tmp_path, "t-secret"))

    wait_until(lambda: bool(read_retained(config, Computer(tmp_path)).rows), "the status")
    found = list(look_at_table(read_retained(config, Computer(tmp_path))))

    assert [(f.verdict, f.words) for f in found] == [("ok", "online, ready")]
    table.stop()


def test_who_may_not_read_a_displays_password_is_told(guarded_broker: Any, tmp_path: Path) -> None:
    config = config_for(guarded_broker.port, secret(tmp_path, "t-secret"))

    (found,) = look_at_table(read_retained(config, Computer(tmp_path)))

    assert found.verdict == "note"


def test_an_offline_table_and_its_troubles_are_told() -> None:
    troubles = [{"sensor": "cell C1", "reason": "silent"}, {"sensor": "imu", "reason": "stuck"}]
    status = msgspec.json.encode({"phase": "degraded", "troubles": troubles})

    assert [f.verdict for f in look_at_table(RetainedDocuments({}))] == ["wrong"]
    found = list(look_at_table(RetainedDocuments({"availability": b"online", "status": status})))
    assert [f.verdict for f in found] == ["wrong", "wrong"]
    assert "cell C1: silent" in found[0].words


def online(**health: Any) -> RetainedDocuments:
    status = msgspec.json.encode({"phase": "ready"})
    return RetainedDocuments(
        {"availability": b"online", "status": status, "health": msgspec.json.encode(health)}
    )


def test_a_lost_washer_is_named_and_what_weights_are_worth_in_this_game() -> None:
    lost = [{"colour": "blue", "like": "red", "times": 3}]
    pieces = {"masses_g": {"red": 3.0, "blue": 3.98}, "certainty": 0.99993, "lost": lost}

    found = [f for f in look_at_table(online(pieces=pieces)) if f.about == "pieces"]

    assert [(f.verdict, f.words, f.advice) for f in found] == [
        ("ok", "now red 3.00 g, blue 3.98 g: the weight names the colour in 99.99 of 100 cases",
         ""),
        ("note", "3 times a blue piece weighed like a red one",
         "see whether it has lost its washer"),
    ]  # fmt: skip


@pytest.mark.parametrize("pieces", [None, {}, {"masses_g": 3}, [1]])
def test_where_nothing_is_known_of_weights_nothing_is_said_of_pieces(pieces: Any) -> None:
    assert [f.about for f in look_at_table(online(pieces=pieces))] == ["table"]


@pytest.mark.parametrize("payload", [b"", b"[1]", b"{", b"\xff", b"null"])
def test_strange_documents_do_no_harm(payload: bytes) -> None:
    assert RetainedDocuments({"status": payload}).document("status") == {}


@pytest.fixture
def page() -> Iterator[tuple[int, list[bytes]]]:
    """A web server of somebody's."""
    content = [b"Topple Table"]

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content[0])

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, content
    server.shutdown()
    server.server_close()


def test_pages_are_ours_or_anothers_or_missing_or_not_served_here(
    page: tuple[int, list[bytes]], tmp_path: Path
) -> None:
    port, content = page
    config = parse(f"[web]\nport = {port}")

    assert [f.verdict for f in look_at_pages(config, Computer())] == ["ok"]
    content[0] = b"a printer"
    (found,) = look_at_pages(config, Computer())
    assert "another program" in found.words
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = parse(f"[web]\nport = {free.getsockname()[1]}")
        (found,) = look_at_pages(nobody, Computer())
        assert "Connection refused" in found.words
    assert list(look_at_pages(parse("[web]\nenabled = false"), Computer(tmp_path))) == []


def systemd(root: Path, answer: str) -> Computer:
    (root / "run/systemd/system").mkdir(parents=True)
    unit = root / "etc/systemd/system/topple-table.service"
    unit.parent.mkdir(parents=True)
    unit.touch()
    return Computer(root, ask=lambda _command: answer)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("ActiveState=active\nSubState=running\nNRestarts=0\n", "ok"),
        ("ActiveState=active\nSubState=running\nNRestarts=3\n", "note"),
        ("ActiveState=failed\nSubState=failed\nNRestarts=0\n", "wrong"),
        ("", "wrong"),
        (None, "note"),
    ],
)
def test_services_are_up_or_named(answer: str | None, verdict: str, tmp_path: Path) -> None:
    computer = Computer(tmp_path) if answer is None else systemd(tmp_path, answer)

    assert [f.verdict for f in look_at_units(computer)] == [verdict]
