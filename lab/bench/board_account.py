"""What a board says, held against what its sensors felt. Pure, and the same for every board.

The bench knows the signal of the tower at every moment, so it needs no clock, protocol or counter
of the board: rows that come late, twice, not at all, in another order, with the word of another
moment or with one that no sensor ever felt differ from that signal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engine.detect.front.noise import MEDIAN_OF_SECOND_DIFFERENCE
from engine.samples import Floats, ImuSamples, ScaleSamples
from hw.source import Item

BEGUN_S = 1.0
"""After its first row a board may still learn the time."""

LATEST_S, LATE_STEP_S = 0.06, 0.001
"""Delays that are tried: nearly five conversions of a load cell; and half of the limit of them."""

NEAR_ROWS = 2
"""A word may be of a moment so many rows of the tower before or after its date."""

BEYOND_SD = 8.0
"""Of the noise: a word so far from all that was felt around its date, nobody felt."""

HELD_ROWS = 4
"""Equal rows that are no chance: a word of a cell is the same as the last once in 300 times."""

UNEVEN = 0.3
"""Of a period: a row whose date is so far from the middle of its neighbours'."""

CHANGE_S, FEWEST_MOVING = 0.02, 10
"""A piece is put down in a tenth of a second."""

FEWEST_ROWS = 100
"""Of which something can be said."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Rows of one sensor: `t_s` (n,) and `words` (n, columns); NaN where there is no word."""

    t_s: Floats
    words: Floats

    def between(self, begin_s: float, end_s: float) -> "Signal":
        """Its part."""
        inside = (self.t_s >= begin_s) & (self.t_s < end_s)
        return Signal(self.t_s[inside], self.words[inside])


class Heard:
    """Keeps what a source gave."""

    def __init__(self) -> None:
        self._rows: dict[type[Item], list[tuple[Floats, Floats]]] = {}

    def take(self, items: Iterable[Item]) -> None:
        """Look at what the source gave."""
        for item in items:
            if isinstance(item, ScaleSamples):
                words = np.where(item.valid, item.raw, np.nan)
            elif isinstance(item, ImuSamples):
                words = item.raw.astype(float)
            else:
                continue
            self._rows.setdefault(type(item), []).append((item.t_s, words))

    def signal(self, kind: type[Item]) -> Signal | None:
        """All rows of load cells or inertial sensor; None without any."""
        blocks = self._rows.get(kind)
        if not blocks:
            return None
        times, words = zip(*blocks, strict=True)
        return Signal(np.concatenate(times), np.concatenate(words))


def board_figures(felt: Heard, said: Heard, end_s: float, *, disturbed: bool) -> dict[str, float]:
    """How far a board is from what it should say, at the worse of its sensors.

    Args:
        felt: what the sensors felt.
        said: what the table got.
        end_s: of the case.
        disturbed: something was, on purpose; then only a delay can be judged.

    Returns:
        Those of `lab.bench.figures.BOARD_FIGURES` that can be told.
    """
    worst: dict[str, float] = {}
    for kind, parts in SENSORS.items():
        for name, value in _figures(felt.signal(kind), said.signal(kind), parts, end_s).items():
            worst[name] = max(value, worst.get(name, 0.0))
    return {"misdated_ms": worst["misdated_ms"]} if disturbed and worst else worst


SENSORS: dict[type[Item], tuple[slice, ...]] = {
    ScaleSamples: (slice(0, 1), slice(1, 2), slice(2, 3), slice(3, 4)),
    ImuSamples: (slice(0, 3), slice(3, 6)),
}
"""Columns that one chip, or one part of it, measures at once."""


def _figures(
    felt: Signal | None, said: Signal | None, parts: Sequence[slice], end_s: float
) -> dict[str, float]:
    if felt is None or said is None:
        return {}
    begin_s = float(said.t_s.min()) + BEGUN_S
    # Of the last moments the tower has not told all that a delay is looked for in.
    said = said.between(begin_s, min(end_s, float(felt.t_s[-1])) - LATEST_S)
    if len(said.t_s) < FEWEST_ROWS:
        return {}
    silent = [float(np.isnan(said.words[:, part]).all(axis=1).mean()) for part in parts]
    heard = [part for part, share in zip(parts, silent, strict=True) if share < 1.0]
    if not heard:
        return {}
    beyond = BEYOND_SD * _noise(felt)
    known = [_late_s(felt, said, part, beyond[part]) for part in heard]
    known_late_s = [late_s for late_s in known if late_s is not None]
    late_s = float(np.median(known_late_s)) if known_late_s else 0.0
    gaps_s = np.diff(said.t_s)
    period_s = float(np.median(gaps_s))
    missing = float(np.maximum(np.round(gaps_s / period_s) - 1.0, 0.0).sum())
    off_s = np.abs(np.diff(gaps_s)) / 2.0
    whole = np.maximum(gaps_s[1:], gaps_s[:-1]) < 1.8 * period_s
    return {
        "misdated_ms": round(1e3 * abs(late_s), 3),
        "cell_late_periods": max((abs(e - late_s) for e in known_late_s), default=0.0) / period_s,
        "rows_missing": max(missing / (len(said.t_s) + missing), *silent),
        "rows_disordered": float((gaps_s <= 0.0).sum()),
        "rows_uneven": float((whole & (off_s > UNEVEN * period_s)).mean()),
        "rows_held": float(sum(_held(felt, said, part) for part in heard)),
        "words_unfelt": float(
            np.mean([_unfelt(felt, said, part, beyond[part], late_s) for part in heard])
        ),
    }


def _late_s(felt: Signal, said: Signal, part: slice, most: Floats) -> float | None:
    """The delay that leaves least unexplained; positive when rows are dated too late.

    Only moments count in which something changed: a board may make its rows of conversions between
    which they fall, and what is noise in those has no date of its own. None: too few such moments.
    What a word is off by more than `most` is no more wrong.
    """
    before, after = (_at(felt, said.t_s + d_s, part) for d_s in (-CHANGE_S, CHANGE_S))
    moving = ((np.abs(after - before) > most) & ~np.isnan(said.words[:, part])).any(axis=1)
    if moving.sum() < FEWEST_MOVING:
        return None
    said = Signal(said.t_s[moving], said.words[moving])
    least, best_s = np.inf, 0.0
    for delay_s in np.arange(-LATEST_S, LATEST_S + LATE_STEP_S / 2, LATE_STEP_S):
        off = np.abs(said.words[:, part] - _at(felt, said.t_s - delay_s, part))
        left = float(np.nanmean(np.minimum(off, most)))
        if left < least:
            least, best_s = left, float(delay_s)
    return best_s


def _at(felt: Signal, t_s: Floats, part: slice) -> Floats:
    """What was felt at these times: straight lines between the tower's samples."""
    columns = [np.interp(t_s, felt.t_s, column) for column in felt.words[:, part].T]
    return np.column_stack(columns)


def _noise(felt: Signal) -> Floats:
    """Counts, of each column."""
    departures = np.abs(np.diff(felt.words, 2, axis=0))
    noise: Floats = np.median(departures, axis=0) / MEDIAN_OF_SECOND_DIFFERENCE
    return np.maximum(noise, 1.0)


def _held(felt: Signal, said: Signal, part: slice) -> int:
    """Rows that repeat the words of the ones before, while something else was felt."""
    same = (np.diff(said.words[:, part], axis=0) == 0.0).all(axis=1)
    moved = (np.diff(_at(felt, said.t_s, part), axis=0) != 0.0).any(axis=1)
    runs = sliding_window_view(same & moved, HELD_ROWS - 1).all(axis=1)
    return int(runs.sum())


def _unfelt(felt: Signal, said: Signal, part: slice, beyond: Floats, late_s: float) -> float:
    """Share of words that are `beyond` all that was felt around their date."""
    around = np.lib.stride_tricks.sliding_window_view(
        felt.words[:, part], 2 * NEAR_ROWS + 1, axis=0
    )
    nearest = np.searchsorted(felt.t_s, said.t_s - late_s) - NEAR_ROWS
    near = around[np.clip(nearest, 0, len(around) - 1)]
    words = said.words[:, part]
    odd = (words < near.min(axis=2) - beyond) | (words > near.max(axis=2) + beyond)
    return float(odd.any(axis=1).mean())
