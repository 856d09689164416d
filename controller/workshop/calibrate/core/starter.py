"""The calibration of a starter table: its one load cell, by a known weight and one piece.

Four steps in a minute: the empty table, the weight in the middle, away, one piece. The cell's
zero wanders meanwhile; it is taken as going evenly from the first rest to the one after the weight.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot, sqrt

import numpy as np

from controller.workshop.calibrate.core.recent_samples import RecentSamples, level, noise
from controller.workshop.calibrate.core.reference_mass import ReferenceMass
from controller.workshop.calibrate.core.resting import steady
from controller.workshop.calibrate.core.result import (
    DRIFT_G_MIN,
    GAIN_SHARE,
    NOISE_SHARE,
    CalibrationResult,
    CalibrationVerdict,
    Figure,
    judged,
)
from controller.workshop.calibrate.core.steps import (
    DRIFT_SD_G,
    CalibrationStep,
    StepLook,
    StepState,
)
from hw.calibration import Calibration
from hw.drivers.one_cell import one_cell

WATCH_S = 2.0
"""How long a weight must lie still: a swinging board lifts and presses by two grams."""

LEAST_COUNTS = 400.0
"""As on a full table: a gram on a cell of 5 kg."""

PIECE_LIMIT = (0.5, 20.0)
"""Grams of a piece: the book's wooden ones have 3; less than half a gram drowns in the drift."""


@dataclass(frozen=True, slots=True)
class Level:
    """The cell under a steady load: counts, noise of one conversion, middle of the time."""

    t_s: float
    counts: float
    noise: float


@dataclass(slots=True)
class StarterNotes:
    """What has been measured so far: levels by the name of the step, the rate of the chip.

    Of the design lengths and the piece's size are used, of the references only the first.
    """

    design: Calibration
    references: tuple[ReferenceMass, ...]
    levels: dict[str, Level]
    rate_hz: float = 80.0

    @property
    def gain(self) -> float:
        """Counts per gram, with its sign."""
        return self.change("middle", "tare", "off") / self.references[0].mass_g

    @property
    def piece_g(self) -> float:
        """Weight of the piece that was placed."""
        return self.change("piece_c3", "off", "close") / self.gain

    def change(self, loaded: str, before: str, after: str) -> float:
        """Counts of a load over a zero that wanders evenly from before to after."""
        first, middle, last = self.levels[before], self.levels[loaded], self.levels[after]
        share = (middle.t_s - first.t_s) / max(last.t_s - first.t_s, 1e-9)
        return middle.counts - first.counts - share * (last.counts - first.counts)


@dataclass(frozen=True, slots=True)
class StarterWeigh:
    """One steady load, or none; `wrong` says what is wrong with the counts over the last zero."""

    notes: StarterNotes
    start_s: float
    name: str
    title: str
    asks: str
    wrong: Callable[[StarterNotes, float], str]

    def look(self, signals: RecentSamples) -> StepLook:
        """Done after two steady seconds of the right kind."""
        now_s = signals.now_s
        if now_s - self.start_s < WATCH_S:
            return StepLook(
                StepState.WAITING, "Watching the load cell.", (now_s - self.start_s) / WATCH_S
            )
        t_s, counts = signals.counts(now_s - WATCH_S, now_s)
        trouble = _trouble(counts[:, :1])
        if trouble:
            return StepLook(StepState.WRONG, trouble)
        if not steady(counts[:, :1]):
            return StepLook(StepState.MEASURING, "Hands off; waiting for a steady weight.", 0.3)
        found = Level(now_s - WATCH_S / 2, float(level(counts)[0]), float(noise(counts)[0]))
        zero = self.notes.levels.get("off", self.notes.levels.get("tare", found))
        text = self.wrong(self.notes, found.counts - zero.counts)
        if text:
            return StepLook(StepState.WAITING, text)
        self.notes.levels[self.name] = found
        self.notes.rate_hz = signals.scale_hz(t_s)
        return StepLook(StepState.DONE, "Noted.", 1.0)


def _trouble(counts: np.ndarray) -> str:
    heard = counts[np.isfinite(counts)]
    if len(heard) < max(len(counts) // 2, 5):
        return (
            "The load cell gives no usable values; check its plug, its wires and its "
            "supply, and that not far too much lies on it."
        )
    if len(np.unique(heard)) == 1:
        return "The load cell repeats one value; check its data wire and its HX711."
    return ""


def step_makers(
    references: tuple[ReferenceMass, ...],
) -> tuple[Callable[[StarterNotes, float], CalibrationStep], ...]:
    """What makes the steps, in their order; of the masses only the first is asked for."""
    weight = references[0].name
    asked = (
        ("tare", "Empty table", "Take everything off, then keep your hands away.", _anything),
        ("middle", "Known weight", f"Set {weight} in the middle of the board, on c3.", _loaded),
        ("off", "Weight away", "Take the weight away.", _unloaded),
        ("piece_c3", "One piece", "Lay one piece in the middle, on c3.", _a_piece),
        ("close", "Empty again", "Take the piece away.", _empty),
    )

    def made(
        name: str, title: str, asks: str, wrong: Callable[..., str]
    ) -> Callable[..., CalibrationStep]:
        return lambda notes, now_s: StarterWeigh(notes, now_s, name, title, asks, wrong)

    return tuple(made(*each) for each in asked)


def _anything(_notes: StarterNotes, _change: float) -> str:
    return ""


def _loaded(_notes: StarterNotes, change: float) -> str:
    return "" if abs(change) > LEAST_COUNTS else "Waiting for the weight."


def _unloaded(notes: StarterNotes, _change: float) -> str:
    loaded = notes.levels["middle"].counts - notes.levels["tare"].counts
    left = _last(notes, _change)
    return "" if abs(left) < 0.15 * abs(loaded) else "Waiting for the weight to be taken away."


def _last(notes: StarterNotes, change: float) -> float:
    """Counts over the first zero, also when a later one is known already (a repeated step)."""
    zero = notes.levels.get("off", notes.levels["tare"])
    return change + zero.counts - notes.levels["tare"].counts


def _a_piece(notes: StarterNotes, change: float) -> str:
    grams = change / notes.gain
    low, high = PIECE_LIMIT
    if grams < low:
        return "Waiting for the piece."
    return "" if grams <= high else f"That weighs {grams:.0f} g; lay one piece only."


def _empty(notes: StarterNotes, change: float) -> str:
    piece_g = (notes.levels["piece_c3"].counts - notes.levels["off"].counts) / notes.gain
    left_g = change / notes.gain
    return "" if abs(left_g) < piece_g / 2 else "Waiting for the piece to be taken away."


def conclude(notes: StarterNotes, seconds: float) -> CalibrationResult:
    """The result of all that was measured."""
    gain, piece_g, last = notes.gain, notes.piece_g, notes.levels["close"]
    drawn = notes.design.piece
    share = drawn.mass_std_g / drawn.mass_mean_g
    piece = replace(
        drawn,
        mass_mean_g=round(piece_g, 4),
        # One piece was weighed: the mean of all is as unsure as one differs from another.
        mass_std_g=round(piece_g * share * sqrt(2), 4),
    )
    calibration = one_cell(
        replace(notes.design, piece=piece), round(gain, 4), round(last.counts, 1),
        round(notes.rate_hz, 3),
    )  # fmt: skip
    return CalibrationResult(
        calibration, _figures(notes, gain, piece_g), tuple(_notices(gain)), seconds
    )


def _figures(notes: StarterNotes, gain: float, piece_g: float) -> tuple[Figure, ...]:
    reference, levels = notes.references[0], notes.levels
    sd_share = hypot(reference.sd_g, DRIFT_SD_G) / reference.mass_g
    tenth_g = levels["tare"].noise / abs(gain) / sqrt(max(0.1 * notes.rate_hz, 1.0))
    minutes = max((levels["close"].t_s - levels["tare"].t_s) / 60, 1e-3)
    drift = (levels["close"].counts - levels["tare"].counts) / gain / minutes
    return (
        judged(
            "load cell", gain, abs(gain) * sd_share, "counts/g", sd_share, GAIN_SHARE,
            "Take something heavier (100 g or more).",
        ),
        judged(
            "noise of the weight in 0.1 s", tenth_g, None, "g", tenth_g / piece_g, NOISE_SHARE,
            f"The weight is noisy ({tenth_g:.2f} g in a tenth of a second): check joints and "
            "supply, keep the cable away from the power supply.",
        ),
        judged(
            "drift", drift, None, "g/min", abs(drift), DRIFT_G_MIN,
            f"The empty table drifted by {drift:+.1f} g a minute: let it warm up for ten minutes; "
            "look for something that rubs.",
        ),
        Figure(
            "mass of a piece", piece_g, hypot(DRIFT_SD_G, tenth_g), "g", CalibrationVerdict.GOOD,
        ),
    )  # fmt: skip


def _notices(gain: float) -> list[str]:
    if gain > 0:
        return []
    return ["The load cell counts the wrong way round; taken into account."]
