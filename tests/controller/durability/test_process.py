"""The whole program, `topple-table run`, killed on a real broker while somebody listens.

What these tests add to the others is everything between the journal and the observer: the
command, its start, MQTT at QoS 1, and how long it takes until the game is there again.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt.client import Message, Mqtt
from hw.calibration import calibration_json
from lab.chips.fake_mcu import FakeMcu
from lab.mock import MockTable
from tests.controller.conftest import PATIENCE_S, _mosquitto, wait_until
from tests.controller.durability import checking
from tests.controller.durability.playing import JOURNAL, Table
from tests.controller.durability.yard import ROOT
from tests.controller.nanos import Nano

KILLS, KILLS_SOAKED = 3, 40
RESUME_WITHIN_S = 10.0
"""The promise; measured are two seconds (docs/results.md)."""


class Observer:
    """Somebody who hears everything, and knows when."""

    def __init__(self, address: Any) -> None:
        self.heard: list[tuple[float, str, Any]] = []
        self.edge = Mqtt(address, "observer", subscriptions=("topple/1/t1/#",))
        self.edge.on_message(self._hear)
        self.edge.start()

    def _hear(self, message: Message) -> None:
        row = message.topic.split("/", 3)[3]
        if row in ("state", "event") and message.payload:
            self.heard.append((time.monotonic(), row, json.loads(message.payload)))

    @property
    def shown(self) -> checking.Shown:
        return [(row, document) for _, row, document in list(self.heard)]

    def has_heard_of_more_than(self, boots: int) -> bool:
        return len(set(self.boots)) > boots

    @property
    def boots(self) -> list[str]:
        return [document["boot"] for _, row, document in list(self.heard) if row == "state"]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Any]:
    """Debian's Mosquitto."""
    yield from _mosquitto(tmp_path, guarded=False)


def configuration(folder: Path, port: int, source: str) -> Path:
    path = folder / "table.toml"
    path.write_text(
        f'[table]\njournal = "{JOURNAL}"\n[broker]\nkind = "mqtt"\nport = {port}\n'
        f"[web]\nenabled = false\n[source]\n{source}\n"
    )
    return path


def started(path: Path, log: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "controller.cli", "run", "--config", str(path)]
    with log.open("a") as out:
        return subprocess.Popen(
            command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip


def sanitised(shown: checking.Shown) -> checking.Shown:
    """What was shown, with the names that differ between two runs made the same."""
    return [(row, {**document, "boot": "boot"} if row == "state" else document)
            for row, document in shown]  # fmt: skip


@pytest.mark.slow
def test_the_program_killed_at_any_moment_comes_back_as_an_observer_saw_it(
    broker: Any, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    kills = KILLS_SOAKED if pytestconfig.getoption("--soak") else KILLS
    rng, events = random.Random(11), 0
    log, observer = tmp_path / "out.log", Observer(broker.address())
    wait_until(lambda: observer.edge.connection.up, "the observer")
    try:
        for number in range(kills):
            folder = tmp_path / f"evening-{number // 8}"
            if number % 8 == 0:
                folder.mkdir()
                observer.heard.clear()
            boots = len(set(observer.boots))
            seed = number // 8
            path = configuration(folder, broker.port, f'kind = "twin"\nseed = {seed}\nspeed = 40.0')
            table = started(path, log)
            # From the middle of the start to some turns later.
            if number % 3:
                wait_until(partial(observer.has_heard_of_more_than, boots), "its state")
            time.sleep(rng.uniform(0.0, 2.0))
            table.send_signal(signal.SIGKILL)
            table.wait(PATIENCE_S)
            time.sleep(0.3)  # until the broker has passed on what it had

            if (folder / JOURNAL).exists():
                shown = sanitised(observer.shown)
                assert checking.broken(folder, shown) == [], f"kill {number}"
                events += sum(row == "event" for row, _ in shown)
    finally:
        observer.edge.stop()
    assert "Traceback" not in log.read_text()
    print(f"{kills} kills of the whole program, {events} events heard, none lost")
    assert events > 0


def long_evening(folder: Path, moves: int) -> None:
    """A journal as a long evening leaves it, killed."""
    table = Table(folder, 1, kept_games=200)
    table.play(moves)
    shutil.copytree(folder, folder.with_name("hot"))
    table.close()


@pytest.mark.slow
def test_a_real_table_has_its_game_back_within_ten_seconds(
    broker: Any, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """The table behind a microcontroller: the sensors just go on."""
    folder = tmp_path / "evening"
    folder.mkdir()
    long_evening(folder, 1500 if pytestconfig.getoption("--soak") else 200)
    hot = tmp_path / "hot"
    (hot / "table.json").write_text(calibration_json(MockTable().calibration))
    nano = Nano(FakeMcu(buffer_bytes=4000))
    source = f'kind = "bridge"\nport = "{nano.port}"\ncalibration = "table.json"'
    path = configuration(hot, broker.port, source)
    observer = Observer(broker.address())
    wait_until(lambda: observer.edge.connection.up, "the observer")
    before = [board for row, board in checking.heard(hot) if row == "state"][-1]
    began_s = time.monotonic()
    table = started(path, tmp_path / "out.log")
    try:
        wait_until(lambda: observer.boots, "the state")
        took_s = observer.heard[0][0] - began_s
    finally:
        table.send_signal(signal.SIGTERM)
        table.wait(PATIENCE_S)
        observer.edge.stop()
        nano.close()
    board = observer.shown[0][1]
    print(f"resumed {board['rev']} revisions in {took_s:.1f} s")

    assert board["game"] == before["game"]
    assert board["rev"] >= before["rev"]
    assert took_s <= RESUME_WITHIN_S
