"""The tower's motion as an inertial sensor and a tilt switch feel it, at any moment.

    motion = MotionSignals(tower, seed=3)
    chip = Mpu6050(lambda _number: motion.imu_counts(own_time.t_s))

The tower's own inertial sensor samples by its own clock and is calibrated; here the motion is a
function of time, and whoever measures it does so when it likes. What belongs to mounting and
transducer happens here: axes, bias, low-pass, noise. `lab.twin.cells` is this for the load
cells.
"""

from math import atan2, degrees, hypot

import numpy as np

from engine.samples import Floats
from lab.twin.board import STEP_S
from lab.twin.sensors import IMU_DELAY_STEPS
from lab.twin.truth import Span
from lab.twin.world import TowerWorld

MEMORY_STEPS = 2000
"""Two seconds: drivers that come late may still ask."""

ROOM_TEMPERATURE_COUNT = -3920
"""25 degrees, by the formula of the MPU-6050: (25 - 36.53) * 340."""

AT_REST = ((0.0, 0.0, 1.0, 0.0, 0.0, 0.0),)


class MotionSignals:
    """How the board moves.

    Attributes:
        end_s: known up to this table time; what is asked later is answered with the last state.
    """

    def __init__(self, tower: TowerWorld, seed: int = 0) -> None:
        """Begin to listen to a tower.

        Args:
            tower: whose board it is.
            seed: of the sensor's noise.
        """
        self.end_s = 0.0
        self._parameters = tower.parameters.imu
        self._chance = np.random.default_rng([seed, 55])
        self._felt: Floats = np.array(AT_REST)
        tower.witnesses.append(self._witness)

    def imu_counts(self, t_s: float) -> tuple[int, ...]:
        """Accelerometer x y z, temperature, gyroscope x y z at a table time, in counts."""
        p = self._parameters
        felt = self._before(t_s, 2 * IMU_DELAY_STEPS).mean(axis=0)
        turn, noise = np.asarray(p.rotation), self._chance.normal(0, 1, 6)
        accel_g = felt[:3] @ turn + p.accel_bias_g + p.accel_noise_g * noise[:3]
        gyro_dps = felt[3:] @ turn + p.gyro_bias_dps + p.gyro_noise_dps * noise[3:]
        accel = np.rint(accel_g * p.accel_lsb_per_g).astype(int).tolist()
        gyro = np.rint(gyro_dps * p.gyro_lsb_per_dps).astype(int).tolist()
        return (*accel, ROOM_TEMPERATURE_COUNT, *gyro)

    def switch_closed(self, t_s: float) -> bool:
        """Whether the apparent vertical leans far enough for the tilt switch at a table time."""
        x_g, y_g, z_g = self._before(t_s, 1)[0, :3]
        return degrees(atan2(hypot(x_g, y_g), z_g)) > self._parameters.switch_deg

    def _witness(self, span: Span) -> None:
        felt = np.hstack([span.force_g, np.degrees(span.rate_rad_s)])
        self._felt = np.concatenate([self._felt, felt])[-MEMORY_STEPS:]
        self.end_s = float(span.t_s[-1])

    def _before(self, t_s: float, count: int) -> Floats:
        """The last states up to a time; at the ends, what there is."""
        newest = len(self._felt) - 1 - round((self.end_s - t_s) / STEP_S)
        window = np.clip(newest - np.arange(count), 0, len(self._felt) - 1)
        felt: Floats = self._felt[window]
        return felt
