"""What docs/mqtt.md says of other brokers, asked of these brokers themselves."""

import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.mqtt.broker import EmbeddedBroker
from tests.controller.conftest import PATIENCE_S, mosquitto_program, wait_until
from tests.controller.mqtt.promises import PROMISES, is_kept
from tests.ports import free_port
from tests.unpacked import unpacked

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[3] / "docs" / "mqtt.md"
NEVER_S = 1.5
"""What a broker does not do has not been done by then, and on a slow machine neither."""

STOCK = """
import asyncio, sys
from amqtt.broker import Broker

LISTENER = {"type": "tcp", "bind": "127.0.0.1:" + sys.argv[1]}
ANYBODY = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}

async def main():
    await Broker({"listeners": {"default": LISTENER}, "plugins": ANYBODY}).start()
    await asyncio.Event().wait()

asyncio.run(main())
"""

AEDES = """
import { Aedes } from "aedes";
import { createServer } from "node:net";
const broker = await Aedes.createBroker();
createServer(broker.handle).listen(+process.argv[2], "127.0.0.1");
"""

Running = Callable[[int, Path], contextlib.AbstractContextManager[None]]


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def program(
    port: int, *command: object, cwd: Path | None = None, env: dict[str, str] | None = None
) -> Iterator[None]:
    """A program that listens at this port."""
    running = subprocess.Popen(
        [str(word) for word in command], cwd=cwd, env=env, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until(lambda: listens(port), f"{command[0]} to listen")
        yield
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait(PATIENCE_S)


@contextlib.contextmanager
def mosquitto(port: int, folder: Path, *run: str) -> Iterator[None]:
    conf = folder / "mosquitto.conf"
    conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
    with program(port, *(run or (mosquitto_program(),)), "-c", conf):
        yield


@contextlib.contextmanager
def mosquitto_of_trixie(port: int, folder: Path) -> Iterator[None]:
    with mosquitto(port, folder, *unpacked("mosquitto", "usr/sbin/mosquitto")):
        yield


@contextlib.contextmanager
def mosquitto_of_forky(port: int, folder: Path) -> Iterator[None]:
    with mosquitto(port, folder, *unpacked("mosquitto", "usr/sbin/mosquitto", "forky")):
        yield


@contextlib.contextmanager
def embedded(port: int, _folder: Path) -> Iterator[None]:
    broker = EmbeddedBroker(port)
    broker.start()
    yield
    broker.stop()


@contextlib.contextmanager
def stock(port: int, _folder: Path) -> Iterator[None]:
    with program(port, sys.executable, "-c", STOCK, port):
        yield


@contextlib.contextmanager
def aedes(port: int, folder: Path) -> Iterator[None]:
    if shutil.which("npm") is None:
        pytest.skip("needs npm (apt-get install npm)")
    subprocess.run(["npm", "install", "--silent", "aedes@1.2"], cwd=folder, check=True)
    (folder / "serve.mjs").write_text(AEDES)
    with program(port, "node", "serve.mjs", port, cwd=folder):
        yield


@contextlib.contextmanager
def nats(port: int, folder: Path) -> Iterator[None]:
    server = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin")
    if server is None:
        pytest.skip("needs nats-server (apt-get install nats-server)")
    conf = folder / "nats.conf"
    conf.write_text(
        f"server_name: table\nlisten: 127.0.0.1:{free_port()}\n"
        f'jetstream {{ store_dir: "{folder}" }}\nmqtt {{ listen: "127.0.0.1:{port}" }}\n'
    )
    with program(port, server, "-c", conf):
        yield


@contextlib.contextmanager
def rabbitmq(port: int, _folder: Path) -> Iterator[None]:
    server = shutil.which("rabbitmq-server") or shutil.which("rabbitmq-server", path="/usr/sbin")
    if server is None or os.geteuid() != 0:
        pytest.skip("needs root and rabbitmq-server (apt-get install rabbitmq-server)")
    # It runs as its own user, who may not look into pytest's folder.
    place = Path(tempfile.mkdtemp(prefix="topple-rabbitmq-"))
    (place / "enabled").write_text("[rabbitmq_mqtt].")
    (place / "rabbitmq.conf").write_text(
        f"mqtt.listeners.tcp.1 = 127.0.0.1:{port}\nmqtt.allow_anonymous = true\n"
        "listeners.tcp = none\nloopback_users = none\n"
    )
    user = pwd.getpwnam("rabbitmq")
    for path in (place, *place.iterdir()):
        os.chown(path, user.pw_uid, user.pw_gid)
    settings = os.environ | {
        "RABBITMQ_NODENAME": f"t{port}@localhost",
        "RABBITMQ_MNESIA_BASE": f"{place}/data",
        "RABBITMQ_LOG_BASE": f"{place}/log",
        "RABBITMQ_CONFIG_FILE": f"{place}/rabbitmq.conf",
        "RABBITMQ_ENABLED_PLUGINS_FILE": f"{place}/enabled",
        "RABBITMQ_DIST_PORT": f"{free_port()}",
        "ERL_EPMD_PORT": f"{free_port()}",
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    try:
        with program(port, server, env=settings):
            yield
    finally:
        # Erlang's own processes are in no group of ours.
        subprocess.run(["pkill", "-KILL", "-u", "rabbitmq"], check=False)
        shutil.rmtree(place, ignore_errors=True)


BROKERS: dict[str, Running] = {
    "Mosquitto 2.0.11 (Debian 12)": mosquitto,
    "Mosquitto 2.0.21 (Debian 13)": mosquitto_of_trixie,
    "Mosquitto 2.1.2 (Debian 14)": mosquitto_of_forky,
    "our embedded one (amqtt 0.12, corrected)": embedded,
    "amqtt 0.12 as it is": stock,
    "aedes 1.2": aedes,
    "NATS 2.9": nats,
    "RabbitMQ 3.10": rabbitmq,
}


def told() -> dict[str, dict[str, bool]]:
    """The guide's table."""
    text = GUIDE.read_text().split("## Other brokers")[1]
    rows = [
        [cell.strip().strip("*") for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\|.*\|$", text.split("\n## ")[0], re.MULTILINE)
    ]
    names = rows[0][1:]
    return {
        row[0]: {name: cell == "yes" for name, cell in zip(names, row[1:], strict=True)}
        for row in rows[2:]
    }


def test_the_table_of_the_guide_is_the_table_that_is_tried() -> None:
    assert list(told()) == list(BROKERS)
    assert all(list(row) == list(PROMISES) for row in told().values())


@pytest.mark.parametrize("name", BROKERS)
def test_a_broker_keeps_what_the_guide_says_and_not_more(name: str, tmp_path: Path) -> None:
    port = free_port()
    with BROKERS[name](port, tmp_path):
        found = {
            promise: is_kept(promise, port, PATIENCE_S if kept else NEVER_S)
            for promise, kept in told()[name].items()
        }

    assert found == told()[name]
