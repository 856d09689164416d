"""The simulated tables of `diagnose`, with planted faults, and whoever presses on them."""

import atexit
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.common.errors import BadInput
from controller.workshop import firmware
from hw.source import SampleSource
from lab.avr.played import LabSource
from lab.avr.simavr import find_library
from lab.on_pins import PinsSource
from lab.planted import Site, give_noise, path_of, planted_fault, without_chips
from lab.twin.fault_words import parse_fault
from lab.twin.one_cell import OneCellTower
from lab.twin.parameters import Preset, TwinParameters, preset_parameters
from lab.twin.tower import Tower

USUAL_HZ = (80.6, 78.5, 82.02, 84.1)
"""Chips of one type, whose rates nobody need mention."""


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
