"""`topple-table drawings`: all files of one's own game, or why there are none."""

import csv
import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import ezdxf
import msgspec
import pytest

from controller.workshop import drawings
from hw.building.design import designed
from hw.building.measures import STANDARD, Measures, text_of
from tests.hw.building.games import GAMES, game_of

FILES = {
    "board.svg", "base-plate.svg", "sensor-pocket.svg", "base-plate.dxf", "foot-plate.dxf",
    "holes.csv", "parts.csv",
}  # fmt: skip
TOYS = {
    "thin, 22 mm": game_of((22, 8, 1.6, 4.5, 2.0)),
    "thin, 25 mm": game_of((25, 9, 1.8, 5.0, 2.5)),
    "thin, 28 mm": game_of((28, 10, 2.0, 5.0, 3.0)),
}


def drawn(measures: Measures, folder: Path, wiring: str = "bridge") -> tuple[int, str]:
    file, out = folder / "measures.toml", io.StringIO()
    file.write_text(text_of(measures))
    return drawings.run(file, folder / "out", wiring, out), out.getvalue()


@pytest.mark.parametrize("game", [*GAMES.values(), *TOYS.values()], ids=[*GAMES, *TOYS])
def test_one_command_writes_everything_for_a_game(game: Measures, tmp_path: Path) -> None:
    code, said = drawn(game, tmp_path)
    folder, side = tmp_path / "out", round(2 * designed(game).base_half_mm, 1)

    assert code == 0
    assert {path.name for path in folder.iterdir()} == FILES
    assert all(str(folder / name) in said for name in FILES)
    for path in folder.glob("*.svg"):
        ET.fromstring(path.read_text())  # noqa: S314 - our own drawing
    for path in folder.glob("*.dxf"):
        xs = [line.dxf.start.x for line in ezdxf.readfile(path).modelspace().query("LINE")]
        assert max(xs) - min(xs) == pytest.approx(side, abs=0.05)
    rows = {row["part"]: row for row in csv.DictReader((folder / "parts.csv").open())}
    assert f"{side:g} x {side:g} mm" in rows["Base plate and foot plate"]["exactly"]
    assert f"tube {designed(game).stem_diameter_mm:g} x 1 mm" in rows["Stem"]["exactly"]
    assert not any("{" in row["exactly"] for row in rows.values())


def test_a_wiring_without_a_nano_is_listed_without_one(tmp_path: Path) -> None:
    drawn(STANDARD, tmp_path, "direct")

    assert "Nano" not in (tmp_path / "out" / "parts.csv").read_text()


def test_a_game_that_cannot_be_built_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    board = msgspec.structs.replace(
        STANDARD.board, centre_height_mm=35.0, mass_g=0.0, corner_sinks_mm=0.0
    )
    code, said = drawn(replace(STANDARD, board=board), tmp_path)

    assert code == 1
    assert "WRONG  the empty board does not hang" in said
    assert not (tmp_path / "out").exists()


def test_the_command_draws_the_assumed_game_where_nobody_has_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "controller.cli", "drawings", "mine.toml", "--to", "out"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert "of the assumed game; mine.toml is not there" in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
