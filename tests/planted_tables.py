"""Tables with planted faults, read on pins or by the real firmware, and what is said of them."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from controller.workshop.diagnose.command import Watch, diagnose
from controller.workshop.diagnose.core.findings import Diagnosis, Severity
from controller.workshop.pace import Pace
from hw.source import SampleSource
from lab.diagnosing import TwinHelper, behind_a_bridge
from lab.on_pins import RATES_HZ, PinsSource
from lab.planted import PLANTED, Site
from lab.twin.drawing import draw
from lab.twin.parameters import PRESETS, TwinParameters
from lab.twin.tower import Tower
from tests.benchmarks.detection_games import SPREADS
from tests.firmware_bridge.lab.build import build, need_lab

PATHS = ("pins", "bridge")
TEN_HZ, EIGHTY_HZ = (10.6, 8.6, 11.4, 10.1), (82.02, 78.5, 80.6, 94.6)
RATES = (TEN_HZ, EIGHTY_HZ)
"""Of real chips: 8.5 to 11.7 where 10 is printed, 78 to 94 for 80."""

BY_HANDS = ("imu yawed",)
"""Faults that cannot be seen at rest at all."""

SETTLED_S = 1.5
"""Of the chips, the clock of the line and the inertial sensor's driver."""


@cache
def firmware() -> Path:
    need_lab()
    return build(Path(mkdtemp(prefix="planted-")) / "firmware")


def drawn(index: int) -> TwinParameters:
    """A table as somebody else might have built it; see `detection_games`."""
    rng = np.random.default_rng([index, 4711])
    return draw(
        rng,
        PRESETS[index % len(PRESETS)],
        spread=SPREADS[index % len(SPREADS)],
        turned_imu=index % 2 == 1,
        inverted_cells=index % 3 == 2,
    )


def at_rate(parameters: TwinParameters, rate_hz: float) -> TwinParameters:
    """The same table calibrated at another rate."""
    known = parameters.calibration
    calibration = replace(known, scale=replace(known.scale, rate_hz=rate_hz))
    return replace(parameters, calibration=calibration)


@dataclass
class PlantedTable:
    source: SampleSource
    site: Site
    tower: Tower


def table(
    path: str, parameters: TwinParameters, seed: int, rates_hz: tuple[float, ...] = RATES_HZ
) -> PlantedTable:
    """A healthy table whose sensors are read on a `path`: `pins` or `bridge`."""
    if path == "pins":
        pins = PinsSource(parameters, seed, rates_hz)
        return PlantedTable(pins, pins.site, pins.tower)
    source, tower, site = behind_a_bridge(parameters, seed, firmware(), rates_hz)
    return PlantedTable(source, site, tower)


@dataclass(frozen=True)
class Trial:
    """One diagnosis; `beside`: kinds of warnings and faults that were not planted."""

    fault: str
    named: bool
    beside: tuple[str, ...]
    found: Diagnosis

    @property
    def said(self) -> str:
        return " + ".join(f"{f.kind}({f.sensor})" for f in self.found.findings) or "healthy"


def trial(
    path: str,
    index: int,
    fault: str = "",
    seconds: float = 10.0,
    rates_hz: tuple[float, ...] = RATES_HZ,
    *,
    hands: bool = False,
    size: float | None = None,
) -> Trial:
    """Diagnose drawn table number `index` with a fault on a cell that goes with the number."""
    cell = index // 3 % 4
    middle_hz = float(np.median(rates_hz))
    under = table(path, at_rate(drawn(index), middle_hz), index, rates_hz)
    planted = PLANTED.get(fault)
    if planted is not None:
        planted.plant(under.site, cell, planted.size if size is None else size)
    watch = Watch(under.source, Pace(live=False, step_s=0.5))
    watch.stretch(SETTLED_S)
    helper = TwinHelper(under.tower) if hands else None
    found = diagnose(under.source, watch, helper, seconds)
    under.source.close()
    serious = [f for f in found.findings if f.severity is not Severity.NOTE]
    if planted is None:
        return Trial(fault, False, tuple(f.kind for f in serious), found)
    each = {"scale", *(f"scale.{k}" for k in range(4))}
    wanted = {"cell": {f"scale.{cell}"}, "any": each}.get(planted.where, {planted.where})
    named = any(f.kind in planted.kinds and wanted & {f.sensor, *f.also} for f in serious)
    beside = tuple(f.kind for f in serious if f.kind not in planted.kinds)
    return Trial(fault, named, beside, found)
