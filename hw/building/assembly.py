"""The steps of building a table, and the check after each of them.

`docs/assembly.md` describes them; `topple-table diagnose --step N` checks the parts that work after
step N (`parts`, by the names of the diagnosis) and prints `by_hand` for what no sensor can see. The
minutes are those at the keyboard, estimated: nobody has built a table yet.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hw.errors import NoSuchStep

Variant = Literal["bridge", "direct", "starter"]
Part = Literal["link", "cells", "imu", "switch", "pivot"]
VARIANTS: tuple[Variant, ...] = ("bridge", "direct", "starter")
FULL: tuple[Variant, ...] = ("bridge", "direct")

CALIBRATED_FROM = 11
"""The step that makes the calibration; what is checked before it must do without one."""

SOFTWARE_MINUTES_MOST = 20.0
"""From parts to the first scored game, at the keyboard (soldering and drilling not counted)."""


@dataclass(frozen=True, slots=True)
class AssemblyStep:
    """One step of the guide.

    Attributes:
        number: as in the guide.
        title: what is done.
        variants: ways to build a table that have this step.
        parts: what is measured afterwards; empty where there is nothing to measure.
        asks: whether somebody must press on the table for it.
        by_hand: what to look at besides.
        software_minutes: time at the keyboard, the check included.
    """

    number: int
    title: str
    variants: tuple[Variant, ...]
    parts: frozenset[Part]
    asks: bool
    by_hand: str
    software_minutes: float


def _step(  # noqa: PLR0917 - a table: its columns in the order of `AssemblyStep`
    number: int,
    title: str,
    variants: tuple[Variant, ...],
    parts: str,
    by_hand: str,
    software_minutes: float,
    *,
    asks: bool = False,
) -> AssemblyStep:
    names: dict[str, Part] = {
        "link": "link", "cells": "cells", "imu": "imu", "switch": "switch", "pivot": "pivot"
    }  # fmt: skip
    chosen = frozenset(names[part] for part in parts.split())
    return AssemblyStep(number, title, variants, chosen, asks, by_hand, software_minutes)


STEPS: tuple[AssemblyStep, ...] = (
    _step(1, "Set up the Raspberry Pi", VARIANTS, "",
          "The installer has tried a simulated game, and its last lines begin with: done.", 5),
    _step(2, "Solder the carrier", VARIANTS, "",
          "Without power: no passage between 5 V, 3.3 V and ground. With power and no sensor: "
          "5 V (4.7 to 5.25) and 3.3 V (3.0 to 3.6) at every plug. With a load cell: 4.1 to 4.5 V "
          "between E+ and E-.", 0),
    _step(3, "Flash the Nano", ("bridge",), "link",
          "The Nano's lamp TX flickers.", 2),
    _step(4, "Bolt the load cells between the plates", VARIANTS, "cells",
          "The base plate touches nothing but the four cells; a sheet of paper passes at the "
          "stop screws.", 1),
    _step(5, "Tell the load cells apart", FULL, "cells",
          "Nothing else: the table asks for a press above each cell.", 1, asks=True),
    _step(6, "Set stem, needle and cup", VARIANTS, "",
          "Tilted by ten degrees and let go, the bare board swings five times or more and stops "
          "level within half a degree.", 0),
    _step(7, "Fit the sensor and its cable", FULL, "imu",
          "The cable hangs in a loose loop and is not taut at the stop, on any side.", 1),
    _step(8, "Fit the tilt switch", VARIANTS, "switch",
          "Tilted to the stop on each side it closes; you hear or measure it.", 1),
    _step(9, "Tell the sensor's axes", FULL, "imu",
          "Nothing else: the table asks you to push the board down at two sides.", 1, asks=True),
    _step(10, "Tune the pivot", FULL, "pivot",
          "Friction of 0.25 degrees or less, three times running.", 2, asks=True),
    _step(11, "Calibrate", VARIANTS, "link cells imu switch pivot",
          "The verdict of the calibration is good.", 3),
    _step(12, "Play the first game", VARIANTS, "",
          "The first piece appears on the scoreboard with its points.", 2),
)  # fmt: skip


def step(number: int) -> AssemblyStep:
    """A step by its number.

    Raises:
        NoSuchStep: there is none.

    >>> step(3).title
    'Flash the Nano'
    """
    if not 1 <= number <= len(STEPS):
        raise NoSuchStep(f"step is {number}; the assembly guide has steps 1 to {len(STEPS)}")
    return STEPS[number - 1]


def steps_of(variant: Variant) -> Iterator[AssemblyStep]:
    """The steps of one way to build a table."""
    return (found for found in STEPS if variant in found.variants)


def software_minutes(variant: Variant) -> float:
    """Time at the keyboard from parts to the first scored game.

    >>> software_minutes("bridge")
    19
    """
    return sum(found.software_minutes for found in steps_of(variant))
