import sys
from importlib import metadata

import pytest

from controller import cli
from controller.common import lab_entry_points
from controller.common.lab_entry_points import NoLab, commands, simulated
from lab.people.simulation import endless_evening

COMMANDS = ["bench", "demo", "fit", "replay-mqtt"]
SIMULATED = ["evening", "fault", "calibrating", "diagnosing", "accuracy-test"]


@pytest.fixture
def left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the folder `lab` were not there."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "lab"]:
        monkeypatch.delitem(sys.modules, name)

    class Nowhere:
        def find_spec(self, name: str, *_rest: object) -> None:
            if name == "lab":
                raise ModuleNotFoundError("No module named 'lab'", name="lab")

    monkeypatch.setattr(sys, "meta_path", [Nowhere(), *sys.meta_path])


def test_what_the_lab_offers_is_found() -> None:
    assert [command.name for command in commands() if command.here] == COMMANDS
    assert simulated("evening") is endless_evening
    assert all(callable(simulated(name)) for name in SIMULATED)


@pytest.mark.usefixtures("left_out")
def test_without_the_lab_its_commands_say_so_in_a_sentence() -> None:
    without = [command for command in commands() if not command.here]

    assert [command.name for command in without] == COMMANDS
    for command in without:
        with pytest.raises(NoLab, match=f"^{command.name} is part of the lab .* to have it$"):
            command.run()


@pytest.mark.usefixtures("left_out")
def test_without_the_lab_no_table_is_simulated() -> None:
    with pytest.raises(NoLab, match="a simulated table is part of the lab"):
        simulated("evening")


def test_a_program_that_is_not_installed_has_no_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)

    assert list(commands()) == []
    with pytest.raises(NoLab):
        simulated("fault")


def test_a_lab_that_lacks_something_itself_is_no_missing_lab(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = metadata.EntryPoint("fault", "controller.nowhere:fault", lab_entry_points.SIMULATED)
    monkeypatch.setattr(lab_entry_points, "_offered", lambda _group: (broken,))

    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        simulated("fault")


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
