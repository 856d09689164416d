"""Python, clock, power and space, on computers that a folder plays."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.workshop.doctor.computer import (
    Computer,
    ask,
    clock,
    memory,
    power,
    python,
    space,
    wireless,
)
from controller.workshop.doctor.results import CheckResult

NOW_S = 1_795_269_000.0
"""2026-11-21."""


def write(root: Path, name: str, text: str = "") -> None:
    path = root / name.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def verdicts(results: Iterable[CheckResult]) -> list[str]:
    return [found.verdict for found in results]


def test_an_old_python_is_named() -> None:
    assert python((3, 9, 2)).verdict == "wrong"
    assert "3.9.2" in python((3, 9, 2)).words
    assert python((3, 11, 0)).verdict == "ok"


@pytest.mark.parametrize(
    ("now_s", "synchronized", "expected"),
    [(NOW_S, True, "ok"), (NOW_S, False, "note"), (0.0, False, "wrong"), (0.0, True, "wrong")],
)
def test_the_clock_is_believed_when_it_can_be(
    tmp_path: Path, now_s: float, synchronized: bool, expected: str
) -> None:
    (tmp_path / "run/systemd/timesync").mkdir(parents=True)
    if synchronized:
        write(tmp_path, "/run/systemd/timesync/synchronized")

    assert verdicts(clock(Computer(tmp_path, unix_s=lambda: now_s))) == [expected]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [("0", ["ok"]), ("50000", ["note"]), ("50005", ["wrong"]), ("", []), ("no number", [])],
)
def test_the_supply_is_as_the_firmware_saw_it(
    tmp_path: Path, flags: str, expected: list[str]
) -> None:
    asked = Computer(tmp_path, ask=lambda _: f"throttled=0x{flags}\n")
    assert verdicts(power(asked)) == expected

    write(tmp_path, "/sys/devices/platform/soc/soc:firmware/get_throttled", flags)
    without_the_command = Computer(tmp_path, ask=lambda _: "")
    assert verdicts(power(without_the_command)) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [("Power save: on\n", ["note"]), ("Power save: off\n", ["ok"]), ("", [])],
)
def test_wi_fi_that_sleeps_is_named_with_the_command_that_keeps_it_awake(
    tmp_path: Path, said: str, expected: list[str]
) -> None:
    (tmp_path / "sys/class/net/eth0").mkdir(parents=True)
    (tmp_path / "sys/class/net/wlan0/wireless").mkdir(parents=True)
    question = ["iw", "dev", "wlan0", "get", "power_save"]
    computer = Computer(tmp_path, ask=lambda command: said if command == question else "?")

    found = list(wireless(computer))

    assert verdicts(found) == expected
    assert all("dev wlan0 set power_save off" in one.advice for one in found if one.advice)


@pytest.mark.parametrize(
    ("controllers", "expected"),
    [("cpuset cpu io memory pids", ["ok"]), ("cpuset cpu io pids", ["note"]), ("", [])],
)
def test_a_kernel_that_counts_no_memory_is_named(
    tmp_path: Path, controllers: str, expected: list[str]
) -> None:
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    write(tmp_path, "/sys/fs/cgroup/cgroup.controllers", controllers)

    assert verdicts(memory(Computer(tmp_path))) == expected


@pytest.mark.parametrize(
    ("free_mb", "flags", "verdict", "words"),
    [
        (12, 0, "wrong", "12 MB are free"),
        (300, 0, "note", "300 MB are free"),
        (900, 0, "ok", "900 MB are free"),
        (900, os.ST_RDONLY, "wrong", "read-only"),
    ],
)
def test_space_is_told_before_it_runs_out(
    free_mb: int, flags: int, verdict: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimpleNamespace(f_bavail=free_mb * 1000, f_frsize=1000, f_flag=flags)
    monkeypatch.setattr("controller.workshop.doctor.computer.os.statvfs", lambda _path: disk)

    (found,) = space(Path("/"))

    assert found.verdict == verdict
    assert words in found.words


def test_a_command_that_is_missing_or_fails_says_nothing() -> None:
    assert ask(["no-such-command-anywhere"]) == ""
    assert ask([sys.executable, "-c", "print('here')"]) == "here\n"
