"""Weighs the pieces of each colour: a heap of each for the mean, a few single ones for the spread.

Every load is weighed against what lay there just before, so that the cells' wandering zero does not
matter, and always at the same place, so that cells whose gain is a little off err alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import hypot, sqrt

import numpy as np

from controller.workshop.calibrate.core.course import Course, Plan
from controller.workshop.calibrate.core.recent_samples import RecentSamples, level, noise
from controller.workshop.calibrate.core.resting import cells_trouble, steady
from controller.workshop.calibrate.core.steps import DRIFT_SD_G, StepLook, StepState
from engine.samples import Floats
from engine.tabletop import PIECES_PER_COLOUR, ColourPiece
from hw.calibration import Calibration

SINGLES = 5
"""Single pieces of each colour: with two colours their spread is known to a quarter."""

LONGEST_S = 240.0
"""Four colours: ten seconds for each heap, six for each of twenty pieces, and reading."""

HEAP_S = 4.0
"""A heap must lie so long: time enough for a second handful."""
SINGLE_S = 1.2
"""Mean of a hundred conversions: a piece is known to the cells' wander."""
PUTTY_S = 0.6
"""While putty is added, the screen follows so fast."""

HEAP_LEAST = 0.6
"""Share of the heap as it should weigh: less is a first handful."""
PIECE_LIMITS = (0.5, 1.6)
"""Shares of a piece: less is a finger or nothing, more is two."""
BASE_SHARE = 0.3
"""What lies there is what lay there before, within this share of a piece."""

MISSING = 0.6
"""A heap that differs by so many pieces from twelve, as its single ones weigh, was another
number: at a spread of 4 % the mean of five leaves 0.2."""

SINGLE_SD_G = 0.055
"""One single piece is known to that: noise, and what four cells wander in 2.5 s (48 weighings on
eight simulated tables)."""

USUAL_SPREAD = 0.015
"""Share of a piece by which pieces of one colour differ as a rule; weighs as much as so many:"""
USUAL_COUNTS = 4

DECIDED_S = 0.1
"""In a game a piece is weighed for hardly longer."""

PUTTY_LONGEST_S = 60.0
"""What one piece may take."""

ENOUGH_G = 0.04
"""Putty is right within that: as well as a piece is weighed in a game."""


@dataclass(slots=True)
class WeighingNotes:
    """What has been weighed so far: levels on the table after each step, loads that each added.

    The noise is that of one conversion of the whole weight.
    """

    known: Calibration
    levels_g: dict[str, float] = field(default_factory=dict)
    loads_g: dict[str, float] = field(default_factory=dict)
    noise_g: float = 0.0

    def grams(self, counts: Floats) -> Floats:
        """The weight on all cells together, for rows of counts."""
        scale = self.known.scale
        weights = (counts - np.asarray(scale.tare_counts)) / np.asarray(scale.counts_per_gram)
        total: Floats = weights.sum(axis=1)
        return total

    def piece_g(self, colour: str) -> float:
        """What a piece of a colour weighs, as far as is known."""
        heap_g = self.loads_g.get(f"heap_{colour}")
        return heap_g / PIECES_PER_COLOUR if heap_g else self.known.piece.mass_mean_g

    @property
    def weighing_sd_g(self) -> float:
        """Standard deviation of a piece's weighing in a game at this table."""
        return hypot(DRIFT_SD_G, self.noise_g / sqrt(DECIDED_S * self.known.scale.rate_hz))


Verdict = Callable[[WeighingNotes, float], StepLook | None]
"""What a steady load of so many grams means; None when it is the one that was asked for."""


@dataclass(slots=True)
class Weigh:
    """Waits until what lay there before lies there again, then for a load.

    Attributes:
        key: name of the step while it waits for its load.
        before: the step whose load must lie there, alone; empty: whatever lies there.
        clears: what to do when something else lies there; lays: what to do then.
        watch_s: how long the load must be steady.
        base_g: what lay there just before; None until that was seen.
        blocked: whether something else lies there.
    """

    notes: WeighingNotes
    start_s: float
    key: str
    title: str
    before: str
    clears: str
    lays: str
    watch_s: float
    judges: Verdict
    base_g: float | None = None
    blocked: bool = False

    @property
    def name(self) -> str:
        """Unique; another one while something must be taken away first."""
        return f"clear_{self.key}" if self.blocked else self.key

    @property
    def asks(self) -> str:
        """What to do."""
        return self.clears if self.blocked else self.lays

    def look(self, signals: RecentSamples) -> StepLook:
        """Done when the right load has lain still for long enough."""
        now_s = signals.now_s
        if not self.before and now_s - self.start_s < self.watch_s:
            share = (now_s - self.start_s) / self.watch_s
            return StepLook(StepState.MEASURING, "Watching the weight.", share)
        _, counts = signals.counts(now_s - min(self.watch_s, SINGLE_S), now_s)
        trouble = cells_trouble(counts)
        if trouble:
            return StepLook(StepState.WRONG, trouble)
        if not steady(counts):
            return StepLook(StepState.MEASURING, "Hands off; waiting for a steady weight.", 0.3)
        return self._weighed(float(self.notes.grams(level(counts)[None])[0]), signals)

    def _weighed(self, load_g: float, signals: RecentSamples) -> StepLook:
        notes = self.notes
        piece_g = notes.known.piece.mass_mean_g
        if self.base_g is None:
            expected_g = notes.levels_g.get(self.before, load_g)
            if abs(load_g - expected_g) > BASE_SHARE * piece_g:
                self.blocked = True
                return StepLook(
                    StepState.WAITING, f"{load_g - expected_g:+.1f} g to what should be there."
                )
            self.base_g, self.blocked = load_g, False
        added_g = load_g - self.base_g
        if abs(added_g) < BASE_SHARE * piece_g:
            self.base_g = load_g  # the zero wanders while people fetch something
        judged = self.judges(notes, added_g)
        if judged is not None:
            return judged
        _, counts = signals.counts(signals.now_s - self.watch_s, signals.now_s)
        if not steady(counts):
            return StepLook(StepState.MEASURING, "Hands off; weighing.", 0.6)
        notes.levels_g[self.key], notes.loads_g[self.key] = load_g, added_g
        notes.noise_g = float(np.linalg.norm(noise(counts) / notes.known.scale.counts_per_gram))
        return StepLook(StepState.DONE, f"{added_g:.2f} g.", 1.0)


# --- what a load means ----------------------------------------------------------------------------


def _anything(_notes: WeighingNotes, _added_g: float) -> StepLook | None:
    return None


def _heap(notes: WeighingNotes, added_g: float) -> StepLook | None:
    if added_g < HEAP_LEAST * PIECES_PER_COLOUR * notes.known.piece.mass_mean_g:
        return StepLook(
            StepState.WAITING, f"Waiting for twelve pieces; {max(added_g, 0.0):.1f} g so far."
        )
    return None


def _one(colour: str, notes: WeighingNotes, added_g: float) -> StepLook | None:
    pieces = added_g / notes.piece_g(colour)
    low, high = PIECE_LIMITS
    if pieces < -low:
        return StepLook(StepState.WRONG, "There is less than before; lay it back, or press Undo.")
    if pieces < low:
        return StepLook(StepState.WAITING, "Waiting for the piece.")
    if pieces > high:
        return StepLook(StepState.WRONG, f"That is {added_g:.1f} g; lay down one piece only.")
    return None


def _putty(target_g: float, notes: WeighingNotes, added_g: float) -> StepLook | None:
    if added_g < PIECE_LIMITS[0] * notes.known.piece.mass_mean_g:
        return StepLook(StepState.WAITING, "Waiting for the piece.")
    more_g = target_g - added_g
    if more_g > ENOUGH_G:
        return StepLook(StepState.WAITING, f"{more_g:.2f} g more.", min(added_g / target_g, 1.0))
    if more_g < -ENOUGH_G:
        return StepLook(StepState.WRONG, f"{-more_g:.2f} g too much.")
    return None


# --- the steps ------------------------------------------------------------------------------------

EVERYTHING_OFF = "Take everything off."


def _step(
    key: str,
    title: str,
    lays: str,
    judges: Verdict,
    *,
    before: str = "empty",
    clears: str = EVERYTHING_OFF,
    watch_s: float = SINGLE_S,
) -> Plan:
    """One step; each is a part of its own, so repeating means undoing one. See `Weigh`."""
    return Plan(
        key,
        lambda notes, now_s: Weigh(
            notes, now_s, key, title, before, clears, lays, watch_s, judges
        ),
    )  # fmt: skip


def _empty() -> Plan:
    asks = f"{EVERYTHING_OFF} Then hands off."
    return _step("empty", "Empty table", asks, _anything, before="")


def _plan(known: Calibration, colours: Sequence[str]) -> tuple[Plan, ...]:
    place = _place(known)
    heaps = [_heap_of(colour, place) for colour in colours]
    singles = [
        _single(colour, number, place)
        for colour in colours
        for number in range(1, SINGLES + 1)
    ]  # fmt: skip
    return _empty(), *heaps, *singles, _step("close", "Empty again", "Hands off.", _anything)


def _place(known: Calibration) -> str:
    return "in the middle of the board" if known.weight_only else "on the base plate, front left"


def _heap_of(colour: str, place: str) -> Plan:
    lays = f"Lay all twelve {colour} pieces {place}, in a heap."
    return _step(f"heap_{colour}", f"Twelve {colour}", lays, _heap, watch_s=HEAP_S)


def _single(colour: str, number: int, place: str) -> Plan:
    key, title = f"one_{colour}_{number}", f"One {colour}, {number} of {SINGLES}"
    judges = partial(_one, colour)
    if number == 1:
        return _step(key, title, f"Lay one {colour} piece {place}.", judges)
    return _step(
        key, title, f"Lay one more {colour} piece there.", judges,
        before=f"one_{colour}_{number - 1}", clears="Take the last piece away again.",
    )  # fmt: skip


class PieceWeighing(Course):
    """Leads through the weighing of all pieces of some colours."""

    def __init__(self, known: Calibration, colours: Sequence[str]) -> None:
        """Begin, with the calibration in use; the colours are weighed in this order."""
        self.colours = tuple(colours)
        self._weighed = WeighingNotes(known)
        super().__init__(_plan(known, colours), self._weighed, LONGEST_S, again="undo")

    @property
    def weighing_sd_g(self) -> float:
        """Standard deviation of one piece's weighing at this table."""
        return self._weighed.weighing_sd_g

    @property
    def mean_sd_g(self) -> float:
        """Standard deviation of a heap's mean: what the cells wander in ten seconds, shared out."""
        return 2 * DRIFT_SD_G / PIECES_PER_COLOUR

    def counts(self) -> dict[str, int]:
        """How many pieces each heap had: twelve, or what its single pieces say."""
        return {colour: _count(self._weighed, colour) for colour in self.colours}

    def calibration(self) -> Calibration:
        """The calibration in use, with what the pieces weigh.

        Raises:
            RuntimeError: not all steps are done.
        """
        if not self.done:
            raise RuntimeError("the pieces are not all weighed")
        notes = self._weighed
        means_g = [
            notes.loads_g[f"heap_{colour}"] / _count(notes, colour) for colour in self.colours
        ]
        spread_g = _spread_g(notes, self.colours, means_g)
        colours = tuple(
            ColourPiece(colour, round(mean_g, 4), round(spread_g, 4))
            for colour, mean_g in zip(self.colours, means_g, strict=True)
        )
        return replace(notes.known, piece=notes.known.piece.of_colours(colours))


def _singles_g(notes: WeighingNotes, colour: str) -> Floats:
    names = [f"one_{colour}_{number}" for number in range(1, SINGLES + 1)]
    return np.array([notes.loads_g[name] for name in names])


def _count(notes: WeighingNotes, colour: str) -> int:
    count = notes.loads_g[f"heap_{colour}"] / float(_singles_g(notes, colour).mean())
    return PIECES_PER_COLOUR if abs(count - PIECES_PER_COLOUR) < MISSING else round(count)


def _spread_g(notes: WeighingNotes, colours: Sequence[str], means_g: Sequence[float]) -> float:
    """Spread from piece to piece, of all colours alike, without that of the weighing."""
    squares = np.concatenate([
        (_singles_g(notes, colour) - mean_g) ** 2
        for colour, mean_g in zip(colours, means_g, strict=True)
    ])  # fmt: skip
    seen = max(float(squares.sum()) - len(squares) * SINGLE_SD_G**2, 0.0)
    usual = USUAL_COUNTS * (USUAL_SPREAD * float(np.mean(means_g))) ** 2
    return sqrt((usual + seen) / (USUAL_COUNTS + len(squares)))


class PuttyDosing(Course):
    """Leads through making twelve pieces of a colour heavier by putty, each to `target_g`."""

    def __init__(self, known: Calibration, colour: str, target_g: float) -> None:
        lays = f"Lay one {colour} piece {_place(known)}; add putty, and take your hand away."
        judges, count = partial(_putty, target_g), PIECES_PER_COLOUR
        pieces = [
            _step(f"putty_{colour}_{number}", f"Piece {number} of {count}", lays, judges,
                  watch_s=PUTTY_S)
            for number in range(1, count + 1)
        ]  # fmt: skip
        longest_s = count * PUTTY_LONGEST_S
        super().__init__([_empty(), *pieces], WeighingNotes(known), longest_s, again="undo")
