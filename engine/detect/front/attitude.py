"""How the board hangs: the direction of gravity in the board frame, tracked through the swing.

The gyroscope turns the vector (a few thousandths of a degree of error a second), the
accelerometer anchors it slowly, and at rest the gyroscope's remaining bias is learned. The
accelerometer alone would be 0.16 degrees a sample and wrong during every push.
"""

from collections import deque
from collections.abc import Sequence
from math import hypot, sqrt
from typing import NamedTuple

from engine.detect.front.ticks import TICK_S, Tick

Up = tuple[float, float, float]
"""Upward unit vector in the board's frame."""

Rate = tuple[float, float]
"""How fast the board turns about x and y, rad/s."""

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
"""An accelerometer this far from 1 g is being shaken."""

CALM_TICKS = 8
"""0.2 s: a shaken table stands still in between only for the moment of turning back."""

JERK_G = 0.03
"""A pushed table moves the accelerometer so much from one tick to the next, against what the
gyroscope says (0.26 g at 5 Hz: 0.2); a gyroscope that is off by 5 degrees a second: 0.002."""

JUMP_TICKS = 32
"""0.8 s, one swing: over so long the turns of a swing cancel out."""

BIAS_TICKS, BIAS_GAP_RAD = (64, 96), 0.0087
"""Over longer stretches that were calm a smaller bias shows: half a degree is 0.36 degrees a second
in 1.6 s, 0.23 in 2.4 s. Of 8,000 such stretches of usual people, hands and swings in them, the
worst was off by 0.46 degrees, 99 of 100 by less than 0.3."""

BENT = 0.15
"""Of that gap: by so much the one after a third or two of the stretch may be off the straight line.
A bias grows evenly; somebody who leans on the table turns it within half a second."""

OF_WAY = 0.03
"""Share of all that the board turned, to and fro, that the two may differ by: a board that lively
people make swing at 130 degrees a second was off by 0.5 % of it, one that was carried by more."""

CARRIED_RAD = 0.1
"""No board on its pivot hangs six degrees otherwise after two seconds, but one that was lifted."""

ENDS_TICKS = 8
"""Of it, at each end, go into the accelerometer's direction: 0.05 degrees of noise are left."""

LOST_RAD = 0.05
"""Three degrees between what was tracked and the mean of a swing: no pivot sticks so far off."""

DOUBTFUL_RAD = 0.012
JUMP_RAD = 0.026
"""0.7 and 1.5 degrees in 0.8 s: a gyroscope that is off by 0.9 or 1.9 degrees a second. Real ones
wander by a tenth of that in an hour."""


class Attitude:
    """Tilt of the board as the x and y components of the upward unit vector in its frame.

    Attributes:
        up_x, up_y, up_z: that vector now; z is positive, since no board turns over.
        doubtful: gyroscope and accelerometer contradict each other about the last swing.
        jumped: with this tick what was tracked for up to a second before was found to be wrong.
        bias_jumped: so it was, since the gyroscope's bias has jumped.
    """

    def __init__(self) -> None:
        self.up_x = 0.0
        self.up_y = 0.0
        self.up_z = 1.0
        self._bias_x = 0.0
        self._bias_y = 0.0
        self._ticks = 0
        self._still_ticks = 0
        self._gap_g = 0.0, 0.0
        self._calm_ticks = 0
        self._said: deque[tuple[float, ...]] = deque(maxlen=max(BIAS_TICKS))
        self._turned_x = self._turned_y = self._way_rad = 0.0
        self._unjudged = 0
        self.doubtful = False
        self.jumped = self.bias_jumped = False

    @property
    def bias_rad_s(self) -> tuple[float, float]:
        """Learned bias of the gyroscope, x and y."""
        return self._bias_x, self._bias_y

    def find_again(self) -> None:
        """The board was not watched for a while: the next ticks set the tilt outright."""
        self._ticks = 0

    def carried(self) -> None:
        """Somebody lifts the board: for now the accelerometer feels more than the vertical."""
        self._said.clear()

    def rate(self, tick: Tick) -> tuple[float, float]:
        """Angular rate of the tick without the learned bias."""
        return tick.rate_x_rad_s - self._bias_x, tick.rate_y_rad_s - self._bias_y

    def update(self, tick: Tick) -> tuple[float, float]:
        """Advance by one tick; the tilt in the middle of it."""
        self.jumped = self.bias_jumped = False
        if not tick.imu_ok:
            return self.up_x, self.up_y
        before_x, before_y = self.up_x, self.up_y
        turn_x = tick.turn_x_rad - self._bias_x * TICK_S
        turn_y = tick.turn_y_rad - self._bias_y * TICK_S
        # d(up)/dt = -rate x up for a vector fixed in the room, seen from the board.
        self.up_x -= turn_y * self.up_z - tick.turn_z_rad * self.up_y
        self.up_y -= tick.turn_z_rad * self.up_x - turn_x * self.up_z
        turned = self.up_x - before_x, self.up_y - before_y
        self._feel(tick)
        self._anchor()
        self.up_z = sqrt(max(1.0 - self.up_x * self.up_x - self.up_y * self.up_y, 0.25))
        self._learn_bias(tick)
        self._compare(tick, *turned)
        return (before_x + self.up_x) / 2, (before_y + self.up_y) / 2

    def _feel(self, tick: Tick) -> None:
        """Is the table being shaken, so that the accelerometer does not show the vertical?"""
        gap_g = tick.force_x_g - self.up_x, tick.force_y_g - self.up_y
        jerk_g = hypot(gap_g[0] - self._gap_g[0], gap_g[1] - self._gap_g[1])
        size_g = hypot(tick.force_x_g, tick.force_y_g, tick.force_z_g)
        self._gap_g = gap_g
        shaken = abs(size_g - 1.0) > SHAKEN_G or jerk_g > JERK_G
        self._calm_ticks = 0 if shaken else self._calm_ticks + 1

    def _anchor(self) -> None:
        if self._ticks < START_TICKS:
            self._ticks += 1
            gain = 1.0 / self._ticks
        elif self._calm_ticks > CALM_TICKS:
            gain = TICK_S / ANCHOR_S
        else:
            # Shaken. A hundred times weaker, so that a lost direction is found again at last.
            gain = TICK_S / ANCHOR_S / 100
        self.up_x += gain * self._gap_g[0]
        self.up_y += gain * self._gap_g[1]

    def _compare(self, tick: Tick, turned_x: float, turned_y: float) -> None:
        """Does the gyroscope say of the last swing what the accelerometer says of its ends?

        If not, and the accelerometer saw no turn, the gyroscope's bias has jumped.
        """
        if not self._calm_ticks:
            self._said.clear()
            self.doubtful = False
            return
        self._say(tick, turned_x, turned_y)
        self._unjudged += 1
        if len(self._said) < JUMP_TICKS or self._unjudged < ENDS_TICKS:
            return
        self._unjudged = 0
        said = list(self._said)
        swing = self._contradiction(said[-JUMP_TICKS:])
        self.doubtful = hypot(*swing.gap) > DOUBTFUL_RAD
        self._find_direction(*_means(said[-JUMP_TICKS:])[4:])
        if swing.beyond_rad > JUMP_RAD and hypot(*swing.moved) < hypot(*swing.gap) / 3:
            self._correct_bias(swing.late_gap, (JUMP_TICKS - ENDS_TICKS) * 2 / 3)
        for ticks in BIAS_TICKS:
            if len(self._said) < ticks:
                return
            longer = self._contradiction(said[-ticks:])
            if longer.beyond_rad > BIAS_GAP_RAD and longer.is_bias():
                self._correct_bias(longer.gap, ticks - ENDS_TICKS)

    def _say(self, tick: Tick, turned_x: float, turned_y: float) -> None:
        """Keep what both say of a tick; of the gyroscope all that it has turned by then."""
        felt_x, felt_y = tick.force_x_g, tick.force_y_g
        # A tick's force is that of its middle.
        apart_x = self._turned_x + turned_x / 2 - felt_x
        apart_y = self._turned_y + turned_y / 2 - felt_y
        off = felt_x - self.up_x, felt_y - self.up_y
        self._said.append((apart_x, apart_y, felt_x, felt_y, *off, self._way_rad))
        self._turned_x += turned_x
        self._turned_y += turned_y
        self._way_rad += hypot(turned_x, turned_y)

    def _contradiction(self, said: Sequence[tuple[float, ...]]) -> "_Contradiction":
        """What both say of the latest ticks, of which `said` is given.

        A mean of a fifth of a second is a tenth nearer to the middle of the swing than its moment.
        """
        begun, ended = _means(said[:ENDS_TICKS]), _means(said[-ENDS_TICKS:])
        gap = ended[0] - begun[0], ended[1] - begun[1]
        moved = ended[2] - begun[2], ended[3] - begun[3]
        way_rad = self._way_rad - said[0][6]
        return _Contradiction(said, gap, moved, hypot(*gap) - OF_WAY * way_rad)

    def _correct_bias(self, gap: tuple[float, float], ticks: float) -> None:
        self.jumped = self.bias_jumped = True
        span_s = ticks * TICK_S
        self._bias_x += gap[1] / span_s
        self._bias_y -= gap[0] / span_s
        self._said.clear()
        self.find_again()

    def _find_direction(self, off_x: float, off_y: float) -> None:
        """Believe the accelerometer's mean over a swing, when what was tracked is so far from it.

        A board that somebody carried about has turned further and faster than gyroscopes measure.
        """
        if hypot(off_x, off_y) > LOST_RAD:
            self.up_x += off_x
            self.up_y += off_y
            self.jumped = True
            self._said.clear()

    def _learn_bias(self, tick: Tick) -> None:
        if hypot(*self.rate(tick)) > REST_RATE_RAD_S:
            self._still_ticks = 0
            return
        self._still_ticks += 1
        if self._still_ticks > 1 / TICK_S / 2:
            self._bias_x += TICK_S / BIAS_S * (tick.rate_x_rad_s - self._bias_x)
            self._bias_y += TICK_S / BIAS_S * (tick.rate_y_rad_s - self._bias_y)


class _Contradiction(NamedTuple):
    """What gyroscope and accelerometer say of a stretch, rad of the upward vector's x and y.

    Attributes:
        said: of each tick.
        gap: turned by the gyroscope and not by the accelerometer.
        moved: by the accelerometer.
        beyond_rad: of the gap, more than the way of such a board explains.
    """

    said: Sequence[tuple[float, ...]]
    gap: tuple[float, float]
    moved: tuple[float, float]
    beyond_rad: float

    @property
    def late_gap(self) -> tuple[float, float]:
        """Of the last two thirds: a jump that is found so soon began after the stretch did."""
        first_x, first_y = self._gap_after(1)
        return self.gap[0] - first_x, self.gap[1] - first_y

    def is_bias(self) -> bool:
        """Whether a constant rate explains it, which the gyroscope shows and not the other."""
        gap_x, gap_y = self.gap
        size_rad, bent_rad = hypot(gap_x, gap_y), 0.0
        for thirds in (1, 2):
            x, y = self._gap_after(thirds)
            bent_rad = max(bent_rad, hypot(x - thirds / 3 * gap_x, y - thirds / 3 * gap_y))
        moved_x, moved_y = self.moved
        felt_only = moved_x * gap_x + moved_y * gap_y < -(size_rad**2) / 2
        carried = hypot(moved_x, moved_y) > CARRIED_RAD
        return bent_rad < BENT * size_rad and not felt_only and not carried

    def _gap_after(self, thirds: int) -> tuple[float, float]:
        at = (len(self.said) - ENDS_TICKS) * thirds // 3
        begun, then = _means(self.said[:ENDS_TICKS]), _means(self.said[at : at + ENDS_TICKS])
        return then[0] - begun[0], then[1] - begun[1]


def _means(said: Sequence[tuple[float, ...]]) -> list[float]:
    """Of each column but the last."""
    return [sum(column) / len(said) for column in list(zip(*said, strict=True))[:6]]
