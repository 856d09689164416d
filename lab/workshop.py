"""The simulated tables of the workshop's commands, and whoever stands at them.

`calibrate`, `accuracy-test` and `diagnose` ask for these when they are tried without a table.
"""

import atexit
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from controller.common.errors import BadInput
from controller.workshop import firmware
from controller.workshop.accuracy.core import AccuracyTest
from controller.workshop.calibrate.core.design import drawn_starter
from hw.calibration import Calibration
from hw.source import SampleSource
from lab.avr.played import LabSource
from lab.avr.simavr import find_library
from lab.on_pins import PinsSource
from lab.planted import Site, give_noise, path_of, planted_fault, without_chips
from lab.twin.drawing import draw
from lab.twin.fault_words import parse_fault
from lab.twin.one_cell import OneCellTower
from lab.twin.owner import Owner, ruled
from lab.twin.parameters import Preset, TwinParameters, preset_parameters
from lab.twin.sets import dyed
from lab.twin.tower import Tower

USUAL_HZ = (80.6, 78.5, 82.02, 84.1)
"""Chips of one type, whose rates nobody need mention."""

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


def to_diagnose(
    preset: Preset, seed: int, faults: Sequence[str], *, starter: bool = False
) -> tuple[SampleSource, "TwinHelper | None"]:
    """A table with planted faults, in words, and who presses on it; a starter has nobody.

    Its sensors are read on pins, by the drivers of a Raspberry Pi; where a fault happens only
    behind a microcontroller, by the firmware.

    Raises:
        BadTwin: no such fault, or none on that way.
        BadInput: the firmware cannot be built or run here.
    """
    if starter:
        tower = Tower(preset_parameters(preset), seed, [parse_fault(text) for text in faults])
        return OneCellTower(tower), None
    path = path_of(faults)
    ordered = [planted_fault(text, path) for text in faults]
    parameters = preset_parameters(preset)
    source: SampleSource
    if path == "pins":
        pins = PinsSource(parameters, seed, USUAL_HZ)
        source, tower, site = pins, pins.tower, pins.site
    else:
        source, tower, site = behind_a_bridge(parameters, seed, _firmware(), USUAL_HZ)
    for fault, cell, size in ordered:
        fault.plant(site, cell, size)
    return source, TwinHelper(tower)


def behind_a_bridge(
    parameters: TwinParameters, seed: int, elf: Path, rates_hz: tuple[float, ...]
) -> tuple[SampleSource, Tower, Site]:
    """A new tower whose sensors the firmware reads, and where faults can be planted in it."""
    tower = Tower(without_chips(parameters), seed)
    source = LabSource(tower, tower.calibration, elf, rates_hz=rates_hz)
    site = source.site(parameters.scale.noise_counts)
    give_noise(site)
    return source, tower, site


@cache
def _firmware() -> Path:
    """Built once in this process.

    Raises:
        BadInput: something to build or to run it with is missing.
    """
    if find_library() is None:
        raise BadInput(
            "--fault: that happens behind a microcontroller only, and libsimavr, which simulates "
            "it, is missing; apt-get install libsimavr2"
        )
    folder = TemporaryDirectory(prefix="topple-firmware-")
    atexit.register(folder.cleanup)
    return firmware.build(Path(folder.name)).elf


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


class TwinHelper:
    """The simulated somebody at the simulated table."""

    FINGER_G = 250.0
    PUSH_MM = 6.0
    PUSH_S = 1.5

    def __init__(self, tower: Tower) -> None:
        """Somebody who can reach this tower."""
        self._tower = tower

    def press(self, cell: int, weight_g: float | None) -> None:
        """Do it, half a second later."""
        tower, now_s = self._tower, self._tower.now_s
        x_mm, y_mm = tower.parameters.scale.positions_mm[cell]
        if weight_g is None:
            tower.at(now_s + 0.5, lambda: tower.press_base(x_mm, y_mm, self.FINGER_G, 2.0))
            return
        tower.at(now_s + 0.5, lambda: tower.put_weight(weight_g, x_mm, y_mm))
        tower.at(now_s + 3.5, tower.take_weights)

    def push_down(self, side: tuple[float, float]) -> None:
        """Do it, half a second later."""
        cell, tower = "e3" if side[0] else "c5", self._tower

        def touch() -> None:
            tower.touch(cell, self.PUSH_S, self.PUSH_MM)

        tower.at(tower.now_s + 0.5, touch)

    def done(self) -> None:
        """Nothing to be said."""
