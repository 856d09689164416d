"""What one guest does to a real broker, table and pages, and what others notice of it."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt import topics
from controller.mqtt.client import Mqtt
from controller.mqtt.topics import Publication
from pages.feed import MOST_EACH
from pages.phone.sessions import ACTS_A_SECOND, ACTS_AT_ONCE
from tests.controller.app.test_run_tables import CLI
from tests.controller.conftest import PATIENCE_S, RunningBroker, wait_until
from tests.deploy.test_hub import Ear
from tests.pages.home import Home
from tests.pages.scenes import scene


class Phone:
    """A phone without a browser, which need not behave."""

    def __init__(self, home: Home) -> None:
        self._home, self.cookie = home, ""
        status, answer = self.post("join", {"pin": home.pin()})
        assert status == 200, answer

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        host = f"tower.local:{self._home.server.port}"
        head = {"host": host, "origin": f"http://{host}", "content-type": "application/json",
                "cookie": self.cookie}  # fmt: skip
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self._home.server.port}/t/t1/play/{path}",
            json.dumps(body).encode(), head,
        )  # fmt: skip
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:  # noqa: S310
                if found := answer.headers.get("set-cookie"):
                    self.cookie = found.partition(";")[0]
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read())

    def act(self, verb: str, number: int, **data: Any) -> tuple[int, Any]:
        board = self._home.server._mirror.tables["t1"].state
        seen = {"boot": board.boot, "game": board.game, "rev": board.rev} if board else None
        return self.post("do", {"verb": verb, "id": f"{number:012}", "seen": seen, "data": data})


class NoBrowser:
    """In place of one that these tests do not need."""

    contexts = ()


def opened(broker: RunningBroker, folder: Path) -> Home:
    """All but the browser, once a phone can act on what is shown."""
    made = Home(broker, NoBrowser(), folder)
    wait_until(made.can_act, "the table to be online")
    wait_until(lambda: made.server._mirror.tables["t1"].state, "what it shows")
    return made


@pytest.fixture
def home(guarded_mosquitto: Any, tmp_path: Path) -> Iterator[Home]:
    made = opened(guarded_mosquitto, tmp_path)
    yield made
    made.close()


START = {
    "players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}],
    "first": 0,
}


@pytest.mark.slow
def test_a_thousand_acts_of_one_phone_leave_the_table_to_the_others(home: Home) -> None:
    """As fast as it can, eight at a time, while another phone plays."""
    honest, storm = Phone(home), Phone(home)
    status, answer = honest.act("start", 1, **START)
    assert (status, answer["ok"]) == (200, True)
    wait_until(lambda: home.table.board.game is not None, "the game")
    began_s = time.monotonic()

    with ThreadPoolExecutor(8) as many:
        answers = many.map(lambda number: storm.act("hints", 1000 + number), range(1000))
        heard = honest.act("hints", 2)
        codes = [status for status, _ in answers]
    allowed = ACTS_AT_ONCE + ACTS_A_SECOND * (time.monotonic() - began_s)

    assert heard[0] == 200, "another phone is answered meanwhile"
    assert codes.count(503) >= 1000 - allowed - 1
    assert 1 <= sum(code != 503 for code in codes) <= allowed + 1
    assert honest.act("hints", 3)[0] == 200


# --- who reads slowly, or not at all -------------------------------------------------------------

DOCUMENTS = 150
BLOATED = "x" * 50_000


def rss_kb(process: int) -> int:
    return int(re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[0])


@contextlib.contextmanager
def scoreboard(broker: RunningBroker, log: Path) -> Iterator[tuple[int, int]]:
    """The pages as a process of their own: its number, and its port."""
    with log.open("w") as out:
        running = subprocess.Popen(
            [sys.executable, "-c", CLI, "scoreboard", "--broker", f"127.0.0.1:{broker.port}",
             "--port", "0"],
            stdout=out, stderr=subprocess.STDOUT, cwd=log.parent,
        )  # fmt: skip
    try:
        wait_until(lambda: re.search(r":(\d+)/", log.read_text()), "the pages")
        yield running.pid, int(re.findall(r"http://[^:]+:(\d+)/", log.read_text())[0])
    finally:
        running.terminate()
        running.wait(PATIENCE_S)


def stream(port: int, address: str, room_bytes: int = 0) -> socket.socket:
    """A stream of the table to an address, with so much room for what is not read."""
    guest = socket.socket()
    if room_bytes:
        guest.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room_bytes)
    guest.bind((address, 0))
    guest.settimeout(PATIENCE_S)
    guest.connect(("127.0.0.1", port))
    guest.sendall(f"GET /t/t1/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    return guest


@pytest.mark.slow
@pytest.mark.parametrize("broker", ["mosquitto"], indirect=True)
def test_streams_that_nobody_reads_hold_one_document_each_and_delay_no_other(
    broker: RunningBroker, tmp_path: Path
) -> None:
    """Unbounded, they would hold 150 documents of 50 kB in each of 32 streams: 240 MB."""
    table = Mqtt(broker.address(), "table")
    table.start()
    wait_until(lambda: table.connection.up, "the table's connection")
    table.publish(topics.availability("t1", online=True))
    table.publish(topics.state(scene()))
    with scoreboard(broker, tmp_path / "log") as (process, port):
        reader = stream(port, "127.0.0.3")
        lines = reader.makefile("rb")
        wait_until(lambda: b"table" in lines.readline(), "the first document")
        guests = [stream(port, "127.0.0.2", 2048) for _ in range(MOST_EACH)]
        for guest in guests:
            assert guest.recv(12).endswith(b"200")
        before = rss_kb(process)

        for number in range(DOCUMENTS):
            trouble = topics.SensorTrouble("C1", f"{number:06}{BLOATED}")
            table.publish(
                topics.status(
                    "t1",
                    topics.TableStatus(
                        "b", "degraded", "now", "1", simulated=False, troubles=(trouble,)
                    ),
                )
            )
        last = f"{DOCUMENTS - 1:06}xxx".encode()
        wait_until(lambda: last in lines.readline(), "the newest document")

        assert rss_kb(process) - before < 30_000
        for each in (*guests, reader):
            each.close()
    table.stop()


# --- a hostile backlog ----------------------------------------------------------------------------

BACKLOG = 2000


def test_commands_that_somebody_left_at_the_broker_are_not_obeyed_and_hold_nothing_up(
    guarded_mosquitto: RunningBroker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody had the password of phones: thousands of retained commands wait for a new table."""
    thief = Ear(guarded_mosquitto.address("controller"), name="thief")

    def leave(*verbs: str, payload: bytes) -> None:
        for verb in verbs:
            thief.edge.publish(Publication(f"topple/1/t1/cmd/{verb}", payload, 1, retain=True))
        live = thief.edge._live
        assert live is not None
        # Ours would drop what is more than it keeps for a slow broker.
        wait_until(lambda: not live._out_messages, "the broker to take them")
        assert thief.edge.dropped == 0

    start = json.dumps({"v": 1, "id": "0", "client": "thief", "data": START}).encode()
    backlog = [f"start_{''.join(chr(97 + int(digit)) for digit in str(n))}" for n in range(BACKLOG)]
    for at in range(0, BACKLOG, 500):
        leave(*backlog[at : at + 500], payload=start)
    leave("start", "undo", "end", payload=start)

    home = opened(guarded_mosquitto, tmp_path)
    try:
        phone = Phone(home)
        status, answer = phone.act("hints", 1)
        assert (status, home.table.board.game) == (200, None), answer
        status, answer = phone.act("start", 2, **START)
        assert (status, answer["ok"]) == (200, True)
        assert len([line for line in caplog.messages if "retained" in line]) <= 10
    finally:
        home.close()
        for at in range(0, BACKLOG, 500):
            leave(*backlog[at : at + 500], payload=b"")
        leave("start", "undo", "end", payload=b"")
        thief.edge.stop()


# --- lines that somebody else writes into the log -------------------------------------------------

FAKE = ("\n2026-11-28 WARNING The table is fine", "\x1b[2J\x1b]0;owned\x07", "\u202eevil", "\r")


def test_nothing_of_others_makes_a_line_of_its_own_in_the_log_or_moves_the_cursor(
    home: Home, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    thief = Ear(home.broker.address("controller"), name="thief")
    # Mosquitto ends who sends control characters in a topic; direction it lets through.
    topics_said = ["cmd/\u202eundo", "cmd/undo", "cmd/start", "client/thief"]
    for number, fake in enumerate(FAKE):
        for row in topics_said:
            for document in (
                {"v": 1, "id": fake, "client": fake, "player": fake, "data": {"text": fake}},
                {"v": 1, "id": f"{number}", "client": "thief", "data": {fake: fake}},
                {"v": 1, "role": "controller", "name": fake, "trouble": fake, "code": fake},
                {"players": [{"name": fake, "colours": [fake]}], "game": fake, "id": fake},
                fake,
            ):
                payload = json.dumps(document).encode()
                thief.edge.publish(Publication(f"topple/1/t1/{row}", payload, 1, retain=False))
                raw = Publication(f"topple/1/t1/{row}", fake.encode(), 1, retain=False)
                thief.edge.publish(raw)
        host = home.server.port
        with socket.create_connection(("127.0.0.1", host)) as browser:
            browser.sendall(f"GET /{fake} HTTP/1.1\r\nHost: {fake}\r\nX: {fake}\r\n\r\n".encode())
            with contextlib.suppress(ConnectionError):
                browser.recv(64)
    phone = Phone(home)
    assert phone.act("hints", 1)[0] in {200, 503}
    thief.edge.stop()

    said = [*caplog.messages, *capsys.readouterr().out.splitlines()]
    assert [line for line in said if not line.isprintable()] == []
    assert not any("is fine" in line and line.startswith("2026") for line in said)
