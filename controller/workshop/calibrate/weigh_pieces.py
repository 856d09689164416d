"""`topple-table calibrate --pieces` and `--putty`: what the pieces of each colour weigh.

Whose piece it was is told by its weight where colours differ (`engine.separation`). A heap of each
colour and some single pieces are weighed, the calibration learns what they weigh, and the owner
hears how surely colours will be told apart, or what to glue under them. `--putty` then leads
through the pieces of one colour until each weighs what was advised.
"""

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from controller.common.errors import BadInput
from controller.workshop.calibrate.command import (
    REFUSED,
    Bench,
    Stopped,
    bench,
    conclude,
    lead,
    on_phones,
)
from controller.workshop.calibrate.core.course import Course
from controller.workshop.calibrate.core.result import CalibrationResult, CalibrationVerdict, Figure
from controller.workshop.calibrate.core.weighing import PieceWeighing, PuttyDosing
from controller.workshop.calibrate.phone import Page
from controller.workshop.calibrate.screen import Screen
from controller.workshop.keys import Keys
from controller.workshop.pace import Pace
from engine.pieces import PieceSet
from engine.separation import WANTED, WEIGHING_SD_G, advice, certainty, verdict_words
from engine.tabletop import PIECES_PER_COLOUR
from hw.calibration import Calibration

FEWEST_COLOURS, MOST_COLOURS = 2, 4
"""Of one game of Topple (rule T1)."""


def run(
    config: Path | None,
    *,
    colours: Sequence[str] = (),
    putty: str = "",
    simulated: bool = False,
    seed: int = 1,
    speed: float | None = None,
    to: Path | None = None,
    phone: bool = False,
    out: TextIO | None = None,
) -> int:
    """Weigh the pieces, or lead through putting putty under those of a colour.

    Options as of the command line; the colours are those weighed last if left out.

    Returns:
        Exit code: 0 done, 1 stopped on the phone.

    Raises:
        BadInput: no or odd colours, no calibration yet, or putty without colours that were weighed.
        BadConfig, HardwareError, OSError: it cannot be done; the message says why.
    """
    out, page = out or sys.stdout, Page()
    _check(colours)
    try:
        with on_phones(page.prompts, out) if phone else contextlib.nullcontext():
            table = bench(config, (), simulated=simulated, seed=seed, to=to, colours=colours)
            try:
                known = _known(table)
                here = _Sitting(table, page, speed, out)
                return _dose(known, putty, here) if putty else _weigh(known, colours, here)
            finally:
                table.source.close()
    except Stopped as stopped:
        print(stopped, file=out)
        return REFUSED


@dataclass(frozen=True, slots=True)
class _Sitting:
    """Who sits where: the table, the phone's page, the pace of a simulated table, the terminal."""

    table: Bench
    page: Page
    speed: float | None
    out: TextIO

    def lead(self, course: Course) -> None:
        """Lead through all steps."""
        live = self.table.owner is None
        pace = Pace(live=live, speed=self.speed)
        with Keys(sys.stdin) as keys, Screen(self.out) as screen:
            lead(course, self.table, pace, screen, self.page, keys=keys)


def _check(colours: Sequence[str]) -> None:
    different = {colour.lower() for colour in colours}
    if colours and not FEWEST_COLOURS <= len(different) == len(colours) <= MOST_COLOURS:
        raise BadInput(
            f"--colour names {', '.join(colours)}; name two to four different colours, such as "
            "--colour red --colour blue"
        )


def _known(table: Bench) -> Calibration:
    known = table.store.current() if table.store else None
    if known is None and table.owner is not None:
        known = table.source.calibration
    if known is None:
        raise BadInput("this table has no calibration yet; run topple-table calibrate first")
    return known


def _weigh(known: Calibration, colours: Sequence[str], here: _Sitting) -> int:
    names = colours or [each.colour for each in known.piece.colours]
    if not names:
        raise BadInput("whose pieces are there? Name the colours: --colour red --colour blue")
    course = PieceWeighing(known, names)
    here.lead(course)
    return conclude(weighing_result(course), "pieces", here.table.store, here.page, here.out)


def weighing_result(course: PieceWeighing) -> CalibrationResult:
    """What the weighing of all pieces came to.

    Raises:
        RuntimeError: not all steps are done.
    """
    calibration = course.calibration()
    piece = calibration.piece
    # A quiet table does no better in a game, where hands are about.
    masses, noise_g = PieceSet.of(piece.masses).colours, max(course.weighing_sd_g, WEIGHING_SD_G)
    enough = certainty(list(masses.values()), noise_g) >= WANTED
    verdict = CalibrationVerdict.GOOD if enough else CalibrationVerdict.USABLE
    figures = [
        Figure(f"a {each.colour} piece", each.mass_mean_g, course.mean_sd_g, "g", verdict)
        for each in piece.colours
    ]
    good = CalibrationVerdict.GOOD
    figures.append(
        Figure("spread from piece to piece", piece.colours[0].mass_std_g, None, "g", good)
    )
    figures.append(Figure("one weighing in a game", noise_g, None, "g", good))
    notices = tuple(
        f"The {colour} heap was {count} pieces, by its single ones; is one missing? "
        f"Taken into account."
        for colour, count in course.counts().items()
        if count != PIECES_PER_COLOUR
    )
    words = verdict_words(masses, noise_g)
    return CalibrationResult(calibration, tuple(figures), notices, course.seconds, words)


def _dose(known: Calibration, colour: str, here: _Sitting) -> int:
    masses = PieceSet.of(known.piece.masses).colours
    if colour not in masses or len(masses) < FEWEST_COLOURS:
        raise BadInput(f"{colour} pieces have not been weighed yet; run calibrate --pieces first")
    found = advice(masses)
    added_g = found.putty_g.get(colour, 0.0) if found else 0.0
    if not added_g:
        raise BadInput(f"nothing need be added to {colour} pieces: {verdict_words(masses)}")
    target_g = masses[colour].mean_g + added_g
    print(f"Each {colour} piece is to weigh {target_g:.2f} g.", file=here.out)
    here.lead(PuttyDosing(known, colour, target_g))
    print("All pieces are done; weigh them now: topple-table calibrate --pieces", file=here.out)
    return 0
