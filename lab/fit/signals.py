"""What the fit looks at, made of a recording by the detector's own means.

Ticks, attitude and contacts are those of `engine.detect`; what lies where is what the table
decided, and what people said to it.
"""

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, isfinite

import numpy as np

from controller.app import wiring
from controller.table.pipeline import Output
from engine.detect.front.attitude import Attitude
from engine.detect.front.contact import Balance, Phase
from engine.detect.front.noise import Noise
from engine.detect.front.ticks import Tick, TickMaker
from engine.events import Cleared, Corrected, HumanInput, Placed, Retracted, Toppled
from engine.samples import Flags, Floats, ImuSamples, ScaleSamples
from engine.tabletop import STANDARD_GRAVITY_MM_S2
from hw.calibration import Calibration
from hw.source import Item
from lab.fit.evening import TICK_S, Content, EveningSignals, Placement, Raw

STEADY_TICKS = 10
"""0.25 s of equal weight is a board that nobody touches; hands keep a weight for less."""
SETTLING_TICKS = 2
LAG_TICKS = 5
"""Before a contact is felt it has begun."""
SWING_TICKS = 29
"""One period."""


@dataclass
class _Story:
    """What the table decided, in order; the last word on each piece counts."""

    pieces: dict[int, Placement] = field(default_factory=dict)
    falls: list[float] = field(default_factory=list)
    cleared: list[float] = field(default_factory=list)
    said: list[tuple[float, str]] = field(default_factory=list)

    def hear(self, output: Output) -> None:
        """One decision or input."""
        match output.cause:
            case Placed(id=ref, t_s=t_s, cell=cell):
                self.pieces[ref] = Placement(t_s, cell or "")
            case Corrected(ref=ref, cell=cell) if ref in self.pieces:
                self.pieces[ref] = Placement(self.pieces[ref].t_s, cell)
            case Retracted(ref=ref):
                self.pieces.pop(ref, None)
            case Toppled(t_s=t_s):
                insort(self.falls, t_s)
            case Cleared(t_s=t_s):
                insort(self.cleared, t_s)
            case HumanInput(t_s=t_s, type=verb):
                self.said.append((t_s, verb))
            case _:
                pass

    def contents(self, end_s: float) -> tuple[Content, ...]:
        """What lay on the board between one event and the next."""
        moments = sorted(
            [(piece.t_s, "placed", piece.cell) for piece in self.pieces.values()]
            + [(t_s, "fell", "") for t_s in self.falls]
            + [(t_s, "cleared", "") for t_s in self.cleared]
        )
        found: list[Content] = []
        cells: tuple[str, ...] | None = ()
        start_s, rounds, placed = -inf, 0, 0
        for t_s, what, cell in [*moments, (end_s, "end", "")]:
            found.append(Content(start_s, t_s, cells, rounds, placed))
            start_s = t_s
            if what == "placed":
                placed += 1
                cells = (*cells, cell) if cells is not None and cell else None
            elif what == "fell":
                cells = None
            elif what == "cleared":
                cells, rounds = (), rounds + 1
        return tuple(found)


def evening_of(calibration: Calibration, items: Iterable[Item]) -> EveningSignals:
    """Everything that a recording holds, ready to be fitted."""
    table = calibration.tabletop()
    pipeline, maker, story = wiring.pipeline(table), TickMaker(table), _Story()
    ticks: list[Tick] = []
    scales, imus = [], []
    for item in items:
        if isinstance(item, ScaleSamples):
            maker.feed_scale(item)
            scales.append(item)
        elif isinstance(item, ImuSamples):
            maker.feed_imu(item)
            imus.append(item)
        ticks += maker.take(inf)
        for output in pipeline.feed(item):
            story.hear(output)
    return _assembled(calibration, ticks, story, scales, imus)


def _assembled(
    calibration: Calibration,
    ticks: list[Tick],
    story: _Story,
    scales: list[ScaleSamples],
    imus: list[ImuSamples],
) -> EveningSignals:
    columns = np.array(ticks, dtype=np.float64).reshape(len(ticks), len(Tick._fields))
    up, rate = _attitude(ticks)
    sz = calibration.empty_moment_gmm[2]
    weight_g = columns[:, 2] - _swing_weight_g(up, rate, sz)
    scale_t_s = _joined([block.t_s for block in scales], 0)
    lasted_s = float(np.ptp(scale_t_s)) if scale_t_s.size else 0.0
    scale_hz = scale_t_s.size / lasted_s if lasted_s else 0.0
    free = _free(columns[:, 0], weight_g, calibration.piece.mass_mean_g, ticks, scale_hz)
    end_s = float(columns[-1, 0]) if len(ticks) else 0.0
    imu_t = _joined([block.t_s for block in imus], 0)
    return EveningSignals(
        calibration=calibration,
        t_s=columns[:, 0],
        weight_g=weight_g,
        up=up,
        rate=rate,
        spin=columns[:, 10:12],
        free=free & np.isfinite(columns[:, 10]),
        scale=Raw(scale_t_s, _joined([b.mass_g for b in scales], 4)),
        accel=Raw(imu_t, _joined([block.accel_g for block in imus], 3)),
        gyro=Raw(imu_t, np.degrees(_joined([block.rate_rad_s for block in imus], 3))),
        contents=story.contents(end_s),
        placements=tuple(sorted(story.pieces.values(), key=lambda piece: piece.t_s)),
        falls=tuple(story.falls),
        cleared=tuple(story.cleared),
        said=tuple(story.said),
    )


def _joined(parts: list[Floats], width: int) -> Floats:
    """Blocks end to end; of no blocks, nothing of the right shape."""
    return np.concatenate(parts) if parts else np.empty((0, width) if width else 0)


def _attitude(ticks: list[Tick]) -> tuple[Floats, Floats]:
    """Vertical in the board frame in the middle of each tick, and rates without their bias."""
    attitude = Attitude()
    up, rate = np.empty((len(ticks), 3)), np.empty((len(ticks), 3))
    for index, tick in enumerate(ticks):
        up[index, :2] = attitude.update(tick)
        up[index, 2] = attitude.up_z
        rate[index] = *attitude.rate(tick), tick.turn_z_rad / TICK_S
    return up, rate


def _swing_weight_g(up: Floats, rate: Floats, sz: float) -> Floats:
    """What the swing adds to the weight: the centre of mass rises and falls."""
    if len(up) < SWING_TICKS:
        return np.zeros(len(up))
    # The board hangs along its moment, on the mean of a swing.
    box = np.ones(SWING_TICKS) / SWING_TICKS
    lean = np.column_stack([
        np.convolve(np.nan_to_num(up[:, axis]), box, mode="same") for axis in range(2)
    ])  # fmt: skip
    moment = sz * np.column_stack((lean, np.ones(len(up))))
    falling = np.einsum("ij,ij->i", moment, np.cross(up, rate))
    swung: Floats = np.gradient(falling, TICK_S) / STANDARD_GRAVITY_MM_S2
    return np.nan_to_num(swung)


def _free(
    t_s: Floats, weight_g: Floats, piece_g: float, ticks: list[Tick], scale_hz: float
) -> Flags:
    """In which ticks nobody touches."""
    balance, noise = Balance(piece_g), Noise()
    free = np.zeros(len(t_s), dtype=np.bool_)
    run_from = 0
    for index, mass_g in enumerate(weight_g.tolist()):
        if not isfinite(mass_g):
            continue
        noise.update(ticks[index], touched=balance.phase is Phase.CONTACT, scale_hz=scale_hz)
        balance.noise_g = noise.mass_g
        was = balance.phase
        phase = balance.update(float(t_s[index]), mass_g)
        if phase is Phase.SETTLING and balance.run_ticks >= STEADY_TICKS:
            run_from = index - balance.run_ticks + SETTLING_TICKS
            balance.accept()
            free[run_from:index] = True
        elif phase is Phase.FREE:
            free[index] = True
        elif was is Phase.FREE:
            free[max(run_from, index - LAG_TICKS) : index] = False
    return free
