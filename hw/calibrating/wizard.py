"""The calibration from step to step: samples in, what to do and what is seen out.

Sans-IO: no clock but that of the samples, no screen, no file. The terminal, a phone or a test
asks `look()` after every `feed` and shows it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.samples import Samples
from engine.tabletop import CELL_COUNT
from hw.calibrating import starter
from hw.calibrating.corners import Corner, Off, SecondOff, SecondReference
from hw.calibrating.placement import PIECE_CELLS, PlacementStep
from hw.calibrating.recent_samples import RecentSamples
from hw.calibrating.reference_mass import ReferenceMass
from hw.calibrating.resting import SensorCheck, Tare
from hw.calibrating.result import Result, conclude
from hw.calibrating.sides import SIDES, Press
from hw.calibrating.steps import CalibrationStep, Look, Notes, State
from hw.calibrating.swinging import Nudge
from hw.calibration import Calibration

LONGEST_S = 180.0
"""What a calibration may take altogether; the terminal says when it took longer."""

MOST_REFERENCES = 2

Make = Callable[[Any, float], CalibrationStep]
"""Makes a step of the notes of its kind of table and the table time at which it begins."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One step to come.

    Attributes:
        part: steps of one part are repeated together.
    """

    part: str
    make: Make


def plan(references: Sequence[ReferenceMass]) -> tuple[Plan, ...]:
    """All steps for one or two reference masses."""
    return (
        Plan("check", SensorCheck),
        Plan("tare", Tare),
        *(Plan("weight", _corner(number)) for number in range(CELL_COUNT)),
        Plan("weight", Off),
        *(_second() if len(references) > 1 else ()),
        *(Plan("sides", _side(number)) for number in range(len(SIDES))),
        Plan("swing", Nudge),
        *(Plan("pieces", _piece(index)) for index in range(len(PIECE_CELLS))),
        Plan("close", lambda notes, now_s: Tare(notes, now_s, last=True)),
    )


def _corner(number: int) -> Make:
    return lambda notes, now_s: Corner(notes, now_s, number)


def _side(number: int) -> Make:
    return lambda notes, now_s: Press(notes, now_s, number)


def _piece(index: int) -> Make:
    cells = PIECE_CELLS
    return lambda notes, now_s: PlacementStep(notes, now_s, cells[index], cells[:index])


def _second() -> tuple[Plan, Plan]:
    return (
        Plan("second", SecondReference),
        Plan("second", SecondOff),
    )


class Wizard:
    """Leads through a calibration.

    Attributes:
        steps: the plan; number: index of the present step, `len(steps)` when all are done.
    """

    def __init__(self, design: Calibration, references: Sequence[ReferenceMass]) -> None:
        """Begin.

        Args:
            design: lengths as the ruler says, and guesses for everything that is measured; says
                whether this is a starter.
            references: one or two of known weight.
        """
        known = tuple(references[:MOST_REFERENCES])
        self.number = 0
        self._signals = RecentSamples()
        self._notes: Notes | starter.StarterNotes
        if design.weight_only:
            self.steps = tuple(Plan("weight", make) for make in starter.steps(known))
            self._notes = starter.StarterNotes(design, known, {})
        else:
            self.steps = plan(references)
            self._notes = Notes(design, known)
        self._began_s: float | None = None
        self._step: CalibrationStep | None = None

    @property
    def done(self) -> bool:
        """Whether all steps are done."""
        return self.number >= len(self.steps)

    @property
    def now_s(self) -> float:
        """Table time of the newest sample."""
        return self._signals.now_s

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return self.now_s - self._began_s if self._began_s is not None else 0.0

    @property
    def step(self) -> CalibrationStep:
        """The present step; the last one when all are done."""
        if self._step is None:
            self._step = self.steps[self.number].make(self._notes, self.now_s)
        return self._step

    def feed(self, samples: Samples) -> None:
        """Take a block of samples."""
        self._signals.add(samples)
        if self._began_s is None and self._signals.now_s:
            self._began_s = self._signals.now_s

    def look(self) -> Look:
        """What the present step sees; when it is done the next one begins."""
        if self.done:
            return Look(State.DONE, "All steps are done.", 1.0)
        if self._began_s is None:
            return Look(State.WAITING, "Waiting for the first samples.")
        found = self.step.look(self._signals)
        if found.state is State.DONE:
            self.number += 1
            if not self.done:
                self._step = None
        return found

    def repeat(self) -> str:
        """Repeat the part that was last worked on; says which.

        The first step of a part is the present one or the one before it, so that a part that
        has just ended can be repeated too.
        """
        here = min(self.number, len(self.steps) - 1)
        part = self.steps[here].part
        first = next(index for index, each in enumerate(self.steps) if each.part == part)
        if first == here and here > 0:
            part = self.steps[here - 1].part
            first = next(index for index, each in enumerate(self.steps) if each.part == part)
        self.number, self._step = first, None
        return part

    def go_to(self, part: str) -> None:
        """Repeat a part; what was measured after it stays until it is measured again.

        Raises:
            KeyError: there is no such part.
        """
        parts = [each.part for each in self.steps]
        if part not in parts:
            raise KeyError(part)
        self.number, self._step = parts.index(part), None

    def result(self) -> Result:
        """The result.

        Raises:
            RuntimeError: not all steps are done.
        """
        if not self.done:
            raise RuntimeError("the calibration is not finished")
        if isinstance(self._notes, starter.StarterNotes):
            return starter.conclude(self._notes, self.seconds)
        return conclude(self._notes, self.seconds)
