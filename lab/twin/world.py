"""What happens at the simulated tower by itself: the board moves, pieces fall, sensors look.

`TowerWorld` is a `SampleSource`. It moves when `advance` is called and stands still otherwise;
nothing here knows the real time. `lab.twin.tower.Tower` adds the verbs of hands and table.
"""

import heapq
from collections.abc import Callable
from math import ceil, hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np

from engine.tabletop import STANDARD_GRAVITY_MM_S2, Vector
from hw.blocks import Event, ItemQueue
from hw.source import Item, TableSource
from lab.twin.board import STEP_S, HandContact, PivotedBoard, Pulse, Row, mass_state
from lab.twin.box import Box
from lab.twin.carrying import Carry
from lab.twin.episodes import DETECTABLE_AT_LATEST_S, SWINGING_RAD_S, Cause, ToppleEpisode, TruthLog
from lab.twin.faults import InjectedFault, trusted
from lab.twin.furniture import Cloth, Motion, board_rows
from lab.twin.parameters import TwinParameters
from lab.twin.pieces import Flight, Pieces, TwinPiece
from lab.twin.plate import PlateLoad
from lab.twin.sensors import ImuSensor, ScaleSensor, TiltSwitch
from lab.twin.truth import Blow, Span, span_of

if TYPE_CHECKING:
    from lab.twin.hands import Deed

SPAN_STEPS = 100
"""Steps from one look of the sensors to the next: 0.1 s, the latency of the live twin."""

CHUNK_STEPS = 10
"""Steps between looks at the pieces while all is calm."""
BUSY_STEPS = 5
"""The same while pieces slide or fly: at 0.4 m/s a piece moves 2 mm."""

MARGIN_S = 0.005
"""A sensor's time stamp may lie this much off its nominal time (see `sensors.Clock`)."""

BUMP_BLAME_S = 1.5
"""A topple that begins this long after a bump is the bump's."""

NOTICED_M_S2, GENTLE_BLAME_S, HAND_BLAME_S = 1.0, 0.4, 1.0
"""While a hand is putting a piece down, and for a second after, all eyes are on it: a gentler knock
is blamed only for what falls at once. A tenth of gravity rattles a cup."""


class TowerWorld(TableSource):
    """One simulated tower, left to itself.

    Attributes:
        parameters: what it is made of.
        pieces: what lies where.
        box: the pieces not in play.
        truth: what really happened, for judging only.
        topple: the latest topple, or None.
        faults: faults of the sensors to come; may be changed at any time.
        clearing: the players take the board down; what falls meanwhile is no topple.
        witnesses: called with the true signals of each span of time, in order; for sensors that
            are not the tower's own.
    """

    def __init__(
        self, parameters: TwinParameters, seed: int, faults: list[InjectedFault] | None = None
    ) -> None:
        """An empty tower at rest at table time 0."""
        super().__init__(parameters.calibration, simulated=True)
        self.parameters = parameters
        self.truth = TruthLog()
        self.topple: ToppleEpisode | None = None
        self.faults = list(faults or [])
        self.clearing = False
        self.witnesses: list[Callable[[Span], None]] = []
        chance = np.random.SeedSequence(seed).spawn(4)
        self._rng = np.random.default_rng(chance[0])
        self._scale = ScaleSensor(parameters.scale, np.random.default_rng(chance[1]))
        self._imu = ImuSensor(parameters.imu, np.random.default_rng(chance[2]))
        self._switch = TiltSwitch(parameters.imu, np.random.default_rng(chance[3]))
        self.pieces = Pieces(parameters, self._rng)
        self._seat_mm = (0.0, 0.0)
        self.board = PivotedBoard(parameters.body, mass_state(parameters.body, self._seat_mm, []))
        self.box = Box(parameters, self._rng)
        self._step = 0
        self._rows: list[Row] = []
        self._agenda: list[tuple[float, int, Callable[[], object]]] = []
        self._agenda_number = 0
        self._contacts: list[HandContact] = []
        self._pulses: list[Pulse] = []
        self._blows: list[Blow] = []
        self._weights: list[tuple[float, float, float]] = []
        self._plate_loads = list[PlateLoad]()
        self._carries = list[Carry]()
        self._turned_rad = 0.0
        soft = parameters.body.cloth_sink_mm > 0
        self._cloth = Cloth.under(parameters.body) if soft else None
        self._motions: list[Motion] = [] if self._cloth is None else [self._cloth]
        self._push: Vector = (0.0, 0.0, -STANDARD_GRAVITY_MM_S2)
        self._bump: tuple[float, int | None, float] = (-100.0, None, 0.0)
        self._placing: Deed | None = None
        self._placer: int | None = None
        self._waiting = ItemQueue()
        self._sensed_to_s = 0.0
        self._watched_s = 0.0
        self._ended = False

    # --- SampleSource ---------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """True once closed and all samples are given."""
        return self._ended and not self._waiting

    def poll(self, until_s: float) -> list[Item]:
        """Let the world go on to `until_s` and give the samples that are ready by then."""
        self.advance(until_s)
        return self.collect(until_s)

    def close(self) -> None:
        """Stop the world; samples not yet given can still be collected."""
        if not self._ended and self._rows:
            self._sense()
        self._ended = True
        self._sensed_to_s = float("inf")

    def collect(self, until_s: float) -> list[Item]:
        """Samples that are ready, without moving the world."""
        return self._waiting.take(min(until_s, self._sensed_to_s - MARGIN_S))

    def put_events(self, events: list[Event]) -> None:
        """Slip in what people say, so that it comes out between the right samples."""
        self._waiting.put_events(events)

    # --- the world ------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """Table time of the world."""
        return self._step * STEP_S

    @property
    def tilt_rad(self) -> float:
        """Tilt of the board now, as anybody can see it."""
        return self.board.tilt_rad

    @property
    def swinging(self) -> bool:
        """Whether anybody can see the board move."""
        return hypot(*self.board.rate[:2]) > 0.12

    @property
    def carried(self) -> bool:
        """Whether somebody has the board in their hands."""
        return self.board.carrier is not None

    @property
    def toppling(self) -> bool:
        """Whether pieces are falling right now."""
        return self.topple is not None and not self.topple.over

    def tilt_after(self, cell: str) -> float:
        """Tilt at rest (rad) if one more piece lay on a cell, as a player would guess it."""
        x_mm, y_mm = self.pieces.centre_mm(cell)
        z_mm = self.pieces.top_mm(cell) + self.parameters.piece.height_mm / 2
        mass_g = self.parameters.piece.mass_mean_g
        sx, sy, sz = self.board.mass.moment_gmm
        return float(
            np.arctan2(hypot(sx + mass_g * x_mm, sy + mass_g * y_mm), -(sz + mass_g * z_mm))
        )

    def advance(self, until_s: float) -> None:
        """Let the world go on to a table time, rounded up to a look at the pieces (10 ms)."""
        if self._ended:
            return
        while not self.reached(until_s):
            self._fire_due()
            self._run(self._patience())
            self._watch()
            if len(self._rows) >= SPAN_STEPS:
                self._sense()
        self._fire_due()

    def reached(self, until_s: float) -> bool:
        """Whether the world has come to the look at the pieces that a table time falls to."""
        # A millionth of a look is rounding of the times, not time.
        return self._step >= CHUNK_STEPS * ceil(round(until_s / STEP_S / CHUNK_STEPS, 6))

    def at(self, t_s: float, act: Callable[[], object]) -> None:
        """Have something done at a table time."""
        self._agenda_number += 1
        heapq.heappush(self._agenda, (t_s, self._agenda_number, act))

    def _fire_due(self) -> None:
        while self._agenda and self._agenda[0][0] <= self.now_s + STEP_S / 2:
            heapq.heappop(self._agenda)[2]()

    def _patience(self) -> int:
        """Steps until somebody must look at the world again.

        Looks fall on a fixed grid, so that one seed is one evening however often it is polled.
        """
        busy = self.pieces.sliding or self.pieces.flights or self._motions
        grid = BUSY_STEPS if busy else CHUNK_STEPS
        steps = grid - self._step % grid
        if self._agenda:
            steps = min(steps, max(1, round((self._agenda[0][0] - self.now_s) / STEP_S)))
        return steps

    def _run(self, steps: int) -> None:
        """Move the board, and see what the pieces feel."""
        now_s = self.now_s
        end_s = now_s + steps * STEP_S
        self._contacts = [hand for hand in self._contacts if hand.end_s > now_s]
        self._pulses = [p for p in self._pulses if p.start_s + p.duration_s > now_s]
        hands = [hand for hand in self._contacts if hand.start_s < end_s]
        rows = None
        x = y = z = 0.0
        if self._motions and any(motion.end_s > now_s for motion in self._motions):
            times = now_s + STEP_S * np.arange(max(steps, 2), dtype=np.float64)
            rows = board_rows(self._motions, times)
            x, y, z, *_ = rows[-1]
        self.board.run(now_s, steps, hands, self._pulses, rows, self._rows)
        self._step += steps
        ux, uy, uz = self.board.up
        down = -STANDARD_GRAVITY_MM_S2 - z
        self._push = (down * ux - x, down * uy - y, down * uz)

    def _watch(self) -> None:
        """Pieces that slide, fall and land; the end of a topple; the board coming to rest."""
        now_s, pieces = self.now_s, self.pieces
        before = pieces.sliding
        steep = hypot(*self._push[:2]) / max(-self._push[2], 1.0)
        if self.board.carrier is not None:
            pieces.sliding = False
        elif steep > 0.12 or pieces.sliding:
            fallen = pieces.step(now_s, now_s - self._watched_s, self._push)
            fallen += pieces.tip_over(now_s, self._push)
            self._note_fall(fallen)
            if fallen or pieces.sliding or before:
                self._reload()
        landed = pieces.landed(now_s) if pieces.flights else []
        for flight in landed:
            self._land(flight)
        if landed:
            self._reload()
        self._note_end(moving=bool(landed or pieces.flights or pieces.sliding))
        for hand in self._contacts:
            if hand.first_touch_s and now_s - hand.first_touch_s < 0.02:
                self.truth.touched()
        self.truth.watch(now_s, hypot(*self.board.rate[:2]))
        self._watched_s = now_s

    def _sense(self) -> None:
        """Let the sensors look at the span that has passed."""
        start_s = self.now_s - len(self._rows) * STEP_S
        base = [(piece.mass_g, piece.x_mm, piece.y_mm) for piece in self.pieces.on_base]
        base += self._weights
        states = self.board.states
        span = span_of(
            self.parameters,
            start_s,
            self._rows,
            states,
            self._motions,
            self._blows,
            base,
            self._plate_loads,
            self._carries,
            self._turned_rad,
        )
        if self._cloth is not None:
            self._cloth.press(self.now_s, span.load[:, 1:].mean(axis=0))
        for witness in self.witnesses:
            witness(span)
        calibration = self.parameters.calibration
        t_s, raw = self._scale.sample(span, self.faults)
        believed = trusted(self.faults, t_s)
        self._waiting.scale.put(calibration.scale_samples(t_s, raw, believed))
        self._waiting.imu.put(calibration.imu_samples(*self._imu.sample(span, self.faults)))
        self._waiting.put_events(self._switch.sample(span, self.faults))
        self._rows = []
        self.board.forget_states()
        self._motions = [motion for motion in self._motions if motion.end_s > self.now_s]
        self._blows = [blow for blow in self._blows if blow.end_s + 1 > self.now_s]
        self._plate_loads = [load for load in self._plate_loads if load.end_s > self.now_s]
        self._carries = [carry for carry in self._carries if carry.end_s > self.now_s]
        self._sensed_to_s = self.now_s

    def _reload(self) -> None:
        """Tell the board what lies on it now."""
        loads = self.pieces.loads()
        self.board.load(mass_state(self.parameters.body, self._seat_mm, loads))

    # --- topples --------------------------------------------------------------------------

    def _note_fall(self, fallen: list[TwinPiece]) -> None:
        if not fallen or (self.clearing and not self.toppling):
            return
        if self.topple is None or self.topple.over:
            cause, player = self._cause()
            self.topple = ToppleEpisode(self.now_s, cause, player)
            self.truth.toppled(self.topple)
        self.topple.add(self.now_s, fallen)

    @property
    def placing(self) -> bool:
        """Whether a hand is putting a piece down."""
        return self._placing is not None and not self._placing.done

    def _cause(self) -> tuple[Cause, int | None]:
        bumped_s, bumper, strength_m_s2 = self._bump
        hand = self._placing
        at_hand = hand is not None and self.now_s < hand.release_s + HAND_BLAME_S
        unnoticed = at_hand and strength_m_s2 < NOTICED_M_S2
        if self.now_s - bumped_s < (GENTLE_BLAME_S if unnoticed else BUMP_BLAME_S):
            return "bump", bumper
        return "placing", self._placer

    def _land(self, flight: Flight) -> None:
        """The blow of a landing, on the board or on the base."""
        speed = sqrt(2 * STANDARD_GRAVITY_MM_S2 * flight.fall_mm)
        impulse = flight.piece.mass_g * speed
        if flight.cell is not None:
            point = (flight.x_mm, flight.y_mm, self.pieces.floor_mm(flight.cell))
            self._pulses.append(Pulse(point, self.now_s, 0.012, impulse))
        elif flight.piece in self.pieces.on_base:
            place = flight.piece.x_mm, flight.piece.y_mm
            self._blows.append(Blow(self.now_s, 0.012, impulse / STANDARD_GRAVITY_MM_S2, *place))
        if self.toppling and self.topple is not None:
            self.topple.add(self.now_s, [flight.piece])

    def _note_end(self, *, moving: bool) -> None:
        topple = self.topple
        if topple is None or topple.over:
            return
        if moving:
            topple.last_move_s = self.now_s
            return
        wild = hypot(*self.board.rate[:2]) > SWINGING_RAD_S
        long_ago = self.now_s - topple.t_s > DETECTABLE_AT_LATEST_S
        if self.now_s - topple.last_move_s > 0.3 and (long_ago or not wild):
            topple.over, topple.settled_s = True, self.now_s
            self.truth.felled(topple)
            self.truth.entries.append(topple.entry(self.pieces.on_base))
