"""`topple-table accuracy-test`: measures at home how accurate the table is.

The table names cells, somebody places pieces there, and the detector's answer is compared: with
the level known, as from the die in a game, and without. Pure but for `run`: `AccuracyTest` takes
samples and says what to do next.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import atan2, degrees, hypot

import numpy as np

from controller.common.intervals import wilson
from engine.detect.detector import Detector
from engine.events import ANYTHING, SURE, Cleared, Expectation, Placed, Toppled
from engine.samples import Samples
from engine.tabletop import CELLS, Tabletop, level, piece_centre_mm

MOST_PIECES = 10
STEEPEST_DEG = 9.0
"""Pieces begin to slide at about 17 degrees; a board half as steep is safe from careful hands."""
HIGHEST_STACK = 3

LATE_S = 2.5
"""The second opinion (level not told) may come that much after the first."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One piece that was asked for: the cell wanted, and the one seen, the level told, if any.

    The latency is from release to decision; `unaided` was seen without being told the level.
    """

    wanted: str
    seen: str | None
    confidence: float
    latency_s: float
    unaided: str | None

    @property
    def right(self) -> bool:
        """Whether the table saw what was asked for."""
        return self.seen == self.wanted

    @property
    def asked(self) -> bool:
        """Whether the table would have asked the players."""
        return self.confidence < SURE


class AccuracyTest:
    """Asks for `count` pieces on cells, asks two detectors, and keeps the results.

    `wanted` is the cell asked for now, or None; `clearing`: the board is to be cleared now.
    """

    def __init__(self, tabletop: Tabletop, count: int, rng: np.random.Generator) -> None:
        """A test of `count` placements; all chance comes from `rng`."""
        self.trials: list[Trial] = []
        self.wanted: str | None = None
        self.clearing = False
        self.count = count
        self._tabletop, self._rng = tabletop, rng
        self._told, self._unaided = Detector(tabletop), Detector(tabletop)
        self._levels: list[int] = []
        self._lying: list[str] = []
        self._first: Placed | None = None
        self._second: Placed | None = None
        self._cleared: set[int] = set()
        self._now_s = 0.0
        self._ask()

    @property
    def done(self) -> bool:
        """Whether all placements were made."""
        return len(self.trials) >= self.count

    @property
    def now_s(self) -> float:
        """Table time up to which everything was looked at."""
        return self._now_s

    def feed(self, samples: Samples) -> None:
        """Take a block of samples and decide what can be decided."""
        for number, detector in enumerate((self._told, self._unaided)):
            detector.feed(samples)
            while not self.done and (event := detector.next_event()) is not None:
                self._heard(number, event)
        self._now_s = self._told.now_s
        first = self._first
        if first is not None and (self._second or self._now_s - first.decided_s > LATE_S):
            self._count_trial(first)

    def missed(self) -> None:
        """Whoever laid the piece says that nothing was seen."""
        if self.wanted is None:
            return
        self.trials.append(Trial(self.wanted, None, 0.0, float("nan"), None))
        self._start_clearing()

    def _heard(self, number: int, event: object) -> None:
        match event:
            case Placed() if self.wanted is not None and number == 0:
                self._first = self._first or event
            case Placed() if self.wanted is not None:
                self._second = self._second or event
            case Cleared() if self.clearing:
                self._cleared.add(number)
                if len(self._cleared) == 2:
                    self.clearing, self._lying = False, []
                    self._ask()
            case Toppled():
                self._start_clearing()
            case _:
                pass

    def _count_trial(self, first: Placed) -> None:
        wanted, second = self.wanted, self._second
        assert wanted is not None  # noqa: S101 - a placement is only taken while one is wanted
        latency_s = first.decided_s - first.t_s
        unaided = second.cell if second else None
        self.trials.append(Trial(wanted, first.cell, first.confidence, latency_s, unaided))
        # As people at the table would, so that one error does not spoil what follows.
        for detector, seen in ((self._told, first), (self._unaided, second)):
            if seen is not None and seen.cell != wanted:
                detector.amend(seen.id, wanted)
        self._lying.append(wanted)
        self._first = self._second = self.wanted = None
        if self.done:
            return
        self._ask()

    def _ask(self) -> None:
        """Name the next cell, or have the board cleared."""
        cell = self._next_cell() if len(self._lying) < MOST_PIECES else None
        if cell is None:
            self._start_clearing()
            return
        self.wanted = cell
        legal = tuple(each for each in CELLS if level(each) == level(cell))
        self._told.expect(Expectation(legal_cells=legal))
        self._unaided.expect(ANYTHING)

    def _next_cell(self) -> str | None:
        if not self._levels:
            self._levels = [int(n) for n in self._rng.permutation([1, 2, 3, 4, 5])]
        wanted = self._levels[0]
        open_cells = [
            cell
            for cell in CELLS
            if level(cell) == wanted
            and self._lying.count(cell) < HIGHEST_STACK
            and self._tilt_deg([*self._lying, cell]) < STEEPEST_DEG
        ]
        if not open_cells:
            return None
        self._levels.pop(0)
        return str(self._rng.choice(open_cells))

    def _tilt_deg(self, cells: list[str]) -> float:
        """How far the board leans with pieces on these cells."""
        x, y, z = self._tabletop.empty_moment_gmm
        for number, cell in enumerate(cells):
            px, py, pz = piece_centre_mm(self._tabletop, cell, cells[:number].count(cell))
            mass_g = self._tabletop.piece.mass_mean_g
            x, y, z = x + mass_g * px, y + mass_g * py, z + mass_g * pz
        return degrees(atan2(hypot(x, y), -z))

    def _start_clearing(self) -> None:
        self.wanted, self._first, self._second = None, None, None
        self.clearing, self._cleared = True, set()
        for detector in (self._told, self._unaided):
            detector.expect(Expectation(may_place=False, pieces_left=0))


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a test."""

    trials: tuple[Trial, ...] = field(default=())

    @property
    def right(self) -> int:
        """Right at once, the level told."""
        return sum(trial.right for trial in self.trials)

    @property
    def silent(self) -> int:
        """Wrong and sure of it: the table would not have asked."""
        return sum(not trial.right and not trial.asked for trial in self.trials)

    @property
    def asked(self) -> int:
        """How often the table would have asked."""
        return sum(trial.asked for trial in self.trials)

    @property
    def unaided(self) -> int:
        """Right of all 25 cells, the level not told."""
        return sum(trial.unaided == trial.wanted for trial in self.trials)

    def latency_s(self, share: float) -> float:
        """Quantile of release to decision; NaN when nothing was seen."""
        known = [trial.latency_s for trial in self.trials if trial.seen is not None]
        return float(np.quantile(known, share)) if known else float("nan")

    def by_level(self) -> Iterator[tuple[int, int, int]]:
        """Level, right, asked for."""
        for number in range(1, 6):
            here = [trial for trial in self.trials if level(trial.wanted) == number]
            yield number, sum(trial.right for trial in here), len(here)

    @property
    def passed(self) -> bool:
        """Whether what was seen can be squared with the claim of 99 % and no silent error.

        One silent error in 25 is possible at 99.5 %, two are not (probability under 1 %).
        """
        return (
            bool(self.trials)
            and self.silent <= 1
            and wilson(self.right, len(self.trials))[1] >= 0.99
        )
