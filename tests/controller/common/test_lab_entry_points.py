import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from controller import cli
from controller.common.lab_entry_points import (
    LAB,
    NAMES,
    NoLab,
    commands,
    how_to_install,
    how_to_read_pins,
    simulated,
)
from lab.people.simulation import endless_evening
from tests.tree import ROOT

SIMULATED = ["evening", "fault", "calibrating", "diagnosing", "accuracy-test"]


@pytest.fixture
def left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if only the program were installed."""
    distribution = metadata.distribution

    def without(name: str) -> metadata.Distribution:
        if name == LAB:
            raise metadata.PackageNotFoundError(name)
        return distribution(name)

    monkeypatch.setattr(metadata, "distribution", without)


def test_what_the_lab_offers_is_found() -> None:
    assert [command.name for command in commands() if command.here] == sorted(NAMES)
    assert simulated("evening") is endless_evening
    assert all(callable(simulated(name)) for name in SIMULATED)


def test_the_program_knows_the_names_of_all_commands_of_the_lab() -> None:
    offered = metadata.distribution(LAB).entry_points.select(group="topple_table.commands")

    assert {entry.name for entry in offered} == set(NAMES)


@pytest.mark.usefixtures("left_out")
def test_without_the_lab_its_commands_say_so_in_a_sentence() -> None:
    without = [command for command in commands() if not command.here]

    assert [command.name for command in without] == sorted(NAMES)
    for command in without:
        with pytest.raises(NoLab, match=f"^{command.name} is part of the lab .* type: .*{LAB}$"):
            command.run()


@pytest.mark.usefixtures("left_out")
def test_without_the_lab_no_table_is_simulated() -> None:
    with pytest.raises(NoLab, match="a simulated table is part of the lab"):
        simulated("evening")


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""
DIAGNOSED = (
    WITHOUT
    + """
from controller.cli import main
sys.exit(main(["diagnose", "--simulated", "--seconds", "3"]))
"""
)
FOUND = (
    WITHOUT
    + """
from controller.common.lab_entry_points import simulated
for name in sys.argv[2:]:
    simulated(name)
"""
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "words"),
    [
        (
            "gpiozero",
            "libraries of a Raspberry Pi, and gpiozero is not installed; type: .* smbus2$",
        ),
        ("serial", "libraries of the serial line, and serial is not installed; .*[bridge]"),
        ("cobs", "libraries of the serial line, and cobs is not installed; .*[bridge]"),
        ("lab", f"a simulated table is part of the lab .*{LAB}"),
    ],
)
def test_a_library_that_simulated_tables_need_is_named_in_one_line(module: str, words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIAGNOSED, module],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    (said,) = done.stderr.splitlines()

    assert done.returncode == cli.BAD_INPUT
    assert re.search(words.replace("[", r"\[").replace("]", r"\]"), said)


@pytest.mark.parametrize("module", ["gpiozero", "smbus2"])
def test_only_a_diagnosis_needs_the_libraries_of_a_pi(module: str) -> None:
    others = [name for name in SIMULATED if name != "diagnosing"]
    subprocess.run([sys.executable, "-c", FOUND, module, *others], cwd=ROOT, check=True, timeout=60)


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ann/table", "/home/ann/table/bin/pip install --no-index --find-links dist " + LAB),
        ("/opt/topple-table/1.0.0", "sudo sh deploy/install.sh --lab"),
    ],
)
def test_the_lab_is_added_as_the_program_was_installed(prefix: str, command: str) -> None:
    assert how_to_install(Path(prefix)) == command


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/ann/table", "/home/ann/table/bin/pip install gpiozero smbus2"),
        ("/opt/topple-table/1.0.0", "sudo sh deploy/install.sh --lab"),
    ],
)
def test_what_reads_simulated_pins_is_added_as_the_program_was_installed(
    prefix: str, command: str
) -> None:
    assert how_to_read_pins(Path(prefix)) == command


@pytest.mark.parametrize("words", [["demo", "--headless", "--seed", "3"], ["bench", "all"]])
def test_whoever_types_it_reads_one_line(
    words: list[str], left_out: None, capsys: pytest.CaptureFixture[str]
) -> None:
    program = [sys.modules.pop(name) for name in ("controller.cli",)]
    try:
        from controller.cli import main

        assert main(words) == cli.BAD_INPUT
    finally:
        sys.modules["controller.cli"] = program[0]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"topple-table: {words[0]} is part of the lab (simulated tables")
