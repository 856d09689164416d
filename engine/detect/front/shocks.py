"""Blows that the inertial sensor feels: was the table pushed, or the board hit?

The board hangs from a tip that stands on the table. A hand that places a piece turns the board
about the tip but does not move the tip: the accelerometer feels gravity where the gyroscope says
it is. When somebody walks into the table, the tip itself is shaken and the two disagree, long
before pieces fall. An elbow that hits the board leaves the tip alone as well, but turns the board
far more abruptly than a hand that places.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot, inf

from engine.detect.front.contact import Touch
from engine.detect.front.ticks import Tick

JOLT_G = 0.06
"""Acceleration of the tip that means a pushed table. On 28 twin tables (1.5 to 2 times the usual
spread) and the public games, 83 topples by placing: 0.035 at most but for one, with a light bump
before it; 60 tables that were pushed until something fell: 0.09 to 1.9."""

BLOW_RAD_S2 = 45.0
"""Angular acceleration of a board that was hit. The same topples: 0.7 to 43 while placing, 44 to
102 when an elbow hit the board hard enough to bring several pieces down, 19 in one case."""

SLIDE_G = 0.15
"""What makes pieces slide: plastic on wood or plastic sticks up to 0.2 g or more (Coulomb), and the
mean of a tick shows less than the peak. On simulated tables boards that were pushed by less hung
0.1 to 0.3 mm off afterwards in the median (43 pushes); by more, 0.3 to 0.6 and up to 4 mm (50)."""

BEFORE_S = 0.8
"""A shaken tower takes up to so long until the first piece is missed by the scale."""

AFTER_S = 0.3
"""What shakes the board later than this after its weight changed are the pieces that fall."""

HINT_G = 0.03
"""Half of it, when the weight shows a shaken table as well (fingers that drum: 0.036 to 0.039)."""

KEPT = 64
"""Ticks with a shock that are remembered: more than the longest bump has."""


@dataclass(frozen=True, slots=True)
class Pushes:
    """What shook the table or the board in and about one contact.

    Attributes:
        heard: whether the inertial sensor spoke at all.
        caused: whether the table was pushed before the board became lighter: what shakes it later
            are the pieces that fall.
        trembled_first: whether it may have been pushed by then: evidence only with the weight's.
        struck: whether the contact began with a blow on the board.
        near: whether the table was pushed shortly before or during the contact.
        shaken: whether it was pushed in it: by the weight alone if nothing else tells. (Who takes a
            heavy thing off the plate makes all lighter, too.)
        slid: whether it was pushed in it so that pieces slide.
    """

    heard: bool = False
    caused: bool = False
    trembled_first: bool = False
    struck: bool = False
    near: bool = False
    shaken: bool = False
    slid: bool = False


class Shocks:
    """Remembers when the table was jolted and when the board was hit.

    Attributes:
        heard: whether the inertial sensor spoke in the last tick.
        jolt_g: what shook the tip when it spoke last.
        jolted_s: when the last push began; -inf without one.
    """

    def __init__(self) -> None:
        self.heard = False
        self.jolt_g = 0.0
        self.jolted_s = -inf
        self._jolts_s: deque[float] = deque(maxlen=KEPT)
        self._slides_s: deque[float] = deque(maxlen=KEPT)
        self._hints_s: deque[float] = deque(maxlen=KEPT)
        self._blows_s: deque[float] = deque(maxlen=KEPT)

    def update(self, tick: Tick, up: tuple[float, float, float]) -> None:
        """Advance by one tick; `up` is where the gyroscope has kept the vertical."""
        self.heard = tick.imu_ok
        if not self.heard:
            return
        felt_g = tick.force_x_g - up[0], tick.force_y_g - up[1], tick.force_z_g - up[2]
        self.jolt_g = jolt_g = hypot(*felt_g)
        if jolt_g > HINT_G:
            self._hints_s.append(tick.t_s)
        if jolt_g > JOLT_G:
            if not self._jolts_s or tick.t_s - self._jolts_s[-1] > AFTER_S:
                self.jolted_s = tick.t_s
            self._jolts_s.append(tick.t_s)
        if jolt_g > SLIDE_G:
            self._slides_s.append(tick.t_s)
        if hypot(tick.spin_x_rad_s2, tick.spin_y_rad_s2) > BLOW_RAD_S2:
            self._blows_s.append(tick.t_s)

    def about(self, touch: Touch) -> Pushes:
        """What shook table and board in a contact."""
        began_s, felt_s = touch.began_s, touch.felt_s
        before_fall_s = min(felt_s, touch.lighter_s)
        trembled = not self.heard or self.trembled(began_s, felt_s)
        return Pushes(
            heard=self.heard,
            caused=self.jolted(began_s, before_fall_s),
            trembled_first=self.trembled(began_s, before_fall_s),
            struck=self.struck(began_s),
            near=self.jolted(began_s, felt_s),
            shaken=self.jolted_since(began_s, felt_s) or (touch.shaken and trembled),
            slid=self.slid_since(began_s, felt_s),
        )

    def jolted(self, began_s: float, lasted_s: float = 0.0) -> bool:
        """Whether the table was pushed shortly before or during a contact."""
        return _within(self._jolts_s, began_s - BEFORE_S, began_s + max(lasted_s, AFTER_S))

    def jolted_since(self, began_s: float, lasted_s: float) -> bool:
        """Whether the table was pushed during a contact, or just after it."""
        return _within(self._jolts_s, began_s, began_s + lasted_s + AFTER_S)

    def slid_since(self, began_s: float, lasted_s: float) -> bool:
        """Whether it was pushed so that pieces slide, then."""
        return _within(self._slides_s, began_s, began_s + lasted_s + AFTER_S)

    def trembled(self, began_s: float, lasted_s: float = 0.0) -> bool:
        """Whether the table may have been pushed: evidence only together with the weight's."""
        return _within(self._hints_s, began_s - BEFORE_S, began_s + max(lasted_s, AFTER_S))

    def struck(self, began_s: float) -> bool:
        """Whether the contact that began then was a blow on the board."""
        return _within(self._blows_s, began_s - AFTER_S / 2, began_s + AFTER_S)


def _within(times_s: Iterable[float], first_s: float, last_s: float) -> bool:
    return any(first_s < t_s < last_s for t_s in times_s)
