"""Pictures of the guide's steps: all there, current, and told apart."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hw.building.assembly import STEPS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]


def test_every_step_of_the_guide_has_its_picture_and_it_is_current() -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    done = subprocess.run(
        [sys.executable, "-m", "scripts.schematics.model", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
    guide = (ROOT / "docs" / "assembly.md").read_text()
    for step in STEPS:
        assert f"schematics/mechanics/pictures/step-{step.number:02d}.svg" in guide


def test_a_picture_of_other_parts_is_not_alike(parts: list[Any]) -> None:
    from scripts.schematics.model.pictures import alike, exploded

    whole = exploded(parts)

    assert alike(whole, whole)
    assert not alike(whole, exploded([each for each in parts if each.name != "board"]))


def test_a_picture_of_a_part_set_elsewhere_is_not_alike_and_one_cut_otherwise_is() -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.pictures import alike

    edge, part = '<path d="M 0 0L400 0"/>', '<path d="M 10 5L14 5L14 9"/>'
    cut, moved = '<path d="M 0 0L150 0"/><path d="M 400 0L150 0"/>', '<path d="M 13 5L17 5L17 9"/>'

    assert alike(edge + part, cut + part)
    assert not alike(edge + part, edge + moved)
