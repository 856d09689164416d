"""The steps of building a table: counted, complete, and the same in the guide for people."""

import re
from pathlib import Path

import pytest

from hw import assembly
from hw.errors import HardwareError, NoSuchStep

GUIDE = (Path(__file__).parents[2] / "docs" / "assembly.md").read_text()


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
def test_the_guide_ends_each_step_with_its_check(step: assembly.Step) -> None:
    text = " ".join(section(step.number).split())

    assert f"topple-table diagnose --step {step.number}" in text
    if step.variants != assembly.VARIANTS:
        assert f"({', '.join(step.variants)} only)" in text


def test_the_guide_counts_the_same_minutes() -> None:
    rows = re.findall(r"^\| (\d+)\. [^|]+ \| (\d+) \|", GUIDE, flags=re.MULTILINE)

    assert {int(number): int(minutes) for number, minutes in rows} == {
        step.number: step.software_minutes for step in assembly.STEPS if step.software_minutes
    }
    for variant in assembly.VARIANTS:
        assert f"{variant} {assembly.software_minutes(variant):g} minutes" in GUIDE
