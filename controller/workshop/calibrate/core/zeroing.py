"""Measures a new zero of the empty table between two rounds; all else stays as it was."""

from dataclasses import replace

import numpy as np

from controller.workshop.calibrate.core.recent_samples import RecentSamples
from controller.workshop.calibrate.core.resting import rest_of
from controller.workshop.calibrate.core.starter import StarterNotes, StarterWeigh
from controller.workshop.calibrate.core.steps import RestCounts, StepLook, StepState
from engine.samples import Samples
from engine.tabletop import CELL_COUNT
from hw.calibration import Calibration
from hw.drivers.one_cell import counts_per_gram

LONGEST_S = 10.0
"""It must not take longer; two seconds of rest are enough."""

MOST_G = 60.0
"""Cells wander by some grams in a day. More is something on the plate, or another table."""

PIECE_SHARE = 0.5
TILT_SHARE = 0.4
"""A piece on the nearest ring of cells (32 mm) tilts the board by m x 32 / S_z; less than 0.4 of
that, with no more than friction allows, is an empty board."""


class ZeroWatch:
    """Watches until the empty table is at rest."""

    def __init__(self, calibration: Calibration) -> None:
        """Begin to measure the zero of a calibration again."""
        self._old = calibration
        self._signals = RecentSamples()
        self._start_s: float | None = None
        self.calibration: Calibration | None = None

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return self._signals.now_s - (self._start_s or 0.0)

    def feed(self, samples: Samples) -> None:
        """Take a block of samples."""
        self._signals.add(samples)
        if self._start_s is None and self._signals.now_s:
            self._start_s = self._signals.now_s

    def look(self) -> StepLook:
        """What is seen now; when done, `calibration` has the new zero."""
        if self._start_s is None:
            return StepLook(StepState.WAITING, "Waiting for the first samples.")
        if self._old.weight_only:
            return self._look_at_one_cell(self._start_s)
        rest = rest_of(self._signals, self._start_s, self._old.imu)
        if isinstance(rest, StepLook):
            return rest
        trouble = self._not_empty(rest)
        if trouble:
            return StepLook(StepState.WRONG, trouble)
        self.calibration = replace(
            self._old,
            scale=replace(
                self._old.scale, tare_counts=tuple(round(float(c), 1) for c in rest.counts)
            ),
        )
        return StepLook(
            StepState.DONE, f"New zero set; it had drifted by {self._load_g(rest):+.2f} g."
        )

    def _look_at_one_cell(self, start_s: float) -> StepLook:
        """On a starter nothing but the weight can say that the board is empty."""
        watched = StarterWeigh(
            StarterNotes(self._old, (), {}), start_s, "tare", "", "", lambda _notes, _change: ""
        )
        found = watched.look(self._signals)
        if found.state is not StepState.DONE:
            return found
        scale, counts = self._old.scale, watched.notes.levels["tare"].counts
        load_g = (counts - scale.tare_counts[0]) / counts_per_gram(self._old)
        if load_g > PIECE_SHARE * self._old.piece.mass_mean_g or load_g < -MOST_G:
            return StepLook(
                StepState.WRONG, f"{load_g:+.1f} g more than the empty table; take everything off."
            )
        tare = (round(counts, 1),) * CELL_COUNT
        self.calibration = replace(self._old, scale=replace(scale, tare_counts=tare))
        return StepLook(StepState.DONE, f"New zero set; it had drifted by {load_g:+.2f} g.")

    def _load_g(self, rest: RestCounts) -> float:
        scale = self._old.scale
        grams = (rest.counts - np.asarray(scale.tare_counts)) / np.asarray(scale.counts_per_gram)
        return float(grams.sum())

    def _not_empty(self, rest: RestCounts) -> str:
        """Why this is no empty board, in one sentence; empty when it may be one."""
        load_g = self._load_g(rest)
        if abs(load_g) > MOST_G:
            return f"{load_g:+.0f} g more than the empty table; take everything off, or calibrate."
        tilt = self._tilt(rest)
        piece = self._old.piece.mass_mean_g
        _, _, z_gmm = self._old.empty_moment_gmm
        if load_g > PIECE_SHARE * piece and tilt > TILT_SHARE * piece * self._old.cell_pitch_mm / (
            -z_gmm
        ):
            return f"There seems to be something on the board ({load_g:.1f} g); take it off."
        return ""

    def _tilt(self, rest: RestCounts) -> float:
        """How far the board hangs from where the empty one does, rad."""
        imu = self._old.imu
        up = (rest.up_g - np.asarray(imu.accel_bias_g)) @ np.asarray(imu.rotation).T
        x_gmm, y_gmm, z_gmm = self._old.empty_moment_gmm
        return float(np.hypot(up[0] / up[2] - x_gmm / z_gmm, up[1] / up[2] - y_gmm / z_gmm))
