"""Wiring tables and shopping lists: every wire has a row, every part a line."""

import csv
import io

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

    for wire in PLAN.variants[variant].wires:
        rows = [row for row in page.splitlines() if ends_at(row) == wire.to]
        assert len(rows) == 1
        assert f"| {wire.signal} |" in rows[0]
        assert wire.at in rows[0]


def test_a_row_names_signal_pins_plug_colour_end_address_and_voltage() -> None:
    page = tables.wiring(PLAN, "bridge")

    assert "| SDA |  | A4 | LS1.1 | J5.3 | blue | U1.SDA, address 0x68 | 3.3 |" in page
    assert "| BUTTON_PASS | GPIO22 (15) | J6.1 | brown | S2.A | 3.3 |" in page


def test_every_table_is_rectangular() -> None:
    for name in PLAN.variants:
        for block in tables.wiring(PLAN, name).split("\n\n"):
            bars = {line.count("|") for line in block.strip().splitlines() if line.startswith("|")}
            assert len(bars) <= 1


@pytest.mark.parametrize("variant", ["bridge", "direct", "starter"])
def test_every_part_is_bought_once(variant: str) -> None:
    rows = list(csv.DictReader(io.StringIO(tables.bom(PLAN, variant))))

    bought = [label for row in rows for label in row["reference"].split()]
    assert set(PLAN.variants[variant].parts) <= set(bought)
    assert len(bought) == len(set(bought))
    assert all(int(row["quantity"]) > 0 for row in rows)
    assert all(row["part"] and row["source_1"] and row["source_2"] for row in rows)
    assert {row["price_class"] for row in rows} <= set("ABCD")


def test_quantities_follow_the_plan() -> None:
    rows = csv.DictReader(io.StringIO(tables.bom(PLAN, "bridge")))

    counted = {row["reference"]: int(row["quantity"]) for row in rows}
    assert counted["A0 A1 A2 A3"] == 4
    assert counted["NANO1"] == 1
