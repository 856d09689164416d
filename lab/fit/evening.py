"""An evening as the fit looks at it: signals on even ticks, who touched when, and what lay where.

Values only. Who makes them knows the detector; whoever fits them knows the physics.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.samples import Flags, Floats
from engine.tabletop import Tabletop, piece_centre_mm
from hw.calibration import Calibration

TICK_S = 0.025
"""Of the even axis (`engine.detect.front.ticks`)."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A piece that was put down and stayed, as far as anybody knows.

    Attributes:
        t_s: when it was let go.
    """

    t_s: float
    cell: str


@dataclass(frozen=True, slots=True)
class Content:
    """What lies on the board for a time.

    Attributes:
        cells: of the pieces, bottom first; None while nobody knows (something has fallen).
        round_number: counts the times the board was cleared before.
        placed: how many pieces had been placed since the recording began.
    """

    start_s: float
    end_s: float
    cells: tuple[str, ...] | None
    round_number: int
    placed: int


@dataclass(frozen=True, slots=True)
class Raw:
    """Samples of one sensor as they came: times, and values in columns."""

    t_s: Floats
    values: Floats

    def between(self, start_s: float, end_s: float) -> Floats:
        """The values of a time."""
        first, last = np.searchsorted(self.t_s, (start_s, end_s))
        return np.asarray(self.values[first:last])


@dataclass(frozen=True, slots=True)
class EveningSignals:
    """All that is fitted.

    Attributes:
        t_s: end of each tick, (n,).
        weight_g: weight over the tare, freed of the swing's own acceleration; NaN if not heard.
        up: vertical in the board frame, middle of the tick, (n, 3). rate: rad/s, (n, 3).
        spin: rad/s^2, (n, 2).
        free: nobody touches.
        scale: g on each cell, (m, 4). accel: g, (k, 3). gyro: degrees a second, (k, 3).
        contents: what lay on the board, in order, without gaps.
        falls, cleared: when something fell, and when the board was clear again.
        said: what people said: (time, word).
    """

    calibration: Calibration
    t_s: Floats
    weight_g: Floats
    up: Floats
    rate: Floats
    spin: Floats
    free: Flags
    scale: Raw
    accel: Raw
    gyro: Raw
    contents: tuple[Content, ...]
    placements: tuple[Placement, ...]
    falls: tuple[float, ...] = ()
    cleared: tuple[float, ...] = ()
    said: tuple[tuple[float, str], ...] = ()

    @property
    def table(self) -> Tabletop:
        """Geometry and masses, as the owner measured them."""
        return self.calibration.tabletop()

    def runs(self, flags: Flags, least_ticks: int) -> Iterator[slice]:
        """Runs of ticks in which all flags are set, one content each, of some length."""
        edges = np.searchsorted(self.t_s, [content.start_s for content in self.contents])
        change = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
        for start, stop in zip(change[::2], change[1::2], strict=True):
            inner = edges[(edges > start) & (edges < stop)]
            cuts = [int(start), *inner.tolist(), int(stop)]
            for first, last in pairwise(cuts):
                if last - first >= least_ticks:
                    yield slice(first, last)

    def content_at(self, t_s: float) -> Content:
        """What lay on the board at a time."""
        return next((c for c in reversed(self.contents) if c.start_s <= t_s), self.contents[0])

    def load(self, run: slice) -> "tuple[float, float, Floats] | None":
        """Mass of the pieces, vertical moment, inertia (2, 2) of a run; None when not known."""
        content = self.content_at(float(self.t_s[run.start]))
        return None if content.cells is None else load_of(self.table, content.cells)


def load_of(table: Tabletop, cells: Sequence[str]) -> tuple[float, float, Floats]:
    """Mass of the pieces, vertical moment of the board with them, and their inertia (2, 2)."""
    mass, moment_z = table.piece.mass_mean_g, table.empty_moment_gmm[2]
    inertia, below = np.zeros((2, 2)), dict.fromkeys(cells, 0)
    for cell in cells:
        x, y, z = piece_centre_mm(table, cell, below[cell])
        below[cell] += 1
        moment_z += mass * z
        inertia += mass * np.array([[y * y + z * z, -x * y], [-x * y, x * x + z * z]])
    return len(cells) * mass, moment_z, inertia
