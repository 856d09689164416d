"""Samples to observations: ticks, the attitude of the board, the health of the sensors, contacts.

Nothing in here knows a rule or weighs a hypothesis; what is seen goes to a `BackEnd`, and what is
said of the sensors themselves (`Fault`, `Restored`) goes straight to the events.
"""

from collections import deque
from math import degrees, pi, sqrt

from engine.detect.front.attitude import Attitude, Up
from engine.detect.front.contact import Phase
from engine.detect.front.contacts import Contacts
from engine.detect.front.health import (
    LineWatch,
    Rests,
    SensorWatch,
    TableHealth,
    pivot_verdict,
)
from engine.detect.front.noise import Noise, Rate
from engine.detect.front.observation import BackEnd
from engine.detect.front.ticks import Tick, TickMaker
from engine.events import Fault, Restored, TableEvent
from engine.samples import ImuSamples, Samples, ScaleSamples, SensorReport, SwitchSample
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Tabletop, load_cell_name
from engine.troubles import CELL_JUMPED, CELL_UNLOADED, ONE_CELL

LONE_JUMP = 0.5
"""In pieces: less than this on one cell could be noise or a warped base plate."""

LIFTED = 4.0
"""In pieces: so much less than the empty board, and somebody holds it."""

JUMP_LOOK_TICKS = 5

CELL_NAMES = ("scale.0", "scale.1", "scale.2", "scale.3")
"""As sources and events name the load cells."""


class FrontEnd:
    """Turns the samples of one table into observations for a back end.

    Args:
        tabletop: geometry of the table.
        back: who weighs what is seen.
        events: where to say which sensor failed or works again.
    """

    def __init__(self, tabletop: Tabletop, back: BackEnd, events: deque[TableEvent]) -> None:
        self._tabletop, self._back, self._events = tabletop, back, events
        self._ticks = TickMaker(tabletop)
        self._queue: deque[Tick] = deque()
        self._attitude = Attitude()
        self._noise = Noise()
        self._scale_rate, self._imu_rate = Rate(), Rate()
        self._watch = SensorWatch(self._ticks.solver, weight_only=tabletop.weight_only)
        self._line = LineWatch()
        self._rests = Rests(self._ticks.solver)
        self.contacts = Contacts(tabletop, back, self._rests)

    def feed(self, samples: Samples) -> None:
        """Buffer samples; `advance` looks at them."""
        if isinstance(samples, ScaleSamples):
            self._ticks.feed_scale(samples)
            self._watch.ailing.feed(samples)
            self._scale_rate.update(samples.t_s)
        elif isinstance(samples, ImuSamples):
            self._ticks.feed_imu(samples)
            self._imu_rate.update(samples.t_s)
        elif isinstance(samples, SwitchSample):
            self.contacts.tipping.feed(samples)
        elif isinstance(samples, SensorReport):
            self._reported(samples)

    def advance(self, until_s: float) -> bool:
        """Go on by one tick that needs no sample later than `until_s`; false if there is none."""
        if not self._queue:
            self._queue.extend(self._ticks.take(until_s))
        if not self._queue or self._queue[0].needed_s > until_s:
            return False
        self._step(self._queue.popleft())
        return True

    def health(self, zero_drift_g: float) -> TableHealth:
        """What the signals say about this table now."""
        table = self.contacts.moment.table()
        sz = abs(self._tabletop.empty_moment_gmm[2])
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
            zero_drift_g=zero_drift_g,
            scale_hz=self._scale_rate.hz,
            imu_hz=self._imu_rate.hz,
            gyro_bias_dps=(degrees(bias_x), degrees(bias_y)),
            faults=dict(self._watch.faults),
            verdict=ONE_CELL() if self._tabletop.weight_only else pivot_verdict(friction, sd),
        )

    # -- one tick -----------------------------------------------------------------------------

    def _step(self, tick: Tick) -> None:
        contacts = self.contacts
        self._back.now_s = tick.needed_s
        if self._line.was_cut(tick):
            return
        if self._line.is_back():
            # The board may hang otherwise, and weigh otherwise.
            self._attitude.find_again()
            contacts.weigh_anew()
        # With two cells dead there is no weight, so nobody can say that a hand is gone.
        weighing = len(self._ticks.solver.dead) < 2
        touched = weighing and contacts.balance.phase is not Phase.FREE
        contacts.scale_hz = self._scale_rate.hz or contacts.scale_hz
        self._watch.compare(tick, contacts.scale_hz)
        for change in self._watch.update(tick, touched=touched):
            self._sensor_changed(change)
        ails = self._watch.leave_out(tick.needed_s, self._rests)
        if ails is not None:
            self._sensor_changed(ails)
            tick = self._ticks.weigh_again(tick)
        if not self._watch.imu_trusted:
            tick = tick.without_imu()
        up = self._hang(tick)
        contacts.tilt_doubtful = self._attitude.doubtful
        contacts.shocks.update(tick, up)
        if self._attitude.jumped:
            contacts.lost()
        if not tick.scale_ok:
            return
        noise, touched = self._noise, contacts.balance.phase is Phase.CONTACT
        noise.update(tick, touched=touched, scale_hz=self._scale_rate.hz)
        contacts.balance.noise_g, contacts.alike = noise.mass_g, noise.alike
        contacts.moment.cop_sd_gmm = noise.alike * noise.cop_gmm
        rate = self._attitude.rate(tick)
        was, balance = contacts.weigh(tick, up, rate), contacts.balance
        settles = balance.phase is Phase.SETTLING and balance.run_ticks == JUMP_LOOK_TICKS
        if not (settles and self._jumped_alone(tick)):
            contacts.follow(was, tick, up, rate)

    def _hang(self, tick: Tick) -> Up:
        """How the board hangs in the middle of a tick, and what that says of the gyroscope."""
        if tick.mass_g < -LIFTED * self._back.piece_g:
            self._attitude.carried()
        middle_x, middle_y = self._attitude.update(tick)
        jumped = self._attitude.bias_jumped
        gyro = self._watch.judge_gyro(tick.needed_s, jumped=jumped)
        if gyro is not None:
            self._events.append(gyro)
        return middle_x, middle_y, self._attitude.up_z

    # -- sensors ------------------------------------------------------------------------------

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
            self._events.append(restored)
            if restored.sensor == "imu":
                self._find_again()

    def _lost(self, report: SensorReport) -> None:
        fault = Fault(report.t_s, report.sensor, report.reason, report.code, report.args)
        if report.sensor in CELL_NAMES:
            cell = CELL_NAMES.index(report.sensor)
            self._sensor_changed(self._watch.condemn(cell, fault))
        else:
            self._events.append(self._watch.report(fault))

    def _sensor_changed(self, change: Fault | Restored) -> None:
        """The weight is measured in another way from now on."""
        self._events.append(change)
        if change.sensor.startswith("scale"):
            self._rests.forget()
            self._watch.ailing.forget()
            back = isinstance(change, Restored) and change.sensor in CELL_NAMES
            goes_on = self._ticks.solver.carry_on(
                self.contacts.rest_cells_g, CELL_NAMES.index(change.sensor) if back else None
            )
            self.contacts.cells_g = self.contacts.rest_cells_g = ()
            if not (goes_on and self.contacts.weigh_on()):
                self._ticks.solver.left_out_g = 0.0
                self.contacts.weigh_anew()
            self._queue = deque(map(self._ticks.weigh_again, self._queue))
        elif isinstance(change, Restored):
            self._find_again()

    def _find_again(self) -> None:
        """The inertial sensor is back; how the board hung meanwhile, nobody knows."""
        self._attitude.find_again()
        self.contacts.lost()

    def _jumped_alone(self, tick: Tick) -> bool:
        """Whether one load cell moved and the others did not: no weight does that.

        A load anywhere on the plate obeys the rigid plate's equation; one cell that jumps by x
        breaks it by x. Then that cell is condemned; or the one that has followed no load so far,
        which makes the one across from it look like that.
        """
        before_g = self.contacts.cells_g
        if len(before_g) != 4 or self._ticks.solver.dead:
            return False
        changes = [now - was for now, was in zip(tick.cells_g, before_g, strict=True)]
        worst = max(range(4), key=lambda cell: abs(changes[cell]))
        warp = changes[worst] - self._ticks.solver.expected(changes, worst)
        others = max(abs(change) for cell, change in enumerate(changes) if cell != worst)
        alone = abs(changes[worst]) > LONE_JUMP * self._back.piece_g
        if not alone or abs(warp) < 2 * others:
            return False
        kind, suspect = CELL_JUMPED, self._rests.suspect(self._back.piece_g)
        if suspect is not None:
            kind, worst = CELL_UNLOADED, suspect
        elif not self._ticks.solver.is_clearly(worst, changes, self._back.piece_g):
            return False
        fault = Fault.of(tick.t_s, CELL_NAMES[worst], kind(n=load_cell_name(worst)))
        self._sensor_changed(self._watch.condemn(worst, fault))
        return True
