"""Load cells with their HX711, the inertial sensor, the tilt switch: true signals to samples.

Each sensor has its own clock and its own chance, and remembers what it needs from one span to
the next. The tower cuts time into spans of a fixed length, so one seed gives one evening,
however often it is polled.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.samples import Floats, Ints, SwitchSample
from hw.calibration import COUNTS_MAX, COUNTS_MIN
from lab.twin.board import STEP_S
from lab.twin.faults import (
    FaultKind,
    InjectedFault,
    of_kind,
    silent_link,
    spoil_counts,
    spoil_grams,
    spoil_imu_counts,
    spoil_motion,
)
from lab.twin.parameters import ImuParameters, ScaleParameters
from lab.twin.truth import Span

Steps = npt.NDArray[np.intp]
"""Indices as `take` wants them: 32-bit Pythons cast none of 64 bits."""

KERNEL_CONVERSIONS = 4
"""HX711 datasheet: settled after four conversions; the answer to a step is that of a fourth-order
mean, 25 ms late on average."""

RESET_SILENCE_S = 0.05
"""HX711 datasheet: settling time after a power cycle at 80 SPS."""

IMU_DELAY_STEPS = 3
"""MPU-6050 register map: about 3-5 ms with the low-pass filter that suits 200 Hz."""

SWITCH_WOBBLE_DEG = 9.0
"""A ball in a cage rattles: near its angle the tilt switch opens and closes at random."""


@dataclass(slots=True)
class Clock:
    """A sensor's own clock: sample times with jitter."""

    period_s: float
    jitter_s: float
    rng: np.random.Generator
    next_s: float = 0.05

    def ticks(self, until_s: float, slowing: float = 1.0) -> Floats:
        """Sample times up to `until_s`, jitter included."""
        period_s = self.period_s * slowing
        count = max(0, int(np.ceil((until_s - self.next_s) / period_s)))
        times = self.next_s + period_s * np.arange(count)
        self.next_s += period_s * count
        limit = 0.3 * period_s
        late: Floats = self.jitter_s * self.rng.standard_normal(count)
        ticks: Floats = np.add(times, np.minimum(np.maximum(late, -limit), limit))
        return ticks


@dataclass(slots=True)
class SignalHistory:
    """The last stretch of a signal, so that filters can look back over the edge of a span."""

    steps: int
    rows: Floats | None = None

    def extend(self, rows: Floats) -> Floats:
        """The rows with what came before them; the first call repeats its first row."""
        before = self.rows if self.rows is not None else np.repeat(rows[:1], self.steps, axis=0)
        whole: Floats = np.concatenate([before, rows])
        self.rows = whole[-self.steps :]
        return whole

    def windows(self, whole: Floats, first_s: float, t_s: Floats, back: Steps) -> Floats:
        """What a filter sees at times `t_s`: shape (n, filter, columns), newest first.

        Args:
            whole: from `extend`.
            first_s: time of the first row that was new.
            t_s: times.
            back: 0, 1, ...: steps that each part of the filter looks back.
        """
        steps = np.rint((t_s - first_s) / STEP_S).astype(int) + self.steps
        window = np.minimum(np.maximum(steps[:, None] - back, 0), len(whole) - 1)
        seen: Floats = whole.take(window, axis=0)
        return seen


@dataclass(slots=True)
class ScaleSensor:
    """Four load cells, four HX711 on one clock.

    Attributes:
        spread: shape (4, 3): load of each cell by weight and moments on the board.
    """

    parameters: ScaleParameters
    rng: np.random.Generator
    clock: Clock = field(init=False)
    _memory: SignalHistory = field(init=False)
    spread: Floats = field(init=False)
    _kernel: Floats = field(init=False)
    _back: Steps = field(init=False)
    _noise_spread_g: Floats = field(init=False)
    _per_gram: Floats = field(init=False)
    _tare: Floats = field(init=False)
    _wander_g: Floats = field(default_factory=lambda: np.zeros(4))
    _creep_g: Floats = field(default_factory=lambda: np.zeros(4))
    _silent_to_s: float = -1.0
    _held: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parameters = self.parameters
        self.clock = Clock(1 / parameters.rate_hz, parameters.jitter_s, self.rng)
        self._kernel = fourfold_mean(round(1 / parameters.rate_hz / STEP_S))
        self._back = np.arange(len(self._kernel), dtype=np.intp)
        self._memory = SignalHistory(len(self._kernel) + 20)
        self._per_gram = np.asarray(parameters.counts_per_gram)
        self._tare = np.asarray(parameters.tare_counts)
        self._noise_spread_g = np.asarray(parameters.noise_counts) / np.abs(self._per_gram)
        x_mm, y_mm = np.array(parameters.positions_mm).T
        self.spread = np.linalg.pinv(np.stack([np.ones(4), x_mm, y_mm]))
        # Stiff frames share a load a little otherwise than statics say.
        self.spread = self.spread * (1 + self.rng.normal(0, parameters.stray, (4, 1)))

    def sample(self, span: Span, faults: list[InjectedFault]) -> tuple[Floats, Ints]:
        """Times and counts, shapes (n,) and (n, 4), of the conversions within a span."""
        load = self._memory.extend(span.load)
        end_s = span.t_s[-1] + STEP_S
        slow = [f.size for f in of_kind(faults, FaultKind.SLOW_CLOCK) if f.start_s <= end_s]
        t_s = self.clock.ticks(end_s, max(slow, default=1.0))
        if not len(t_s):
            return t_s, np.empty((0, 4), dtype=np.int32)
        seen = self._memory.windows(load, span.t_s[0], t_s, self._back)
        grams = np.einsum("nkc,k->nc", seen, self._kernel) @ self.spread.T
        if self.parameters.gain_drift:
            gain = self.parameters.gain_drift * t_s[:, None]
            grams += gain * (grams + self.parameters.tare_load_g)
        grams += self._wandering(len(t_s)) + self._creeping(grams)
        noise_g = self._noise_spread_g * self.rng.standard_normal(grams.shape)
        grams += noise_g
        spoil_grams(faults, t_s, grams, noise_g)
        counts = self._counts(grams)
        noise_counts = self.parameters.noise_counts
        spoil_counts(faults, t_s, counts, self._held, self.rng, noise_counts)
        keep = self._mishaps(t_s, counts, faults) & ~silent_link(faults, t_s)
        return t_s[keep], counts[keep]

    def _wandering(self, count: int) -> Floats:
        """Drift: a random walk of each cell."""
        step_g = self.parameters.drift_g * np.sqrt(1 / self.parameters.rate_hz)
        walk = self._wander_g + np.cumsum(self.rng.normal(0, step_g, (count, 4)), axis=0)
        self._wander_g = walk[-1]
        return walk

    def _creeping(self, grams: Floats) -> Floats:
        """Creep: a small part of each load comes late. One value per block is fine enough."""
        passed_s = len(grams) / self.parameters.rate_hz
        goal = self.parameters.creep * (np.add.reduce(grams) / len(grams))
        self._creep_g += (goal - self._creep_g) * (1 - np.exp(-passed_s / self.parameters.creep_s))
        return self._creep_g

    def _counts(self, grams: Floats) -> Ints:
        counts = grams * self._per_gram + self._tare
        return np.minimum(np.maximum(np.rint(counts), COUNTS_MIN), COUNTS_MAX).astype(np.int32)

    def _mishaps(
        self, t_s: Floats, counts: Ints, faults: list[InjectedFault]
    ) -> npt.NDArray[np.bool_]:
        """Corrupt data words and lost conversions; says which conversions remain."""
        p = self.parameters
        glitch, reset = np.array([p.glitch] * len(t_s)), np.array([p.reset] * len(t_s))
        keep = (self.rng.random(len(t_s)) >= p.missing) & (t_s >= self._silent_to_s)
        for fault in of_kind(faults, FaultKind.GLITCHES):
            glitch[fault.during(t_s)] = fault.size
        for fault in of_kind(faults, FaultKind.CHIP_RESET):
            reset[fault.during(t_s)] = fault.size / p.rate_hz
        for fault in of_kind(faults, FaultKind.NO_SCALE):
            keep &= ~fault.during(t_s)
        for index in np.flatnonzero(self.rng.random(len(t_s)) < glitch):
            cell = int(self.rng.integers(4))
            counts[index, cell] = _corrupt(int(counts[index, cell]), self.rng)
        for index in np.flatnonzero(self.rng.random(len(t_s)) < reset):
            cell = int(self.rng.integers(4))
            counts[index, cell] = _corrupt(int(counts[index, cell]), self.rng)
            self._silent_to_s = t_s[index] + RESET_SILENCE_S * float(self.rng.uniform(1.0, 1.8))
            keep &= ~((t_s > t_s[index]) & (t_s < self._silent_to_s))
        return keep


@dataclass(slots=True)
class ImuSensor:
    """A MPU-6050 with bias, its low-pass filter's memory, and its own axes."""

    parameters: ImuParameters
    rng: np.random.Generator
    clock: Clock = field(init=False)
    _memory: SignalHistory = field(default_factory=lambda: SignalHistory(2 * IMU_DELAY_STEPS + 8))
    _back: Steps = field(default_factory=lambda: np.arange(2 * IMU_DELAY_STEPS, dtype=np.intp))
    _turn: Floats = field(init=False)
    _bias: tuple[Floats, Floats] = field(init=False)
    _noise: list[float] = field(default_factory=lambda: [0.0] * 6)

    def __post_init__(self) -> None:
        p = self.parameters
        self.clock = Clock(1 / p.rate_hz, p.jitter_s, self.rng)
        self._turn = np.asarray(p.rotation)
        self._bias = np.asarray(p.accel_bias_g), np.asarray(p.gyro_bias_dps)

    def sample(self, span: Span, faults: list[InjectedFault]) -> tuple[Floats, Ints]:
        """Times and counts, shapes (n,) and (n, 6), of the samples within a span."""
        p = self.parameters
        felt = np.concatenate([span.force_g, np.degrees(span.rate_rad_s)], axis=1)
        signal = self._memory.extend(felt)
        t_s = self.clock.ticks(span.t_s[-1] + STEP_S)
        seen = self._memory.windows(signal, span.t_s[0], t_s, self._back)
        board = spoil_motion(faults, t_s, np.add.reduce(seen, axis=1) / len(self._back))
        accel = board[:, :3] @ self._turn + self._bias[0]
        gyro = board[:, 3:] @ self._turn + self._bias[1]
        noise = self._colour(len(t_s))
        accel += p.accel_noise_g * noise[:, :3]
        gyro += p.gyro_noise_dps * noise[:, 3:]
        scaled = [accel * p.accel_lsb_per_g, gyro * p.gyro_lsb_per_dps]
        counts = np.concatenate(scaled, axis=1)
        spoil_imu_counts(faults, t_s, counts)
        raw = np.minimum(np.maximum(np.rint(counts), -(2**15)), 2**15 - 1).astype(np.int32)
        keep = (self.rng.random(len(t_s)) >= p.missing) & ~silent_link(faults, t_s)
        for fault in of_kind(faults, FaultKind.IMU_NACK):
            keep &= ~fault.during(t_s)
        for fault in of_kind(faults, FaultKind.IMU_DEAD):
            raw[fault.during(t_s)] = 0
        return t_s[keep], raw[keep]

    def _colour(self, count: int) -> Floats:
        """Noise of unit spread in which neighbours are correlated (first order)."""
        memory = self.parameters.noise_memory
        fresh = self.rng.normal(0, np.sqrt(1 - memory**2), (count, 6))
        noise = [_remembered(memory, *pair) for pair in zip(self._noise, fresh.T, strict=True)]
        self._noise = [column[-1] for column in noise]
        coloured: Floats = np.array(noise).T[1:]
        return coloured


@dataclass(slots=True)
class TiltSwitch:
    """A ball switch: closed while the apparent vertical leans far enough, with chatter."""

    parameters: ImuParameters
    rng: np.random.Generator
    closed: bool = False

    EVERY = 5
    """Steps between looks; the ball does not rattle faster than 200 times a second."""

    def sample(self, span: Span, faults: Sequence[InjectedFault] = ()) -> list[SwitchSample]:
        """The edges within a span."""
        x_g, y_g, z_g = span.force_g[:: self.EVERY].T
        t_s = span.t_s[:: self.EVERY]
        angle = np.degrees(np.arctan2(np.hypot(x_g, y_g), z_g))
        wobble = self.rng.normal(0, SWITCH_WOBBLE_DEG, len(t_s)) * (angle > SWITCH_WOBBLE_DEG)
        closed = angle + wobble > self.parameters.switch_deg
        for fault in of_kind(faults, FaultKind.SWITCH_CLOSED):
            closed |= fault.during(t_s)
        before = np.concatenate([[self.closed], closed[:-1]])
        edges = np.flatnonzero(closed != before)
        if len(closed):
            self.closed = bool(closed[-1])
        return [SwitchSample(float(t_s[index]), bool(closed[index])) for index in edges]


def _remembered(memory: float, last: float, fresh: Floats) -> list[float]:
    """`last`, and each number plus a share of the one before; too few of them for numpy."""
    kept = [last]
    for new in fresh.tolist():
        last = memory * last + new
        kept.append(last)
    return kept


def fourfold_mean(steps: int) -> Floats:
    """Weights of a mean over `steps`, taken four times over (newest first).

    Args:
        steps: of a conversion, `STEP_S` each.
    """
    box = np.ones(steps) / steps
    kernel = box
    for _ in range(KERNEL_CONVERSIONS - 1):
        kernel = np.convolve(kernel, box)
    return kernel


def _corrupt(count: int, rng: np.random.Generator) -> int:
    """What a disturbed read-out makes of a count: shifted bits, or trailing ones."""
    kind = rng.integers(3)
    if kind == 0:
        spoilt = count << int(rng.integers(1, 3))
    elif kind == 1:
        spoilt = count | (2 ** int(rng.integers(12, 24)) - 1)
    else:
        spoilt = -1
    wrapped = (spoilt + 2**23) % 2**24 - 2**23
    return int(np.clip(wrapped, COUNTS_MIN, COUNTS_MAX))
