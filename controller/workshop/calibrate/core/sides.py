"""Finds the axes and the bias of the inertial sensor, with the board pressed down at its sides.

While the board is held, the accelerometer feels nothing but gravity: "up", in its own axes. With
the board down at the right, up leans to the left. At every tilt up is 1 g long, which tells the
bias; how well depends on how far people dare to tilt, so it is never believed beyond that.
"""

from dataclasses import dataclass

import numpy as np

from controller.workshop.calibrate.core.recent_samples import RecentSamples
from controller.workshop.calibrate.core.steps import Notes, Side, StepLook, StepState
from engine.samples import Floats
from hw.calibration import ImuCalibration
from hw.signal_figures import angle_deg

SIDES = ("right (file e)", "back (rank 5)", "left (file a)", "front (rank 1)")
"""Anticlockwise, seen from above: each is a quarter turn after the one before."""

HOLD_S = 0.8
LEAST_TILT_DEG = 6.0
"""Less could be a hand that rests on the board; people push beside the middle by 20 degrees."""

STEADY_DEG = 2.5
"""The two halves of a hold agree within that: hands shake, their mean does not."""

ASTRAY_DEG = 50.0
"""A push further from where it should be is another side."""

BIAS_SD_G = 0.025
"""MPU-6050 datasheet: up to 50 mg on x and y, 80 on z: two sigma."""

HELD_SD_G = 0.012
"""A shaking hand; at rest the mean of 400 samples of 3 mg is known to
"""
REST_SD_G = 0.0005


@dataclass(frozen=True, slots=True)
class SidePress:
    """One side of the board pressed down and held; its number is that in `SIDES`."""

    notes: Notes
    start_s: float
    number: int

    @property
    def name(self) -> str:
        """Of the step."""
        return f"side{self.number}"

    @property
    def title(self) -> str:
        """For people."""
        return f"Down at the {SIDES[self.number].split()[0]}"

    @property
    def asks(self) -> str:
        """What to do."""
        where = SIDES[self.number]
        return f"Press the board down at the {where} by a finger's breadth and hold it a second."

    def look(self, signals: RecentSamples) -> StepLook:  # noqa: PLR0911 - one answer for each thing wrong
        """Done when the board is held at the right side."""
        now_s, imu = signals.now_s, self.notes.design.imu
        if now_s - self.start_s < HOLD_S:
            return StepLook(StepState.WAITING, "Waiting for the push.")
        _, raw = signals.motion(now_s - HOLD_S, now_s)
        if len(raw) < 20:
            return StepLook(StepState.WRONG, "The inertial sensor fell silent; check its cable.")
        up = raw[:, :3] / imu.accel_lsb_per_g
        half = len(up) // 2
        angle = angle_deg(up.mean(axis=0), self.notes.rested.up_g)
        if angle < LEAST_TILT_DEG:
            text = "A little further, please." if angle > 2 else "Waiting for the push."
            return StepLook(StepState.WAITING, text)
        if angle_deg(up[:half].mean(axis=0), up[half:].mean(axis=0)) > STEADY_DEG or (
            _turning_dps(raw, self.notes, imu) > 12.0
        ):
            return StepLook(StepState.MEASURING, "Hold it there.", 0.5)
        astray = self._astray_deg(up.mean(axis=0))
        if abs(astray) > ASTRAY_DEG:
            if -90 - ASTRAY_DEG < astray < ASTRAY_DEG - 90:
                return StepLook(StepState.WAITING, f"Let go, then press at the {self._side}.")
            if abs(astray) > 180 - ASTRAY_DEG:
                return StepLook(
                    StepState.WRONG, f"That is the opposite side; press at the {self._side}."
                )
            return StepLook(StepState.WRONG, f"That is another side; press at the {self._side}.")
        self.notes.sides[self.number] = Side(up.mean(axis=0))
        if self.number == len(SIDES) - 1:
            solve_mounting(self.notes)
        return StepLook(StepState.DONE, f"Tilted by {angle:.0f} degrees.", 1.0)

    @property
    def _side(self) -> str:
        return SIDES[self.number]

    def _astray_deg(self, up_g: Floats) -> float:
        """How far, seen from above, the push is from where the first one says it should be."""
        first = self.notes.sides.get(0)
        if self.number == 0 or first is None:
            return 0.0
        up = unit(self.notes.rested.up_g)
        ahead = unit(_across(first.up_g, up))
        beside = np.cross(up, ahead)
        now = _across(up_g, up)
        turn = np.degrees(np.arctan2(now @ beside, now @ ahead)) - 90.0 * self.number
        return float((turn + 180.0) % 360.0 - 180.0)


def _turning_dps(raw: Floats, notes: Notes, imu: ImuCalibration) -> float:
    rates = raw[:, 3:] / imu.gyro_lsb_per_dps - notes.rested.bias_dps
    return float(np.abs(rates.mean(axis=0)).max())


def solve_mounting(notes: Notes) -> None:
    """Bias of the accelerometer and the sensor's axes, from rest and the four sides."""
    rest = notes.rested.up_g
    felt = np.array([rest, *(notes.sides[number].up_g for number in range(len(SIDES)))])
    notes.accel_bias_g, _ = sphere(felt)
    notes.rotation = mounting(felt[0] - notes.accel_bias_g, felt[1:] - notes.accel_bias_g)


def sphere(felt_g: Floats) -> tuple[Floats, Floats]:
    """The bias that makes every reading 1 g long, with its standard deviation.

    Readings along the sensor's own axes, at rest (first) and at several tilts, shape (n, 3).
    """
    bias = np.zeros(3)
    weights = np.full(len(felt_g), HELD_SD_G**-2)
    weights[0] = REST_SD_G**-2
    for _ in range(6):
        away = felt_g - bias
        length = np.linalg.norm(away, axis=1)
        slope = -away / length[:, None]
        weighted = slope.T * weights
        cov = np.linalg.inv(weighted @ slope + np.eye(3) / BIAS_SD_G**2)
        bias = cov @ (weighted @ (slope @ bias + 1 - length))
    return bias, np.sqrt(np.diag(cov))


def mounting(rest: Floats, sides: Floats) -> Floats:
    """Rotation from the sensor's axes to the board's, z along up at rest.

    Up along the sensor's axes: at rest, and while each of `SIDES` was down, shape (4, 3).
    """
    up = unit(rest)
    east = np.zeros(3)
    for number, held in enumerate(sides):
        # Down at the right is up to the left; each further side is a quarter turn on.
        leans = -unit(_across(held, up))
        east += _turned(leans, up, -np.pi / 2 * number)
    east = unit(_across(east, up))
    return np.array([east, np.cross(up, east), up])


def _turned(vector: Floats, about: Floats, angle_rad: float) -> Floats:
    """A vector across `about`, turned about it."""
    turned: Floats = vector * np.cos(angle_rad) + np.cross(about, vector) * np.sin(angle_rad)
    return turned


def _across(vector: Floats, up: Floats) -> Floats:
    """The part of a vector across `up`."""
    part: Floats = vector - (vector @ up) * up
    return part


def unit(vector: Floats) -> Floats:
    """The direction of a vector."""
    direction: Floats = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return direction
