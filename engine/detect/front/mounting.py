"""Whether the inertial sensor lies in the board as it did when the table was calibrated.

A chip that was glued on anew, or is read with another orientation, measures as well as ever, but
means other sides. The load cells know the sides. While nobody touches a swinging board, its pivot
must accelerate its centre of mass, h above the load cells: the moment on them changes by
(h/g) Sz J'a (`moment`: the scale's equation less the swing's), a quarter of a turn from the angular
acceleration a, whatever stands on the board. With vectors as complex numbers, a* mirrored, k > 0:

    moment = -ik a               as it was calibrated; a is what the chip shows
    moment = -ik a exp(-it)      turned by t
    moment = -ik a* exp(-it)     mirrored, as upside down

So over some seconds of motion the moment is correlated with the angular acceleration and with its
mirror image. If it follows one of them closely, but not as it should, the chip is turned; so it is
if gravity comes from a side.
"""

from collections import deque

from engine.detect.front.ticks import SCALE_DELAY_S, TICK_S, Tick

SPAN_TICKS, BESIDE_TICKS = 10, 4
"""Differences over a third of a swing (0.25 s): drift, and what stands on the board, drop out of
them. A hand shows in the weight up to 0.1 s before or after it shows in them."""

WINDOW_TICKS = SPAN_TICKS + 2 * BESIDE_TICKS + 1
NEWER, OLDER = -1 - BESIDE_TICKS, -1 - BESIDE_TICKS - SPAN_TICKS

DELAY_CONVERSIONS = 2.0
"""How late an HX711 is at any rate: half of the four conversions that it needs to settle."""

LATEST_TICKS = 10
"""At 7 conversions a second; an HX711 makes 10 (datasheet)."""

STEADY_G = 1.0
"""A hand presses with more; in a window the noise spans 0.5 g, and a swing's own weight as much."""

LIFTED_G = 40.0
"""A board that is carried turns as hands want it, and all of it is missing (60 g or more)."""

MOVING_RAD_S2 = 0.3
"""Of a board at rest the gyroscope's noise makes 0.06; a swing by a degree has 1.3."""

TELLING_RAD_S2 = 1.5
"""Faster motion does not weigh more, and of the moment only the direction counts: a palm that rolls
over the board at an even weight made ten times the moment of a swing."""

MEMORY_TICKS, FEWEST_TICKS = 80, 60
"""Of motion: two seconds, and one and a half, which are two swings."""

CLOSELY = 0.7
"""Correlation of their directions; a swing by a degree has 0.95."""

AGREES, AGREES_AGAIN = 0.77, 0.87
"""Cosines of 40 and 30 degrees. People put a lifted board back turned by up to 12 degrees, and that
adds up; a load cell that feels nothing turns the moment by 19 at most."""

UPRIGHT_G = 0.7
"""Cosine of 45 degrees: no board leans so far (38 degrees), and that by its own weight."""

CONVINCED_TICKS, AGAIN_TICKS = 100, 400
"""So much motion, without any that says otherwise, and a chip is held to be turned (2.5 s; in 81
evenings no chip that lay as it should was contradicted once), or well again (10 s, since a mirrored
one agrees as long as the board swings along the mirror)."""


class Mounting:
    """Compares the inertial sensor with the load cells, tick by tick.

    Attributes:
        turned: it means other sides than they do.
    """

    def __init__(self) -> None:
        self.turned = False
        self._weights_g = deque[float](maxlen=WINDOW_TICKS)
        self._moments_gmm = deque[complex](maxlen=WINDOW_TICKS)
        self._spins_rad_s2 = deque[complex](maxlen=WINDOW_TICKS + LATEST_TICKS)
        self._moved_ticks = self._contrary_ticks = 0
        self._weight = 0.0
        self._straight = self._mirrored = 0j
        self._upright_g = 1.0

    def update(self, tick: Tick, scale_hz: float) -> None:
        """One more tick, as the sensors gave it.

        Args:
            tick: it.
            scale_hz: rate of the load cells.
        """
        weights_g, moments, spins = self._weights_g, self._moments_gmm, self._spins_rad_s2
        if not (tick.scale_ok and tick.imu_ok):
            spins.clear()
            return
        weights_g.append(tick.mass_g)
        moments.append(complex(tick.cop_x_gmm, tick.cop_y_gmm))
        spins.append(complex(tick.spin_x_rad_s2, tick.spin_y_rad_s2))
        late_s = DELAY_CONVERSIONS / scale_hz - SCALE_DELAY_S
        late = min(max(round(late_s / TICK_S), 0), LATEST_TICKS)
        if len(spins) < WINDOW_TICKS + late:
            return
        spin = spins[NEWER - late] - spins[OLDER - late]
        if abs(spin) < MOVING_RAD_S2:
            return
        lightest_g = min(weights_g)
        if lightest_g > -LIFTED_G and max(weights_g) - lightest_g < STEADY_G:
            self._compare(moments[NEWER] - moments[OLDER], spin, tick.force_z_g)
            self._judge()

    def _compare(self, moment: complex, spin: complex, upright_g: float) -> None:
        keep = 1.0 - 1.0 / MEMORY_TICKS
        weight = min(abs(spin), TELLING_RAD_S2)
        share = weight / (abs(moment) * abs(spin)) if moment else 0.0
        self._moved_ticks += 1
        self._weight = keep * self._weight + weight
        self._straight = keep * self._straight + share * moment * spin.conjugate()
        self._mirrored = keep * self._mirrored + share * moment * spin
        self._upright_g += (upright_g - self._upright_g) / min(self._moved_ticks, MEMORY_TICKS)

    def _judge(self) -> None:
        if self._moved_ticks < FEWEST_TICKS:
            return
        lies = self._upright_g < UPRIGHT_G
        follows = max(abs(self._straight), abs(self._mirrored))
        if not lies and follows < CLOSELY * self._weight:
            return
        least = AGREES_AGAIN if self.turned else AGREES
        turned = lies or -self._straight.imag < least * follows
        self._contrary_ticks = self._contrary_ticks + 1 if turned != self.turned else 0
        if self._contrary_ticks >= (AGAIN_TICKS if self.turned else CONVINCED_TICKS):
            self.turned, self._contrary_ticks = turned, 0
