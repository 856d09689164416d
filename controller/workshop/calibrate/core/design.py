"""The dimensions from which the calibration of a starter begins."""

from hw.building.design import PLAIN_GAIN, drawn_table
from hw.calibration import Calibration
from hw.drivers.one_cell import one_cell


def drawn_starter(drawn: Calibration | None = None) -> Calibration:
    """A starter table of these lengths, the drawings' when left out, before it is measured."""
    drawn = drawn or drawn_table()
    return one_cell(drawn, PLAIN_GAIN, 0.0, drawn.scale.rate_hz)
