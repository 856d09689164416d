"""Wiring tables: every wire has a row."""

import pytest

from scripts.schematics import plan, tables

PLAN = plan.load()


def ends_at(row: str) -> str:
    """The part and pin in the last column but one of a table of wires."""
    columns = row.split(" | ")
    return columns[-2].partition(",")[0] if len(columns) > 5 else ""


@pytest.mark.parametrize("variant", ["bridge", "direct", "starter"])
def test_every_wire_has_its_row(variant: str) -> None:
    page = tables.wiring(PLAN, variant)
    if PLAN.variants[variant].panel:
        page += tables.panel(PLAN)

    for wire in PLAN.variants[variant].wires:
        rows = [row for row in page.splitlines() if ends_at(row) == wire.to]
        assert len(rows) == 1
        assert f"| {wire.signal} |" in rows[0]
        assert wire.at in rows[0]


def test_every_table_is_rectangular() -> None:
    for page in (tables.panel(PLAN), *(tables.wiring(PLAN, name) for name in PLAN.variants)):
        for block in page.split("\n\n"):
            bars = {line.count("|") for line in block.strip().splitlines() if line.startswith("|")}
            assert len(bars) <= 1
