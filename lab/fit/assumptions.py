"""What our simulation assumes, and what a table says to it.

Each assumption has a range: what the presets and drawn tables of the simulated tower have, or, for
figures of how hands look in the signal, what this very fit finds on simulated evenings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lab.fit.estimates import Estimate


class Agreement(StrEnum):
    """What a table says to an assumption."""

    AGREES = "agrees"
    CONTRADICTS = "contradicts"
    OPEN = "cannot tell"


@dataclass(frozen=True, slots=True)
class Assumption:
    """One assumption of the simulated tower.

    Attributes:
        figure: name of the estimate that tests it.
        words: what is assumed.
        low, high: the range that is assumed.
        source: where the range is from.
        follows: what to do, if a table contradicts it.
    """

    figure: str
    words: str
    low: float
    high: float
    source: str
    follows: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """An assumption with what was measured."""

    assumption: Assumption
    measured: Estimate
    answer: Agreement

    @property
    def follows(self) -> str:
        """What to do about it."""
        if self.assumption.figure in MILDER and self.measured.high < self.assumption.low:
            return "better than assumed: our simulation is harder than this table"
        return self.assumption.follows


DRAWN, PLAYED = "drawn tables of the twin", "this fit on evenings of simulated people"

ASSUMPTIONS: Sequence[Assumption] = (
    Assumption(
        "period_s", "the empty board swings with this period", 0.60, 0.86, DRAWN,
        "check that the board is balanced as the assembly guide says; first guesses of the "
        "detector (0.72 s) are a start only, so it learns this by itself",
    ),
    Assumption(
        "damping_ratio", "air and skin damp the swing by this share", 0.026, 0.054, DRAWN,
        "set body.damping_ratio of the twin; something may rub, such as the sensor's cable",
    ),
    Assumption(
        "friction_band_deg", "the pivot sticks within this band", 0.02, 0.54, DRAWN,
        "wider: clean and re-point the tip; 0.25 degrees is the aim",
    ),
    Assumption(
        "friction_when_slow", "dry friction is the same at every speed", 0.0, 0.0,
        "Coulomb's law in the twin and in the detector",
        "the detector adds 30 % of the friction to its uncertainty; beyond that both need another "
        "law of friction",
    ),
    Assumption(
        "friction_with_load", "dry friction grows with the weight on the tip", 1.0, 1.0,
        "the twin: friction in proportion to weight", "change Law.slowing of the twin",
    ),
    Assumption(
        "cell_noise_counts", "noise of one conversion of a load cell", 55.0, 190.0, DRAWN,
        "set scale.noise_counts of the twin; look for a loose wire or a noisy supply",
    ),
    Assumption(
        "cell_noise_next", "noise of the cells is white", -0.02, 0.02, "the twin",
        "neighbouring conversions say the same: averaging helps less than the detector believes",
    ),
    Assumption(
        "accel_noise_g", "noise of one sample of the accelerometer", 0.0020, 0.0055, DRAWN,
        "set imu.accel_noise_g of the twin; check the low-pass filter of the chip",
    ),
    Assumption(
        "accel_noise_next", "its neighbours are alike by this correlation", 0.50, 0.60,
        "the twin: the chip's filter at 200 Hz", "set imu.noise_memory of the twin",
    ),
    Assumption(
        "gyro_noise_dps", "noise of one sample of the gyroscope", 0.025, 0.13, DRAWN,
        "set imu.gyro_noise_dps of the twin",
    ),
    Assumption(
        "gyro_noise_next", "its neighbours are alike by this correlation", 0.50, 0.60,
        "the twin: the chip's filter at 200 Hz", "set imu.noise_memory of the twin",
    ),
    *(
        Assumption(
            figure,
            "two samples on, they are alike by its square, as noise with a fading memory is",
            0.24, 0.37, "the twin: memory of first order",
            "give the twin's sensors another filter (a mean of two samples, say), not a fading "
            "memory",
        )
        for figure in ("accel_noise_second", "gyro_noise_second")
    ),
    Assumption(
        "cell_drift_g_per_sqrt_s", "each cell wanders by this in a second", 0.0045, 0.0200, DRAWN,
        "set scale.drift_g of the twin; the detector's offset creep (5 g mm) may be too small",
    ),
    Assumption(
        "weight_drift_g_per_min", "nothing drifts with warmth", 0.0, 0.0, "the twin's plain table",
        "set scale.gain_drift of the twin; let the table warm up before the first game",
    ),
    Assumption(
        "creep_share", "this share of a load comes late", 0.0, 0.002, "the twin, and data sheets",
        "set scale.creep of the twin; cells that creep more make clearing look unfinished",
    ),
    Assumption(
        "creep_s", "with this time constant", 15.0, 120.0, "the twin", "set scale.creep_s",
    ),
    Assumption(
        "seat_step_mm", "the board wanders on its tip by this for each piece", 0.004, 0.068, DRAWN,
        "set body.seat_step_mm of the twin; see that the tip sits in its dimple",
    ),
    Assumption(
        "moment_scatter_gmm", "a touch leaves the board's moment where it was", 0.0, 12.0, PLAYED,
        "the seat moves at touches as well, or the pivot holds the board",
    ),
    Assumption(
        "place_scatter_mm", "pieces lie about the middle of their cells", 1.5, 4.8, PLAYED,
        "set manners.offset_mm of the twin",
    ),
    Assumption(
        "contact_s_typical", "a hand that places touches for so long", 0.25, 0.62, PLAYED,
        "set manners.contact_s of the twin",
    ),
    Assumption(
        "press_g_most_typical", "and presses by this at the strongest", 4.0, 17.0, PLAYED,
        "set manners.press_mm of the twin",
    ),
    Assumption(
        "release_kick_g_typical", "letting go kicks the weight within a tick by", 0.8, 3.4, PLAYED,
        "people let go otherwise than the twin's hands, which lift straight off",
    ),
    Assumption(
        "turn_s_typical", "one piece follows the other after", 3.6, 5.0, PLAYED,
        "shorter: more contacts have no rest between them; play the benchmark's hasty people",
    ),
    Assumption(
        "clearing_s_typical", "people look and clear the board within", 4.0, 20.0, PLAYED,
        "play the benchmark's people who clear at once, or stare",
    ),
    Assumption(
        "board_lifted_share", "nobody lifts the board away to clear it", 0.0, 0.0,
        "usual people", "play the benchmark's lifting people, and fit them",
    ),
    Assumption(
        "cleared_told_s_typical", "people say so after the board is clear by", 0.0, 3.0, PLAYED,
        "play the benchmark's people who press early, late or never",
    ),
    Assumption(
        "shakes_per_min", "the table is bumped, a minute", 0.0, 6.0, "the twin's tempers",
        "set the tempers of simulated people",
    ),
    Assumption(
        "ring_hz_typical", "plate and table ring at", 5.0, 22.0, "the twin's bumps and taps",
        "a plate that rings lower looks like a hand: stiffen it, or put it on another table",
    ),
)  # fmt: skip


MILDER = frozenset((
    "damping_ratio", "friction_band_deg", "cell_noise_counts", "accel_noise_g", "gyro_noise_dps",
    "cell_drift_g_per_sqrt_s", "creep_share", "seat_step_mm", "moment_scatter_gmm",
    "place_scatter_mm", "press_g_most_typical", "release_kick_g_typical",
))  # fmt: skip
"""What is better the smaller it is."""


def judged(found: Sequence[Estimate]) -> tuple[Verdict, ...]:
    """Every assumption with what the table says to it.

    A table contradicts an assumption when the whole 90 % interval lies outside its range, and
    agrees when the value lies inside, or within the interval of it; where the interval is wider
    than range and value together, nobody can tell.
    """
    known: Mapping[str, Estimate] = {each.name: each for each in found}
    return tuple(
        Verdict(each, known[each.figure], _answer(each, known[each.figure]))
        for each in ASSUMPTIONS
        if each.figure in known
    )


def _answer(assumed: Assumption, measured: Estimate) -> Agreement:
    if not measured.seen:
        return Agreement.OPEN
    if measured.high < assumed.low or measured.low > assumed.high:
        return Agreement.CONTRADICTS
    half = (measured.high - measured.low) / 2
    room = max(assumed.high - assumed.low, abs(assumed.high), WIDEST.get(assumed.figure, 0.0))
    return Agreement.AGREES if half <= room else Agreement.OPEN


WIDEST: Mapping[str, float] = {
    "friction_when_slow": 0.3,
    "weight_drift_g_per_min": 0.75,
    "cell_noise_next": 0.05,
    "board_lifted_share": 0.25,
}
"""Half an interval up to which a figure that is assumed to be nothing says something: the error
of the detector's own model (`STICKING_SHARE`), a quarter of a piece in a minute."""
