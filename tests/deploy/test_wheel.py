"""The wheels: one with all that a table needs and nothing else, one with the lab."""

import re
import subprocess
import sys
import tomllib
import urllib.request
import zipfile
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import lab_of
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
PACKAGES = ("controller", "engine", "firmware_bridge", "hw", "pages")
OFFERED_BY_THE_LAB = {
    "pytest11": {"topple_bench": "lab.bench.plugin"},
    "topple_table.commands": {
        "demo": "lab.commands:demo",
        "replay-mqtt": "lab.commands:replay_mqtt",
        "fit": "lab.commands:fit",
        "bench": "lab.commands:bench",
    },
    "topple_table.simulated": {
        "evening": "lab.people.simulation:endless_evening",
        "moved": "lab.bench.outside.handled_tower:moved_tower",
        "fault": "lab.twin.fault_words:parse_fault",
        "calibrating": "lab.workshop:to_calibrate",
        "diagnosing": "lab.diagnosing:to_diagnose",
        "accuracy-test": "lab.workshop:to_test",
    },
}


def shipped(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def tracked(*folders: str) -> set[str]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    return {name for name in listing if (ROOT / name).is_file()}


def offered(wheel: Path) -> dict[str, dict[str, str]]:
    """Entry points by group."""
    declared = ConfigParser()
    with zipfile.ZipFile(wheel) as opened:
        entry = next(name for name in opened.namelist() if name.endswith("entry_points.txt"))
        declared.read_string(opened.read(entry).decode())
    return {group: dict(declared[group]) for group in declared.sections()}


def project(folder: str) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
    return table


@pytest.mark.slow
def test_each_holds_every_file_of_its_packages_and_nothing_else(wheel: Path) -> None:
    inside, in_lab = (
        {name for name in shipped(each) if ".dist-info/" not in name and ".data/" not in name}
        for each in (wheel, lab_of(wheel))
    )

    assert inside == tracked(*PACKAGES)
    assert in_lab == tracked("lab") - {"lab/pyproject.toml"}


@pytest.mark.slow
def test_the_table_is_small(wheel: Path) -> None:
    """Half of it are the voices of the shipped caller packs."""
    assert wheel.stat().st_size < 2_700_000


def test_both_run_on_every_machine_and_name_what_they_bring(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    assert lab_of(wheel).name.endswith("-py3-none-any.whl")
    assert {name for name in shipped(wheel) if ".data/" in name} == {
        f"{wheel.name.removesuffix('-py3-none-any.whl')}.data/scripts/topple-table"
    }
    with zipfile.ZipFile(wheel) as opened:
        (command,) = (each for each in opened.infolist() if ".data/" in each.filename)
    assert command.external_attr >> 16 & 0o111, "pip makes no command of it otherwise"
    assert offered(lab_of(wheel)) == OFFERED_BY_THE_LAB


def test_table_and_lab_fit_each_other_in_one_version_only() -> None:
    table, lab = project("."), project("lab")

    assert lab["version"] == table["version"]
    assert lab["dependencies"] == [f"{table['name']}=={table['version']}"]
    assert table["optional-dependencies"]["lab"] == [f"{lab['name']}=={lab['version']}"]


class Environment:
    """A virtual environment that knows nothing of this checkout."""

    def __init__(self, folder: Path, wheelhouse: Path) -> None:
        self.folder, self._wheelhouse = folder, wheelhouse
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)

    def install(self, *wanted: str) -> None:
        subprocess.run(
            [str(self.folder / "venv/bin/pip"), "install", "-qq", "--disable-pip-version-check",
             "--no-compile", "--no-index", "--find-links", str(self._wheelhouse), *wanted],
            cwd=self.folder, check=True,
        )  # fmt: skip

    def says(self, *words: str) -> tuple[int, str, str]:
        """Exit code, output and errors of the program."""
        done = subprocess.run(
            [str(self.folder / "venv/bin/topple-table"), *words],
            cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def has_lab(self) -> bool:
        return bool(list(self.folder.glob("venv/lib/python3*/site-packages/lab")))


@pytest.mark.slow
def test_a_table_works_without_the_lab_and_plays_with_it(
    wheel: Path, wheelhouse: Path, tmp_path: Path
) -> None:
    table = Environment(tmp_path, wheelhouse)
    table.install(f"{wheel}[bridge]")

    assert not table.has_lab()
    assert "demo" in table.says("--help")[1]
    assert_each_command_of_the_lab_asks_for_it(table)
    healthy, words, _ = table.says("doctor", "--config", "table.toml", "--only", "config")
    assert (healthy, words.split()[0]) == (0, "ok")
    assert_the_pages_are_served(table)

    table.install("topple-table[lab]")

    played = table.says("demo", "--headless", "--seed", "17", "--target", "3")
    assert played[1].splitlines()[-1].startswith("Final score: "), played
    refused = table.says("diagnose", "--simulated", "--no-interactive")
    assert refused[0] == 2
    assert "gpiozero is not installed; type: " in refused[2]
    assert refused[2].endswith("/venv/bin/pip install gpiozero smbus2\n")
    table.install("gpiozero", "smbus2")
    examined = table.says("diagnose", "--simulated", "--no-interactive")
    assert examined[0] == 0, examined


@pytest.mark.slow
def test_what_lost_its_own_packages_ends_in_one_sentence_each_time(
    wheel: Path, wheelhouse: Path, tmp_path: Path
) -> None:
    table = Environment(tmp_path, wheelhouse)
    table.install(str(wheel))
    (packages,) = tmp_path.glob("venv/lib/python3*/site-packages")
    (tmp_path / "table.toml").write_text("")
    for lost in ("msgspec", "engine", "typer", "controller"):
        (packages / lost).rename(tmp_path / lost)
        for words in (("--version",), ("run", "--config", "table.toml"), ("doctor",)):
            code, said, errors = table.says(*words)
            if code == 0:
                continue
            assert (code, said) == (2, ""), (lost, words, errors)
            assert re.fullmatch(
                rf"topple-table: its own files are not whole \(No module named '{lost}[.\w]*'\); "
                rf"games and settings lie elsewhere; install it again into {tmp_path}/venv\n",
                errors,
            ), (lost, words, errors)
        assert code == 2
        (tmp_path / lost).rename(packages / lost)


def assert_each_command_of_the_lab_asks_for_it(table: Environment) -> None:
    """In one line, and with a command that adds the lab."""
    config = table.folder / "table.toml"
    config.write_text('[source]\nkind = "twin"\n')
    for words in (
        *([name] for name in OFFERED_BY_THE_LAB["topple_table.commands"]),
        ["demo", "--headless", "--seed", "3"],
        ["calibrate", "--simulated"],
        ["diagnose", "--simulated"],
        ["accuracy-test", "--simulated"],
        ["run", "--config", str(config)],
    ):
        code, _, errors = table.says(*words)
        assert code == 2, (words, errors)
        assert re.fullmatch(
            r"(topple-table|run): .+ is part of the lab .*; in the folder of the release type: "
            r"\S+/venv/bin/pip install --no-index --find-links dist topple-table-lab\n",
            errors,
        ), (words, errors)


def assert_the_pages_are_served(table: Environment) -> None:
    """Of a broker that is not there; the pages come all the same."""
    port = free_port()
    pages = subprocess.Popen(
        [str(table.folder / "venv/bin/topple-table"), "scoreboard", "--port", str(port),
         "--broker", f"127.0.0.1:{free_port()}"],
        cwd=table.folder, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert pages.stdout is not None
        while str(port) not in (line := pages.stdout.readline()):
            assert line, "the pages have ended"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            assert answer.status == 200
    finally:
        pages.terminate()
        pages.wait(20)


def test_nothing_tells_people_to_ask_a_package_index_for_the_table() -> None:
    """The names are nobody's there: who registers one would run programs as root."""
    asks = re.compile(
        r"(pip|pipx|uv|tool) +install[^\n]*['\" ]topple[-_]table(-lab)?['\"\[ =]|topple-table\["
    )
    found = [
        name
        for name in tracked("*.md", "*.py", "*.sh", "*.service", "Makefile")
        if not name.startswith("tests/")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if asks.search(line) and "--no-index" not in line
    ]

    assert found == []
