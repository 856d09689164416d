"""A game on the real firmware, published over a real broker, and the same game without it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt.client import Message, Mqtt
from controller.workshop import firmware
from lab.avr.played import LabSource
from lab.avr.simavr import find_library
from lab.demo import on_firmware
from tests.controller.conftest import RunningBroker
from tests.firmware_bridge.lab.build import need_lab

TOLD = ("phase", "round", "turn", "players", "board", "history")
"""What the score consists of; times and names of the run are its own."""


@pytest.mark.slow
@pytest.mark.parametrize("broker", ["mosquitto"], indirect=True)
def test_a_game_on_the_firmware_has_the_same_score_on_the_broker_as_without(
    broker: RunningBroker, tmp_path: Path, wait_until: Any, pytestconfig: pytest.Config
) -> None:
    """Its first turns; with `--soak` to its end."""
    need_lab()
    until_s = on_firmware.LONGEST_S if pytestconfig.getoption("--soak") else 12.0
    built = firmware.build(tmp_path)
    heard: list[Message] = []
    watcher = Mqtt(broker.address(), "watcher", subscriptions=("topple/1/+/state",))
    watcher.on_message(heard.append)
    watcher.start()
    wait_until(lambda: watcher.connection.up, "the watcher's connection")

    people = on_firmware.evening()
    plain = on_firmware.play(people, people, broker.address(), "plain", until_s=until_s)
    people = on_firmware.evening()
    source = LabSource(people, people.calibration, built.elf, terminal=True)
    played = on_firmware.play(people, source, broker.address(), "lab", until_s=until_s)

    def last(table: str) -> Any:
        found = [m.payload for m in heard if m.topic == f"topple/1/{table}/state"]
        return json.loads(found[-1]) if found else {}

    wait_until(lambda: last("lab").get("seq") == played.board.seq, "the last state")
    watcher.stop([])

    assert played.outcomes == plain.outcomes
    assert len(played.outcomes) > 3
    ann, bob = played.scores.values()
    assert (ann, bob) == (3, -10) or until_s < on_firmware.LONGEST_S
    for key in TOLD:
        assert _timeless(last("lab")[key]) == _timeless(last("plain")[key]), key
    health = source.link_health()
    assert (health.lost_on_line, health.bad_crc, health.dropped_by_device) == (0, 0, 0)
    assert source.table.violations == []
    said = on_firmware.report(built, source, played, plain)
    same = f"Ann {ann}, Bob {bob}; {len(played.outcomes)} outcomes, the same without the firmware"
    assert same in said
    assert "0 lost, 0 damaged, 0 dropped" in said


def _timeless(value: Any) -> Any:
    """Without times, weights and probabilities, which noise may move a little."""
    if isinstance(value, dict):
        moved = ("t", "t_s", "since", "confidence", "p", "decided", "alternatives", "mass_g")
        return {key: _timeless(part) for key, part in value.items() if key not in moved}
    return [_timeless(part) for part in value] if isinstance(value, list) else value


def test_without_the_simulator_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(on_firmware, "find_library", lambda: None)

    assert on_firmware.run([]) == 2
    assert capsys.readouterr().err == ("lab: libsimavr is missing; apt-get install libsimavr2\n")


@pytest.mark.slow
def test_make_lab_prints_its_report(tmp_path: Path) -> None:
    need_lab()
    assert find_library() is not None
    shown = subprocess.run(
        [sys.executable, "-m", "lab.demo.on_firmware", "--seconds", "8"],
        cwd=Path(__file__).parents[3],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert shown.returncode == 0, shown.stdout + shown.stderr
    names = [line[:14].strip() for line in shown.stdout.splitlines()[-8:]]
    assert names == [
        "score", "speed", "processor", "line", "conversions", "inertial", "data sheets", "memory",
    ]  # fmt: skip
    assert "0 lost, 0 damaged" in shown.stdout
