"""Everything in schematics/ is what its sources make, and the command says so."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hw.building.assembly import STEPS
from hw.calibration import calibration_json
from lab.twin.parameters import preset_parameters
from scripts.schematics import geometry, output, plan
from scripts.schematics.__main__ import main
from scripts.schematics.plan import FOLDER

SOURCES = ("pins.yaml", "mechanics.yaml", "measures.toml", "carrier/stripboard.yaml")


@pytest.fixture
def graphviz() -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed (dot)")


@pytest.mark.usefixtures("graphviz")
def test_a_changed_wire_makes_its_files_stale() -> None:
    text = plan.PINS_FILE.read_text()
    head, mark, tail = text.partition("\n  starter:\n")
    moved = plan.parse(head + mark + tail.replace("GPIO17", "GPIO27", 1))

    stale = output.stale(moved, geometry.load())

    assert set(stale) == {
        f"schematics/starter/{name}"
        for name in ("wiring.md", "config.toml", "harness.yml", "harness.svg")
    }


def test_a_longer_stem_makes_the_drawing_and_the_lists_that_name_it_stale() -> None:
    built = geometry.load()
    longer = replace(built, design=replace(built.design, tip_height_mm=130.0))
    fresh = output.texts(plan.load(), longer)

    old = [path.name for path, text in fresh.items() if path.read_text() != text]
    assert sorted(old) == ["base-plate.svg", "bom.csv", "bom.csv", "parts.md"]


def test_nothing_lies_in_the_folder_that_nobody_makes() -> None:
    made = {path for path in output.texts(plan.load(), geometry.load()) if FOLDER in path.parents}
    made |= {FOLDER / name / "harness.svg" for name in output.harnesses(plan.load())}
    by_hand = {
        FOLDER / name for name in ("LICENSE", "README.md", "load-cells.md", "pins.yaml", *SOURCES)
    }

    # Pictures are made by the model: tests/scripts/schematics/model/test_pictures.py.
    pictures = set((FOLDER / "mechanics" / "pictures").glob("*.svg"))

    sizes = set((FOLDER / "sizes").glob("*.toml"))  # .../model/test_archive.py

    assert {
        path for path in FOLDER.rglob("*") if path.is_file()
    } == made | by_hand | pictures | sizes
    assert {path.stem for path in pictures} == {
        "exploded", *(f"step-{step.number:02d}" for step in STEPS)
    }  # fmt: skip


@pytest.mark.usefixtures("graphviz")
def test_every_committed_file_is_current_says_the_command() -> None:
    outcome = subprocess.run(
        [sys.executable, "-m", "scripts.schematics", "--check"],
        cwd=FOLDER.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (outcome.returncode, outcome.stdout.strip(), outcome.stderr) == (0, "", "")


def test_without_graphviz_the_command_says_what_to_install() -> None:
    outcome = subprocess.run(
        [sys.executable, "-m", "scripts.schematics", "--check"],
        cwd=FOLDER.parent, capture_output=True, text=True, check=False,
        env=dict(os.environ) | {"PATH": "/nowhere"},
    )  # fmt: skip

    assert outcome.returncode == 2
    assert outcome.stderr == "Graphviz is not installed (dot); try: apt-get install graphviz\n"


def test_another_table_is_drawn_from_its_calibration(tmp_path: Path) -> None:
    calibration = preset_parameters("normal").calibration
    movable = replace(calibration, imu=replace(calibration.imu, position_mm=(30.0, 0.0, -12.5)))
    file = tmp_path / "table.json"
    file.write_text(calibration_json(replace(movable, cell_pitch_mm=31.0)))

    assert main(["--calibration", str(file), "--to", str(tmp_path / "out")]) == 0
    assert ">155<" in (tmp_path / "out" / "sensor-pocket.svg").read_text()


def test_a_table_that_cannot_be_built_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.json"
    file.write_text(calibration_json(preset_parameters("normal").calibration))

    assert main(["--calibration", str(file), "--to", str(tmp_path)]) == 1
    assert "in the way of the stem" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{}", json.dumps({"version": 9})])
def test_a_bad_calibration_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    file = tmp_path / "table.json"
    file.write_text(text)

    assert main(["--calibration", str(file)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
