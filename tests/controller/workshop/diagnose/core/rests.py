"""Stretches of a table at rest, broken to order, as the drivers of a Pi measure them."""

from dataclasses import replace
from functools import cache
from typing import Any

from controller.workshop.diagnose.command import Watch
from controller.workshop.diagnose.core.findings import CellFigures
from controller.workshop.pace import Pace
from hw.calibration import Calibration
from hw.stretch import Stretch
from lab.diagnosing import USUAL_HZ
from lab.planted import path_of, planted_fault
from lab.twin.fault_words import parse_fault
from lab.twin.parameters import TwinParameters, preset_parameters
from lab.twin.tower import Tower
from tests.planted_tables import SETTLED_S, PlantedTable, table

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
    """What the cells and the board feel, without chips: for presses and swings."""
    return Tower(TABLE, seed, [parse_fault(words) for words in faults])


def planted(*faults: str, seed: int = 7) -> PlantedTable:
    path = path_of(faults)
    under = table(path, TABLE, seed, USUAL_HZ)
    for words in faults:
        fault, cell, size = planted_fault(words, path)
        fault.plant(under.site, cell, size)
    return under


@cache
def rest(*faults: str, seconds: float = 10.0, seed: int = 7) -> Stretch:
    under = planted(*faults, seed=seed)
    watch = Watch(under.source, Pace(live=False, step_s=0.5))
    watch.stretch(SETTLED_S)
    found = watch.stretch(seconds)
    under.source.close()
    return found


def figures(**changes: Any) -> CellFigures:
    """A good cell, but for `changes`."""
    good = CellFigures(80.0, 110_000.0, 100.0, 0.1, 0.0, 0.0, 800, 800, 0, 0, 0)
    return replace(good, **changes)
