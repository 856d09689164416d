"""The owner calibrates the table on the emulated Pi: types, reads the screen, does what it asks."""

import re
from collections.abc import Mapping

import numpy as np

from controller.workshop.calibrate.core.reference_mass import parse_reference_mass
from controller.workshop.calibrate.core.steps import Notes
from controller.workshop.calibrate.core.wizard import plan
from hw.building.design import drawn_table
from lab.twin.owner import Owner
from tests.deploy.typed import ended_with, terminal
from tests.emulated_pi.machine import EmulatedPi
from tests.emulated_pi.played import PiTable

COIN = "4x2eur"
LINE = f"sudo topple-table calibrate --coin {COIN}"
"""As step 11 of docs/assembly.md says."""

LONGEST_S = 400.0
"""It only bounds a failure; usual are two minutes."""

COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
HEAD = re.compile(r"─ (\S[^─\n]*?) step \d+ of \d+ ─")
"""Of the frame in which the present step stands."""

NUDGE = "nudge the board very lightly"
"""What the screen asks for besides the step."""


def calibrate(pi: EmulatedPi, table: PiTable) -> str:
    """Let the owner of a table calibrate it; gives what was on the screen.

    Raises:
        AssertionError: the command did not save a calibration.
    """
    mass = parse_reference_mass(COIN)
    owner = Owner(table.hand.tower, np.random.default_rng(1), (mass.mass_g,))
    names, asked, seen = _names(), "", ""
    until_s = table.nano.t_s + LONGEST_S
    for words in pi.says(*terminal(pi, LINE, kind="xterm")):
        seen += words
        assert table.nano.failed is None, table.nano.failed
        assert table.nano.t_s < until_s, COLOURS.sub("", seen)[-3000:]
        shown = COLOURS.sub("", words)
        heads = [head for head in HEAD.findall(shown) if head in names]
        asked = names[heads[-1]] if heads else asked
        if asked:
            _attend(owner, table, asked, nudge=NUDGE in shown)
    code, _ = ended_with(seen)
    plain = COLOURS.sub("", seen)
    assert code == 0, plain[-3000:]
    return plain


def _attend(owner: Owner, table: PiTable, step: str, *, nudge: bool) -> None:
    table.move(lambda hand: owner.attend(step, hand.tower.now_s, wrong=False, nudge=nudge))


def _names() -> Mapping[str, str]:
    """Title of each step, as it stands on the screen -> its name, by which `Owner` knows it."""
    references = (parse_reference_mass(COIN),)
    notes = Notes(drawn_table(), references)
    steps = [each.make(notes, 0.0) for each in plan(references)]
    return {step.title: step.name for step in steps}
