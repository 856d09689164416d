"""What systemd hears: everything it needs, no more often than it needs it, and never a crash."""

import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.common.systemd import Notifier
from tests.controller.conftest import PATIENCE_S, wait_until

ROOT = Path(__file__).parents[3]


class Ear:
    """A supervisor's end of the socket."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self._socket.setblocking(False)
        self.address = address

    def heard(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self._socket.recv(4096).decode())
            except BlockingIOError:
                return found

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[Ear]:
    opened = Ear(str(tmp_path / "notify"))
    yield opened
    opened.close()


def notifier(ear: Ear, patience_s: float = 20.0) -> Notifier:
    return Notifier({"NOTIFY_SOCKET": ear.address, "WATCHDOG_USEC": str(int(patience_s * 1e6))})


def test_the_watchdog_is_fed_four_times_in_its_patience(ear: Ear) -> None:
    told = notifier(ear, patience_s=20.0)

    for step in range(1000):
        told.alive(100.0 + step * 0.02)

    assert ear.heard() == ["WATCHDOG=1"] * 4


def test_without_a_watchdog_only_news_is_told(ear: Ear) -> None:
    told = Notifier({"NOTIFY_SOCKET": ear.address})
    told.ready("Ann 0")

    for words in ("Ann 0", "Ann 3", "Ann 3"):
        told.alive(0.0, words)

    assert ear.heard()[1:] == ["STATUS=Ann 3"]


def test_a_name_in_the_kernel_is_understood_and_no_supervisor_is_none(tmp_path: Path) -> None:
    ear, nobody = Ear(f"@topple-table-{tmp_path.name}"), Notifier({})

    for told in (nobody, notifier(ear)):
        told.ready("here")
        told.stopping()

    assert not nobody.heard
    assert ear.heard() == ["READY=1\nSTATUS=here", "STOPPING=1"]
    ear.close()


def test_a_supervisor_that_went_away_costs_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "1000000"})

    for step in range(10):
        told.alive(float(step))

    assert len(caplog.records) == 1
    assert "does not answer" in caplog.text


def test_a_supervisor_that_was_busy_is_fed_again(tmp_path: Path) -> None:
    told = Notifier({"NOTIFY_SOCKET": str(tmp_path / "late"), "WATCHDOG_USEC": "1000000"})
    told.alive(0.0)
    ear = Ear(str(tmp_path / "late"))
    told.alive(1.0)

    assert ear.heard() == ["WATCHDOG=1"]
    ear.close()


def test_without_a_free_descriptor_the_watchdog_is_fed(ear: Ear) -> None:
    told = notifier(ear)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.dup(0)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, before[1]))
    try:
        told.alive(0.0)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    assert ear.heard() == ["WATCHDOG=1"]


CLI = "from controller import cli; import sys; sys.exit(cli.main())"


def table_arguments(folder: Path) -> list[str]:
    config = folder / "table.toml"
    config.write_text('[table]\njournal = ""\n[broker]\nport = 0\n[web]\nenabled = false\n')
    return ["run", "--config", str(config)]


def scoreboard_arguments(_folder: Path) -> list[str]:
    return ["scoreboard", "--broker", "127.0.0.1:1", "--port", "0"]


def league_arguments(folder: Path) -> list[str]:
    return ["league", "--broker", "127.0.0.1:1", "--database", str(folder / "league.sqlite")]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [table_arguments, scoreboard_arguments, league_arguments])
def test_a_process_is_ready_feeds_the_watchdog_and_says_goodbye(
    arguments: Callable[[Path], list[str]], ear: Ear, tmp_path: Path
) -> None:
    heard: list[str] = []

    def has(message: str, times: int = 1) -> bool:
        heard.extend(ear.heard())
        return sum(line.startswith(message) for line in heard) >= times

    process = subprocess.Popen(
        [sys.executable, "-c", CLI, *arguments(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"NOTIFY_SOCKET": ear.address, "WATCHDOG_USEC": "400000"},
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: has("WATCHDOG=1", 3), "the watchdog to be fed")
        assert heard[0].startswith("READY=1\nSTATUS=")
    finally:
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
    wait_until(lambda: has("STOPPING=1"), "a goodbye")
