"""Finds what is wrong with a load cell, from its counts at rest.

For a dead cell only that is reported, and nothing else its counts may show.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from controller.workshop.diagnose.core.findings import (
    CellFigures,
    Finding,
    Severity,
    cell_name,
    whole,
)
from controller.workshop.diagnose.core.identity import misplaced, swap_of_each
from engine.samples import Floats
from engine.tabletop import CELL_COUNT, load_cell_name
from hw.calibration import Calibration
from hw.conversions import strap_hz
from hw.rate_watch import ALLOWED_RATE, USUAL_RATE
from hw.stretch import Stretch
from hw.troubles import CELL_LOW, CHIP_LOW, THE_CHIP_LOW

EACH = {"L": "Each load cell", "l": "each load cell"}
"""What stands for four load cells of which the same is found."""

NOISE_LIMIT_COUNTS = 500.0
"""Three times the noisiest real board on record (172 counts; datasheet: 22 to 59)."""
NOISE_PIECES = 1 / 6
"""Noise of one conversion of one cell, in pieces: twice that over four cells, and 16 conversions
(0.2 s) must still tell a piece with twelve standard deviations."""
NOISE_OVER_OTHERS = 4.0
"""Healthy boards differ by up to 2.6 (60 to 155 counts)."""

DRIFT_PIECES_MIN = 1.0
"""A piece a minute: the detector follows a drift of a tenth of that without loss, and a random
walk like that of good cells fakes half of it in ten seconds once in a thousand tables."""
DRIFT_LEAST_S = 8.0
"""Shorter, the same walk fakes more than the limit."""

RESETS_LIMIT_S = 0.15
"""Power cycles a second. Healthy: 0.004. A Pi that bit-bangs with RPi.GPIO: 0.3."""
CORRUPT_SHARE = 0.005
"""Healthy: 0.0002 to 0.0003 of the data words, two in ten seconds once in thirty tables."""
MISSING_SHARE = 0.01
MISSING_LEAST = 5
"""One in a hundred may be a single one of a slow chip."""
FELL_SILENT_S = 1.0
"""Twice the longest settling (400 ms at 10 conversions a second)."""
SATURATED_SHARE = 0.01
"""Corrupt data words reach full scale too, but are far rarer."""

LOW_CODES = frozenset(kind.code for kind in (CELL_LOW, CHIP_LOW, THE_CHIP_LOW))
"""What drivers and bridge say of a DOUT that stays low."""

STUCK_LEAST = 8
"""Equal counts in a row that no live converter gives (a chance of 300^-8)."""


def cell_findings(
    stretch: Stretch,
    calibration: Calibration,
    cells: Sequence[CellFigures],
    *,
    common_noise: bool = False,
) -> list[Finding]:
    """Everything about the load cells at rest, nobody touching, with their figures.

    Where noise of all cells together was found, that of one cell is no news.
    """
    if not _heard_lately(stretch, stretch.scale.t_s):
        return [_silent_scale(stretch)]
    identity = swap_of_each(calibration, cells)
    found = list(identity.values())
    for cell, figures in enumerate(cells):
        dead = _dead(stretch, cell, figures)
        if dead is not None:
            found.append(dead)
        elif cell not in identity:
            found += _ailing(stretch, calibration, cells, cell, common_noise=common_noise)
    return _joined([finding for n, finding in enumerate(found) if finding not in found[:n]])


def _heard_lately(stretch: Stretch, t_s: Floats) -> bool:
    """Whether a stream was still alive at the end."""
    return len(t_s) > 0 and bool(t_s[-1] >= stretch.end_s - FELL_SILENT_S)


def _silent_scale(stretch: Stretch) -> Finding:
    return Finding(
        Severity.FAULT,
        "scale",
        "scale_silent",
        "No load cell delivers anything.",
        "Check the supply of the HX711 boards and, with a microcontroller, its USB cable.",
        f"{len(stretch.scale.t_s)} conversions in {stretch.seconds:.0f} s, none at the end",
        "10 or 80 a second",
    )


# --- dead ---------------------------------------------------------------------------------


def _dead(stretch: Stretch, cell: int, figures: CellFigures) -> Finding | None:
    """The one finding about a cell that says nothing useful at all."""
    given = stretch.conversions(cell)
    raw = given.counts if len(given) else stretch.scale.raw[:, cell]
    sensor, who = f"scale.{cell}", cell_name(cell)
    constant = len(raw) >= STUCK_LEAST and bool((raw[-1] == raw[len(raw) // 2 :]).all())
    last = int(raw[-1]) if len(raw) else 0

    def fault(kind: str, sentence: str, check: str, figure: str, limit: str) -> Finding:
        return Finding(Severity.FAULT, sensor, kind, sentence, check, figure, limit)

    if figures.saturated > SATURATED_SHARE * figures.given:
        return fault(
            "cell_saturated",
            f"{who} is at full scale.",
            "Check for an overload and a broken wire: measure about 1 kOhm between E+ and E-, "
            "and between S+ and S-.",
            f"{figures.saturated} of {figures.given} counts at the end of the range",
            f"at most {SATURATED_SHARE:.0%}",
        )
    said = next((r for r in reversed(stretch.reports) if r.sensor == sensor), None)
    reason = whole(said.reason) if said else ""
    if said and said.code in LOW_CODES:
        return fault(
            "dout_stuck_low",
            reason,
            "Check the DOUT wire for a short to ground, and that clock and data are not exchanged.",
            f"{figures.heard} good counts of {figures.given}",
            "all of them",
        )
    # One that never spoke has zeros for counts, which say nothing of its data wire.
    told = bool(reason) and not figures.heard
    if constant and not told:
        return fault(
            "cell_stuck",
            f"{who} repeats one value.",
            "Check its data wire and its HX711: the last bits of a live converter always flicker.",
            f"{len(raw) - len(raw) // 2} times the count {last}",
            f"at most {STUCK_LEAST}",
        )
    if reason or not _heard_lately(stretch, given.t_s[given.good]):
        return fault(
            "cell_silent",
            reason or f"{who} does not answer.",
            "Check its plug, its supply and its clock wire.",
            f"{figures.heard} good counts of {figures.given}",
            "all of them",
        )
    return None


# --- ailing -------------------------------------------------------------------------------


def _ailing(
    stretch: Stretch,
    calibration: Calibration,
    cells: Sequence[CellFigures],
    cell: int,
    *,
    common_noise: bool,
) -> Iterator[Finding]:
    figures = cells[cell]
    elsewhere = misplaced(calibration, cell, figures)
    if elsewhere is not None:
        yield elsewhere
        if elsewhere.kind == "cell_unplugged":
            return
    piece_g = calibration.piece.mass_mean_g
    checks: list[Finding | None] = [
        rate_finding(cell, figures.rate_hz, calibration.scale.rate_hz),
        None if common_noise else _noise(cell, cells, piece_g),
        _drift(cell, figures, piece_g, stretch.seconds),
        _resets(cell, figures, stretch.seconds),
        _corrupt(cell, figures),
        _missing(cell, figures),
    ]
    yield from (finding for finding in checks if finding is not None)


def rate_finding(cell: int, rate_hz: float, strapped_hz: float) -> Finding | None:
    """Whether a chip converts as often as its strap says; None when it does."""
    if isnan(rate_hz):
        return None
    nearest, wanted = strap_hz(rate_hz), strap_hz(strapped_hz)
    off = rate_hz / wanted - 1
    figure = f"{rate_hz:.1f} a second ({off:+.0%})"
    limit = f"{wanted:.0f} a second within {ALLOWED_RATE:.0%}"
    sensor = f"scale.{cell}"
    if abs(off) <= USUAL_RATE:
        return None
    if abs(off) <= ALLOWED_RATE:
        sentence = (
            f"{cell_name(cell)} converts {rate_hz:.1f} times a second: unusual, and harmless."
        )
        check = "Nothing: the table measures each chip's rate and goes by it."
        return Finding(Severity.NOTE, sensor, "rate_unusual", sentence, check, figure, limit)
    strap = f"as if its RATE strap were on {nearest:.0f}" if nearest != wanted else "far off"
    return Finding(
        Severity.FAULT,
        sensor,
        "wrong_rate",
        f"{cell_name(cell)} converts at the wrong rate: {rate_hz:.1f} times a second, {strap}.",
        f"Set the RATE pin of its HX711 to {'high' if wanted > 40 else 'low'} ({wanted:.0f} a "
        "second); if it is, the chip's clock is faulty.",
        figure,
        limit,
    )


def _noise(cell: int, cells: Sequence[CellFigures], piece_g: float) -> Finding | None:
    figures = cells[cell]
    others = [c.noise_counts for k, c in enumerate(cells) if k != cell and c.noise_counts > 0]
    over = figures.noise_counts / float(np.median(others)) if others else 1.0
    limit_g = NOISE_PIECES * piece_g
    alone = over > NOISE_OVER_OTHERS and figures.noise_g > limit_g / 3
    if not (figures.noise_counts > NOISE_LIMIT_COUNTS or figures.noise_g > limit_g or alone):
        return None
    return Finding(
        Severity.WARNING,
        f"scale.{cell}",
        "cell_noisy",
        f"{cell_name(cell)} is noisy: {figures.noise_g:.2f} g a conversion, {over:.1f} times the "
        "others.",
        "Resolder its four wires, keep them away from power wires, and put 100 nF at its HX711.",
        f"{figures.noise_counts:.0f} counts, {figures.noise_g:.2f} g",
        f"at most {NOISE_LIMIT_COUNTS:.0f} counts, {limit_g:.2f} g, and {NOISE_OVER_OTHERS:.0f} "
        "times the others",
    )


def _drift(cell: int, figures: CellFigures, piece_g: float, seconds: float) -> Finding | None:
    # Five standard deviations of a line through as many noisy conversions.
    noise_g_min = 60 * figures.noise_g * (12 / max(figures.heard, 1)) ** 0.5 / seconds
    limit_g = max(DRIFT_PIECES_MIN * piece_g, 5 * noise_g_min)
    if seconds < DRIFT_LEAST_S or not abs(figures.drift_g_min) > limit_g:
        return None
    return Finding(
        Severity.WARNING,
        f"scale.{cell}",
        "cell_drifts",
        f"{cell_name(cell)} drifts by {figures.drift_g_min:+.1f} g a minute.",
        "Give it ten minutes to warm up, away from sun and heating; then check that nothing leans "
        "on the plate and the cell's screws are tight.",
        f"{figures.drift_g_min:+.1f} g a minute",
        f"at most {limit_g:.1f} g a minute",
    )


def _resets(cell: int, figures: CellFigures, seconds: float) -> Finding | None:
    if figures.resets < max(2.0, RESETS_LIMIT_S * seconds):
        return None
    return Finding(
        Severity.WARNING,
        f"scale.{cell}",
        "chip_resets",
        f"The HX711 of load cell {load_cell_name(cell)} keeps restarting.",
        "Its clock pulses last over 60 us or its supply dips: use the microcontroller instead of "
        "the Pi's pins, and check the supply.",
        f"{figures.resets} in {seconds:.0f} s",
        f"under {max(2.0, RESETS_LIMIT_S * seconds):.0f}",
    )


def _corrupt(cell: int, figures: CellFigures) -> Finding | None:
    limit = max(4.0, CORRUPT_SHARE * figures.heard)
    if figures.corrupt < limit:
        return None
    return Finding(
        Severity.WARNING,
        f"scale.{cell}",
        "corrupt_words",
        f"{cell_name(cell)} delivers corrupt data words.",
        "Shorten its clock and data wires and twist each with ground; on 5 V boards check the "
        "level shifters.",
        f"{figures.corrupt} of {figures.heard} data words",
        f"under {limit:.0f}",
    )


def _missing(cell: int, figures: CellFigures) -> Finding | None:
    share = figures.missed / max(1, figures.given + figures.missed)
    if share <= MISSING_SHARE or figures.missed < MISSING_LEAST:
        return None
    return Finding(
        Severity.WARNING,
        f"scale.{cell}",
        "conversions_missed",
        f"{cell_name(cell)} loses conversions.",
        "The reader is too busy: close other programs, or use the microcontroller.",
        f"{share:.1%} of the conversions",
        f"at most {MISSING_SHARE:.0%}",
    )


def _joined(found: list[Finding]) -> list[Finding]:
    """Report a finding that all four cells share only once."""
    kinds = [finding.kind for finding in found]
    out: list[Finding] = []
    for finding in found:
        if kinds.count(finding.kind) < CELL_COUNT or finding.kind == "cells_swapped":
            out.append(finding)
        elif finding.kind not in [kept.kind for kept in out]:
            out.append(_of_each(finding))
    return out


def _of_each(finding: Finding) -> Finding:
    name = load_cell_name(int(finding.sensor[-1]))
    sentence = re.sub(f"([Ll])oad cell {name}", lambda found: EACH[found[1]], finding.sentence)
    return replace(finding, sensor="scale", sentence=sentence)
