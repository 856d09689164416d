"""A known weight on each corner: scale, sign and place of the four load cells.

A rigid plate passes a load at (x, y) on to its cells by statics, so a load has three numbers and
the cells have four. With a_i grams per count and d_i counts of answer, each placement says

    sum a_i d_i = W            the cells together weigh the weight, wherever exactly it lies
    sum a_i d_i (x_i, y_i) = W (x, y)      as far as people hit a corner (6 mm)
    sum n_i a_i d_i = 0        n: the one pattern of loads that a rigid plate cannot pass on

The last says how the cells compare in a pattern that no load ever makes; it is believed to 3 %,
like the sameness of four cells of one make, because plates do bend. All is linear in a.
"""

from dataclasses import dataclass

import numpy as np

from controller.workshop.calibrate.core.recent_samples import RecentSamples, level
from controller.workshop.calibrate.core.reference_mass import ReferenceMass
from controller.workshop.calibrate.core.resting import steady
from controller.workshop.calibrate.core.steps import (
    DRIFT_SD_G,
    KnownLoad,
    Notes,
    StepLook,
    StepState,
)
from engine.samples import Floats
from engine.tabletop import CELL_COUNT, load_cell_name
from hw.calibration import ImuCalibration

CORNERS = ("front left", "front right", "back right", "back left")
"""Corners of the base plate in the order of the load cells, seen from the side of rank 1."""

LOAD_S = 1.2
"""How long a weight must lie still."""

FELT_SIGMAS = 12.0
"""Least answer of the strongest cell that counts as a weight, over the noise of its mean."""

LEAST_COUNTS = 400.0
"""A gram on a cell of 5 kg. Whatever answers less was not set above a cell."""

OWN_TIMES = 1.6
"""Above a cell a rigid plate gives it thrice what its neighbours get; half way to one, as much."""

INSIST_S = 3.0
"""Whoever leaves the weight on an unexpected corner for that long means it: plugs are exchanged."""

CORNER_SD_MM = 6.0
"""People hit a mark on the plate that well with the middle of a coin."""

WARP_SHARE = 0.03
ALIKE_SHARE = 0.08
"""Cells of one lot differ by some per cent in sensitivity, those of two lots by 10-15 %."""


@dataclass(slots=True)
class Corner:
    """The known weight above one load cell, at corner 0 to 3."""

    notes: Notes
    start_s: float
    number: int
    _elsewhere_s: float | None = None

    @property
    def name(self) -> str:
        """Of the step."""
        return f"corner{self.number}"

    @property
    def title(self) -> str:
        """For people."""
        return f"Weight {CORNERS[self.number]}"

    @property
    def asks(self) -> str:
        """What to do."""
        reference, where = self.notes.references[0].name, CORNERS[self.number]
        if self.number == 0:
            return f"Set {reference} on the base plate, {where}, right above the load cell."
        return f"Move it to the corner {where}, right above the load cell."

    def look(self, signals: RecentSamples) -> StepLook:
        """Done when a steady weight lies above a cell that no other corner has claimed."""
        found = _load(self.notes, signals, self.start_s)
        if isinstance(found, StepLook):
            return found
        answer, t_s = found
        cell = int(np.abs(answer).argmax())
        trouble = self._not_here(answer, cell, signals.now_s)
        if trouble is not None:
            return trouble
        second, first = np.sort(np.abs(answer))[-2:]
        if first < OWN_TIMES * second:
            return StepLook(StepState.WRONG, "That is between two cells; set it right above one.")
        self.notes.cell_of_corner[self.number] = cell
        self.notes.loads[self.number] = KnownLoad(
            t_s, answer + self.notes.rested.counts, self.number
        )
        return StepLook(StepState.DONE, f"Felt by load cell {load_cell_name(cell)}.", 1.0)

    def _not_here(self, answer: Floats, cell: int, now_s: float) -> StepLook | None:
        taken = {c: k for k, c in self.notes.cell_of_corner.items() if k < self.number}
        if cell in taken:
            share = 0.0
            # It may simply not have been moved yet.
            before = self.notes.loads[taken[cell]].counts - self.notes.rested.counts
            if np.abs(answer - before).max() < 0.2 * np.abs(before).max():
                return StepLook(StepState.WAITING, "Waiting for the weight to be moved.", share)
            return StepLook(
                StepState.WRONG,
                f"That is the corner {CORNERS[taken[cell]]} again; set it {CORNERS[self.number]}.",
            )
        if cell == self.number:
            self._elsewhere_s = None
            return None
        if self._elsewhere_s is None:
            self._elsewhere_s = now_s
        if now_s - self._elsewhere_s < INSIST_S:
            return StepLook(
                StepState.WRONG,
                f"Felt {CORNERS[cell]}; wanted {CORNERS[self.number]}. If it does lie "
                f"{CORNERS[self.number]}, leave it: then two plugs are exchanged, no harm.",
                (now_s - self._elsewhere_s) / INSIST_S,
            )
        return None


@dataclass(frozen=True, slots=True)
class Off:
    """The weight is taken away, which shows how far the cells drifted meanwhile."""

    notes: Notes
    start_s: float
    name: str = "off"
    title: str = "Weight away"
    asks: str = "Take the weight away."

    def look(self, signals: RecentSamples) -> StepLook:
        """Done when nothing is left of the weight; then the gains are computed."""
        window = _window(self.notes, signals, self.start_s)
        if isinstance(window, StepLook):
            return window
        counts, t_s = window
        strongest = max(
            float(np.abs(load.counts - self.notes.rested.counts).max())
            for load in self.notes.loads.values()
        )
        left = float(np.abs(level(counts) - self.notes.rested.counts).max())
        if left > max(0.15 * strongest, LEAST_COUNTS / 2):
            return StepLook(StepState.WAITING, "Waiting for the weight to be taken away.")
        self.notes.loads[-1] = KnownLoad(t_s, level(counts), None)
        solve_gains(self.notes)
        return StepLook(StepState.DONE, "The load cells know what a gram is.", 1.0)


@dataclass(frozen=True, slots=True)
class SecondReference:
    """Another known weight, anywhere on the plate: a check of the gains."""

    notes: Notes
    start_s: float
    name: str = "second"
    title: str = "Second weight"

    @property
    def asks(self) -> str:
        """What to do."""
        return f"Set {self.notes.references[1].name} on the base plate, anywhere, as a check."

    def look(self, signals: RecentSamples) -> StepLook:
        """Done when something steady lies there."""
        found = _load(self.notes, signals, self.start_s)
        if isinstance(found, StepLook):
            return found
        answer, t_s = found
        self.notes.loads[-2] = KnownLoad(t_s, answer + self.notes.rested.counts, None)
        weighs_g = float(self.notes.grams(answer + self.notes.rested.counts).sum())
        return StepLook(StepState.DONE, f"It weighs {weighs_g:.2f} g.", 1.0)


@dataclass(frozen=True, slots=True)
class SecondOff:
    """The second weight is taken away."""

    notes: Notes
    start_s: float
    name: str = "secondoff"
    title: str = "Weight away"
    asks: str = "Take it away again."

    def look(self, signals: RecentSamples) -> StepLook:
        """Done when the plate is free."""
        window = _window(self.notes, signals, self.start_s)
        if isinstance(window, StepLook):
            return window
        left_g = float(self.notes.grams(level(window[0])).sum())
        if abs(left_g) > 0.3 * self.notes.references[1].mass_g:
            return StepLook(StepState.WAITING, "Waiting for the weight to be taken away.")
        return StepLook(StepState.DONE, "Thank you.", 1.0)


def _window(
    notes: Notes, signals: RecentSamples, start_s: float
) -> tuple[Floats, float] | StepLook:
    """The last second of counts if it is steady, with its middle; or what to wait for."""
    now_s = signals.now_s
    if now_s - start_s < LOAD_S:
        return StepLook(StepState.WAITING, "Watching the load cells.")
    _, counts = signals.counts(now_s - LOAD_S, now_s)
    if len(counts) < 5 or not np.isfinite(level(counts)).all():
        return StepLook(StepState.WRONG, "A load cell fell silent; check its plug.")
    if not steady(counts) or not _quiet(notes.design.imu, signals):
        return StepLook(StepState.MEASURING, "Hands off; waiting for a steady weight.", 0.3)
    return counts, now_s - LOAD_S / 2


QUIET_DPS = 12.0
"""A board that swings by a degree does not disturb the mean weight; one that is held does."""


def _quiet(imu: ImuCalibration, signals: RecentSamples) -> bool:
    _, raw = signals.motion(signals.now_s - LOAD_S, signals.now_s)
    return len(raw) > 5 and float(np.ptp(raw[:, 3:], axis=0).max()) / imu.gyro_lsb_per_dps < 2 * (
        QUIET_DPS
    )


def _load(notes: Notes, signals: RecentSamples, start_s: float) -> tuple[Floats, float] | StepLook:
    """How the cells answer a steady load, in counts, with its time; or what to wait for."""
    window = _window(notes, signals, start_s)
    if isinstance(window, StepLook):
        return window
    counts, t_s = window
    answer = level(counts) - notes.rested.counts
    felt = FELT_SIGMAS * notes.rested.noise_counts / np.sqrt(len(counts))
    if not (np.abs(answer) > np.maximum(felt, LEAST_COUNTS)).any():
        if (np.abs(answer) > felt).any():
            return StepLook(StepState.WAITING, "Something light is felt; waiting for the weight.")
        return StepLook(StepState.WAITING, "Waiting for the weight.")
    return answer, t_s


def solve_gains(notes: Notes) -> None:
    """Grams per count of each cell from the four corners; see the head of this module."""
    answers = np.array([_answer(notes, notes.loads[corner]) for corner in range(CELL_COUNT)])
    order = [notes.cell_of_corner[corner] for corner in range(CELL_COUNT)]
    notes.inverse_gains, notes.inverse_sd = gains(
        answers, order, notes.places_mm(), notes.references[0], notes.rested.noise_counts
    )


def _answer(notes: Notes, load: KnownLoad) -> Floats:
    """Counts over the empty plate, which wandered from the first rest to the last."""
    first, last = notes.rested, notes.loads[-1]
    share = (load.t_s - first.t_s) / max(last.t_s - first.t_s, 1e-9)
    answer: Floats = load.counts - (first.counts + share * (last.counts - first.counts))
    return answer


def gains(
    answers: Floats,
    order: list[int],
    places_mm: Floats,
    reference: ReferenceMass,
    noise_counts: Floats,
) -> tuple[Floats, Floats]:
    """Grams per count of each cell with its standard deviation.

    From counts of shape (4 corners, 4 cells), the cell that answered most at each corner, places of
    shape (4 cells, x and y), and the noise of one conversion of each cell.
    """
    weight_g = reference.mass_g
    signs = np.array([np.sign(answers[order.index(cell), cell]) for cell in range(CELL_COUNT)])
    # One typical cell: what makes the signed answers of all corners together weigh 4 W.
    typical = 4 * weight_g / max(float((answers * signs).sum()), 1.0)
    warp = np.linalg.svd(np.column_stack((np.ones(CELL_COUNT), places_mm)).T)[2][-1]
    noise_g = float(np.linalg.norm(noise_counts)) * typical / np.sqrt(80 * LOAD_S)
    drift_g = np.hypot(noise_g, DRIFT_SD_G)
    span_mm = float(np.abs(places_mm).mean())
    rows, wanted = [], []
    for corner, answer in enumerate(answers):
        here = places_mm[order[corner]]
        rows.append(answer / drift_g)
        wanted.append(weight_g / drift_g)
        for axis in range(2):
            sd = np.hypot(weight_g * CORNER_SD_MM, drift_g * span_mm)
            rows.append(answer * places_mm[:, axis] / sd)
            wanted.append(weight_g * here[axis] / sd)
        rows.append(answer * warp / np.hypot(WARP_SHARE * weight_g, drift_g))
        wanted.append(0.0)
    for cell in range(CELL_COUNT):
        alike = np.full(CELL_COUNT, -signs / CELL_COUNT)
        alike[cell] += signs[cell]
        rows.append(alike / (ALIKE_SHARE * typical))
        wanted.append(0.0)
    matrix, target = np.array(rows), np.array(wanted)
    cov = np.linalg.inv(matrix.T @ matrix)
    inverse = cov @ matrix.T @ target
    own = reference.sd_g / weight_g * np.abs(inverse)
    return inverse, np.sqrt(np.diag(cov) + own**2)
