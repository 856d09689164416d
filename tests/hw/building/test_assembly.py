"""The steps of building a table: counted, complete, and the same in the guide for people."""

import re
from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from controller.workshop.diagnose.core.examine import ALL_PARTS
from hw.building import assembly
from hw.errors import HardwareError, NoSuchStep
from lab.twin.board import STEP_S, PivotedBoard, Row, mass_state
from lab.twin.parameters import preset_parameters

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = (DOCS / "assembly.md").read_text()


def section(number: int) -> str:
    """The text of the guide under the heading of a step."""
    return GUIDE.partition(f"\n### {number}. ")[2].partition("\n### ")[0].partition("\n## ")[0]


def test_steps_are_numbered_as_they_come() -> None:
    assert [step.number for step in assembly.STEPS] == list(range(1, len(assembly.STEPS) + 1))


@pytest.mark.parametrize("variant", assembly.VARIANTS)
def test_the_software_takes_no_longer_than_promised(variant: assembly.Variant) -> None:
    assert 0 < assembly.software_minutes(variant) <= assembly.SOFTWARE_MINUTES_MOST


def test_every_part_is_checked_in_its_own_step_before_all_are() -> None:
    *before, last = (step for step in assembly.steps_of("bridge") if step.parts)

    assert set().union(*(step.parts for step in before)) == last.parts


@pytest.mark.parametrize("number", [0, -1, 13])
def test_a_step_that_is_not_there_is_refused_in_words(number: int) -> None:
    with pytest.raises(NoSuchStep, match=f"step is {number}; the assembly guide has") as refused:
        assembly.step(number)

    assert isinstance(refused.value, HardwareError)


def test_the_guide_has_these_steps_in_this_order() -> None:
    headings = re.findall(r"^### (\d+)\. (.+)$", GUIDE, flags=re.MULTILINE)

    assert [(int(number), title) for number, title in headings] == [
        (step.number, step.title) for step in assembly.STEPS
    ]


@pytest.mark.parametrize("step", assembly.STEPS, ids=lambda step: step.title)
def test_the_guide_ends_each_step_with_its_check(step: assembly.AssemblyStep) -> None:
    text = " ".join(section(step.number).split())

    assert f"topple-table diagnose --step {step.number}" in text
    if step.variants != assembly.VARIANTS:
        assert f"({', '.join(step.variants)} only)" in text


@pytest.mark.parametrize("step", assembly.STEPS, ids=lambda step: str(step.number))
def test_each_step_has_picture_time_tools_check_and_what_to_do_when_it_fails(
    step: assembly.AssemblyStep,
) -> None:
    text = section(step.number)
    picture = f"../schematics/mechanics/pictures/step-{step.number:02d}.svg"

    assert f"]({picture})" in text
    assert (DOCS / picture).is_file()
    for mark in ("*Time: ", " Tools: ", "**Check:**", "**If the check fails:**"):
        assert text.count(mark) == 1, mark


def test_the_guide_counts_the_same_minutes() -> None:
    for variant in assembly.VARIANTS:
        assert f"{variant} {assembly.software_minutes(variant):g} minutes" in GUIDE


def test_parts_are_those_that_the_diagnosis_knows() -> None:
    used = set().union(*(step.parts for step in assembly.STEPS))

    assert used == set(get_args(assembly.Part))
    assert used == {str(part) for part in ALL_PARTS}


def let_go_at_ten_degrees(friction_deg: float) -> tuple[float, float]:
    """Full swings of the empty simulated board, and seconds until it is still."""
    body = replace(preset_parameters("normal").body, friction_band_deg=friction_deg)
    board = PivotedBoard(body, mass_state(body, (0.0, 0.0), ()))
    board.up = (sin(radians(10)), 0.0, cos(radians(10)))
    rows: list[Row] = []
    board.run(0.0, int(12 / STEP_S), [], [], None, rows)
    rate = np.array(rows)[:, 4]
    way = np.sign(np.where(np.abs(rate) < 1e-5, 0, rate))
    turns = np.count_nonzero((way[1:] != way[:-1]) & (way[:-1] != 0))
    return turns / 2, float(np.flatnonzero(np.abs(rate) > 2e-3)[-1] * STEP_S)


def row(name: str) -> list[float]:
    """Figures of a row of the guide's table of swings."""
    found = re.search(rf"^\| {name} \|(.+)\|$", GUIDE, flags=re.MULTILINE)
    assert found
    return [float(word) for word in found[1].split("|")]


def test_the_guide_counts_swings_as_the_simulated_board_makes_them() -> None:
    bands = row("friction band, degrees")
    told = zip(row("full swings"), row("seconds until it is still"), strict=True)

    for friction_deg, (swings, still_s) in zip(bands, told, strict=True):
        counted, after_s = let_go_at_ten_degrees(friction_deg)
        assert counted == swings
        assert after_s == pytest.approx(still_s, abs=0.06)
