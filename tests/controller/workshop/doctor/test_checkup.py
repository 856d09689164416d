"""The whole visit: one line for each check, and an exit code that a script can use."""

import io
import json
from pathlib import Path

import pytest

from controller import cli
from controller.common.errors import BadInput
from controller.workshop.doctor.checkup import LOOKS, run
from controller.workshop.doctor.computer import Computer
from tests.ports import free_port


def config(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text)
    return path


def visit(path: Path, *only: str, as_json: bool = False) -> tuple[int, list[str]]:
    out = io.StringIO()
    code = run(path, only=only, as_json=as_json, computer=Computer(path.parent), out=out)
    return code, out.getvalue().splitlines()


def test_a_healthy_table_is_exit_code_0(tmp_path: Path) -> None:
    nobody_listens = f"[broker]\nport = {free_port()}"
    path = config(tmp_path, f'[table]\njournal = "games"\n[web]\nenabled = false\n{nobody_listens}')

    code, lines = visit(path)

    assert code == 0, lines
    assert not [line for line in lines if line.startswith("WRONG")]
    assert len(lines) >= 6


def test_one_wrong_thing_is_exit_code_1(tmp_path: Path) -> None:
    code, lines = visit(config(tmp_path, '[table]\njournal = "none/games"'), "keeping")

    assert code == 1
    folder = tmp_path / "none"
    assert lines == [f"WRONG  journal       there is no folder {folder}; mkdir {folder}"]


def test_a_configuration_that_cannot_be_used_is_a_finding(tmp_path: Path) -> None:
    code, lines = visit(config(tmp_path, "[tabel]"), "config")

    assert code == 1
    assert "did you mean table?" in lines[0]


@pytest.mark.parametrize("look", LOOKS)
def test_a_part_can_be_looked_at_alone(look: str, tmp_path: Path) -> None:
    path = config(tmp_path, '[table]\njournal = "games"')

    code, lines = visit(path, look, as_json=True)

    assert lines
    assert code == any(json.loads(line)["verdict"] == "wrong" for line in lines)


def test_what_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no table is installed here"):
        run(None, computer=Computer(tmp_path))
    with pytest.raises(BadInput, match="there is no file"):
        run(tmp_path / "none.toml")
    with pytest.raises(BadInput, match="it can be computer, config"):
        run(config(tmp_path, ""), only=("weather",))


def test_the_command_line_knows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--config", str(tmp_path / "none")]) == 2
    assert cli.main(["doctor", "--config", str(config(tmp_path, "")), "--only", "config"]) == 0
    assert capsys.readouterr().out.startswith("ok     config ")
