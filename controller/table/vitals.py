"""The state of the sensors, from their samples: the payload of `health`.

Pure: samples and times go in. A sensor's rate is counted, its age is the time since its last
good sample, and its reason for being distrusted is what the detector or the source said.
"""

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
import numpy as np

from controller.mqtt.topics import SensorTrouble
from controller.table.confidence import Sureness
from controller.table.piece_marks import PieceMarks
from controller.table.signal_quality import NO_FIGURES, SignalFigures, SignalQuality
from engine.detect.front.health import TableHealth
from engine.events import Fault, Restored
from engine.samples import Floats, ImuSamples, Samples, ScaleSamples, SensorReport
from engine.scoreboard import API_VERSION
from engine.separation import Tells
from hw.conversions import OfEach
from hw.drivers.pins_health import PinsHealth
from hw.source import LinkHealth

WINDOW_S = 10.0
"""Rates are counted over this much table time."""

BEGUN_S = 1.0
"""Of less nothing can be said: one sample a moment ago is no rate of hundreds."""

LATENCIES_KEPT = 512

LOSSES_KEPT_S = 600.0
"""A lost message, or a refused command, is worth a look for so long, not for ever."""

HEALTH_EVERY_S = 10.0
VALID_S = 3.5 * HEALTH_EVERY_S
"""A display believes a health message this long: two may be lost, since they are sent at QoS 0."""

SCALES = tuple(f"scale.{number}" for number in range(4))
ONE_SCALE = ("scale",)
"""The load cell of a starter table has no number."""


class SensorVitals(msgspec.Struct, frozen=True):
    """One sensor.

    Attributes:
        ok: false while it is distrusted; `reason` then says what to check next.
        code, args: of the reason, as in `SensorTrouble`; empty for one without.
        rate_hz: good samples a second of late, of a load cell its chip's own conversions where the
            source knows them; 0 before the first.
        age_s: time since its last good sample; None before the first.
        noise_counts: of one sample of late, whatever the load did (`imu`: acceleration).
        noise_g: the same in grams; None for the inertial sensor.
        drift_g_min: of late; None while the load changes.
        saturated, resets: samples at full scale, and power cycles of the chip, since the start.
        missed: conversions of the chip that did not come, since the start.
        temperature_c: where the source knows it.
    """

    ok: bool
    rate_hz: float
    age_s: float | None
    reason: str = ""
    noise_counts: float | None = None
    noise_g: float | None = None
    drift_g_min: float | None = None
    saturated: int = 0
    resets: int = 0
    missed: int = 0
    temperature_c: float | None = None
    code: str = ""
    args: dict[str, str | int | float] = {}


class TableVitals(msgspec.Struct, frozen=True):
    """What the table is like, as its own signals tell (see `engine.detect.front.health`).

    Attributes:
        words: the pivot's verdict for the owner. code, args: of the words.
        friction_deg: tilt band in which the pivot sticks; the aim is 0.25 or less.
        period_s, damping_s: of the empty board's swing.
        noise_g: of the weight, per tick of 25 ms. zero_drift_g: of the empty board since start.
        scale_hz, imu_hz: rates by the sensors' own times.
    """

    words: str
    friction_deg: float
    friction_sd_deg: float
    period_s: float
    damping_s: float
    noise_g: float
    zero_drift_g: float
    scale_hz: float
    imu_hz: float
    code: str = ""
    args: dict[str, str | int | float] = {}


class Health(msgspec.Struct, frozen=True):
    """The payload of `health`.

    Attributes:
        boot: pairs it with `state`.
        t_s: table time.
        until: Unix seconds, by the table's clock, until which this may be believed.
        valid_s: the same as a length of time, for displays whose clock may be wrong: counted
            from hearing it live, or from hearing it retained and nothing since.
        sensors: by name: `scale.0` ... `scale.3`, `imu`.
        step_ms: median and 99th percentile of the time one step of the table took.
        dropped: messages of the last ten minutes that nobody will ever get (events and replies);
            what is retained is said again at the next connection and does not count.
        too_large: what is not sent since it has more bytes than a broker takes; readers have an
            older one.
        refused: commands of the last ten minutes that were not done, by the code of their answer,
            also those that named nobody to answer. Who floods a table (`busy`) is not always told.
        clients: how many displays and controllers say that they are there.
        table: what the swings have told about the table.
        link: the line to the microcontroller, for tables that have one.
        pins: the sensors on this computer's own pins, for tables that have them there.
        recording: whether the evening is recorded; None at a table that cannot.
        sureness: how sure the table was of late, and how often people put it right.
        pieces: what the weight of a piece says of whose it is, where colours were weighed.
        pieces_tell: of how many pieces in play the weight alone tells whose they are: `all`, if it
            names each with a certainty of 0.95; `none`, if colours weigh about the same.
    """

    boot: str
    t_s: float
    sensors: dict[str, SensorVitals]
    step_ms: tuple[float, float]
    dropped: int
    table: TableVitals
    link: LinkHealth | None = None
    pins: PinsHealth | None = None
    until: float = 0.0
    valid_s: float = VALID_S
    clients: dict[str, int] = {}
    sureness: Sureness | None = None
    pieces: PieceMarks | None = None
    pieces_tell: Tells = "none"
    too_large: dict[str, int] = {}
    recording: bool | None = None
    refused: dict[str, int] = {}
    v: int = API_VERSION


def _table(health: TableHealth) -> TableVitals:
    return TableVitals(
        health.verdict.sentence,
        round(health.friction_deg, 3),
        round(health.friction_sd_deg, 3),
        round(health.period_s, 3),
        round(health.damping_s, 2),
        round(health.noise_g, 3),
        round(health.zero_drift_g, 2),
        round(health.scale_hz, 2),
        round(health.imu_hz, 2),
        health.verdict.code,
        dict(health.verdict.args),
    )


@dataclass(slots=True)
class _Stream:
    """Times of the good samples of one sensor in the last `WINDOW_S`.

    A sensor that has only just begun is counted from its first sample on.
    """

    t_s: Floats = field(default_factory=lambda: np.empty(0))
    begun_s: float | None = None
    last_s: float | None = None

    def add(self, t_s: Floats) -> None:
        """Take the times of some good samples."""
        if self.begun_s is None:
            self.begun_s = float(t_s[0])
        self.last_s = float(t_s[-1])
        self.t_s = np.concatenate((self._since(self.last_s - WINDOW_S), t_s))

    def rate_hz(self, now_s: float) -> float:
        if self.begun_s is None or now_s <= self.begun_s:
            return 0.0
        counted = len(self._since(now_s - WINDOW_S))
        return round(counted / min(WINDOW_S, max(now_s - self.begun_s, BEGUN_S)), 1)

    def _since(self, t_s: float) -> Floats:
        return self.t_s[np.searchsorted(self.t_s, t_s) :]


class OfLate:
    """What a count has grown by in the last `LOSSES_KEPT_S`."""

    def __init__(self) -> None:
        self._told = deque([(float("-inf"), 0)])
        """Table time and count, as last told."""

    def grown(self, count: int, now_s: float) -> int:
        """What `count`, which never falls, has grown by."""
        self._told.append((now_s, count))
        while len(self._told) > 1 and self._told[1][0] <= now_s - LOSSES_KEPT_S:
            self._told.popleft()
        return count - self._told[0][1]


class Vitals:
    """Watches the samples."""

    def __init__(self, *, weight_only: bool = False) -> None:
        """Begin to watch; a starter table has one load cell and no inertial sensor."""
        self._scales = ONE_SCALE if weight_only else SCALES
        names = self._scales if weight_only else (*SCALES, "imu")
        self._streams = {name: _Stream() for name in names}
        self._troubles: dict[str, SensorTrouble] = {}
        self._steps_ms: deque[float] = deque(maxlen=LATENCIES_KEPT)
        self._signals, self._chips_known = SignalQuality(), False
        self._losses = OfLate()
        self._refusals: defaultdict[str, OfLate] = defaultdict(OfLate)

    @property
    def troubles(self) -> dict[str, SensorTrouble]:
        """Sensors that are distrusted now, with what to check next."""
        return dict(self._troubles)

    def samples(self, block: Samples) -> None:
        """Count a block that arrived."""
        self._signals.add(block)
        match block:
            case ScaleSamples() if len(block.t_s) and not self._chips_known:
                for column, name in enumerate(self._scales):
                    good = block.t_s[block.valid[:, column]]
                    if len(good):
                        self._streams[name].add(good)
            case ImuSamples() if len(block.t_s):
                self._streams["imu"].add(block.t_s)
            case SensorReport() if block.ok and block.sensor in SCALES:
                pass  # the detector takes a cell back, when it agrees with the others
            case SensorReport() if block.ok:
                self._troubles.pop(block.sensor, None)
            case SensorReport():
                self._doubt(block)
            case _:
                pass

    def conversions(self, cells: OfEach) -> None:
        """Take what the chips converted: from now on their rates are counted by these."""
        self._signals.add_conversions(cells)
        if not self._chips_known:
            self._chips_known = True
            self._streams.update((name, _Stream()) for name in self._scales)
        for name, cell in zip(self._scales, cells, strict=False):
            good = cell.t_s[cell.good]
            if len(good):
                self._streams[name].add(good)

    def event(self, event: object) -> None:
        """Take note of the detector's faults."""
        match event:
            case Fault():
                self._doubt(event)
            case Restored():
                self._troubles.pop(event.sensor, None)
            case _:
                pass

    def step(self, took_s: float) -> None:
        """Take note of how long a step of the table took."""
        self._steps_ms.append(took_s * 1000)

    def health(
        self,
        boot: str,
        now_s: float,
        table: TableHealth,
        dropped: int = 0,
        *,
        refused: Mapping[str, int] = {},
        imu_temperature_c: float | None = None,
        unix_s: float = 0.0,
    ) -> Health:
        """What the samples, and the detector's view of the table, say at a table and wall time.

        `dropped` counts messages that nobody will ever get, `refused` commands not done by their
        code; both since the start.
        """
        figures = self._signals.figures(imu_temperature_c)
        if self._scales is ONE_SCALE:
            figures = {ONE_SCALE[0]: figures.get(SCALES[0], NO_FIGURES)}
        names = [*self._streams, *(name for name in self._troubles if name not in self._streams)]
        steps = self._steps_ms or (0.0,)
        return Health(
            boot,
            round(now_s, 3),
            {name: self._of(name, now_s, figures.get(name, NO_FIGURES)) for name in names},
            (round(float(np.median(steps)), 2), round(float(np.percentile(steps, 99)), 2)),
            self._losses.grown(dropped, now_s),
            _table(table),
            until=round(unix_s + VALID_S, 3),
            refused={
                code: lately
                for code, count in refused.items()
                if (lately := self._refusals[code].grown(count, now_s))
            },
        )

    def _of(self, name: str, now_s: float, figures: SignalFigures) -> SensorVitals:
        stream = self._streams.get(name, _Stream())
        age_s = None if stream.last_s is None else round(max(0.0, now_s - stream.last_s), 2)
        found = self._troubles.get(name, SensorTrouble(name, ""))
        return SensorVitals(
            name not in self._troubles, stream.rate_hz(now_s), age_s, found.reason,
            **msgspec.structs.asdict(figures), code=found.code, args=found.args,
        )  # fmt: skip

    def _doubt(self, said: Fault | SensorReport) -> None:
        trouble = SensorTrouble(said.sensor, said.reason, said.code, dict(said.args))
        self._troubles[said.sensor] = trouble
