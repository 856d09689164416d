"""The wheel: all that a table needs and nothing else; it installs where nothing is installed."""

import re
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("controller", "engine", "firmware_bridge", "hw", "lab", "pages")
OFFERED_BY_THE_LAB = {
    "commands": {
        "demo": "lab.commands:demo",
        "replay-mqtt": "lab.commands:replay_mqtt",
        "fit": "lab.commands:fit",
        "bench": "lab.commands:bench",
    },
    "simulated": {
        "evening": "lab.people.simulation:endless_evening",
        "fault": "lab.twin.fault_words:parse_fault",
        "calibrating": "lab.workshop:to_calibrate",
        "diagnosing": "lab.workshop:to_diagnose",
        "accuracy-test": "lab.workshop:to_test",
    },
}


def shipped(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def test_it_holds_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    inside = {name for name in shipped(wheel) if ".dist-info/" not in name}

    assert inside == {name for name in tracked if (ROOT / name).is_file()}


def test_it_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 2_000_000


def test_it_runs_on_every_machine_and_brings_one_command_and_one_pytest_plugin(
    wheel: Path,
) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    declared = ConfigParser()
    with zipfile.ZipFile(wheel) as opened:
        entry = next(name for name in opened.namelist() if name.endswith("entry_points.txt"))
        declared.read_string(opened.read(entry).decode())

    assert {group: dict(declared[group]) for group in declared.sections()} == {
        "console_scripts": {"topple-table": "controller.cli:main"},
        "pytest11": {"topple_bench": "lab.bench.plugin"},
        **{f"topple_table.{group}": names for group, names in OFFERED_BY_THE_LAB.items()},
    }


@pytest.mark.slow
def test_it_installs_into_an_empty_environment_and_plays(
    wheel: Path, wheelhouse: Path, tmp_path: Path
) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run(
        [str(venv / "bin/pip"), "install", "-qq", "--disable-pip-version-check", "--no-compile",
         "--no-index", "--find-links", str(wheelhouse), f"{wheel}[bridge]"],
        cwd=tmp_path, check=True,
    )  # fmt: skip

    played = subprocess.run(
        [str(venv / "bin/topple-table"), "demo", "--headless"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip

    assert played.stdout.splitlines()[-1].startswith("Final score: ")


def test_nothing_tells_people_to_ask_a_package_index_for_the_table() -> None:
    """The name is nobody's there: who registers it would run programs as root."""
    tracked = subprocess.run(
        ["git", "ls-files", "*.md", "*.py", "*.sh", "*.service", "Makefile"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    asks = re.compile(
        r"(pip|pipx|uv|tool) +install[^\n]*['\" ]topple[-_]table['\"\[ =]|topple-table\["
    )
    found = [
        name
        for name in tracked
        if not name.startswith("tests/") and asks.search((ROOT / name).read_text(encoding="utf-8"))
    ]

    assert found == []
