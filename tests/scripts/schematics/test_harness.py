"""The harness drawing shows every wire of the plan, from end to end."""

import shutil
from typing import Any

import pytest

from scripts.schematics import harness, plan

PLAN = plan.load()


@pytest.fixture(autouse=True)
def _graphviz() -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed (dot)")


def ends(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Part and pin of each last link."""
    return {
        (part, str(pins[0]).split(" ")[0])
        for connection in document["connections"]
        for part, pins in [next(iter(connection[-1].items()))]
    }


@pytest.mark.parametrize("variant", ["bridge", "direct", "starter"])
def test_every_wire_is_in_the_drawing(variant: str) -> None:
    chosen = PLAN.variants[variant]
    documents = [harness.harness(PLAN, variant)]
    if chosen.panel:
        documents.append(harness.panel_harness(PLAN))

    drawn = set[tuple[str, str]]().union(*map(ends, documents))

    assert {(wire.part, wire.pin) for wire in chosen.wires} <= drawn


def test_the_drawing_says_signals_addresses_and_contacts() -> None:
    said = harness.statements(harness.draw(harness.harness(PLAN, "direct")))["texts"]

    assert "GPIO5 (pin 29)" in said
    assert any("0x68" in words for words in said)
    assert any("DOUT3" in words for words in said)


def test_a_wire_in_another_colour_or_place_is_another_drawing() -> None:
    before = harness.draw(harness.harness(PLAN, "starter"))
    text = plan.PINS_FILE.read_text()
    head, mark, tail = text.partition("\n  starter:\n")

    for old, new in (("colour: GY", "colour: PK"), ("pi: GPIO12", "pi: GPIO16")):
        changed = plan.parse(head + mark + tail.replace(old, new, 1))
        after = harness.draw(harness.harness(changed, "starter"))
        assert harness.statements(after) != harness.statements(before)


def test_the_same_drawing_elsewhere_on_the_paper_says_the_same() -> None:
    before = harness.draw(harness.harness(PLAN, "starter"))
    moved = before.replace('x="', 'x="1')

    assert moved != before
    assert harness.statements(moved) == harness.statements(before)
