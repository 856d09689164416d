"""The simulated tables of `calibrate` and `accuracy-test`, and whoever stands at them.

Those of `diagnose` are read through a Pi's libraries and stand apart (`diagnosing.py`): a computer
that is no Pi may lack these, and calibrates a simulated table all the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from controller.workshop.accuracy.core import AccuracyTest
from controller.workshop.calibrate.core.design import drawn_starter
from hw.calibration import Calibration
from hw.source import SampleSource
from lab.twin.drawing import draw
from lab.twin.one_cell import OneCellTower
from lab.twin.owner import Owner, ruled
from lab.twin.parameters import Preset, TwinParameters
from lab.twin.sets import dyed
from lab.twin.tower import Tower

MISSED_S = 5.0
"""Somebody says that nothing was seen when that is so for so long after the release."""


def to_calibrate(
    preset: Preset,
    seed: int,
    masses_g: Sequence[float],
    *,
    starter: bool = False,
    colours: Sequence[str] = (),
) -> tuple[SampleSource, Calibration, Owner]:
    """A table that somebody else built, its calibration to begin with, and its owner.

    Args:
        preset: how good it is.
        seed: decides all that is left to chance.
        masses_g: the reference masses that the owner has.
        starter: with one load cell only.
        colours: of the pieces, whose weights differ then.
    """
    parameters, rng = somebody_elses(preset, seed)
    if colours:
        parameters = dyed(rng, parameters, colours)
    tower = Tower(parameters, seed)
    owner = Owner(tower, rng, tuple(masses_g))
    if starter:
        return OneCellTower(tower), drawn_starter(ruled(parameters)), owner
    return tower, ruled(parameters), owner


def to_test(preset: Preset, seed: int, known: Calibration | None) -> tuple[SampleSource, "Layer"]:
    """The table of `to_calibrate` with the same seed, calibrated, and who lays pieces on it."""
    parameters, rng = somebody_elses(preset, seed)
    tower = Tower(replace(parameters, calibration=known or parameters.calibration), seed)
    return tower, Layer(tower, rng)


def somebody_elses(preset: Preset, seed: int) -> tuple[TwinParameters, np.random.Generator]:
    """The simulated table of a seed, and the chance its owner goes by."""
    rng = np.random.default_rng([seed, 2611])
    return draw(rng, preset, turned_imu=True, inverted_cells=True), rng


class Layer:
    """The simulated owner, who lays pieces as in a game and clears the board."""

    def __init__(self, tower: Tower, rng: np.random.Generator) -> None:
        """Somebody who can reach this tower."""
        self._tower, self._rng = tower, rng
        self._busy: object = None
        self._release_s = float("inf")

    def attend(self, test: AccuracyTest) -> None:
        """Do what the test asks for, once."""
        task = ("clear",) if test.clearing else (test.wanted, len(test.trials))
        if task != self._busy:
            self._busy, self._release_s = task, float("inf")
            wait_s = float(self._rng.uniform(1.2, 2.6))
            act = self._clear if test.clearing else self._lay(test.wanted)
            self._tower.at(self._tower.now_s + wait_s, act)
        elif not test.clearing and test.now_s > self._release_s + MISSED_S:
            self._release_s = float("inf")
            test.missed()

    def _lay(self, cell: str | None) -> Callable[[], None]:
        def lay() -> None:
            if cell is not None:
                self._release_s = self._tower.place(cell).release_s

        return lay

    def _clear(self) -> None:
        lying = [piece.cell for piece in self._tower.pieces if piece.cell is not None]
        for number, cell in enumerate(reversed(lying)):
            self._tower.at(self._tower.now_s + 0.7 * number, self._taking(cell))
        while self._tower.remove_from_base():
            pass

    def _taking(self, cell: str) -> Callable[[], None]:
        def take() -> None:
            self._tower.remove(cell)

        return take
