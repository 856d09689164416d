"""Three tables on the shipped Mosquitto with its users and rules, judged by `topple-table bench`.

Ours, installed from its wheels; the deliberately different firmware of
tests/lab/bench/second_firmware; and one of somebody else in another language, healthy and with
mistakes planted.
"""

import contextlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lab.avr.played import AHEAD_S
from lab.bench.outside.sitting import Sitting
from lab.bench.outside.table_target import judgeable
from lab.bench.scenario_files import load
from lab.bench.verdict import judge
from tests.controller.conftest import PASSWORDS, PATIENCE_S, RunningBroker, wait_until
from tests.deploy.test_wheel import Environment
from tests.firmware_bridge.lab.build import need_lab
from tests.lab.bench.outside.indoors import TABLE, IndoorHand, IndoorLink
from tests.lab.bench.second_firmware.target import CsvSource, built

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
FOREIGN = HERE / "foreign_table"

pytestmark = pytest.mark.slow


def bench(broker: RunningBroker, table: str, scenario: Path, hands: str, folder: Path) -> Any:
    """What `topple-table bench` says: code and output."""
    secret = folder / "controller.txt"
    secret.write_text(PASSWORDS["controller"])
    target = f"mqtt://127.0.0.1:{broker.port}/{table}"
    command = [str(Path(sys.executable).parent / "topple-table"), "bench", str(scenario)]
    command += ["--target", target, "--user", "controller", "--password-file", str(secret)]
    command += ["--hands", hands, "--report", str(folder / table)]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=3 * PATIENCE_S
    )


@contextlib.contextmanager
def running(socket: Path, *command: str, **options: Any) -> Iterator[None]:
    """A table's process, from the moment on at which its hands can be reached."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    try:
        wait_until(lambda: process.poll() is not None or socket.exists(), "the socket of the hands")
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def assert_right(done: Any) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 cases passed" in done.stdout


# --- ours --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(
    wheel: Path, wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    found = Environment(tmp_path_factory.mktemp("installed"), wheelhouse)
    found.install(str(wheel))
    found.install("topple-table[lab]")
    return found


def test_our_installed_wheel_is_right(
    installed: Environment, guarded_mosquitto: RunningBroker, tmp_path: Path
) -> None:
    (tmp_path / "table.txt").write_text(PASSWORDS["table"])
    (tmp_path / "table.toml").write_text(f"""
[table]
id = "ours"
[broker]
kind = "mqtt"
port = {guarded_mosquitto.port}
user = "table"
password_file = "table.txt"
[source]
kind = "twin"
preset = "calm"
moved_by = "hands"
[web]
enabled = false
""")
    program = str(installed.folder / "venv/bin/topple-table")
    hands = tmp_path / "hands"
    with running(hands, program, "run", "--config", "table.toml", cwd=tmp_path):
        done = bench(guarded_mosquitto, "ours", HERE / "turns.yaml", f"unix:{hands}", tmp_path)

    assert_right(done)
    assert "from release to decision" in (tmp_path / "ours/report.html").read_text()


# --- another firmware --------------------------------------------------------------------------


def test_the_other_firmware_is_right_in_table_time(tmp_path: Path) -> None:
    need_lab()
    hand = IndoorHand()
    link = IndoorLink(
        tmp_path, hand, lambda tower: CsvSource(tower, tower.calibration, built()), AHEAD_S
    )
    case = load(HERE / "turns.yaml")[0]
    run, known = Sitting(case, TABLE, link, hand).play()

    assert judge(judgeable(case, known), run).failures == ()


@pytest.mark.soak
def test_the_other_firmware_is_right(guarded_mosquitto: RunningBroker, tmp_path: Path) -> None:
    """Not beside other work: a simulated processor in real time."""
    need_lab()
    hands = tmp_path / "hands"
    module = "tests.lab.bench.outside.second_table"
    words = (str(hands), str(guarded_mosquitto.port), PASSWORDS["table"], "csv")
    with running(hands, sys.executable, "-m", module, *words, cwd=ROOT):
        done = bench(guarded_mosquitto, "csv", HERE / "turns.yaml", f"unix:{hands}", tmp_path)

    assert_right(done)


# --- a table of somebody else ------------------------------------------------------------------

FAULTS = {
    "turn-order": "turn and die are",
    "lost-retain": "state: qos 1, retained False",
    "off-by-one": "the score is",
    "stale": "state: revision",
    "seq-gap": "is followed by",
    "state-first": "the newest event has",
    "naive-zone": "has no time zone",
    "wrong-qos": "event: qos 0",
    "no-answer": "got no answer",
    "characters": "bytes; displays take 200",
    "validity": "health: until is",
    "missing-lock": "reply/bench: ok is True, not False",
}
"""Mistake in foreign_table/table.mjs -> by what it must be found."""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("needs npm (apt-get install npm)")
    folder = tmp_path_factory.mktemp("npm")
    subprocess.run(["npm", "install", "--silent", "mqtt"], cwd=folder, check=True)
    shutil.copy(FOREIGN / "table.mjs", folder)
    return folder


def judged(broker: RunningBroker, packages: Path, folder: Path, fault: str = "") -> Any:
    """What the bench says of the foreign table, with one of its mistakes."""
    mine = folder / (fault or "healthy")
    mine.mkdir()
    table = f"node-{fault or 'healthy'}"
    words = [str(packages / "table.mjs"), str(broker.port), "table", PASSWORDS["table"], table]
    hands = shlex.join(["node", *words, fault])
    return bench(broker, table, FOREIGN / "whole.yaml", hands, mine)


def test_a_table_in_another_language_is_right_and_each_of_twelve_mistakes_is_found(
    packages: Path, guarded_mosquitto: RunningBroker, tmp_path: Path
) -> None:
    """All at once, each with a table of its own: they wait most of the time."""
    with ThreadPoolExecutor(len(FAULTS) + 1) as pool:
        found = pool.map(
            lambda fault: judged(guarded_mosquitto, packages, tmp_path, fault), ["", *FAULTS]
        )
        healthy, *spoilt = found

    assert_right(healthy)
    missed = {
        fault: done.stdout + done.stderr
        for (fault, words), done in zip(FAULTS.items(), spoilt, strict=True)
        if done.returncode != 1 or words not in done.stdout
    }
    assert missed == {}
