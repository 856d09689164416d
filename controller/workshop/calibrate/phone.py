"""How a calibration looks on the phone beside the table, and what can be pressed there."""

from pathlib import Path

from controller.workshop.calibrate.core.course import Course
from controller.workshop.calibrate.core.result import CalibrationResult
from controller.workshop.calibrate.core.steps import CalibrationStep, StepLook, StepState
from controller.workshop.calibrate.screen import kept_where, row
from pages.prompts.prompts import Button, Prompt, Prompts

AGAIN, STOP = "again", "stop"

LEAVE = Button(STOP, "Stop", sure="Stop here? Nothing is saved then; all stays as it was.")


class Page:
    """The present step, the one before it, and at the end the verdict."""

    def __init__(self) -> None:
        self.prompts = Prompts()
        self._step: CalibrationStep | None = None
        self._seen = ""

    @property
    def pressed(self) -> str:
        """`AGAIN`, `STOP` or nothing."""
        return self.prompts.pressed

    def show(self, course: Course, step: CalibrationStep, look: StepLook) -> None:
        """Show what a step sees."""
        if look.state is StepState.DONE:
            self._seen = f"{step.title}: {look.text}"
            return
        prompt = Prompt(
            step.asks,
            f"Step {course.number + 1} of {len(course.steps)}: {step.title}",
            look.text,
            look.state,
            look.share,
            self._seen,
            (Button(AGAIN, course.again.capitalize()), LEAVE),
        )
        # A repeated step is a new one, so what was pressed counts once.
        if step is self._step:
            self.prompts.amend(prompt)
        else:
            self._step = step
            self.prompts.put(prompt)

    def conclude(self, result: CalibrationResult, saved: Path | None, in_use: Path | None) -> None:
        """Show what it came to."""
        figures = (_columns(row(figure)) for figure in result.figures)
        # Where this machine keeps its files is nobody's business in the network.
        name = Path(in_use.name) if in_use is not None else None
        notes = "\n\n".join((*result.notices, kept_where(result, saved, name)))
        self.prompts.put(
            Prompt(result.text, "The verdict", notes, result.verdict,
                   figures=tuple(figures), last=True)
        )  # fmt: skip


def _columns(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Fewer columns than on a terminal: a phone is narrow."""
    name, value, spread, unit, mark = cells
    return name, f"{value} {unit}".rstrip(), f"± {spread}" if spread else "", mark
