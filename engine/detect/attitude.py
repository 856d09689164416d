"""How the board hangs: the direction of gravity in the board frame, tracked through the swing.

The gyroscope turns the vector (a few thousandths of a degree of error a second), the
accelerometer anchors it slowly, and at rest the gyroscope's remaining bias is learned. The
accelerometer alone would be 0.16 degrees a sample and wrong during every push.
"""

from math import hypot, sqrt

from engine.detect.ticks import TICK_S, Tick

ANCHOR_S = 1.5
"""Time constant of the accelerometer's pull: long against a swing, short against gyro drift."""

START_TICKS = 8
"""The first ticks set the tilt outright (0.2 s)."""

BIAS_S = 4.0
"""Time constant of the gyro bias at rest."""

REST_RATE_RAD_S = 0.02
"""About one degree a second: below it the board is at rest but for its bias (max 0.1 dps after
calibration) and the sensor's noise."""

SHAKEN_G = 0.05
"""An accelerometer this far from 1 g, or from the expected direction, is being shaken."""


class Attitude:
    """Tilt of the board as the x and y components of the upward unit vector in its frame."""

    def __init__(self) -> None:
        self.up_x = 0.0
        self.up_y = 0.0
        self._bias_x = 0.0
        self._bias_y = 0.0
        self._ticks = 0
        self._still_ticks = 0

    @property
    def up_z(self) -> float:
        """Vertical component; positive for every board that has not turned over."""
        return sqrt(max(1.0 - self.up_x * self.up_x - self.up_y * self.up_y, 0.25))

    @property
    def bias_rad_s(self) -> tuple[float, float]:
        """Learned bias of the gyroscope, x and y."""
        return self._bias_x, self._bias_y

    def find_again(self) -> None:
        """The board was not watched for a while: the next ticks set the tilt outright."""
        self._ticks = 0

    def rate(self, tick: Tick) -> tuple[float, float]:
        """Angular rate of the tick without the learned bias."""
        return tick.rate_x_rad_s - self._bias_x, tick.rate_y_rad_s - self._bias_y

    def update(self, tick: Tick) -> tuple[float, float]:
        """Advance by one tick; the tilt in the middle of it."""
        if not tick.imu_ok:
            return self.up_x, self.up_y
        before_x, before_y = self.up_x, self.up_y
        turn_x = tick.turn_x_rad - self._bias_x * TICK_S
        turn_y = tick.turn_y_rad - self._bias_y * TICK_S
        up_z = self.up_z
        # d(up)/dt = -rate x up for a vector fixed in the room, seen from the board.
        self.up_x -= turn_y * up_z - tick.turn_z_rad * self.up_y
        self.up_y -= tick.turn_z_rad * self.up_x - turn_x * up_z
        self._anchor(tick)
        self._learn_bias(tick)
        return (before_x + self.up_x) / 2, (before_y + self.up_y) / 2

    def _anchor(self, tick: Tick) -> None:
        error_x, error_y = tick.force_x_g - self.up_x, tick.force_y_g - self.up_y
        if self._ticks < START_TICKS:
            self._ticks += 1
            gain = 1.0 / self._ticks
        elif max(abs(error_x), abs(error_y), abs(tick.force_z_g - self.up_z)) < SHAKEN_G:
            gain = TICK_S / ANCHOR_S
        else:
            # Shaken. A hundred times weaker, so that a lost direction is found again at last.
            gain = TICK_S / ANCHOR_S / 100
        self.up_x += gain * error_x
        self.up_y += gain * error_y

    def _learn_bias(self, tick: Tick) -> None:
        if hypot(*self.rate(tick)) > REST_RATE_RAD_S:
            self._still_ticks = 0
            return
        self._still_ticks += 1
        if self._still_ticks > 1 / TICK_S / 2:
            self._bias_x += TICK_S / BIAS_S * (tick.rate_x_rad_s - self._bias_x)
            self._bias_y += TICK_S / BIAS_S * (tick.rate_y_rad_s - self._bias_y)
