"""Conversions of four HX711 with clocks of their own, resampled into rows of four.

The engine wants the load of all cells at one time. Chips of one type run up to 15 % apart, so
their conversions never coincide: each row is a moment on an even grid, and each cell's value
there is read off the straight line between its conversions before and after. Taking the newest
conversion instead would mix loads up to 12 ms apart, which a swinging board turns into grams.

A conversion is used once its successor has come, because only the successor tells whether it can
be believed: a chip that lost its supply or was powered down delivers one wrong count and is then
silent for the settling time. Pure; times are passed in.
"""

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from math import ceil, isnan
from statistics import median

import numpy as np

from engine.samples import Flags, Floats, Ints
from engine.tabletop import CELL_COUNT
from hw.conversions import LATE_PERIODS, ConversionLog, period_s

BRIDGED_PERIODS = 3.5
"""Across two lost conversions a straight line is still good; the converter itself averages four."""

PATIENCE_S = 0.1
PATIENCE_PERIODS = 3.0
"""A cell that has been silent for the longer of the two is not waited for. At 80 SPS two periods
are 25 ms and frames arrive within 30; chips wired for 10 SPS are slow and not silent."""

RATED_ON = 64
"""Conversions by which the rate of a chip is told: six seconds at 10 SPS."""

PERIODS_REMEMBERED = 9
"""Enough for a median that no lost conversion moves."""
PERIODS_ALIKE, ALIKE = 3, 1.3
"""So few are enough where none is a silence: a chip strapped for 10 SPS begins after 0.4 s."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """One conversion of one chip at a table time; its index is modulo 256.

    Not `good`: the reader condemned it.
    """

    t_s: float
    index: int
    count: int
    good: bool


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Times (n,), counts (n, 4), and which of them can be believed (n, 4)."""

    t_s: Floats
    counts: Ints
    trusted: Flags

    def __len__(self) -> int:
        return len(self.t_s)


@dataclass(slots=True)
class _ChannelBuffer:
    """The conversions of one cell that are still needed.

    Attributes:
        nominal_s: period until it is measured.
        period_s: median time from one conversion to the next.
        condemned: conversions that were not believed.
    """

    nominal_s: float
    period_s: float = field(init=False)
    condemned: int = 0
    newest: Conversion | None = None
    _periods_s: deque[float] = field(default_factory=lambda: deque(maxlen=PERIODS_REMEMBERED))
    _recent: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=RATED_ON))
    _t_s: list[float] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.period_s = self.nominal_s

    def _measured_s(self) -> float:
        known = self._periods_s
        if len(known) == PERIODS_REMEMBERED:
            return median(known)
        alike = len(known) >= PERIODS_ALIKE and max(known) < ALIKE * min(known)
        return median(known) if alike else self.nominal_s

    def add(self, new: Conversion) -> int:
        """Take the next conversion; it decides about the one before.

        Returns:
            How many numbers it is on from that one; 0 for the first.
        """
        before, self.newest = self.newest, new
        if before is None:
            self._recent.append((new.t_s, 0))
            return 0
        steps = (new.index - before.index) % 256 or 256
        self._recent.append((new.t_s, steps))
        took_s = new.t_s - before.t_s
        late = took_s > (steps + LATE_PERIODS) * self.period_s
        self._periods_s.append(took_s / steps)
        self.period_s = self._measured_s()
        if late or not before.good:
            self.condemned += 1
        else:
            self._t_s.append(before.t_s)
            self._counts.append(before.count)
        return steps

    def rate_hz(self) -> float | None:
        """Conversions a second of the chip; None until enough of them are known."""
        if len(self._recent) < RATED_ON // 2:
            return None
        t_s, steps = zip(*self._recent, strict=True)
        one_s = period_s(np.array(t_s), np.array(steps, dtype=np.int32))
        return None if isnan(one_s) else 1 / one_s

    def interrupt(self) -> None:
        """Start again, with the same chip."""
        self.condemned += self.newest is not None
        self.newest = None
        self._t_s, self._counts = [], []

    @property
    def known_to_s(self) -> float:
        """Time of the last conversion that is believed."""
        return self._t_s[-1] if self._t_s else float("-inf")

    @property
    def known_from_s(self) -> float:
        """Time of the first conversion that is believed."""
        return self._t_s[0] if self._t_s else float("inf")

    def at(self, t_s: float) -> tuple[int, bool]:
        """Count at a time, and whether it is to be believed."""
        right = bisect_left(self._t_s, t_s)
        if not 0 < right < len(self._t_s):
            return (self.newest.count if self.newest else 0), False
        before_s, after_s = self._t_s[right - 1 : right + 1]
        before, after = self._counts[right - 1 : right + 1]
        share = (t_s - before_s) / (after_s - before_s)
        near = after_s - before_s <= BRIDGED_PERIODS * self.period_s
        return round(before + share * (after - before)), near

    def forget(self, before_s: float) -> None:
        """Keep one conversion before a time: lines begin there."""
        gone = max(0, bisect_left(self._t_s, before_s) - 1)
        del self._t_s[:gone], self._counts[:gone]


class Resampler:
    """Takes conversions as they come, gives rows in order of time, at the chips' nominal rate.

    Attributes:
        log: the conversions themselves, for whoever measures the chips.
    """

    def __init__(self, rate_hz: float) -> None:
        self.log = ConversionLog()
        self._period_s = 1.0 / rate_hz
        self._cells = [_ChannelBuffer(self._period_s) for _ in range(CELL_COUNT)]
        self._row = 0
        self._running = False

    @property
    def condemned(self) -> tuple[int, ...]:
        """Conversions of each cell that were not believed, since the start."""
        return tuple(cell.condemned for cell in self._cells)

    def rates_hz(self) -> tuple[float | None, ...]:
        """Conversions a second of each chip of late, measured now; None while not known."""
        return tuple(cell.rate_hz() for cell in self._cells)

    @property
    def done_to_s(self) -> float:
        """No row before this time will come any more; infinite while none are being made."""
        return self._row_s if self._running else float("inf")

    def add(self, cell: int, conversion: Conversion) -> None:
        """Take a conversion; those of one cell come in order of time, others are dropped."""
        newest = self._cells[cell].newest
        if newest is None or conversion.t_s > newest.t_s:
            steps = self._cells[cell].add(conversion)
            self.log.add(cell, conversion.t_s, conversion.count, steps, good=conversion.good)

    def interrupt(self) -> None:
        """The stream broke off: no line is drawn across, the last conversion is not believed."""
        for cell in self._cells:
            cell.interrupt()
        self._running = False

    def take(self, heard_s: float) -> Rows:
        """All rows that can be made of what was measured a patience before `heard_s`."""
        rows = []
        if self._begun(heard_s):
            while self._ready(t_s := self._row_s, heard_s):
                cells = [cell.at(t_s) for cell in self._cells]
                self._row += 1
                if any(good for _, good in cells):  # a hole in all four is no row of nothing
                    rows.append((t_s, cells))
            for cell in self._cells:
                cell.forget(self._row_s)
        return _as_arrays(rows)

    @property
    def _patience_s(self) -> float:
        return max(PATIENCE_S, PATIENCE_PERIODS * max(cell.period_s for cell in self._cells))

    def _begun(self, heard_s: float) -> bool:
        """Find the first row: when all cells are heard, or patience with the last one ends."""
        if not self._running:
            starts = [cell.known_from_s for cell in self._cells]
            heard = [start for start in starts if start < float("inf")]
            self._running = len(heard) == CELL_COUNT or (
                bool(heard) and heard_s - min(heard) >= self._patience_s
            )
            if self._running:
                self._row = max(self._row, ceil(max(heard) / self._period_s))
        return self._running

    @property
    def _row_s(self) -> float:
        return self._row * self._period_s

    def _ready(self, t_s: float, heard_s: float) -> bool:
        """Whether every cell has told what it has to say about a time. None alive: no row."""
        late = [cell for cell in self._cells if cell.known_to_s < t_s]
        if len(late) == CELL_COUNT:
            return False
        # A slow one is always behind, and alive: it is waited for at each row.
        patience_s = self._patience_s
        alive = any(heard_s - cell.known_to_s < patience_s for cell in late)
        return not alive or heard_s - t_s >= patience_s


def _as_arrays(rows: list[tuple[float, list[tuple[int, bool]]]]) -> Rows:
    counts = [[count for count, _ in cells] for _, cells in rows]
    trusted = [[good for _, good in cells] for _, cells in rows]
    return Rows(
        np.array([t_s for t_s, _ in rows], dtype=np.float64),
        np.array(counts, dtype=np.int32).reshape(-1, CELL_COUNT),
        np.array(trusted, dtype=np.bool_).reshape(-1, CELL_COUNT),
    )
