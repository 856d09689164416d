"""pins.h holds the plan's pins, and pins that the firmware cannot use are refused."""

import pytest

from scripts.schematics import firmware_pins, plan
from scripts.schematics.plan import PlanError

TEXT = plan.PINS_FILE.read_text()


def test_moved_pins_move_in_the_header() -> None:
    moved = TEXT
    for cell, pin in enumerate(("D2", "D3", "D4", "D5")):
        moved = moved.replace(f"DOUT{cell}, nano: D{4 + cell}", f"DOUT{cell}, nano: {pin}")

    header = firmware_pins.header(plan.parse(moved))

    assert "1U << (2 + (cell))" in header
    assert "define DOUT_ALL 0x3C" in header


def test_pins_that_do_not_lie_side_by_side_are_refused() -> None:
    scattered = TEXT.replace("DOUT3, nano: D7", "DOUT3, nano: D2")

    with pytest.raises(PlanError, match="D4, D5, D6, D2; the firmware needs them side by side"):
        firmware_pins.header(plan.parse(scattered))
