"""The detector: samples in, table events out, with a probability for each.

One pass over the ticks. `Balance` says whether somebody touches, `Attitude` how the board hangs,
`MomentEstimator` what its moment is; `Scene` explains every rest and tells what has become certain.
Sans-IO and causal: `feed` only buffers, `next_event` advances to the next event, and nothing later
than an event's `decided_s` was looked at.
"""

from collections import deque
from math import degrees, hypot, inf, pi, sqrt

from engine.detect.attitude import Attitude
from engine.detect.contact import Phase
from engine.detect.health import (
    ONE_CELL,
    LineWatch,
    Rests,
    SensorWatch,
    TableHealth,
    pivot_words,
)
from engine.detect.noise import Noise, Rates
from engine.detect.priors import BEHAVIOUR, Priors
from engine.detect.scene import TRUSTED_S, Scene
from engine.detect.ticks import TICK_S, Tick, TickMaker
from engine.events import Expectation, Fault, Restored, TableEvent
from engine.samples import ImuSamples, Samples, ScaleSamples, SensorReport, SwitchSample
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Tabletop, load_cell_name

Up = tuple[float, float, float]
Rate = tuple[float, float]

LAG_TICKS = 4
"""A hand is noticed up to 0.1 s after it came; the newest ticks wait before they are believed."""

FOLD_TICKS = 20
"""Half a second of swing at a time goes into the belief about the moment for good."""

HELD_MISFIT = 9.0
"""Mean square residual of half a second's swing that no free board on a shaken table has."""

LONE_JUMP = 0.5
"""In pieces: less than this on one cell could be noise or a warped base plate."""

JUMP_LOOK_TICKS = 5

CELL_NAMES = ("scale.0", "scale.1", "scale.2", "scale.3")
"""As sources and events name the load cells."""

WILD_G = 20.0
"""A larger dynamic weight than any swing makes: a shaken gyroscope, not to be subtracted."""


class Detector:
    """Turns the samples of one table into table events.

    Attributes:
        now_s: table time up to which everything has been looked at.
    """

    def __init__(self, tabletop: Tabletop, priors: Priors = BEHAVIOUR) -> None:
        self._scene = Scene(tabletop, priors)
        self._ticks = TickMaker(tabletop)
        self._attitude = Attitude()
        self._queue: deque[Tick] = deque()
        self._lagging: deque[tuple[Tick, Up, Rate]] = deque()
        self._noise = Noise()
        self._watch = SensorWatch(self._ticks.solver, weight_only=tabletop.weight_only)
        self._line = LineWatch()
        self._cells_before: tuple[float, ...] = ()
        self._rests = Rests(self._ticks.solver)
        self._rates = Rates()
        self._fall = 0.0

    @property
    def now_s(self) -> float:
        """Table time up to which everything has been looked at."""
        return self._scene.now_s

    # -- in -----------------------------------------------------------------------------------

    def feed(self, samples: Samples) -> None:
        """Buffer samples; `next_event` looks at them.

        However the streams are cut into blocks, the events are the same, as long as the blocks of
        the sensors alternate: two of one sensor, the second more than `STALE_S` later, with none
        of the other between them, is how a sensor that fell silent looks.
        """
        if isinstance(samples, ScaleSamples):
            self._ticks.feed_scale(samples)
            self._rates.scale.update(samples.t_s)
        elif isinstance(samples, ImuSamples):
            self._ticks.feed_imu(samples)
            self._rates.imu.update(samples.t_s)
        elif isinstance(samples, SwitchSample):
            self._scene.tipping.feed(samples)
        elif isinstance(samples, SensorReport):
            self._reported(samples)

    def _reported(self, report: SensorReport) -> None:
        if report.sensor == "link":
            self._line.report(report.t_s, ok=report.ok)
        if not report.ok:
            self._lost(report)
            return
        if report.sensor in CELL_NAMES:
            return  # taken back as always: when it agrees with the others
        restored = self._watch.absolve(report.t_s, report.sensor)
        if restored is not None:
            self._scene.teller.events.append(restored)
            if restored.sensor == "imu":
                self._find_again()

    def _lost(self, report: SensorReport) -> None:
        if report.sensor in CELL_NAMES:
            cell = CELL_NAMES.index(report.sensor)
            self._sensor_changed(self._watch.condemn(cell, report.t_s, report.reason))
        else:
            self._scene.teller.events.append(
                self._watch.report(report.t_s, report.sensor, report.reason)
            )

    def expect(self, expectation: Expectation) -> None:
        """The rules' prior for what comes next."""
        self._scene.expect(expectation)

    def amend(self, ref: int, cell: str | None) -> None:
        """People said where piece `ref` really lies; None: it is not on the board."""
        self._scene.amend(ref, cell)

    def restore(self, placements: tuple[tuple[int, str], ...]) -> None:
        """Take up a game that was interrupted: pieces on the board, bottom to top.

        Args:
            placements: (event id, cell) of each piece, in the order in which they were placed.
        """
        self._scene.restore(placements)

    def press_cleared(self, t_s: float) -> bool:
        """People said at `t_s` that the board is clear; false when the table had seen it before."""
        return self._scene.press_cleared(t_s)

    def press_blame(self, t_s: float) -> None:
        """People said at `t_s` who bumped the table, and no topple had been decided yet."""
        del t_s
        self._scene.press_blame()

    # -- out ----------------------------------------------------------------------------------

    def next_event(self, until_s: float = inf) -> TableEvent | None:
        """The next event that can be decided with samples up to `until_s`, or None.

        Call it until it returns None. Between two calls the rules may have changed their mind:
        tell it with `expect` before the next call.
        """
        events = self._scene.teller.events
        while not events:
            if not self._queue:
                self._queue.extend(self._ticks.take(until_s))
            if not self._queue or self._queue[0].needed_s > until_s:
                return None
            self._step(self._queue.popleft())
        self._scene.handed_s = self.now_s
        return events.popleft()

    def health(self) -> TableHealth:
        """What the signals say about this table now."""
        scene, table = self._scene, self._scene.moment.table()
        sz = abs(scene.tabletop.empty_moment_gmm[2])
        friction, sd = degrees(table.friction_gmm / sz), degrees(table.friction_sd_gmm / sz)
        inertia = max(table.board_inertia_gmm2, 1.0)
        bias_x, bias_y = self._attitude.bias_rad_s
        return TableHealth(
            friction_deg=friction,
            friction_sd_deg=sd,
            period_s=2 * pi * sqrt(inertia / (STANDARD_GRAVITY_MM_S2 * sz)),
            damping_s=2 * inertia / max(table.damping_gmm2_s, 1.0),
            noise_g=self._noise.mass_g,
            cop_noise_gmm=self._noise.cop_gmm,
            zero_drift_g=scene.zero_drift_g,
            scale_hz=self._rates.scale.hz,
            imu_hz=self._rates.imu.hz,
            gyro_bias_dps=(degrees(bias_x), degrees(bias_y)),
            faults=dict(self._watch.faults),
            words=ONE_CELL if scene.tabletop.weight_only else pivot_words(friction, sd),
        )

    # -- one tick -----------------------------------------------------------------------------

    def _step(self, tick: Tick) -> None:  # noqa: C901, PLR0912 - one thing after the other, in this order
        scene = self._scene
        scene.now_s = tick.needed_s
        if self._line.was_cut(tick):
            return
        if self._line.is_back():
            self._look_anew()
        # With two cells dead there is no weight, so nobody can say that a hand is gone.
        weighing = len(self._ticks.solver.dead) < 2
        touched = weighing and scene.balance.phase is not Phase.FREE
        for change in self._watch.update(tick, touched=touched):
            self._sensor_changed(change)
        if not self._watch.imu_trusted:
            tick = tick.without_imu()
        middle_x, middle_y = self._attitude.update(tick)
        up = middle_x, middle_y, self._attitude.up_z
        rate = self._attitude.rate(tick)
        scene.tilt_doubtful = self._attitude.doubtful
        scene.scale_hz = self._rates.scale.hz or scene.scale_hz
        scene.shocks.update(tick, up)
        if self._attitude.jumped:
            scene.moment.lost()
            self._lagging.clear()
        if not tick.scale_ok:
            return
        self._noise.update(tick, touched=scene.balance.phase is Phase.CONTACT)
        scene.balance.noise_g = self._noise.mass_g
        scene.moment.cop_sd_gmm = self._noise.cop_gmm
        balance = scene.balance
        was = balance.phase
        scene.swing(hypot(*rate))
        phase = balance.update(tick.t_s, self._resting_mass_g(tick, up, rate))
        if phase is Phase.FREE:
            self._while_free(tick, up, rate)
        elif phase is Phase.SETTLING:
            scene.moment.add(tick, up, rate)
            if scene.balance.run_ticks == JUMP_LOOK_TICKS and self._jumped_alone(tick):
                return
            if scene.begin() if scene.balance.before_g is None else scene.settle():
                self._lagging.clear()
            elif scene.moment.ticks % (FOLD_TICKS // 2) == 0 and scene.balance.before_g is not None:
                self._held_lightly(tick)
        elif was is not Phase.CONTACT:
            self._touched(was_free=was is Phase.FREE)
        else:
            scene.while_touched(tick.mass_g)
        if phase is Phase.CONTACT:
            tapped = scene.shocks.jolt_g > scene.moment.tap_g
            scene.pressing.add(tick, up, rate, tapped=tapped)

    def _resting_mass_g(self, tick: Tick, up: Up, rate: Rate) -> float:
        """The weight the board would show at rest.

        The centre of mass of a swinging board rises and falls; the cells feel its vertical
        acceleration, the second derivative of S . up (two grams in a wild swing).
        """
        sx, sy = self._scene.moment.now_gmm
        sz = self._scene.body.moment_z_gmm
        rate_x, rate_y = rate
        rate_z = tick.turn_z_rad / TICK_S
        fall = -(
            sx * (rate_y * up[2] - rate_z * up[1])
            + sy * (rate_z * up[0] - rate_x * up[2])
            + sz * (rate_x * up[1] - rate_y * up[0])
        )
        dynamic_g = (fall - self._fall) / TICK_S / STANDARD_GRAVITY_MM_S2
        self._fall = fall
        return tick.mass_g - dynamic_g if abs(dynamic_g) < WILD_G else tick.mass_g

    def _while_free(self, tick: Tick, up: Up, rate: Rate) -> None:
        scene = self._scene
        self._lagging.append((tick, up, rate))
        if len(self._lagging) > LAG_TICKS:
            settled = self._lagging.popleft()
            self._cells_before = settled[0].cells_g
            scene.moment.add(*settled)
        if scene.moment.ticks >= FOLD_TICKS:
            if self._held_lightly(tick):
                return
            scene.moment.fold(scene.body, learn=scene.balance.run_s > TRUSTED_S)
        scene.rest_on()

    def _held_lightly(self, tick: Tick) -> bool:
        """Whether the board moves as no free board does, though it weighs what it weighed.

        Fingers that slide a piece to another cell need not press on it.
        """
        scene = self._scene
        if scene.moment.ticks < FOLD_TICKS or scene.moment.misfit(scene.body) < HELD_MISFIT:
            return False
        was_free = scene.balance.phase is Phase.FREE
        scene.moment.drop_last(FOLD_TICKS)
        scene.balance.touch_lightly(tick.t_s - FOLD_TICKS * TICK_S)
        self._touched(was_free=was_free)
        return True

    def _touched(self, *, was_free: bool) -> None:
        if len(self._cells_before) == 4 and was_free:
            self._rests.note(self._cells_before)
        self._lagging.clear()
        self._scene.touched(was_free=was_free)

    def _sensor_changed(self, change: Fault | Restored) -> None:
        """The weight is measured in another way from now on: the run must begin anew."""
        scene = self._scene
        scene.teller.events.append(change)
        if change.sensor.startswith("scale"):
            self._rests.forget()
            self._cells_before = ()
            self._weigh_anew()
            self._queue = deque(map(self._ticks.weigh_again, self._queue))
        elif isinstance(change, Restored):
            self._find_again()

    def _find_again(self) -> None:
        """The inertial sensor is back; how the board hung meanwhile, nobody knows."""
        self._attitude.find_again()
        self._lagging.clear()
        self._scene.moment.lost()

    def _weigh_anew(self) -> None:
        """What the weight did while nobody knew is not evidence for anything."""
        self._touched(was_free=self._scene.balance.phase is Phase.FREE)
        self._scene.balance.start_anew()

    def _look_anew(self) -> None:
        """Samples come again after a gap: the board may hang otherwise, and weigh otherwise."""
        self._attitude.find_again()
        self._weigh_anew()

    def _jumped_alone(self, tick: Tick) -> bool:
        """Whether one load cell moved and the others did not: no weight does that.

        A load anywhere on the plate obeys the rigid plate's equation; one cell that jumps by x
        breaks it by x. Then that cell is condemned; or the one that has followed no load so far,
        which makes the one across from it look like that.
        """
        if len(self._cells_before) != 4 or self._ticks.solver.dead:
            return False
        changes = [now - was for now, was in zip(tick.cells_g, self._cells_before, strict=True)]
        worst = max(range(4), key=lambda cell: abs(changes[cell]))
        warp = changes[worst] - self._ticks.solver.expected(tuple(changes), worst)
        others = max(abs(change) for cell, change in enumerate(changes) if cell != worst)
        alone = abs(changes[worst]) > LONE_JUMP * self._scene.piece_g
        if not alone or abs(warp) < 2 * others:
            return False
        words = "jumped alone; check its wires and that nothing touches it"
        suspect = self._rests.suspect(self._scene.piece_g)
        if suspect is not None:
            worst, words = suspect, "follows no load; check its plug and its four wires"
        reason = f"Load cell {load_cell_name(worst)} {words}"
        self._sensor_changed(self._watch.condemn(worst, tick.t_s, reason))
        return True
