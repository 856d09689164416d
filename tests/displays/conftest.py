"""A table that plays the recorded evening on Mosquitto as shipped, for displays to show."""

import contextlib
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.common.shutdown import Stopping
from controller.mqtt import topics
from controller.mqtt.client import Mqtt
from lab.demo.recorded_evening import read
from lab.demo.replay_mqtt import Replay, replaying
from tests.controller.conftest import (
    DEPLOY,
    PASSWORDS,
    RunningBroker,
    _mosquitto_configuration,
    running_mosquitto,
    wait_until,
)
from tests.deploy.test_hub import Ear
from tests.ports import free_port

DISPLAYS = Path(__file__).parents[2] / "displays"
TABLE = "t7"
AT_ONCE = 10_000.0
"""Times faster than it happened."""

FIRST_MINUTE_S = 48.0


@dataclass
class PlayedTable:
    """The table, the broker, and what of the recording has been played.

    Attributes:
        websockets: port for browsers.
    """

    broker: RunningBroker
    replay: Replay
    edge: Mqtt
    websockets: int

    def play(self, begin_s: float = 0.0, end_s: float = float("inf")) -> None:
        """Publish a part of the evening at once."""
        part = tuple(m for m in read() if begin_s <= m.t_s < end_s)
        replace(self.replay, messages=part).play(self.edge, Stopping(), AT_ONCE)

    def go_off(self) -> None:
        """The table is switched off as it should be."""
        self.edge.stop([topics.availability(TABLE, online=False)])

    @property
    def state(self) -> dict[str, Any]:
        """The game as it is now."""
        kept = self.replay.retained[f"topple/1/{TABLE}/state"]
        return dict(msgspec.json.decode(kept.payload))

    def scores(self, each: str = "{mark} {name} {score}", between: str = "   ") -> str:
        """As a display words them."""
        return between.join(each.format(**player) for player in self.state["players"])

    def ear(self, *heard: str) -> Ear:
        """Somebody who hears what the table does."""
        return Ear(self.broker.address("table"), *heard, name="ear-1")


@contextlib.contextmanager
def shipped_broker(folder: Path) -> Iterator[tuple[RunningBroker, int]]:
    """Mosquitto with the shipped settings, users and rules, and its port for browsers."""
    folder.mkdir()
    port, websockets = free_port(), free_port()
    conf = _mosquitto_configuration(folder, port, guarded=True)
    browsers = (DEPLOY / "websockets.conf").read_text().replace("9001", f"{websockets}")
    conf.write_text(f"{conf.read_text()}\n{browsers}")
    for broker in running_mosquitto(conf, port):
        yield broker, websockets


@contextlib.contextmanager
def played_table(folder: Path) -> Iterator[PlayedTable]:
    """A table at such a broker, which has said nothing yet."""
    with shipped_broker(folder) as (broker, websockets), playing(broker, websockets) as table:
        yield table


@contextlib.contextmanager
def playing(broker: RunningBroker, websockets: int = 0) -> Iterator[PlayedTable]:
    """A table at this broker, which has said nothing yet."""
    replay = Replay(TABLE, read())
    with replaying(broker.address("table"), replay) as edge:
        wait_until(lambda: edge.connection.up, "the table's connection")
        yield PlayedTable(broker, replay, edge, websockets)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PlayedTable]:
    """A table on a broker of its own."""
    with played_table(tmp_path / "mosquitto") as played:
        yield played


def own_copy(
    file: str, folder: Path, table: PlayedTable, user: str = "display", **more: Any
) -> Path:
    """A display's file, with the settings on top changed as its owner would change them."""
    settings = {
        "HOST": "127.0.0.1", "PORT": table.broker.port, "USER": user,
        "PASSWORD": PASSWORDS[user], "TABLE": TABLE,
    } | more  # fmt: skip
    text = (DISPLAYS / file).read_text()
    for name, value in settings.items():
        written = rf'(?m)^((?:[\w *]*\W)?{name} ?= ?)("[^"\n]*"|[\w.]+)'
        found = re.search(written, text)
        assert found, f"{file} has no setting {name}"
        text = text[: found.start(2)] + _literal(value, found[2]) + text[found.end(2) :]
    copy = folder / Path(file).name
    copy.write_text(text)
    copy.chmod(0o755)
    return copy


def _literal(value: Any, was: str) -> str:
    return f'"{value}"' if was.startswith('"') else str(value)


@contextlib.contextmanager
def posted_to(take: Callable[[str, bytes], None], *, code: int = 200) -> Iterator[str]:
    """A server on this machine that hands on what is posted to it; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"success":true}')

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@dataclass
class RunningDisplay:
    """A display's process.

    Attributes:
        printed: the file that has all its output.
    """

    process: subprocess.Popen[bytes]
    printed: Path

    @property
    def output(self) -> str:
        return self.printed.read_text(errors="replace")

    def shows(self, text: str) -> None:
        """Wait until it has printed this."""

        def shown() -> bool:
            ended = self.process.poll()
            if ended not in (None, 0):
                pytest.fail(f"the display ended with {ended}: {self.output}")
            return text in self.output

        wait_until(shown, f"{text!r} on a display that shows {self.output[-2000:]!r}")


Start = Callable[..., RunningDisplay]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts displays, and stops them at the end."""
    running: list[RunningDisplay] = []

    def begin(*command: Any, **options: Any) -> RunningDisplay:
        printed = tmp_path / f"display-{len(running)}.txt"
        with printed.open("wb") as output:
            process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, **options,
            )  # fmt: skip
        running.append(RunningDisplay(process, printed))
        return running[-1]

    yield begin
    for display in running:
        display.process.kill()
        display.process.wait()
