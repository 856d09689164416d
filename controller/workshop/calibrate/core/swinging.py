"""The empty board's swing: nudged, left alone, fitted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from controller.workshop.calibrate.core.pendulum import fit, hanging, track
from controller.workshop.calibrate.core.recent_samples import RecentSamples, level
from controller.workshop.calibrate.core.steps import FreeSwing, Notes, StepLook, StepState

NUDGE_DPS = 18.0
"""A nudge by two degrees or more; less tells nothing about damping."""

FREE_S = 0.15
"""After its fastest moment no finger is at the board any more."""

CALM_DPS = 1.5
CALM_S = 0.6
LONGEST_S = 6.0
"""Eight periods; the best pivots swing on, and nobody needs to wait for them."""

LEAST_S = 1.2

MISFIT_RAD_S = 0.03
"""Free swings leave 0.002 to 0.01; a hand, or a cable that rubs, leaves more."""


def best_swing(
    notes: Notes, signals: RecentSamples, spans: Iterable[tuple[float, float]]
) -> FreeSwing | None:
    """Of the swings that began within some spans of time, the one that tells most of the friction.

    In each span, begin and end in table time, the board is let go somewhere. None when it never
    swung freely. The notes have a rest, a mounting and the sensor's scales.
    """
    swings = (swing for span in spans for swing in _swings_of(notes, signals, *span))
    free = [swing for swing in swings if swing.misfit <= MISFIT_RAD_S]
    return min(free, key=lambda swing: swing.friction_sd_rad, default=None)


def _swings_of(
    notes: Notes, signals: RecentSamples, start_s: float, end_s: float
) -> Iterator[FreeSwing]:
    """Nobody knows when the board was let go: a swing from each moment at which it was quick."""
    t_s, raw = signals.motion(start_s, end_s)
    if len(t_s) < 40:
        return
    turn = raw[:, 3:] / notes.design.imu.gyro_lsb_per_dps - notes.rested.bias_dps
    quick_s = t_s[np.linalg.norm(turn, axis=1) > NUDGE_DPS / 2]
    for began_s in np.unique(np.floor(quick_s / FREE_S)) * FREE_S:
        motion = track(notes, signals, float(began_s) + FREE_S, end_s)
        swing = fit(motion) if motion is not None else None
        if swing is not None:
            yield swing


@dataclass(slots=True)
class Nudge:
    """A nudge, then hands off."""

    notes: Notes
    start_s: float
    name: str = "swing"
    title: str = "Free swing"
    asks: str = "Nudge the board at a corner so that it swings, and take your hand away."
    _calm_s: float | None = None

    def look(self, signals: RecentSamples) -> StepLook:
        """Done when the board has swung freely."""
        now_s, imu = signals.now_s, self.notes.design.imu
        t_s, raw = signals.motion(self.start_s, now_s)
        if len(t_s) < 40:
            return StepLook(StepState.WAITING, "Waiting for a nudge.")
        turn = raw[:, 3:] / imu.gyro_lsb_per_dps - self.notes.rested.bias_dps
        speed = np.linalg.norm(turn, axis=1)
        calm = float(speed[t_s > now_s - CALM_S].mean()) < CALM_DPS
        if self._calm_s is None:
            if not calm or now_s - self.start_s < CALM_S:
                return StepLook(StepState.MEASURING, "Wait until the board hangs still.", 0.1)
            self._calm_s = now_s
        speed = np.where(t_s < self._calm_s, 0.0, speed)
        peak = int(speed.argmax())
        if speed[peak] < NUDGE_DPS:
            return StepLook(StepState.WAITING, "Waiting for a nudge.")
        free_s = float(t_s[peak]) + FREE_S
        if not (calm and now_s - free_s > LEAST_S) and now_s - free_s < LONGEST_S:
            share = min(max(now_s - free_s, 0.0) / 4.0, 0.95)
            return StepLook(StepState.MEASURING, "It swings; hands off.", share)
        motion = track(self.notes, signals, free_s, now_s)
        swing = fit(motion) if motion is not None else None
        if motion is None or swing is None or swing.misfit > MISFIT_RAD_S:
            self.start_s, self._calm_s = now_s, None
            return StepLook(StepState.WRONG, "That swing was not free; nudge it once more.")
        self.notes.swing = swing
        self.notes.hang = hanging(self.notes, signals, motion, now_s)
        self.notes.level_counts = level(signals.counts(now_s - CALM_S, now_s)[1])
        period_s = 2 * np.pi / np.sqrt(swing.stiffness_s2)
        return StepLook(
            StepState.DONE,
            f"It swings in {period_s:.2f} s and sticks within "
            f"{np.degrees(swing.friction_rad):.2f} degrees.",
            1.0,
        )
