"""Whether a cell is the one it should be, the right way round, and as strong as calibrated.

An empty table's counts are known: each is its cell's tare. A count that is far from it often
tells why: it is the tare of another cell, its mirror image, half of it, or nothing at all.
"""

from collections.abc import Sequence
from itertools import combinations

from controller.workshop.diagnose.core.findings import CellFigures, Finding, Severity, cell_name
from engine.tabletop import load_cell_name
from hw.calibration import Calibration

FAR_G = 25.0
"""A day's drift of a 5 kg cell is 5 to 10 g; further off, something was changed."""
NEAR_G = 10.0
OPEN_COUNTS = 20_000
"""An amplifier without a bridge reads its own offset: 0.25 % of full scale."""
GAINS = {0.5: "64", 2.0: "128"}
"""Ratio of counts when the HX711 is set to the wrong gain, and the gain it then has."""
GAIN_TOLERANCE = 0.04


def swap_of_each(calibration: Calibration, cells: Sequence[CellFigures]) -> dict[int, Finding]:
    """Cells that read what another one should, and that other one the same.

    Returns:
        The finding of each such cell: both of a pair have the same one.
    """
    found: dict[int, Finding] = {}
    for one, other in combinations(range(len(cells)), 2):
        if one in found or other in found:
            continue
        far = all(abs(cells[cell].load_g) > FAR_G for cell in (one, other))
        crossed = (
            _is_at(calibration, cells[one].mean_counts, other),
            _is_at(calibration, cells[other].mean_counts, one),
        )
        if far and all(crossed):
            found[one] = found[other] = swapped_cells(
                one, other, f"{cells[one].load_g:+.0f} and {cells[other].load_g:+.0f} g when empty"
            )
    return found


def swapped_cells(one: int, other: int, figure: str) -> Finding:
    """Two cells are exchanged."""
    return Finding(
        Severity.FAULT,
        f"scale.{one}",
        "cells_swapped",
        f"Load cells {load_cell_name(one)} and {load_cell_name(other)} are exchanged: each reads "
        "what the other should.",
        "Exchange their two plugs (or their lines in the calibration), then zero the table.",
        figure,
        "each cell its own load",
        (f"scale.{other}",),
    )


def swapped_wires(cell: int, figure: str, limit: str) -> Finding:
    """A cell of which the signal has the wrong sign."""
    return Finding(
        Severity.FAULT,
        f"scale.{cell}",
        "wires_swapped",
        f"{cell_name(cell)} has its signal wires swapped: a load makes its count fall.",
        "Exchange A+ and A- (often green and white) at its HX711, then zero the table.",
        figure,
        limit,
    )


def wrong_gain(cell: int, ratio: float, figure: str) -> Finding:
    """A cell that answers by a wrong factor."""
    gain = next((g for r, g in GAINS.items() if abs(ratio / r - 1) < 2 * GAIN_TOLERANCE), None)
    cause = f": its HX711 amplifies by {gain}, or" if gain else ":"
    return Finding(
        Severity.FAULT,
        f"scale.{cell}",
        "wrong_gain",
        f"{cell_name(cell)} answers {ratio:.2f} times as strongly as calibrated{cause} "
        "it is another cell than the one that was calibrated.",
        "Check that it sits on input A with 25 clock pulses (gain 128); else calibrate it again.",
        figure,
        "the calibrated factor within 10 %",
    )


def _is_at(calibration: Calibration, counts: float, cell: int) -> bool:
    scale = calibration.scale
    return abs(counts - scale.tare_counts[cell]) < NEAR_G * abs(scale.counts_per_gram[cell])


def misplaced(calibration: Calibration, cell: int, figures: CellFigures) -> Finding | None:
    """Why an empty table's count is far from the tare, if it is."""
    tare, factor = calibration.scale.tare_counts[cell], calibration.scale.counts_per_gram[cell]
    counts = figures.mean_counts
    if not abs(figures.load_g) > FAR_G:
        return None
    figure, limit = f"count {counts:.0f}, tare {tare:.0f}", f"the tare within {FAR_G:.0f} g"
    if abs(counts + tare) < NEAR_G * abs(factor):
        return swapped_wires(cell, figure, limit)
    if abs(counts) < min(OPEN_COUNTS, abs(tare) / 3):
        return Finding(
            Severity.FAULT,
            f"scale.{cell}",
            "cell_unplugged",
            f"{cell_name(cell)} is unplugged: its amplifier reads about zero.",
            "Check the four wires of the cell at its HX711, and that the plate stands on it.",
            figure,
            limit,
        )
    if any(abs(counts / tare / ratio - 1) < GAIN_TOLERANCE for ratio in GAINS):
        return wrong_gain(cell, counts / tare, figure)
    return Finding(
        Severity.WARNING,
        f"scale.{cell}",
        "far_from_tare",
        f"{cell_name(cell)} shows {figures.load_g:+.0f} g on an empty table.",
        "Take everything off the table and zero it; if that does not last, check its screws.",
        f"{figures.load_g:+.1f} g",
        f"0 g within {FAR_G:.0f} g",
    )
