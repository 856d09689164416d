"""Real brokers for the tests: the embedded one, and Debian's Mosquitto with the shipped rules."""

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt.broker import EmbeddedBroker
from controller.mqtt.client import BrokerAddress, Message, Wire
from controller.mqtt.topics import Publication
from controller.table.commands import Answered, CommandDesk
from controller.table.publisher import Announcer
from tests.controller.judge import faults_of_obeyed, faults_of_said, schema, validator
from tests.ports import free_port

DEPLOY = Path(__file__).parents[2] / "deploy" / "mosquitto"
PASSWORDS = {
    "table": "t-secret",
    "display": "d-secret",
    "controller": "c-secret",
    "homeassistant": "h-secret",
}


@dataclass
class RunningBroker:
    """A broker that can be killed and started again on the same port."""

    kind: str
    port: int
    stop: Callable[[], None]
    start: Callable[[], None]

    def address(self, user: str | None = None, password: str | None = None) -> BrokerAddress:
        return BrokerAddress(
            "127.0.0.1", self.port, user, password or (PASSWORDS[user] if user else None)
        )


CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))),
    None,
)
"""The same engine; the shell draws no window of its own, which costs more than most pages."""
PATIENCE_S = 180.0
"""How long tests wait for a real process, broker or page. It only bounds a failure: a machine with
a load of many times its cores must not come near."""


def wait_until(true: Callable[[], object], what: str) -> None:
    """Poll a real process."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > end:
            pytest.fail(f"waited {PATIENCE_S:.0f} s in vain for: {what}")
        time.sleep(0.01)


@pytest.fixture(name="wait_until", scope="session")
def wait_until_fixture() -> Callable[..., None]:
    return wait_until


@pytest.fixture(name="free_port", scope="session")
def free_port_fixture() -> Callable[[], int]:
    return free_port


def _embedded() -> Iterator[RunningBroker]:
    port = free_port()
    running: list[EmbeddedBroker] = []

    def start() -> None:
        running.append(EmbeddedBroker(port))
        assert running[-1].start() == port

    start()
    yield RunningBroker("embedded", port, lambda: running[-1].stop(), start)  # noqa: PLW0108
    running[-1].stop()


def mosquitto_program() -> str:
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if found is None:
        pytest.skip("needs mosquitto (apt-get install mosquitto)")
    return found


def _mosquitto(folder: Path, *, guarded: bool) -> Iterator[RunningBroker]:
    port = free_port()
    yield from running_mosquitto(_mosquitto_configuration(folder, port, guarded=guarded), port)


def running_mosquitto(
    configuration: Path, port: int, command: Sequence[str] = ()
) -> Generator[RunningBroker, None, None]:
    """Debian's Mosquitto with this configuration, which lets it listen on this port.

    `command` starts another one than this computer's. What it says is beside the configuration.
    """
    started = command or [mosquitto_program(), "-c", str(configuration)]
    running: list[subprocess.Popen[bytes]] = []

    def listens() -> bool:
        if running[-1].poll() is not None:
            pytest.fail(f"mosquitto ended at once: {said.read_text(errors='replace')}")
        return _listens(port)

    said = configuration.with_suffix(".said")

    def start() -> None:
        with said.open("wb") as output:
            running.append(subprocess.Popen(started, stdout=output, stderr=subprocess.STDOUT))
        wait_until(listens, "mosquitto to listen")

    def stop() -> None:
        running[-1].kill()
        running[-1].wait(PATIENCE_S)

    start()
    try:
        yield RunningBroker("mosquitto", port, stop, start)
    finally:
        stop()


def _mosquitto_configuration(folder: Path, port: int, *, guarded: bool) -> Path:
    configuration = folder / "mosquitto.conf"
    if not guarded:
        configuration.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
        )
        return configuration
    shutil.copy(DEPLOY / "topple-table.acl", folder)
    write_passwords(folder / "topple-table.passwd", PASSWORDS)
    configuration.write_text(shipped_configuration(folder, port))
    return configuration


def shipped_configuration(folder: Path, port: int, own_port: int | None = None) -> str:
    """The table's broker as it is shipped, but for folder and ports.

    Args:
        folder: instead of `/etc/mosquitto`.
        port: everybody's listener; on this machine only.
        own_port: that of the table and its pages.
    """
    text = (DEPLOY / "topple-table.conf").read_text()
    for shipped, ours in (
        ("listener 1884 127.0.0.1", f"listener {own_port or free_port()} 127.0.0.1"),
        ("listener 1883", f"listener {port} 127.0.0.1"),
    ):
        assert f"{shipped}\n" in text
        text = text.replace(f"{shipped}\n", f"{ours}\n")
    # Started by root, mosquitto gives up root and could not read the test's folder.
    return f"user root\n{text.replace('/etc/mosquitto/', f'{folder}/')}"


def write_passwords(path: Path, passwords: dict[str, str]) -> None:
    """As Mosquitto wants them; in place, as the installer does it."""
    path.touch(mode=0o600)
    path.write_text("".join(f"{user}:{password}\n" for user, password in passwords.items()))
    subprocess.run(["mosquitto_passwd", "-U", str(path)], check=True, capture_output=True)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(params=["embedded", "mosquitto"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningBroker]:
    """A broker without passwords on 127.0.0.1."""
    embedded = request.param == "embedded"
    yield from _embedded() if embedded else _mosquitto(tmp_path, guarded=False)


@pytest.fixture
def guarded_broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """Debian's Mosquitto with the shipped users and rules, for one test."""
    yield from _mosquitto(tmp_path, guarded=True)


@pytest.fixture(scope="module")
def guarded_mosquitto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    """Debian's Mosquitto with the shipped users and rules."""
    yield from _mosquitto(tmp_path_factory.mktemp("mosquitto"), guarded=True)


@pytest.fixture
def embedded_broker() -> Iterator[RunningBroker]:
    yield from _embedded()


class JudgedWire:
    """A wire whose every message is judged before it is sent on."""

    def __init__(self, wire: Wire, faults: list[str]) -> None:
        self._wire = wire
        self._faults = faults

    @property
    def dropped(self) -> int:
        return self._wire.dropped

    @property
    def too_large(self) -> dict[str, int]:
        return self._wire.too_large

    def publish(self, publication: Publication) -> None:
        self._faults += faults_of_said(publication)
        self._wire.publish(publication)

    def on_message(self, handler: Callable[[Message], None]) -> None:
        self._wire.on_message(handler)


@pytest.fixture(autouse=True)
def contract_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Everything a table says or obeys in these tests is held against the published schemas."""
    faults: list[str] = []
    begin, receive = Announcer.__init__, CommandDesk.receive

    def judged_begin(self: Announcer, wire: Wire, *args: Any, **options: Any) -> None:
        begin(self, JudgedWire(wire, faults), *args, **options)

    def judged_receive(self: CommandDesk, verb: str, payload: bytes, **when: float) -> Answered:
        answered = receive(self, verb, payload, **when)
        if answered.reply.ok and not answered.repeated:
            faults.extend(faults_of_obeyed(verb, payload))
        return answered

    monkeypatch.setattr(Announcer, "__init__", judged_begin)
    monkeypatch.setattr(CommandDesk, "receive", judged_receive)
    yield faults
    assert faults == []


@pytest.fixture
def fifth_game(fifth_game: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same, with its id where `make contract` would write it."""
    known = schema("cmd-start")["properties"]["data"]["properties"]["game"]
    monkeypatch.setitem(known, "enum", [*known["enum"], fifth_game])
    validator.cache_clear()
    yield fifth_game
    validator.cache_clear()
