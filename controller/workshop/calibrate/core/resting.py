"""Sensor check and tare: the table at rest, empty, nobody near."""

from dataclasses import dataclass

import numpy as np

from controller.workshop.calibrate.core.recent_samples import (
    RecentSamples,
    level,
    noise,
    rate_hz,
    silent_cells,
    still,
    wander,
)
from controller.workshop.calibrate.core.steps import (
    STILL_DPS,
    Notes,
    RestCounts,
    StepLook,
    StepState,
)
from engine.samples import Floats
from engine.tabletop import CELL_COUNT, load_cell_name
from hw.calibration import COUNTS_MAX, ImuCalibration

CHECK_S = 1.5
TARE_S = 2.0
"""Mean of 160 conversions: a 1 kg cell is known to 10 mg then, less than it wanders meanwhile."""

GRAVITY_LIMITS_G = (0.8, 1.2)
"""Bias of a MPU-6050 is up to 80 mg on an axis (datasheet), clones have been worse."""

NOISE_LIMIT_COUNTS = 5000.0
"""Datasheet 45, real boards 40-172, a bad joint thousands."""

UNSTEADY_SIGMAS = 6.0
UNSTEADY_COUNTS = 60.0
"""The halves of a stretch may differ by that: noise of their means, and 0.06 g on a 1 kg cell."""


@dataclass(frozen=True, slots=True)
class SensorCheck:
    """Checks that all sensors are there; the person has nothing to do."""

    notes: Notes
    start_s: float
    name: str = "check"
    title: str = "Sensor check"
    asks: str = "Take everything off the board and the base plate, and keep your hands away."

    def look(self, signals: RecentSamples) -> StepLook:
        """Whether both sensors speak and make sense."""
        now_s = signals.now_s
        _, counts = signals.counts(max(self.start_s, now_s - CHECK_S), now_s)
        t_s, raw = signals.motion(max(self.start_s, now_s - CHECK_S), now_s)
        if now_s - self.start_s < CHECK_S:
            share = max(now_s - self.start_s, 0.0) / CHECK_S
            return StepLook(StepState.MEASURING, "Listening to the sensors.", share)
        trouble = cells_trouble(counts) or imu_trouble(raw, self.notes.design.imu, rate_hz(t_s))
        if trouble:
            return StepLook(StepState.WRONG, trouble)
        return StepLook(StepState.DONE, "All sensors answer.", 1.0)


def cells_trouble(counts: Floats) -> str:
    """What is wrong with the load cells, in one sentence; empty when nothing is."""
    if len(counts) < 10:
        return "The load cells are silent; check the clock wire and the supply of their HX711"
    silent = silent_cells(counts)
    if silent:
        return f"{_named(silent)} without valid values; check plug, supply and bridge wires"
    spread = noise(counts)
    frozen = [cell for cell in range(CELL_COUNT) if np.nanstd(counts[:, cell]) < 0.5]
    if frozen:
        return f"{_named(frozen)} repeating one value; check the data wire and the HX711"
    loud = [cell for cell in range(CELL_COUNT) if spread[cell] > NOISE_LIMIT_COUNTS]
    if loud:
        return f"{_named(loud)} far too noisy; check the joints of the bridge wires"
    edge = [cell for cell in range(CELL_COUNT) if abs(level(counts)[cell]) > 0.97 * COUNTS_MAX]
    if edge:
        return f"{_named(edge)} at the end of the range; something presses on it, or a wire is off"
    return ""


def imu_trouble(raw: Floats, imu: ImuCalibration, rate: float) -> str:
    """What is wrong with the inertial sensor, in one sentence; empty when nothing is."""
    if len(raw) < 20 or not rate > 20:
        return "The inertial sensor is silent; check its four wires"
    if float(np.ptp(raw, axis=0).max()) == 0:
        return "The inertial sensor repeats one value; check its four wires"
    gravity = float(np.linalg.norm(np.median(raw[:, :3], axis=0))) / imu.accel_lsb_per_g
    low, high = GRAVITY_LIMITS_G
    if not low <= gravity <= high:
        return (
            f"The inertial sensor feels {gravity:.2f} g at rest instead of 1; "
            "check its range, or take another sensor"
        )
    return ""


def _named(cells: list[int]) -> str:
    names = " and ".join(map(load_cell_name, cells))
    return f"Load cell {names}: it is" if len(cells) == 1 else f"Load cells {names}: they are"


@dataclass(frozen=True, slots=True)
class Tare:
    """The empty table at rest. `last` for the one that ends the calibration."""

    notes: Notes
    start_s: float
    last: bool = False

    @property
    def name(self) -> str:
        """Of the step."""
        return "close" if self.last else "tare"

    @property
    def title(self) -> str:
        """For people."""
        return "Empty again" if self.last else "Tare"

    @property
    def asks(self) -> str:
        """What to do."""
        if self.last:
            return "Take the pieces off the board and keep your hands away."
        return "Leave the table alone until the board hangs still."

    def look(self, signals: RecentSamples) -> StepLook:
        """Done after two steady seconds."""
        found = rest_of(signals, self.start_s, self.notes.design.imu)
        if isinstance(found, StepLook):
            return found
        if not self.last:
            self.notes.rest = found
            return StepLook(StepState.DONE, "The empty table is known.", 1.0)
        left_g = float(self.notes.grams(found.counts).sum())
        if abs(left_g) > 0.5 * self._piece_g():
            return StepLook(
                StepState.WRONG, f"{left_g:+.1f} g are left; take all pieces and coins away."
            )
        self.notes.last_rest = found
        return StepLook(StepState.DONE, "The table is empty again.", 1.0)

    def _piece_g(self) -> float:
        placed = self.notes.placed.values()
        return min((each.mass_g for each in placed), default=self.notes.design.piece.mass_mean_g)


def rest_of(signals: RecentSamples, start_s: float, imu: ImuCalibration) -> RestCounts | StepLook:
    """The table at rest, from the last two seconds; or what it still waits for."""
    now_s = signals.now_s
    begin_s = max(start_s, now_s - TARE_S)
    scale_t_s, counts = signals.counts(begin_s, now_s)
    t_s, raw = signals.motion(begin_s, now_s)
    share = min((now_s - start_s) / TARE_S, 1.0)
    if now_s - start_s < TARE_S:
        return StepLook(StepState.MEASURING, "Hands off, please.", share)
    trouble = cells_trouble(counts) or imu_trouble(raw, imu, rate_hz(t_s))
    if trouble:
        return StepLook(StepState.WRONG, trouble)
    if not still(raw[:, 3:] / imu.gyro_lsb_per_dps, STILL_DPS):
        return StepLook(StepState.WRONG, "The board still swings; let it come to rest.", 0.5)
    if not steady(counts):
        return StepLook(StepState.WRONG, "The weight is still changing; touch nothing.", 0.5)
    return RestCounts(
        t_s=now_s - TARE_S / 2,
        counts=level(counts),
        noise_counts=noise(counts),
        up_g=raw[:, :3].mean(axis=0) / imu.accel_lsb_per_g,
        bias_dps=raw[:, 3:].mean(axis=0) / imu.gyro_lsb_per_dps,
        scale_hz=signals.scale_hz(scale_t_s),
        imu_hz=rate_hz(t_s),
    )


def steady(counts: Floats) -> bool:
    """Whether no load changes: the two halves of each column agree."""
    room = UNSTEADY_SIGMAS * noise(counts) / np.sqrt(max(len(counts) / 4, 1))
    return bool((wander(counts) < np.maximum(room, UNSTEADY_COUNTS)).all())
