"""Three toys with thin walls, from their measures to a table, one command for each thing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.schematics.plan import FOLDER
from tests.soaked import soaked

ROOT = FOLDER.parent
TOYS = ("22-mm", "25-mm-bought", "28-mm")


def typed(*words: str | Path, folder: Path = ROOT) -> str:
    """What a command says that ends well."""
    command = [sys.executable, "-m", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("toy", soaked(TOYS, but=["22-mm"]))
def test_a_toy_goes_from_its_measures_to_drawings_model_twin_and_benchmark(
    toy: str, tmp_path: Path
) -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    file = tmp_path / "measures.toml"
    file.write_bytes((FOLDER / "sizes" / f"{toy}.toml").read_bytes())
    out = tmp_path / "out"

    assert "It will do: this game can be built." in typed("controller.cli", "measure", file)
    typed("controller.cli", "drawings", file, "--to", out)
    typed("scripts.schematics.model", "--measures", file, "--to", out)
    evening = typed(
        "controller.cli", "demo", "--measures", file, "--headless", "--target", "12",
        "--speed", "100",
    )  # fmt: skip
    benchmark = typed(
        "tests.benchmarks.detection", "--measures", file, "--games", "1", "--preset", "calm",
        "--seconds", "60", "--dice", "told", "--jobs", "1", "--no-report",
    )  # fmt: skip

    endings = {path.suffix for path in out.iterdir()}
    assert {".stl", ".step", ".dxf", ".csv", ".svg", ".pdf"} <= endings
    assert (out / "electronics-tray.stl").exists()
    assert (out / "board-rank-3.stl").exists() is ("bought" not in toy)
    assert "Final score" in evening
    right = re.search(r"right cell.* n=(\d+)/\d+", benchmark)
    assert right is not None, benchmark
    assert int(right[1]) > 0
