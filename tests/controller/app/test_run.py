"""The runtime: the clock, signals, configuration, a killed and resumed table."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from itertools import count, islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from controller.app import run
from controller.app.run import keep_going
from controller.common.config import parse
from controller.common.shutdown import Stopping
from controller.journal.journal import Journal
from controller.mqtt.client import Message, Mqtt
from controller.table.pipeline import Output
from engine.events import HumanInput
from engine.referee import RefereeState, handle_input
from hw.calibration import calibration_json
from hw.source import Item
from lab.chips.fake_mcu import FakeMcu
from lab.mock import MockTable
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.controller.evenings import START, Evening, Source
from tests.controller.nanos import Nano
from tests.ports import free_port

ROOT = Path(__file__).parents[3]


def played(times: list[float], speed: float) -> list[float]:
    """The table times of the steps that a clock with these readings leads to."""
    evening, readings = Evening(START), iter(times)
    steps: list[float] = []

    def clock() -> float:
        now_s = next(readings)
        if now_s == times[-1]:
            evening.source.close()
        return now_s

    with patch.object(evening.source, "poll", return_value=[]), patch.object(evening.table, "wait"):
        keep_going(evening.table, Stopping(), speed=speed, before_step=steps.append, clock=clock)
    return steps


@pytest.mark.parametrize(
    ("times", "speed", "steps"),
    [
        ([0.0, 0.1, 0.2, 0.3], 10.0, [1.0, 2.0, 3.0]),
        ([0.0, 5.0, 10.0, 20.0], 10.0, [1.0, 2.0, 3.0]),
        ([0.0, 5.0, 10.0, 20.0], 1.0, [5.0, 10.0, 20.0]),
    ],
    ids=[
        "at the asked speed until the source ends",
        "a computer too slow for the speed plays slower and its steps grow no longer",
        "a real table is always at the present",
    ],
)
def test_table_time_follows_the_clock(times: list[float], speed: float, steps: list[float]) -> None:
    assert played(times, speed) == steps


def test_winding_a_recording_forward_can_be_stopped_at_any_moment() -> None:
    stopping = Stopping()
    asked: list[float] = []

    class Recorded(Source):
        def poll(self, until_s: float) -> list[Item]:
            asked.append(until_s)
            if len(asked) == 3:
                stopping.set()
            return []

    run._wind(Recorded(), 4000.0, stopping)

    assert asked == [10.0, 20.0, 30.0]


class Watcher:
    """Hears everything a table says on a broker."""

    def __init__(self, address: Any) -> None:
        self.heard: list[Message] = []
        self.edge = Mqtt(address, "watcher", subscriptions=("topple/1/#",))
        self.edge.on_message(self.heard.append)
        self.edge.start()

    def last(self, row: str) -> Any:
        found = [m.payload for m in self.heard if m.topic.endswith(f"/{row}") and m.payload]
        return json.loads(found[-1]) if found else {}

    def availability(self) -> list[bytes]:
        return [m.payload for m in self.heard if m.topic.endswith("/availability")]


def configuration(tmp_path: Path, port: int, **changes: str) -> Path:
    path = tmp_path / "table.toml"
    source = changes.get("source", 'kind = "twin"\nseed = 3\nspeed = 20.0')
    path.write_text(
        f"""
[table]
id = "t1"
journal = "games.journal"
[broker]
kind = "mqtt"
port = {port}
[web]
enabled = false
[source]
{source}
"""
    )
    return path


def started(path: Path) -> subprocess.Popen[str]:
    code = (
        "from controller.app import run; from controller.common import config; import sys; "
        f"sys.exit(run.run(config.load({str(path)!r})))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip


def posted(page: str, body: Any, cookie: str = "") -> tuple[Any, str]:
    """What a phone's page sends; the answer, and the cookie that came with it."""
    origin = page.split("/t/", maxsplit=1)[0]
    headers = {"content-type": "application/json", "origin": origin, "cookie": cookie}
    request = urllib.request.Request(page, json.dumps(body).encode(), headers)  # noqa: S310 - ours
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310 - ours
        return json.load(answer), (answer.headers["set-cookie"] or "").split(";")[0]


@pytest.mark.slow
def test_who_has_the_pin_of_a_running_table_acts_on_it(
    guarded_mosquitto: Any, tmp_path: Path
) -> None:
    for user in ("table", "controller"):
        (tmp_path / user).write_text(guarded_mosquitto.address(user).password)
    path = tmp_path / "table.toml"
    path.write_text(
        f"""
[broker]
kind = "mqtt"
port = {guarded_mosquitto.port}
user = "table"
password_file = "table"
[web]
port = 0
user = "controller"
password_file = "controller"
"""
    )
    table = started(path)
    try:
        out: list[str] = []
        assert table.stdout is not None
        for line in table.stdout:
            out.append(line)
            if line.startswith("Phones: "):
                break
        _, page, _, *pin = out[-1].split()
        said, cookie = posted(f"{page}/join", {"pin": "".join(pin)})
        assert said == {"ok": True}
        # The players go on meanwhile, so a press may come too late and is made again.
        ids = map("{:012}".format, count())
        act = {"verb": "hints", "data": {"on": True}}
        wait_until(lambda: acted(page, {**act, "id": next(ids)}, cookie), "obedience")
    finally:
        table.send_signal(signal.SIGTERM)
        table.communicate(timeout=PATIENCE_S)
    assert table.returncode == 0


def acted(page: str, act: dict[str, Any], cookie: str) -> bool:
    """A command on what the page's own stream shows; whether the table obeyed."""
    with urllib.request.urlopen(page.replace("/play", "/stream"), timeout=PATIENCE_S) as stream:  # noqa: S310
        board = next(
            json.loads(line[6:])["board"] for line in stream if line.startswith(b"data: {")
        )
    if board is None:
        return False
    seen = {key: board[key] for key in ("boot", "game", "rev")}
    try:
        return bool(posted(f"{page}/do", {**act, "seen": seen}, cookie)[0]["ok"])
    except urllib.error.HTTPError:
        return False


@pytest.mark.slow
def test_a_killed_table_goes_on_with_the_same_game_score_and_turn(
    broker: Any, tmp_path: Path
) -> None:
    watcher = Watcher(broker.address())
    path = configuration(tmp_path, broker.port)
    table = started(path)
    wait_until(lambda: watcher.last("state").get("seq", 0) > 6, "some turns")
    table.kill()
    table.wait(PATIENCE_S)
    wait_until(lambda: watcher.availability()[-1] == b"offline", "the last will")
    before = watcher.last("state")
    # Slowly, so that it can be looked at before it has gone on.
    path.write_text(path.read_text().replace("speed = 20.0", "speed = 0.01"))
    again = started(path)
    try:
        wait_until(lambda: watcher.last("state")["boot"] != before["boot"], "the restart")
        after = watcher.last("state")

        for key in ("game", "rev", "seq", "round", "phase", "turn", "players", "board", "history"):
            assert after[key] == before[key], key
    finally:
        again.send_signal(signal.SIGINT)
        out, _ = again.communicate(timeout=PATIENCE_S)
        # What the table said last is still on its way when the table has ended.
        wait_until(lambda: watcher.availability()[-1] == b"offline", "the farewell")
        watcher.edge.stop()
    assert again.returncode == 0
    assert "Resumed from the journal: " in out
    assert "Traceback" not in out
    assert watcher.last("status")["phase"] == "stopping"


@pytest.mark.slow
def test_a_simulated_table_that_was_played_for_an_hour_is_set_up_not_played_again(
    embedded_broker: Any, tmp_path: Path
) -> None:
    watcher = Watcher(embedded_broker.address())
    with Journal(tmp_path / "games.journal") as journal:
        said = HumanInput(3960.0, "start", {**START.data, "id": "long"})
        ruling = handle_input(RefereeState(), said)
        journal.write(Output(said, RefereeState(), ruling.state, ruling.outcomes))
    source = 'kind = "twin"\nseed = 3\nspeed = 1.0'
    table = started(configuration(tmp_path, embedded_broker.port, source=source))
    try:
        wait_until(lambda: watcher.last("health"), "health")
        up_s = watcher.last("health")["t_s"]
        table.send_signal(signal.SIGTERM)
        out, _ = table.communicate(timeout=PATIENCE_S)
    finally:
        table.kill()
        watcher.edge.stop()

    assert (table.returncode, watcher.last("state")["game"]) == (0, "long")
    assert "Skipping" not in out
    # Its own time began at 0 a moment ago: nothing was played again on the way.
    assert up_s < 60.0


@pytest.mark.slow
def test_a_configured_table_shows_the_risk_map(embedded_broker: Any, tmp_path: Path) -> None:
    watcher = Watcher(embedded_broker.address())
    source = 'kind = "twin"\nseed = 3\nspeed = 20.0\n[scoreboard]\nhints = true'
    table = started(configuration(tmp_path, embedded_broker.port, source=source))
    try:
        wait_until(lambda: watcher.last("state").get("hints"), "the risk map")
    finally:
        table.send_signal(signal.SIGTERM)
        table.communicate(timeout=PATIENCE_S)
        watcher.edge.stop()

    assert set(next(iter(watcher.last("state")["hints"].values()))) == {"points", "risk"}


def sensors_in_trouble(status: Any) -> list[Any]:
    """Without the disk, which may be memory where tests run."""
    return [each for each in status["troubles"] if not each["sensor"].startswith("storage.")]


def bridged(tmp_path: Path, broker_port: int, port: str) -> Path:
    kept = tmp_path / "table.json"
    kept.write_text(calibration_json(MockTable().calibration))
    source = f'kind = "bridge"\nport = "{port}"\ncalibration = "table.json"'
    return configuration(tmp_path, broker_port, source=source)


@pytest.mark.slow
def test_a_table_waits_for_its_microcontroller_in_words_and_goes_on_when_it_comes(
    embedded_broker: Any, tmp_path: Path
) -> None:
    watcher, port = Watcher(embedded_broker.address()), tmp_path / "ttyUSB0"
    table = started(bridged(tmp_path, embedded_broker.port, str(port)))
    nano = Nano(FakeMcu(buffer_bytes=4000))
    try:
        wait_until(
            lambda: watcher.last("status") and sensors_in_trouble(watcher.last("status")),
            "the words",
        )
        waiting = watcher.last("status")
        port.symlink_to(nano.port)
        wait_until(lambda: not sensors_in_trouble(watcher.last("status")), "the board")
        wait_until(lambda: (watcher.last("health").get("link") or {}).get("ok"), "health")
    finally:
        table.send_signal(signal.SIGTERM)
        out, _ = table.communicate(timeout=PATIENCE_S)
        watcher.edge.stop()
        nano.close()

    (trouble,) = sensors_in_trouble(waiting)
    assert trouble["sensor"] == "link"
    assert "ttyUSB0 is not there. Check the USB plug" in trouble["reason"]
    assert not waiting["simulated"]
    assert watcher.last("health")["link"]["firmware"] == 1
    assert table.returncode == 0
    assert "Traceback" not in out


def test_without_a_broker_the_table_runs_and_says_that_it_waits(tmp_path: Path) -> None:
    path = configuration(tmp_path, free_port())
    path.write_text(path.read_text().replace("enabled = false", "port = 0"))
    table = started(path)
    lines: list[str] = []
    assert table.stdout is not None
    # Whether the game or the connection is the first to speak is chance; some games are enough.
    for line in islice(table.stdout, 1000):
        lines.append(line)
        if all(words in "".join(lines) for words in ("rolls", "waiting for the broker")):
            break
    table.send_signal(signal.SIGTERM)
    out, _ = table.communicate(timeout=PATIENCE_S)

    assert any("rolls" in line for line in lines)
    assert any("waiting for the broker" in line for line in lines)
    # The pages of this process wait too, and need not say it again.
    said = [*lines, *out.splitlines(keepends=True)]
    waiting = [line for line in said if "waiting for the broker" in line]
    assert len(waiting) == len(set(waiting))
    assert table.returncode == 0
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[source]\nkind = "recording"\npath = "/nowhere.mcap"', "nowhere.mcap"),
        ('[broker]\nkind = "mqtt"\nuser = "t"\npassword_file = "/nowhere"', "/nowhere"),
        ('[table]\njournal = "/proc/no/journal"', "journal"),
    ],
)
def test_what_cannot_start_is_one_line_and_exit_code_2(
    text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = parse(text + ("" if "[table]" in text else '\n[table]\njournal = ""'))

    assert run.run(config) == 2
    error = capsys.readouterr().err
    assert error.startswith("run: ")
    assert words in error
    assert len(error.splitlines()) == 1
