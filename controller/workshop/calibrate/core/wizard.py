"""The calibration from step to step; see `course.py`."""

from collections.abc import Sequence

from controller.workshop.calibrate.core import starter
from controller.workshop.calibrate.core.corners import Corner, Off, SecondOff, SecondReference
from controller.workshop.calibrate.core.course import Course, Make, Plan
from controller.workshop.calibrate.core.placement import PIECE_CELLS, PlacementStep
from controller.workshop.calibrate.core.reference_mass import ReferenceMass
from controller.workshop.calibrate.core.resting import SensorCheck, Tare
from controller.workshop.calibrate.core.result import CalibrationResult, conclude
from controller.workshop.calibrate.core.sides import SIDES, SidePress
from controller.workshop.calibrate.core.steps import Notes
from controller.workshop.calibrate.core.swinging import Nudge
from engine.tabletop import CELL_COUNT
from hw.calibration import Calibration

LONGEST_S = 180.0
"""What a calibration may take altogether."""

MOST_REFERENCES = 2


def plan(references: Sequence[ReferenceMass]) -> tuple[Plan, ...]:
    """All steps for one or two reference masses."""
    second = [Plan("second", SecondReference), Plan("second", SecondOff)]
    return (
        Plan("check", SensorCheck),
        Plan("tare", Tare),
        *(Plan("weight", _corner(number)) for number in range(CELL_COUNT)),
        Plan("weight", Off),
        *(second if len(references) > 1 else ()),
        *(Plan("sides", _side(number)) for number in range(len(SIDES))),
        Plan("swing", Nudge),
        *(Plan("pieces", _piece(index)) for index in range(len(PIECE_CELLS))),
        Plan("close", lambda notes, now_s: Tare(notes, now_s, last=True)),
    )


def _corner(number: int) -> Make:
    return lambda notes, now_s: Corner(notes, now_s, number)


def _side(number: int) -> Make:
    return lambda notes, now_s: SidePress(notes, now_s, number)


def _piece(index: int) -> Make:
    cells = PIECE_CELLS
    return lambda notes, now_s: PlacementStep(notes, now_s, cells[index], cells[:index])


class Wizard(Course):
    """Leads through a calibration."""

    def __init__(self, design: Calibration, references: Sequence[ReferenceMass]) -> None:
        """Begin, with one or two references of known weight.

        The design has lengths as the ruler says, guesses for all else, and whether this is a
        starter.
        """
        known = tuple(references[:MOST_REFERENCES])
        self._known: Notes | starter.StarterNotes
        steps: Sequence[Plan]
        if design.weight_only:
            steps = [Plan("weight", make) for make in starter.step_makers(known)]
            self._known = starter.StarterNotes(design, known, {})
        else:
            steps, self._known = plan(references), Notes(design, known)
        super().__init__(steps, self._known, LONGEST_S)

    def result(self) -> CalibrationResult:
        """The result.

        Raises:
            RuntimeError: not all steps are done.
        """
        if not self.done:
            raise RuntimeError("the calibration is not finished")
        if isinstance(self._known, starter.StarterNotes):
            return starter.conclude(self._known, self.seconds)
        return conclude(self._known, self.seconds)
