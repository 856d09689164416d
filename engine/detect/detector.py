"""The detector: samples in, table events out, with a probability for each.

One pass over the ticks. `Balance` says whether somebody touches, `Attitude` how the board hangs,
`MomentEstimator` what its moment is; `Placing` and `Toppling` decide what a contact meant. Sans-IO
and causal: `feed` only buffers, `next_event` advances to the next event, and nothing later than
an event's `decided_s` was looked at.
"""

from collections import deque
from math import degrees, inf, pi, sqrt

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
from engine.detect.placing import Placing, Verdict
from engine.detect.scene import Scene
from engine.detect.ticks import STANDARD_GRAVITY_MM_S2, TICK_S, Tick, TickMaker
from engine.detect.toppling import LOSS_PIECES, Toppling
from engine.events import Expectation, Fault, Restored, TableEvent
from engine.samples import ImuSamples, Samples, ScaleSamples, SensorReport, SwitchSample
from engine.tabletop import Tabletop

Up = tuple[float, float, float]
Rate = tuple[float, float]

LAG_TICKS = 4
"""A hand is noticed up to 0.1 s after it came; the newest ticks wait before they are believed."""

FOLD_TICKS = 20
"""Half a second of swing at a time goes into the belief about the moment for good."""

TRUSTED_TICKS = 24
"""0.6 s untouched: hands that hesitate come back sooner, and must not teach the table's swing."""

START_S = 0.3
"""So long must the weight be steady at the start to be taken for the empty board's."""

EMPTY_S = 2.0
"""So long must an empty board be left alone before its weight is taken for the new zero."""

UNCHANGED_PIECES = 0.15
"""More than this is a hand that still rests on the board lightly, or cells that crept: it takes
a full second of rest to be believed (half a gram, ten times the error of a short rest)."""

LONE_JUMP = 0.5
"""In pieces: less than this on one cell could be noise or a warped base plate."""

JUMP_LOOK_TICKS = 6

CELL_NAMES = ("scale.0", "scale.1", "scale.2", "scale.3")
"""As sources and events name the load cells."""

WILD_G = 20.0
"""A larger dynamic weight than any swing makes: a shaken gyroscope, not to be subtracted."""


class Detector:
    """Turns the samples of one table into table events.

    Attributes:
        now_s: table time up to which everything has been looked at.
    """

    def __init__(self, tabletop: Tabletop) -> None:
        self._scene = Scene(tabletop)
        self._ticks = TickMaker(tabletop)
        self._attitude = Attitude()
        self._placing = Placing(self._scene)
        self._toppling = Toppling(self._scene, self._placing)
        self._queue: deque[Tick] = deque()
        self._lagging: deque[tuple[Tick, Up, Rate]] = deque()
        self._noise = Noise()
        self._watch = SensorWatch(self._ticks.solver, weight_only=tabletop.weight_only)
        self._line = LineWatch()
        self._cells_before: tuple[float, ...] = ()
        self._rests = Rests(self._ticks.solver)
        self._rates = Rates()
        self._fall = 0.0
        self._free_ticks = 0
        self._unchanged = False

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
            self._scene.emit(restored)
            if restored.sensor == "imu":
                self._find_again()

    def _lost(self, report: SensorReport) -> None:
        if report.sensor in CELL_NAMES:
            cell = CELL_NAMES.index(report.sensor)
            self._sensor_changed(self._watch.condemn(cell, report.t_s, report.reason))
        else:
            self._scene.emit(self._watch.report(report.t_s, report.sensor, report.reason))

    def expect(self, expectation: Expectation) -> None:
        """The rules' prior for what comes next."""
        self._scene.expect(expectation)

    def amend(self, ref: int, cell: str | None) -> None:
        """People said where piece `ref` really lies; None: it is not on the board."""
        scene = self._scene
        scene.stacks.take(ref)
        if cell is not None:
            scene.stacks.put(ref, cell)
        if scene.last is not None and scene.last.ref == ref:
            scene.last.open = False
            scene.last.cell = cell or scene.last.cell
        scene.rebuild()

    def restore(self, placements: tuple[tuple[int, str], ...]) -> None:
        """Take up a game that was interrupted: pieces on the board, bottom to top.

        Args:
            placements: (event id, cell) of each piece, in the order in which they were placed.
        """
        scene = self._scene
        scene.stacks.clear()
        for ref, cell in placements:
            scene.stacks.put(ref, cell)
            scene.continue_ids(ref)
        # The tare was taken with an empty board, so that is what an empty board weighs.
        scene.zero_g = 0.0 if placements else scene.zero_g
        scene.rebuild()

    def press_cleared(self, t_s: float) -> None:
        """People said at `t_s` that the board is clear."""
        del t_s
        self._toppling.press_cleared()
        self._begin_clearing()

    def press_blame(self, t_s: float) -> None:
        """People said at `t_s` who bumped the table, and no topple had been decided yet."""
        del t_s
        self._toppling.press_blame()
        self._begin_clearing()

    def _begin_clearing(self) -> None:
        if self._scene.clearing and self._scene.balance.phase is Phase.FREE:
            self._scene.balance.restart()
            self._contact_begins()

    # -- out ----------------------------------------------------------------------------------

    def next_event(self, until_s: float = inf) -> TableEvent | None:
        """The next event that can be decided with samples up to `until_s`, or None.

        Call it until it returns None. Between two calls the rules may have changed their mind:
        tell it with `expect` before the next call.
        """
        events = self._scene.events
        while not events:
            if not self._queue:
                self._queue.extend(self._ticks.take(until_s))
            if not self._queue or self._queue[0].needed_s > until_s:
                return None
            self._step(self._queue.popleft())
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

    def _step(self, tick: Tick) -> None:
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
        scene.shocks.update(tick, up)
        if self._attitude.jumped:
            scene.moment.discard()
            self._lagging.clear()
        if not tick.scale_ok:
            return
        self._noise.update(tick, touched=scene.balance.phase is Phase.CONTACT)
        scene.balance.noise_g = self._noise.mass_g
        scene.moment.cop_sd_gmm = self._noise.cop_gmm
        balance = scene.balance
        was, run_ticks = balance.phase, balance.run_ticks
        phase = balance.update(tick.t_s, self._resting_mass_g(tick, up, rate))
        if phase is Phase.FREE:
            self._while_free(tick, up, rate)
        elif phase is Phase.SETTLING:
            scene.moment.add(tick, up, rate)
            if scene.balance.run_ticks == JUMP_LOOK_TICKS and self._jumped_alone(tick):
                return
            if self._while_settling():
                self._lagging.clear()
        elif was is Phase.FREE:
            self._contact_begins()
        elif was is Phase.SETTLING:
            self._run_breaks(tick, run_ticks)

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
        if scene.last is not None:
            scene.last.rested = scene.last.rested or scene.at_rest
            self._placing.look_again(tick)
        self._free_ticks += 1
        if scene.moment.ticks >= FOLD_TICKS:
            scene.moment.fold(scene.body, learn=self._free_ticks >= TRUSTED_TICKS)
        self._toppling.while_free()
        if not len(scene.stacks) and not scene.clearing and scene.balance.run_s > EMPTY_S:
            # Nothing lies there, so this is what nothing weighs now: cells wander all evening.
            scene.zero_g = scene.balance.before_g

    def _sensor_changed(self, change: Fault | Restored) -> None:
        """The weight is measured in another way from now on: the run must begin anew."""
        scene = self._scene
        scene.emit(change)
        if change.sensor.startswith("scale"):
            self._rests.forget()
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
        self._scene.balance.start_anew()
        self._toppling.forget()
        self._contact_begins()

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
        if len(self._cells_before) != 4 or self._ticks.solver.dead or self._scene.clearing:
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
        reason = f"Load cell {worst + 1} {words}"
        self._sensor_changed(self._watch.condemn(worst, tick.t_s, reason))
        return True

    def _contact_begins(self) -> None:
        scene = self._scene
        if len(self._cells_before) == 4:
            self._rests.note(self._cells_before)
        self._lagging.clear()
        self._placing.look_again(None)
        hovering = self._unchanged and self._free_ticks < TRUSTED_TICKS
        if hovering:
            scene.moment.rejoin()
            scene.balance.rejoin()
        else:
            scene.moment.fold(scene.body, learn=self._free_ticks >= TRUSTED_TICKS)
            scene.moment.contact()
        self._free_ticks, self._unchanged = 0, False
        scene.expected_at_contact = scene.expectation

    def _run_breaks(self, tick: Tick, run_ticks: int) -> None:
        """The board is touched again before a decision."""
        scene = self._scene
        if scene.balance.before_g is None or scene.clearing or self._toppling.in_shock:
            scene.moment.touch_again()
        elif self._placing.consider_broken(run_ticks):
            self._toppling.placed()
            scene.balance.rebase(tick.t_s)
            scene.moment.fold(scene.body, learn=False)
            scene.moment.contact()
            scene.expected_at_contact = scene.expectation
        else:
            scene.moment.touch_again()

    def _while_settling(self) -> bool:
        """A steady weight: what does it mean? True when the board is free again."""
        scene = self._scene
        balance = scene.balance
        if balance.before_g is None:
            if balance.run_s < START_S:
                return False
            if scene.zero_g is None:
                scene.zero_g = scene.first_zero_g = balance.run_mean_g
            scene.accept()
            return True
        step = scene.step
        self._toppling.note_weight()
        if scene.clearing:
            return self._toppling.while_clearing()
        if self._toppling.in_shock and step > LOSS_PIECES and balance.run_s > START_S:
            self._toppling.weight_returned()
            return False
        if self._placing.is_one_piece():
            verdict = self._placing.consider()
            if verdict is Verdict.PLACED:
                self._toppling.placed()
            elif verdict is Verdict.BESIDE:
                self._toppling.fell_beside()
            return verdict is Verdict.PLACED
        if step < -LOSS_PIECES:
            return self._toppling.consider_loss()
        if abs(step) < UNCHANGED_PIECES:
            self._unchanged = self._toppling.consider_unchanged()
            return self._unchanged
        if abs(step) < 1:
            return self._toppling.consider_fraction()
        if self._placing.is_two_pieces():
            return self._placing.consider_two()
        self._toppling.hold()
        return False
