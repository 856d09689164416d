"""Steps that somebody is led through: samples in, what to do and what is seen out.

Sans-IO: no clock but that of the samples, no screen, no file. The terminal, a phone or a test
asks `look()` after every `feed` and shows it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from controller.workshop.calibrate.core.recent_samples import RecentSamples
from controller.workshop.calibrate.core.steps import CalibrationStep, StepLook, StepState
from engine.samples import Samples
from hw.conversions import OfEach

Make = Callable[[Any, float], CalibrationStep]
"""Makes a step of the notes of its kind of table and the table time at which it begins."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One step to come; steps of one part are repeated together."""

    part: str
    make: Make


class Course:
    """Leads through steps.

    Attributes:
        steps: the plan; number: index of the present step, `len(steps)` when all are done.
        again: what going back is called on screens: `again` or `undo`.
        longest_s: what it may take altogether; screens say when it takes longer.
    """

    def __init__(
        self, steps: Sequence[Plan], notes: object, longest_s: float, again: str = "again"
    ) -> None:
        """Begin the plan; each step is given the notes to write into."""
        self.steps, self.longest_s, self.again = tuple(steps), longest_s, again
        self.number = 0
        self._signals = RecentSamples()
        self._notes = notes
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

    def converted(self, cells: OfEach) -> None:
        """Take what the chips converted, from a source that knows."""
        self._signals.add_conversions(cells)

    def look(self) -> StepLook:
        """What the present step sees; when it is done the next one begins."""
        if self.done:
            return StepLook(StepState.DONE, "All steps are done.", 1.0)
        if self._began_s is None:
            return StepLook(StepState.WAITING, "Waiting for the first samples.")
        found = self.step.look(self._signals)
        if found.state is StepState.DONE:
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
