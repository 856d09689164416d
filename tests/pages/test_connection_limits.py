"""Who may come in, and what guests cannot take: against real sockets and a real table."""

import asyncio
import contextlib
import errno
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from pages import connection_limits
from pages.connection_limits import (
    IDLE_S,
    KEPT,
    MOST_EACH,
    ConnectionLimiter,
    Entrance,
    connections_for,
    household,
    places,
    quietly,
)
from tests.clock import Clock
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.pages.loops import finished

GUEST, OTHER = "192.168.1.7", "192.168.1.8"


def let_in(door: ConnectionLimiter, host: str, count: int, first_port: int = 1000) -> int:
    """How many of so many connections may come in."""
    return sum(door.enter((host, first_port + number)) for number in range(count))


def test_one_address_has_its_share_and_leaves_the_rest_to_others() -> None:
    door = ConnectionLimiter(200)

    assert let_in(door, GUEST, 300) == MOST_EACH
    assert let_in(door, OTHER, 1) == 1
    # A port that comes back before its end was seen is counted once.
    assert door.enter((OTHER, 1000))
    assert len(door) == MOST_EACH + 1
    door.leave((GUEST, 1000))
    assert let_in(door, GUEST, 2, 5000) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("2001:db8::1", "2001:db8::ffff"), ("::ffff:192.168.1.7", "192.168.1.7")],
)
def test_addresses_that_one_device_can_choose_from_are_counted_together(
    one: str, other: str
) -> None:
    door = ConnectionLimiter(200)

    assert let_in(door, one, MOST_EACH) == MOST_EACH
    assert let_in(door, other, 1) == 0
    assert household(one) == household(other)


def test_guests_leave_some_places_to_this_machine_and_all_together_have_an_end() -> None:
    door = ConnectionLimiter(100)
    guests = sum(let_in(door, f"192.168.1.{host}", 10) for host in range(1, 250))

    assert guests == 100 - KEPT
    assert let_in(door, "127.0.0.1", 100) == KEPT
    assert len(door) == 100


def test_who_asks_for_nothing_is_sent_away_and_who_is_answered_is_not() -> None:
    clock = Clock()
    door = ConnectionLimiter(100, clock)
    silent, asking, done = ((GUEST, port) for port in (1, 2, 3))
    for peer in (silent, asking, done):
        door.enter(peer)
    with door.answering(asking):
        clock.now_s = IDLE_S - 1
        with door.answering(done):
            pass
        assert door.idle() == []
        clock.now_s = IDLE_S

        assert door.idle() == [silent]
        clock.now_s = 2 * IDLE_S
        assert door.idle() == [silent, done]


def test_a_stream_stays_whose_page_on_the_same_connection_was_cleared_up_after_it_began() -> None:
    """On a busy machine a browser asks on before the file of its page is closed here."""
    clock = Clock()
    door = ConnectionLimiter(100, clock)
    browser = (GUEST, 1)
    door.enter(browser)
    page, stream = door.answering(browser), door.answering(browser)
    page.__enter__()
    stream.__enter__()
    page.__exit__(None, None, None)
    clock.now_s = 2 * IDLE_S

    assert door.idle() == []
    stream.__exit__(None, None, None)
    clock.now_s = 3 * IDLE_S
    assert door.idle() == [browser]


def test_a_flood_is_one_line_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    door = ConnectionLimiter(100, clock)
    for second in range(61):
        clock.now_s = float(second)
        let_in(door, GUEST, 500)

    assert len(caplog.messages) == 2
    assert f"turned away, the last of {GUEST} (64 of this address are open)" in caplog.text


@pytest.mark.parametrize("files", [32, 64, 256, 1024, 4096, 10**6])
def test_connections_never_take_the_descriptors_of_journal_and_broker(files: int) -> None:
    assert KEPT < connections_for(files) <= max(KEPT + 1, files - 24)
    # The MQTT client waits with select, which knows no descriptor above 1023.
    assert connections_for(files) <= 1024 * 5 // 8


def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be() -> None:
    code = (
        "import resource; from pages.connection_limits import places; print(places());"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    for soft, hard, expected in ((256, 512, ["320", "512"]), (256, 8192, ["600", "4096"])):
        printed = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)),  # noqa: B023
        ).stdout  # fmt: skip
        assert printed.split() == expected
    assert places() > 0


def test_a_phone_that_left_without_a_farewell_is_given_up_after_a_minute() -> None:
    door = ConnectionLimiter(100)
    with (
        Entrance(socket.create_server(("127.0.0.1", 0)), door) as entrance,
        socket.create_connection(entrance.getsockname()),
    ):
        connection, _ = entrance.accept()
        patience_ms = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        assert (patience_ms, len(door)) == (60_000, 1)
        connection.close()

    assert len(door) == 0


def test_without_a_free_descriptor_the_loop_pauses_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    """Asyncio alone tries on in the same round: thousands of traces in the log, each second."""
    tries = 0
    raw = socket.create_server(("127.0.0.1", 0))
    entrance = Entrance(raw, ConnectionLimiter(100))

    def failing(_self: socket.socket) -> Any:
        nonlocal tries
        tries += 1
        raise OSError(errno.EMFILE, "Too many open files")

    async def flooded() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(quietly)
        server = await loop.create_server(asyncio.Protocol, sock=entrance, backlog=2048)
        with socket.create_connection(entrance.getsockname()):
            for _ in range(200):
                await asyncio.sleep(0)
        server.close()

    monkeypatch.setattr(socket.socket, "accept", failing)
    finished(flooded())

    assert tries == 2
    assert len(caplog.messages) == 1
    assert "Traceback" not in capfd.readouterr().err


# --- a real table in a process of its own ---------------------------------------------------------

FILES = 256
"""Descriptors of the table: as 1,100 connections against the usual 1024, in small."""

CONFIGURATION = """
[table]
id = "t1"
journal = "t.journal"
[broker]
port = 0
[web]
port = 0
[source]
kind = "twin"
seed = 3
speed = 4.0
"""


class Table:
    """`topple-table run` with its pages, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        (folder / "table.toml").write_text(CONFIGURATION)
        self._folder = folder
        command = [sys.executable, "-m", "controller.cli", "run", "--config"]
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            self.process = subprocess.Popen(
                [*command, str(folder / "table.toml")], stdout=out, stderr=err,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),  # noqa: PLW1509
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip

    @property
    def address(self) -> str:
        """As it stands on the terminal."""
        found = re.search(r"Scoreboard: (http://\S+)", (self._folder / "out").read_text())
        return found[1] if found else ""

    @property
    def port(self) -> int:
        return int(re.findall(r":(\d+)/", self.address)[0])

    @property
    def entries(self) -> int:
        """Lines in the copy of the journal."""
        copies = (self._folder / "t.journal.d").glob("*.jsonl")
        return sum(path.read_bytes().count(b"\n") for path in copies)

    @property
    def complaints(self) -> list[str]:
        return (self._folder / "err").read_text().splitlines()

    def get(self, path: str, **headers: str) -> Any:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", headers=headers)
        return urllib.request.urlopen(request, timeout=PATIENCE_S)  # noqa: S310


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    made = Table(tmp_path_factory.mktemp("table"))
    try:
        wait_until(lambda: made.address and made.entries > 1, "the game to begin")
        yield made
    finally:
        made.process.send_signal(signal.SIGKILL)
        made.process.wait(PATIENCE_S)


def crowd(port: int, count: int, addresses: int) -> list[socket.socket]:
    """Connections that say nothing. 127.0.0.1 itself is not among their addresses."""
    held = []
    for number in range(count):
        guest = socket.socket()
        guest.settimeout(0.2)
        guest.bind((f"127.0.0.{2 + number % addresses}", 0))
        with contextlib.suppress(OSError):
            guest.connect(("127.0.0.1", port))
        held.append(guest)
    return held


@pytest.mark.slow
@pytest.mark.parametrize("addresses", [1, 20])
def test_a_crowd_that_only_connects_takes_neither_the_own_screen_nor_the_journal(
    table: Table, addresses: int
) -> None:
    held = crowd(table.port, 400, addresses)
    try:
        before = table.entries
        # As the terminal says; then as the browser goes on, with its cookie.
        token = table.address.partition("?screen=")[2]
        cookie = f"topple_screen_{table.port}={token}"
        with table.get(table.address.partition(f":{table.port}/")[2], cookie=cookie) as page:
            assert (page.status, b"<html" in page.read()) == (200, True)
        with table.get("t/t1/play/invite", cookie=cookie) as invitation:
            assert re.fullmatch(r"\d{6}", json.loads(invitation.read())["pin"])
        with table.get("t/t1/stream", cookie=cookie) as stream:
            assert stream.readline() == b"retry: 3000\n"
            wait_until(lambda: table.entries > before + 3, "the journal to go on")
    finally:
        for guest in held:
            guest.close()
    # A line a minute on whom we sent away, and the minutes may have been long.
    assert 1 <= len(table.complaints) <= 5
    assert all("turned away" in line for line in table.complaints)
    assert table.process.poll() is None


def ended(guest: socket.socket) -> bool:
    guest.setblocking(False)
    try:
        while guest.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


@pytest.mark.slow
def test_requests_without_end_and_nonsense_hold_no_place_and_fill_no_log(table: Table) -> None:
    complaints = len(table.complaints)
    held = crowd(table.port, 40, 1)
    websocket = b"connection: upgrade\r\nupgrade: websocket\r\n\r\n"
    starts = [
        b"",
        b"GET /t/t1 HT",
        b"GET / HTTP/1.1\r\nhost: a\r\nx: y",
        b"\x16\x03\x01nonsense\r\n\r\n",
        b"GET /nowhere HTTP/1.1\r\nhost: a\r\n" + websocket,
    ]
    for number, guest in enumerate(held):
        guest.sendall(starts[number % len(starts)])
    drip_s = time.monotonic()

    def all_gone() -> bool:
        nonlocal drip_s
        if time.monotonic() - drip_s > 1.0:
            drip_s = time.monotonic()
            for guest in held[1:]:
                with contextlib.suppress(OSError):
                    guest.send(b"z")
        return all(ended(guest) for guest in held)

    wait_until(all_gone, "every one of them to be gone")
    for guest in held:
        guest.close()

    assert table.complaints[complaints:] == []


def test_the_kept_places_answer_the_own_screen_only_and_a_proxy_here_gets_none() -> None:
    """A proxy on this machine connects from here, too, for whoever asks it."""
    door = ConnectionLimiter(KEPT + 1)
    asked: list[str] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        asked.append(scope["path"])

    statuses: list[int] = []

    async def send(message: Any) -> None:
        if "status" in message:
            statuses.append(message["status"])

    async def receive() -> Any:
        raise AssertionError

    keeper = connection_limits.LimiterMiddleware(
        app, door, lambda scope: HTTPConnection(scope).cookies.get("proof") == "right"
    )
    door.enter((GUEST, 1))
    for port, cookie in ((2, b"proof=wrong"), (3, b"proof=right")):
        door.enter(("127.0.0.1", port))
        scope = {"type": "http", "client": ("127.0.0.1", port), "path": f"/{port}",
                 "headers": [(b"cookie", cookie)]}  # fmt: skip
        finished(keeper(scope, receive, send))

    assert (statuses, asked) == ([503], ["/3"])
