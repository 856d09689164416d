"""Stretches of a simulated table at rest, broken to order."""

from dataclasses import replace
from functools import cache
from typing import Any

from controller.workshop.diagnose.core.findings import CellFigures
from hw.calibration import Calibration
from hw.stretch import Stretch, gather
from lab.twin.fault_words import parse_fault
from lab.twin.parameters import TwinParameters, preset_parameters
from lab.twin.tower import Tower

PLAIN = preset_parameters("normal")
# Cells with tares of their own, as real ones have.
PARAMETERS = replace(
    PLAIN, scale=replace(PLAIN.scale, tare_counts=(110_000.0, 180_000.0, 250_000.0, 320_000.0))
)
CALIBRATION: Calibration = replace(
    PLAIN.calibration,
    scale=replace(PLAIN.calibration.scale, tare_counts=PARAMETERS.scale.tare_counts),
)
TABLE: TwinParameters = replace(PARAMETERS, calibration=CALIBRATION)


def tower(*faults: str, seed: int = 7) -> Tower:
    return Tower(TABLE, seed, [parse_fault(words) for words in faults])


@cache
def rest(*faults: str, seconds: float = 10.0, seed: int = 7) -> Stretch:
    return gather(tower(*faults, seed=seed).poll(seconds), 0.0, seconds)


def figures(**changes: Any) -> CellFigures:
    """A good cell, but for `changes`."""
    good = CellFigures(80.0, 110_000.0, 100.0, 0.1, 0.0, 0.0, 800, 800, 0, 0, 0)
    return replace(good, **changes)
