"""How often a diagnosis cries wolf on healthy tables, and how often it names a fault.

    .venv/bin/python -m tests.benchmarks.diagnosis --healthy 200 --each 10

Tables are drawn as widely as for detection (`detection_games`); every one is healthy but for the
fault that was ordered. A fault is named when a finding of the expected kind speaks of the
expected sensor and nothing else is called a fault or a warning.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from controller.common.intervals import wilson
from controller.workshop.diagnose.command import Watch, diagnose
from controller.workshop.diagnose.core.findings import Diagnosis, Severity
from controller.workshop.pace import Pace
from hw.stretch import gather
from lab.twin.drawing import draw
from lab.twin.fault_words import parse_fault
from lab.twin.faults import InjectedFault
from lab.twin.parameters import PRESETS, TwinParameters
from lab.twin.tower import Tower
from lab.workshop import TwinHelper
from tests.benchmarks.detection_games import SPREADS

EXPECTED: dict[str, tuple[str, str]] = {
    "unplugged": ("cell_unplugged", "cell"),
    "swapped wires": ("wires_swapped", "cell"),
    "wrong rate": ("wrong_rate", "cell"),
    "noisy supply": ("noisy_supply", "scale"),
    "imu missing": ("imu_missing", "imu"),
    "stuck dout": ("dout_stuck_high", "cell"),
    "stuck dout low": ("dout_stuck_low", "cell"),
    "loose usb": ("loose_link", "link"),
    "swapped cells": ("cells_swapped", "cell"),
    "wrong gain": ("wrong_gain", "cell"),
    "mains hum": ("mains_hum", "cell"),
    "noisy": ("cell_noisy", "cell"),
    "drifting": ("cell_drifts", "cell"),
    "saturated": ("cell_saturated", "cell"),
    "stuck": ("cell_stuck", "cell"),
    "corrupt words": ("corrupt_words", "any"),
    "resetting": ("chip_resets", "any"),
    "no scale": ("scale_silent", "scale"),
    "imu asleep": ("imu_asleep", "imu"),
    "imu wrong scale": ("imu_wrong_scale", "imu"),
    "imu upside down": ("imu_upside_down", "imu"),
    "imu turned": ("imu_axes", "imu"),
    "imu yawed": ("imu_disagrees", "imu"),
    "gyro bias": ("gyro_bias", "imu"),
    "switch closed": ("switch_stuck", "tilt_switch"),
}
"""Words of each fault, the kind of its finding and the sensor it must speak of."""

ZEROED = ("swapped wires", "swapped cells", "wrong gain")
"""Faults that zeroing the table hides at rest: only a press tells."""
BY_HANDS = ("imu yawed",)
"""Faults that cannot be seen at rest at all."""
WEIGHT_G = 100.0


@dataclass(frozen=True, slots=True)
class Trial:
    """One diagnosis.

    Attributes:
        fault: what was ordered; empty for a healthy table.
        named: the fault was named, of the right sensor.
        beside: kinds of warnings and faults that were not ordered.
    """

    fault: str
    named: bool
    beside: tuple[str, ...]


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


def trial(
    index: int,
    fault: str = "",
    *,
    hands: bool = True,
    zeroed: bool = False,
    weight_g: float | None = None,
    seconds: float = 10.0,
) -> Trial:
    """Diagnose table number `index` with a fault on a cell that goes with the number."""
    cell = index // 3 % 4
    faults = [parse_fault(f"{fault} cell C{cell}")] if fault else []
    parameters = drawn(index)
    if zeroed:
        parameters = _zeroed(parameters, index, faults)
    tower = Tower(parameters, index, faults)
    helper = TwinHelper(tower) if hands else None
    found = diagnose(tower, Watch(tower, Pace(live=False, step_s=1.0)), helper, seconds, weight_g)
    return _judged(found, fault, cell)


def _zeroed(parameters: TwinParameters, index: int, faults: list[InjectedFault]) -> TwinParameters:
    """The same table after its owner pressed zero, fault and all."""
    tower = Tower(parameters, index, faults)
    raw = gather(tower.poll(3.0), 0.0, 3.0).scale.raw
    tare = tuple(float(round(value)) for value in np.median(raw, axis=0))
    calibration = parameters.calibration
    scale = replace(calibration.scale, tare_counts=tare)
    return replace(parameters, calibration=replace(calibration, scale=scale))


def _judged(found: Diagnosis, fault: str, cell: int) -> Trial:
    kind, where = EXPECTED.get(fault, ("", ""))
    serious = [f for f in found.findings if f.severity is not Severity.NOTE]
    sensors = {
        "cell": {f"scale.{cell}"},
        "any": {"scale", *(f"scale.{k}" for k in range(4))},
    }.get(where, {where})
    named = any(f.kind == kind and sensors & {f.sensor, *f.also} for f in serious)
    return Trial(fault, named, tuple(f.kind for f in serious if f.kind != kind))


def lines(healthy: int, each: int) -> Iterator[str]:
    for hands in (False, True):
        trials = [trial(index, hands=hands) for index in range(healthy)]
        alarms = Counter(kind for t in trials for kind in t.beside)
        wrong = sum(bool(t.beside) for t in trials)
        low, high = wilson(wrong, healthy)
        how = "at rest and with hands" if hands else "at rest"
        yield (
            f"healthy, {how}: {wrong} of {healthy} tables with a false alarm "
            f"[{100 * low:.1f}, {100 * high:.1f} %] {dict(alarms) or ''}"
        )
    for fault in (words for words in EXPECTED if words not in BY_HANDS):
        yield _row(fault, [trial(1000 + n, fault, hands=False) for n in range(each)], "at rest")
    for fault in ZEROED:
        weight_g = WEIGHT_G if fault == "wrong gain" else None
        trials = [trial(1000 + n, fault, zeroed=True, weight_g=weight_g) for n in range(each)]
        yield _row(fault, trials, "zeroed afterwards, by hands")
    for fault in BY_HANDS:
        yield _row(fault, [trial(1000 + n, fault) for n in range(each)], "by hands")


def _row(fault: str, trials: list[Trial], how: str) -> str:
    named = sum(t.named for t in trials)
    alone = sum(t.named and not t.beside for t in trials)
    beside = Counter(kind for t in trials for kind in t.beside)
    words = f"{fault:16s} {how}: named {named}/{len(trials)}, and nothing else {alone}"
    return f"{words} {dict(beside) or ''}".rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--healthy", type=int, default=60, help="healthy tables")
    parser.add_argument("--each", type=int, default=6, help="tables with each fault")
    given = parser.parse_args()
    for line in lines(given.healthy, given.each):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
