"""Tables whose chips convert what real sensors were recorded to give.

Everything over the chips is the product's: pins and drivers, or the firmware and its line; rows,
detector, health and diagnosis.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from controller.table.loop import LiveTable
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Identity
from controller.workshop.diagnose.command import Watch, diagnose
from controller.workshop.diagnose.core.findings import Finding, Severity
from controller.workshop.pace import Pace
from engine.detect.detector import Detector
from engine.events import TableEvent
from engine.samples import Floats
from engine.tabletop import Tabletop
from hw.calibration import Calibration, ImuCalibration
from lab.chips.hx711 import Conversion, Hx711
from lab.chips.mpu6050 import Mpu6050
from lab.twin.parameters import preset_parameters
from tests.controller.evenings import Kept, Wire
from tests.planted_tables import SETTLED_S, PlantedTable, table
from tests.recordings.signals import MPU_ONE_DPS, MPU_ONE_G

STEP_S = 0.25
WINDOW_S = 10.0
"""As long as a diagnosis looks."""


@dataclass(frozen=True)
class RealCell:
    """What a chip converts, one count after the other; it stays at the last."""

    counts: Floats
    rate_hz: float
    counts_per_gram: float


@dataclass(frozen=True)
class Said:
    """What came of a table.

    Attributes:
        troubles: codes of what was ever wrong with a sensor, as every display is told.
        events: kinds of what was taken for something on the board.
        healths: the payloads of `health`, once its window began after the chips had.
    """

    troubles: set[str]
    events: tuple[str, ...]
    healths: list[dict[str, Any]]


def recorded_table(
    path: str, cells: Sequence[RealCell | None], motion: Floats | None = None, seed: int = 1
) -> PlantedTable:
    """A table with some recorded sensors; None: the twin's.

    Args:
        path: `pins` or `bridge`.
        cells: of the four load cells.
        motion: counts of accelerometer and gyroscope, one row for each sample of the chip.
        seed: of the twin.
    """
    parameters = preset_parameters("normal")
    known = _weighed(parameters.calibration, cells)
    known = known if motion is None else replace(known, imu=_at_rest(known.imu, motion))
    rates_hz = tuple(known.scale.rate_hz if cell is None else cell.rate_hz for cell in cells)
    under = table(path, replace(parameters, calibration=known), seed, rates_hz)
    for chip, cell in zip(under.site.chips, cells, strict=True):
        if cell is not None:
            _play(chip, cell)
    if motion is not None:
        _turn(under.site.imu, motion)
    return under


def _weighed(known: Calibration, cells: Sequence[RealCell | None]) -> Calibration:
    """What an owner would have measured of these cells, empty and at rest."""
    scale = known.scale
    tares, gains, rates = list(scale.tare_counts), list(scale.counts_per_gram), []
    for number, cell in enumerate(cells):
        if cell is not None:
            tares[number] = float(np.median(cell.counts[:50]))
            gains[number] = cell.counts_per_gram
            rates.append(cell.rate_hz)
    rate_hz = float(np.median(rates)) if rates else scale.rate_hz
    return replace(
        known,
        scale=replace(
            scale, tare_counts=tuple(tares), counts_per_gram=tuple(gains), rate_hz=rate_hz
        ),
    )


def _at_rest(known: ImuCalibration, motion: Floats) -> ImuCalibration:
    """The same of the inertial sensor, whichever of its faces was up."""
    mean = motion[:200].mean(axis=0)
    up = 1.0 if mean[2] > 0 else -1.0
    felt_g, turning_dps = mean[:3] / MPU_ONE_G, mean[3:] / MPU_ONE_DPS
    x, y, z = felt_g - (0.0, 0.0, up)
    p, q, r = turning_dps
    rotation = ((1.0, 0.0, 0.0), (0.0, up, 0.0), (0.0, 0.0, up))
    return replace(known, accel_bias_g=(x, y, z), gyro_bias_dps=(p, q, r), rotation=rotation)


def _play(chip: Hx711, cell: RealCell) -> None:
    def given(conversion: Conversion) -> float:
        return float(cell.counts[min(conversion.number, len(cell.counts)) - 1])

    chip.load_cell = given


def _turn(chip: Mpu6050, motion: Floats) -> None:
    temperature = chip.sample(0)[3]
    rows = [[*row[:3], temperature, *row[3:]] for row in motion.astype(int).tolist()]
    chip.sample = lambda number: rows[min(number, len(rows)) - 1]


class HeardDetector(Detector):
    """Keeps what it has told."""

    def __init__(self, tabletop: Tabletop) -> None:
        super().__init__(tabletop)
        self.told: list[TableEvent] = []

    def next_event(self, until_s: float = inf) -> TableEvent | None:
        event = super().next_event(until_s)
        self.told += [] if event is None else [event]
        return event


def live(under: PlantedTable, seconds: float) -> Said:
    """The table is on for so long, and nobody plays."""
    wire, source = Wire(), under.source
    identity = Identity("t1", "boot-1", simulated=True)
    detector = HeardDetector(source.tabletop)
    on = LiveTable(source, Pipeline(detector), Kept(wire), Announcer(wire, identity), identity)
    on.open(0.0)
    for now_s in np.arange(STEP_S, seconds + STEP_S, STEP_S).tolist():
        on.step(now_s, 1000.0 + now_s)
    source.close()
    told: dict[str, list[dict[str, Any]]] = {row: [] for row in ("health", "status")}
    for publication in wire.sent:
        row = publication.topic.rsplit("/", 1)[-1]
        if row in told:
            told[row].append(json.loads(publication.payload))
    codes = {each["code"] for status in told["status"] for each in status.get("troubles", ())}
    return Said(
        codes,
        tuple(type(each).__name__ for each in detector.told),
        [h for h in told["health"] if h["t_s"] > WINDOW_S + SETTLED_S],
    )


def diagnosed(under: PlantedTable, seconds: float) -> tuple[Finding, ...]:
    """All warnings and faults of one diagnosis after the other for so long."""
    watch = Watch(under.source, Pace(live=False, step_s=STEP_S))
    watch.stretch(SETTLED_S)
    found: list[Finding] = []
    for _ in range(int((seconds - SETTLED_S) // WINDOW_S)):
        found += diagnose(under.source, watch, None, WINDOW_S).findings
    under.source.close()
    return tuple(each for each in found if each.severity is not Severity.NOTE)
