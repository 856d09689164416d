"""How a calibration looks on a terminal: what is to be done now, what is done, what came out."""

from pathlib import Path
from typing import Self, TextIO

from rich.console import Group
from rich.live import Live
from rich.padding import Padding
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from controller.common.terminal import console_on
from controller.workshop.calibrate.calibrations import Calibrations
from controller.workshop.calibrate.core.course import Course
from controller.workshop.calibrate.core.result import CalibrationResult, CalibrationVerdict, Figure
from controller.workshop.calibrate.core.steps import CalibrationStep, StepLook, StepState

COLOURS = {
    StepState.WAITING: "cyan",
    StepState.MEASURING: "yellow",
    StepState.WRONG: "red",
    StepState.DONE: "green",
}
VERDICT_COLOURS = {
    CalibrationVerdict.GOOD: "green",
    CalibrationVerdict.USABLE: "yellow",
    CalibrationVerdict.REFUSED: "red",
}
MARKS = {
    CalibrationVerdict.GOOD: "good",
    CalibrationVerdict.USABLE: "fair",
    CalibrationVerdict.REFUSED: "bad",
}

KEYS = {"again": "r", "undo": "u"}
"""What goes back, by the name it has on the screen."""

NOTHING_SAVED = "Nothing was saved; the calibration before it stays in use."


class Screen:
    """The present step in a frame, the finished ones above it."""

    def __init__(self, out: TextIO) -> None:
        """Draw on `out`; on anything but a terminal only finished steps are printed."""
        self._console = console_on(out)
        self._live = Live(console=self._console, auto_refresh=False) if out.isatty() else None

    def __enter__(self) -> Self:
        """Begin."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the finished steps standing."""
        if self._live is not None:
            self._live.update(Text(""), refresh=True)
            self._live.stop()

    def show(self, course: Course, step: CalibrationStep, look: StepLook) -> None:
        """Show what a step sees."""
        if look.state is StepState.DONE:
            line = Text.assemble(
                ("  ✓ ", "green"), f"{step.title:<22}", (f"{look.text}", "dim"), overflow="fold"
            )
            self._console.print(line)
            if self._live is not None:
                self._console.bell()  # a tone for whoever looks at the table, not at the screen
        if self._live is not None and not course.done:
            self._live.update(_frame(course, step, look), refresh=True)

    def repeated(self, title: str) -> None:
        """Show which step is the next, now that a part is repeated."""
        self._console.print(Text(f"  ↺ again: {title}", style="yellow"))


def _frame(course: Course, step: CalibrationStep, look: StepLook) -> Panel:
    colour = COLOURS[look.state]
    body = Group(
        Text(step.asks, style="bold"),
        Text(""),
        Text(look.text, style=colour),
        ProgressBar(total=1.0, completed=look.share, width=40),
    )
    late = "red" if course.seconds > course.longest_s else "dim"
    title = f"[bold]{step.title}[/] [dim]step {course.number + 1} of {len(course.steps)}[/]"
    key = KEYS[course.again]
    foot = f"[{late}]{course.seconds:.0f} s[/]   [dim]{key} {course.again}   Ctrl-C leave[/]"
    return Panel(Padding(body, (1, 2)), title=title, subtitle=foot, border_style=colour)


def print_result(
    result: CalibrationResult, out: TextIO, *, saved: Path | None, in_use: Path | None
) -> None:
    """The figures, the verdict, and where it went."""
    console = console_on(out)
    table = Table(box=None, padding=(0, 2), show_edge=False)
    for heading, side in (("measured", "left"), ("value", "right"), ("±", "right")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    table.add_column("unit")
    table.add_column("")
    for figure in result.figures:
        *columns, mark = row(figure)
        table.add_row(*columns, Text(mark, style=VERDICT_COLOURS[figure.verdict]))
    console.print()
    console.print(table)
    for notice in result.notices:
        console.print(f"\n{notice}", style="cyan")
    colour = VERDICT_COLOURS[result.verdict]
    whereto = Text(kept_where(result, saved, in_use), style="dim")
    text = Group(Text(result.text, style="bold"), whereto)
    console.print()
    console.print(Panel(text, title=f"[bold]{result.verdict}[/]", border_style=colour))


def kept_where(result: CalibrationResult, saved: Path | None, in_use: Path | None) -> str:
    """How long it took, and what became of it."""
    took = f"It took {result.seconds:.0f} s of table time."
    if saved is not None:
        return f"{took} Saved: {in_use} (kept as {saved.name})."
    if result.verdict is CalibrationVerdict.REFUSED:
        return f"{took} {NOTHING_SAVED}"
    return f"{took} Not saved: a simulated table has no calibration file (name one with --to)."


def row(figure: Figure) -> tuple[str, ...]:
    """Name, value, standard deviation, unit and mark of a figure."""
    mark = MARKS[figure.verdict]
    digits = _digits(figure)
    sd = "" if figure.sd is None else f"{figure.sd:.{digits}f}"
    return figure.name, f"{figure.value:.{digits}f}", sd, figure.unit, mark


def _digits(figure: Figure) -> int:
    size = abs(figure.sd) if figure.sd else abs(figure.value) / 50
    return 0 if size >= 10 else 1 if size >= 1 else 2 if size >= 0.1 else 3


def print_kept(store: Calibrations, out: TextIO) -> None:
    """Every calibration that is kept, newest last."""
    console = console_on(out)
    kept = store.kept()
    if not kept:
        console.print(f"{store.path}: no calibration is kept yet.")
        return
    table = Table(box=None, padding=(0, 2), show_edge=False)
    for heading in ("", "number", "saved", "by", "verdict"):
        table.add_column(heading)
    for each in kept:
        mark = "in use" if each.in_use else "taken back" if each.taken_back else ""
        text = each.words if each.readable else "damaged"
        table.add_row(mark, str(each.number), each.date, each.how, text)
    console.print(table)
