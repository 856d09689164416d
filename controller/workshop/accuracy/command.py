"""The accuracy test on a terminal: simulated owner, instructions, report.

With `--phone` the phone beside the table shows the instructions and takes the answers too.
"""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

import numpy as np
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from controller.app import wiring
from controller.common.config import SourceConfig, source_of
from controller.common.errors import BadInput
from controller.common.intervals import wilson
from controller.common.lab_entry_points import simulated
from controller.common.terminal import console_on
from controller.workshop.accuracy.core import AccuracyTest, Report, Trial
from controller.workshop.calibrate.calibrations import Calibrations
from controller.workshop.calibrate.command import on_phones, samples
from controller.workshop.keys import Keys
from controller.workshop.pace import Pace
from hw.source import SampleSource
from pages.prompts.prompts import Button, Prompt, Prompts

PASSED, FAILED = 0, 1
LEAST, MOST = 5, 500
MISSED = "missed"

SIMULATED_S_EACH = 30.0
"""Longer than any simulated placement and its share of the clearing."""


class SimulatedLayer(Protocol):
    """A simulated owner, who lays pieces as in a game and clears the board."""

    def attend(self, test: AccuracyTest) -> None:
        """Do what the test asks for, once."""


@dataclass(frozen=True, slots=True)
class _Table:
    source: SampleSource
    layer: SimulatedLayer | None


def _table(config: Path | None, seed: int, calibration: Path | None, pretend: bool) -> _Table:
    chosen = source_of(config)
    if chosen.starter or (chosen.kind == "pi" and chosen.pi.starter):
        raise BadInput("a starter table sees no cells, it asks for them; there is nothing to test")
    if pretend or chosen.kind == "twin":
        return _simulated(chosen, seed, calibration)
    if chosen.kind == "recording":
        raise BadInput("source.kind is 'recording'; only a table can be tested")
    known = Calibrations(calibration).current() if calibration else None
    return _Table(wiring.source(chosen, known), None)


def _simulated(chosen: SourceConfig, seed: int, calibration: Path | None) -> _Table:
    """The table of `calibrate --simulated` with the same seed."""
    file = calibration or chosen.calibration_file
    known = Calibrations(file).current() if file is not None else None
    return _Table(*simulated("accuracy-test")(chosen.preset, seed, known))


def run(
    config: Path | None,
    *,
    count: int = 25,
    simulated: bool = False,
    seed: int = 1,
    calibration: Path | None = None,
    phone: bool = False,
    phone_port: int | None = None,
    out: TextIO | None = None,
) -> int:
    """Ask for placements and report how many were seen right; options as of the command line.

    Returns:
        Exit code: 0 what was seen agrees with the claim, 1 it does not.

    Raises:
        BadInput, BadConfig, HardwareError: it cannot be done; the message says why.
    """
    if not LEAST <= count <= MOST:
        raise BadInput(f"--n {count}: it can be {LEAST} to {MOST}")
    out, prompts = out or sys.stdout, Prompts()
    console = console_on(out)
    with on_phones(prompts, out, phone_port) if phone else contextlib.nullcontext():
        table = _table(config, seed, calibration, simulated)
        test = AccuracyTest(table.source.tabletop, count, np.random.default_rng(seed))
        pace = Pace(live=table.layer is None)
        try:
            with Keys(sys.stdin if table.layer is None else None) as keys:
                _lead(test, table, pace, console, prompts, keys=keys)
        finally:
            table.source.close()
        report = Report(tuple(test.trials))
        simulated = table.layer is not None
        print_report(report, console, simulated=simulated)
        prompts.put(_concluded(report, simulated=simulated))
    return PASSED if report.passed else FAILED


def _lead(
    test: AccuracyTest, table: _Table, pace: Pace, console: Console, prompts: Prompts, *, keys: Keys
) -> None:
    layer, shown, asked = table.layer, 0, ""
    while not test.done:
        late = layer is not None and pace.now_s > SIMULATED_S_EACH * (len(test.trials) + 5)
        if table.source.ended or late:
            raise BadInput("the samples ended before the test was done; start it again")
        for item in samples(table.source, pace):
            test.feed(item)
        if keys.pressed() == "m" or prompts.pressed == MISSED:
            test.missed()
        elif layer is not None:
            layer.attend(test)
        for trial in test.trials[shown:]:
            console.print(_line(shown + 1, trial))
            shown += 1
        request = f"{shown}: {_request(test)}"
        if request != asked:
            prompts.put(_prompt(test))
            if layer is None:
                console.print(Text(_request(test) + _keys(test), style="bold cyan"))
        asked = request


def _request(test: AccuracyTest) -> str:
    return "Take all pieces off the board." if test.clearing else f"Lay a piece on {test.wanted}."


def _keys(test: AccuracyTest) -> str:
    return "" if test.clearing else " (m: it lies there and nothing was seen)"


def _prompt(test: AccuracyTest) -> Prompt:
    """The request as it stands on a phone."""
    seen = _line(len(test.trials), test.trials[-1]).plain.strip() if test.trials else ""
    return Prompt(
        _request(test),
        f"{len(test.trials)} laid, all in all {test.count}",
        seen=seen,
        buttons=() if test.clearing else (Button(MISSED, "Nothing was seen"),),
    )


def _line(number: int, trial: Trial) -> Text:
    mark, colour = ("✓", "green") if trial.right else ("✗", "red")
    if trial.seen is None:
        text = "nothing seen"
    else:
        text = f"saw {trial.seen}, {100 * trial.confidence:.1f} % sure, {trial.latency_s:.2f} s"
    if trial.seen is not None and trial.asked:
        text += ", would have asked"
    return Text.assemble((f"  {mark} ", colour), f"{number:>3}  {trial.wanted}  ", (text, "dim"))


def print_report(report: Report, console: Console, *, simulated: bool) -> None:
    """The figures with their intervals, and what they mean."""
    table = Table(box=None, padding=(0, 2), show_edge=False)
    for heading in ("figure", "counted", "share", "95 % interval"):
        table.add_column(heading, justify="left" if heading == "figure" else "right")
    for row in _rows(report):
        table.add_row(*row)
    console.print()
    console.print(table)
    levels = ", ".join(f"{number}: {right}/{asked}" for number, right, asked in report.by_level())
    console.print(f"\nright by level  {levels}")
    p50, p95 = report.latency_s(0.5), report.latency_s(0.95)
    console.print(f"release to decision  half within {p50:.2f} s, 95 % within {p95:.2f} s")
    colour = "green" if report.passed else "red"
    console.print()
    console.print(Panel(_verdict(report, simulated=simulated), border_style=colour))


def _rows(report: Report) -> Iterator[tuple[str, str, str, str]]:
    """Figure, counted, share, interval."""
    n = len(report.trials)
    for name, hits in (
        ("right cell, die known", report.right),
        ("right cell of 25, die not told", report.unaided),
        ("asked", report.asked),
        ("wrong without asking", report.silent),
    ):
        low, high = wilson(hits, n)
        share = f"{100 * hits / n:.1f} %" if n else "-"
        yield name, f"{hits}/{n}", share, f"{100 * low:.1f} to {100 * high:.1f} %"


def _verdict(report: Report, *, simulated: bool) -> str:
    text = (
        "This agrees with what the table claims: the right cell in 99 of 100, and hardly ever "
        "wrong without asking."
        if report.passed
        else "This is less than the table claims. Calibrate it again, or run topple-table diagnose."
    )
    return f"{text} (A simulated table.)" if simulated else text


def _concluded(report: Report, *, simulated: bool) -> Prompt:
    """The end as it stands on a phone."""
    return Prompt(
        _verdict(report, simulated=simulated),
        "The verdict",
        tone="good" if report.passed else "refused",
        figures=tuple(_rows(report)),
        last=True,
    )
