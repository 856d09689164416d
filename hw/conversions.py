"""What each chip converted, beside the rows of four that are made of it.

Rows lie on an even grid and say nothing of the chips' own times: rate, lost conversions, silences
and the noise of one conversion are measured on these. `ConversionLog` is filled by `hw.resampling`
on whichever way the chips are read, and emptied by whoever measures. Pure; times are passed in.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, nan
from typing import Protocol, runtime_checkable

import numpy as np

from engine.samples import Flags, Floats, Ints
from engine.tabletop import CELL_COUNT

STRAPS_HZ = (10.0, 80.0)
"""HX711 datasheet: RATE pin low or high."""

LATE_PERIODS = 1.5
"""A conversion that comes this many periods later than its number says: the chip was silent, and
the one before is not to be believed. Settling takes four, chips and their jitter differ from the
nominal rate by less than a fifth."""

COMMON_SHARE = 0.1
"""So many of the intervals are single ones even of the worst wire that still says something."""
SINGLE = (0.4, 1.6)
"""An inertial sensor without its INT wire is asked every 2 ms: its samples come 4 or 6 ms apart."""
KEPT = 8192
"""Conversions of a cell that wait to be taken: 100 s at 80 SPS. Who is further behind wants the
newest."""


def strap_hz(rate_hz: float) -> float:
    """What the RATE pin of a chip with such a rate is set to.

    >>> strap_hz(93.4), strap_hz(11.7)
    (80.0, 10.0)
    """
    return min(STRAPS_HZ, key=lambda strap: abs(log(rate_hz / strap)))


@dataclass(frozen=True, slots=True, eq=False)
class Conversions:
    """The conversions of one chip that were fetched, in order of time.

    Attributes:
        t_s: shape (n,), table time of each.
        counts: shape (n,).
        good: shape (n,), false where the reader condemned the count.
        steps: shape (n,), its number less that of the one before: 1, or more when frames were lost
            on the line; 0 when nothing is known of the time between, as after an outage.
    """

    t_s: Floats
    counts: Ints
    good: Flags
    steps: Ints

    def __len__(self) -> int:
        return len(self.t_s)

    def only(self, which: slice | Flags) -> "Conversions":
        """Some of them."""
        return Conversions(self.t_s[which], self.counts[which], self.good[which], self.steps[which])

    def since(self, t_s: float) -> "Conversions":
        """Those after a time."""
        return self.only(slice(int(np.searchsorted(self.t_s, t_s, side="right")), None))


NO_CONVERSIONS = Conversions(
    np.empty(0), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.bool_), np.empty(0, np.int32)
)

OfEach = tuple[Conversions, ...]
"""Of the cells, in the order of their numbers."""
NONE_OF_EACH: OfEach = (NO_CONVERSIONS,) * CELL_COUNT


def joined_conversions(parts: Sequence[OfEach]) -> OfEach:
    """One after the other; nothing from nothing."""
    return tuple(
        Conversions(
            np.concatenate([one.t_s for one in column]),
            np.concatenate([one.counts for one in column]),
            np.concatenate([one.good for one in column]),
            np.concatenate([one.steps for one in column]),
        )
        for column in zip(*parts, strict=True)
    )


class ConversionLog:
    """Conversions that nobody has taken yet; one thread may fill it and another take."""

    def __init__(self) -> None:
        self._cells: list[deque[tuple[float, int, bool, int]]] = [
            deque(maxlen=KEPT) for _ in range(CELL_COUNT)
        ]

    def add(self, cell: int, t_s: float, count: int, steps: int, *, good: bool) -> None:
        """Note a conversion."""
        self._cells[cell].append((t_s, count, good, steps))

    def take(self, shift_s: float = 0.0) -> OfEach:
        """All that wait, at times moved by `shift_s`."""
        return tuple(_taken(waiting, shift_s) for waiting in self._cells)


def _taken(waiting: deque[tuple[float, int, bool, int]], shift_s: float) -> Conversions:
    rows = [waiting.popleft() for _ in range(len(waiting))]
    if not rows:
        return NO_CONVERSIONS
    t_s, counts, good, steps = zip(*rows, strict=True)
    return Conversions(
        np.array(t_s) + shift_s,
        np.array(counts, dtype=np.int32),
        np.array(good, dtype=np.bool_),
        np.array(steps, dtype=np.int32),
    )


def period_s(t_s: Floats, steps: Ints | None = None) -> float:
    """Time from one sample to the next, whatever was lost between; NaN when it is not known.

    The shortest intervals that are common tell: one bad wire loses two of three conversions, and
    the middle one of the intervals is a silence then. `steps` is as in `Conversions`.
    """
    lengths = _lengths(t_s, steps)
    if len(lengths) < 2:
        return nan
    share = 0.5 if steps is None else COMMON_SHARE
    single = _singles(lengths, float(np.quantile(lengths, share)))
    return float(np.mean(_singles(lengths, float(np.median(single))))) if len(single) else nan


def _lengths(t_s: Floats, steps: Ints | None) -> Floats:
    """Of the intervals about which something is known, for one sample each."""
    intervals: Floats = np.diff(t_s)
    if steps is None:
        return intervals
    known = steps[1:] > 0
    single: Floats = intervals[known] / steps[1:][known]
    return single


def _singles(lengths: Floats, one_s: float) -> Floats:
    """Those that are nearer to one period than to none or two."""
    few, many = SINGLE
    singles: Floats = lengths[(lengths > few * one_s) & (lengths < many * one_s)]
    return singles


@runtime_checkable
class HasConversions(Protocol):
    """A source that knows what its chips converted, and not only the rows made of it."""

    def conversions(self) -> OfEach:
        """What each chip has converted since the last call."""
