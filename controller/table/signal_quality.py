"""How noisy and steady each sensor is while a game is played.

Pure, and bounded: the samples of the last ten seconds are kept and judged when `health` is
published. The figures are those of a diagnosis (`hw.signal_figures`), made for hands and
pieces: what a load does is no noise, and while it changes no drift is given.
"""

from collections import deque
from dataclasses import dataclass, field
from math import isfinite

import msgspec
import numpy as np

from engine.samples import Floats, ImuSamples, Samples, ScaleSamples
from engine.tabletop import CELL_COUNT
from hw.calibration import COUNTS_MAX, COUNTS_MIN
from hw.conversions import OfEach, joined_conversions, period_s
from hw.signal_figures import (
    believed,
    drift_per_min,
    gaps,
    missing,
    overlapping,
    robust_sd,
)
from hw.stretch import Stretch, gather

KEPT_S = 10.0

STEADY_PARTS = 10
"""Of a stretch, whose middles are compared; one with fewer rows says nothing of a drift."""

STEADY_SIGMAS = 6.0
STEADY_LEAST_G = 0.15
"""A load whose first and last second differ by more than that from what its drift explains was
changed: a piece is at least 2 g, and a quarter of it reaches every cell."""


class SignalFigures(msgspec.Struct, frozen=True):
    """Part of a sensor's vitals; see `controller.table.vitals.SensorVitals`."""

    noise_counts: float | None = None
    noise_g: float | None = None
    drift_g_min: float | None = None
    saturated: int = 0
    resets: int = 0
    missed: int = 0
    temperature_c: float | None = None


NO_FIGURES = SignalFigures()


@dataclass(slots=True)
class SignalQuality:
    """The last seconds of both streams, and what was counted since the start."""

    _blocks: deque[ScaleSamples | ImuSamples] = field(default_factory=deque)
    _saturated: list[int] = field(default_factory=lambda: [0] * CELL_COUNT)
    _resets: list[int] = field(default_factory=lambda: [0] * CELL_COUNT)
    _missed: list[int] = field(default_factory=lambda: [0] * CELL_COUNT)
    _cells: OfEach = ()
    _counted_to_s: list[float] = field(default_factory=lambda: [-np.inf] * CELL_COUNT)

    def add(self, block: Samples) -> None:
        """Take a block that arrived."""
        if not isinstance(block, ScaleSamples | ImuSamples) or not len(block.t_s):
            return
        self._blocks.append(block)
        while self._blocks[0].t_s[-1] < block.t_s[-1] - KEPT_S:
            self._blocks.popleft()
        if isinstance(block, ScaleSamples):
            full = (block.raw >= COUNTS_MAX) | (block.raw <= COUNTS_MIN)
            for cell, count in enumerate(full.sum(axis=0).tolist()):
                self._saturated[cell] += count

    def add_conversions(self, cells: OfEach) -> None:
        """Take what the chips converted, from a source that knows."""
        whole = joined_conversions([self._cells, cells]) if self._cells else cells
        self._cells = tuple(
            cell.since(float(cell.t_s[-1]) - KEPT_S) if len(cell) else cell for cell in whole
        )

    def figures(self, imu_temperature_c: float | None = None) -> dict[str, SignalFigures]:
        """Figures of every sensor by name."""
        stretch = gather(self._blocks, 0.0, KEPT_S, self._cells)
        self._count_losses(stretch)
        found = {f"scale.{cell}": self._cell(stretch, cell) for cell in range(CELL_COUNT)}
        worst = max(robust_sd(axis.astype(np.float64)) for axis in stretch.imu.raw[:, :3].T)
        noise = _figure(worst, 1)
        found["imu"] = SignalFigures(noise_counts=noise, temperature_c=imu_temperature_c)
        return found

    def _cell(self, stretch: Stretch, cell: int) -> SignalFigures:
        used = believed(stretch.conversions(cell))
        rows = stretch.scale.valid[:, cell]
        t_s, grams = stretch.scale.t_s[rows], stretch.scale.mass_g[rows, cell]
        counts = used.counts.astype(np.float64)
        noise_g = robust_sd(grams)
        return SignalFigures(
            _figure(robust_sd(counts), 1),
            _figure(noise_g, 3),
            _drift(t_s, grams, noise_g),
            self._saturated[cell],
            self._resets[cell],
            self._missed[cell],
        )

    def _count_losses(self, stretch: Stretch) -> None:
        """Silences and lost conversions of a cell, each once; a silent link is no power cycle."""
        silent_imu = gaps(stretch.imu.t_s)
        for cell in range(CELL_COUNT):
            given = stretch.conversions(cell)
            if not len(given):
                continue
            silent = gaps(given.t_s, given.steps)
            new = silent[silent[:, 1] > self._counted_to_s[cell]]
            self._resets[cell] += int((~overlapping(new, silent_imu)).sum())
            one_s = period_s(given.t_s, given.steps)
            # From the last one that was counted on, so that the interval after it is there.
            news = given.since(self._counted_to_s[cell] - one_s / 2)
            self._missed[cell] += missing(news.t_s, news.steps, one_s)
            self._counted_to_s[cell] = float(given.t_s[-1])


def _drift(t_s: Floats, grams: Floats, noise_g: float) -> float | None:
    """Slope of a load that nobody changes; None otherwise."""
    slope = drift_per_min(t_s, grams)
    if not isfinite(slope) or len(grams) < STEADY_PARTS:
        return None
    level = grams - slope / 60 * (t_s - t_s[0])
    blocks = np.array([np.median(part) for part in np.array_split(level, STEADY_PARTS)])
    room_g = max(STEADY_SIGMAS * noise_g * (STEADY_PARTS / len(grams)) ** 0.5, STEADY_LEAST_G)
    return _figure(slope, 2) if float(np.ptp(blocks)) <= room_g else None


def _figure(value: float, digits: int) -> float | None:
    return round(value, digits) if isfinite(value) else None
