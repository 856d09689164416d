"""The whole diagnosis: from a stretch at rest, presses and tilts to findings."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import StrEnum

from controller.workshop.diagnose.core.cells import cell_findings
from controller.workshop.diagnose.core.figures import cell_figures, imu_figures
from controller.workshop.diagnose.core.findings import (
    CellFigures,
    Diagnosis,
    Finding,
    ImuFigures,
    Severity,
    worst_first,
)
from controller.workshop.diagnose.core.motion import (
    PivotFigures,
    imu_findings,
    panel_findings,
    pivot_findings,
    switch_findings,
)
from controller.workshop.diagnose.core.presses import CellPress, Tilt, press_findings, tilt_findings
from controller.workshop.diagnose.core.shared import link_findings, supply_findings
from engine.tabletop import CELL_COUNT, load_cell_name
from hw.calibration import Calibration
from hw.source import UNKNOWN_SERVICE, ImuService, LinkHealth
from hw.stretch import Stretch

LEAST_S = 3.0
"""Shorter than this the medians of slow chips (10 a second) mean nothing."""


LOSSY = frozenset({"damaged_messages", "device_drops", "loose_link", "computer_stalls"})
"""Findings that say why samples of the inertial sensor are missing."""


class Part(StrEnum):
    """Parts of a table that can be judged by themselves, while it is being built."""

    LINK = "link"
    CELLS = "cells"
    IMU = "imu"
    SWITCH = "switch"
    PIVOT = "pivot"


ALL_PARTS = frozenset(Part)


def examine(
    rest: Stretch,
    calibration: Calibration,
    *,
    presses: Sequence[CellPress] = (),
    tilts: Sequence[Tilt] = (),
    link: tuple[LinkHealth, LinkHealth] | None = None,
    on_pins: bool = False,
    service: tuple[ImuService, ImuService] = (UNKNOWN_SERVICE, UNKNOWN_SERVICE),
    pivot: PivotFigures | None = None,
    temperature_c: float | None = None,
    parts: Collection[Part] = ALL_PARTS,
) -> Diagnosis:
    """What is wrong with a table.

    Args:
        rest: the empty table, nobody touching it; 10 s are good.
        calibration: how its counts become grams, g and degrees a second.
        presses: on the base plate above each load cell, with a finger or a known weight.
        tilts: of the board, pushed down at a side.
        link: how the source's line was before and after `rest`, if it has one.
        on_pins: whether this computer reads the sensors itself.
        service: what the reader of the inertial sensor knew before and after `rest`.
        pivot: how well the board swings, if somebody knows.
        temperature_c: of the inertial sensor, if the source knows it.
        parts: what is built already; the rest is not judged.
    """
    cells = tuple(cell_figures(rest, calibration, cell) for cell in range(CELL_COUNT))
    imu = imu_figures(rest, calibration, temperature_c)
    if calibration.weight_only:
        return _of_a_starter(rest, calibration, cells[:1], imu, frozenset(parts))
    found: list[Finding] = []
    if Part.LINK in parts:
        found += link_findings(rest, *(link or (None, None)), on_pins=on_pins)
    if Part.CELLS in parts:
        supply = supply_findings(rest)
        found += cell_findings(rest, calibration, cells, common_noise=bool(supply))
        found += supply
        found += _of_presses(presses, calibration, cells, found)
    if Part.IMU in parts:
        told = imu_findings(rest, calibration, imu, *service)
        # What the line loses is told of the line, with its own remedy.
        found += [f for f in told if not (f.kind == "imu_samples_missed" and _lossy(found))]
        if not _dead(found, "imu"):
            found += tilt_findings(tilts, calibration, cells)
    elif Part.PIVOT in parts:
        # The inertial sensor sees the board swing: without it a pivot is unknown, not healthy.
        told = imu_findings(rest, calibration, imu, *service)
        found += [finding for finding in told if finding.severity is Severity.FAULT]
    if Part.SWITCH in parts:
        found += switch_findings(rest) + panel_findings(rest)
    # A swing is measured by all sensors together; with one of them wrong it says nothing.
    if Part.PIVOT in parts and not any(f.severity is Severity.FAULT for f in found):
        found += pivot_findings(pivot)
    tried = [f"{'weight' if p.weight_g else 'press'} {load_cell_name(p.cell)}" for p in presses]
    tried += [f"tilt {side(tilt.side)}" for tilt in tilts]
    friction_deg = pivot.friction_deg if pivot is not None and pivot.sure else None
    return Diagnosis(worst_first(found), cells, imu, rest.seconds, tuple(tried), friction_deg)


def _of_a_starter(
    rest: Stretch,
    calibration: Calibration,
    cells: tuple[CellFigures, ...],
    imu: ImuFigures,
    parts: Collection[Part],
) -> Diagnosis:
    """One load cell, which stands in all four columns, and a tilt switch."""
    found: list[Finding] = []
    if Part.CELLS in parts:
        told = cell_findings(rest, calibration, cells)
        found += [replace(finding, sensor="scale") for finding in told]
    if Part.SWITCH in parts:
        found += switch_findings(rest) + panel_findings(rest)
    return Diagnosis(worst_first(found), cells, imu, rest.seconds)


def side(direction: tuple[float, float]) -> str:
    """A side of the board as people call it, by its file or rank.

    >>> side((1.0, 0.0)), side((0.0, 1.0))
    ('e', '5')
    """
    x, y = direction
    if abs(x) >= abs(y):
        return "e" if x > 0 else "a"
    return "5" if y > 0 else "1"


def _of_presses(
    presses: Sequence[CellPress],
    calibration: Calibration,
    cells: Sequence[CellFigures],
    known: Sequence[Finding],
) -> list[Finding]:
    """Findings of presses that say more than what is known from the rest."""
    if _dead(known, "scale"):
        return []
    faults = [finding for finding in known if finding.severity is Severity.FAULT]
    ill = {sensor for finding in faults for sensor in (finding.sensor, *finding.also)}
    told = [press for press in presses if f"scale.{press.cell}" not in ill]
    return press_findings(told, calibration, cells)


def _lossy(known: Sequence[Finding]) -> bool:
    return any(finding.kind in LOSSY for finding in known)


def _dead(known: Sequence[Finding], sensor: str) -> bool:
    return any(f.sensor == sensor and f.severity is Severity.FAULT for f in known)
