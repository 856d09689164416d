"""`topple-table fit`: what a recording says of its table, and of our simulation.

Parameters of the simulated tower with their intervals, as far as the recording can give them; a
verdict on each assumption of the simulation; and a file with which the benchmark plays on a twin
of that table. What is fitted is decided in `lab.fit`; here the recording is read.
"""

import sys
from pathlib import Path
from typing import TextIO

import msgspec

from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, write_result
from hw.source import play
from hw.traces.recording import Recording
from lab.fit.assumptions import judged
from lab.fit.evening import EveningSignals
from lab.fit.fit import fitted
from lab.fit.fitted import table_file
from lab.fit.report import page
from lab.fit.signals import evening_of
from lab.fit.telling import Fit, as_document, print_fit

LEAST_S = 30.0
"""In less time nobody has placed enough for any interval."""


def fit_of(name: str, evening: EveningSignals) -> Fit:
    """Fit everything to an evening.

    Raises:
        BadInput: it is too short.
    """
    seconds = float(evening.t_s[-1] - evening.t_s[0]) if len(evening.t_s) else 0.0
    if seconds < LEAST_S:
        raise BadInput(
            f"{name}: only {seconds:.1f} s of samples of load cells and inertial sensor; a fit "
            f"needs {LEAST_S:.0f} s or more, and tells most from half an hour of play"
        )
    families = fitted(evening)
    verdicts = judged([each for found in families.values() for each in found])
    placed = len(evening.placements)
    return Fit(name, seconds, placed, families, verdicts, evening.calibration)


def run(
    trace: Path,
    *,
    as_json: bool = False,
    table: Path | None = None,
    report: Path | None = None,
    out: TextIO | None = None,
) -> int:
    """Fit a recording and tell what was found; returns the exit code 0.

    Args:
        trace: the recording.
        as_json: one JSON object instead of tables.
        table: where the file for a twin of this table goes.
        report: where an HTML page goes.
        out: where to print.

    Raises:
        BadTrace, BadInput: it cannot be fitted, or a file cannot be written; the message says why.
    """
    for option, path in (("--table", table), ("--report", report)):
        if path is not None:
            ready_for_file(option, path)
    recording = Recording.open(trace)
    try:
        if recording.calibration.weight_only:
            raise BadInput(
                f"{trace}: this table has one load cell and no inertial sensor; there is no swing "
                "to fit"
            )
        found = fit_of(trace.name, evening_of(recording.calibration, play(recording)))
        for notice in recording.notices:
            print(f"{trace}: {notice}", file=sys.stderr)
    finally:
        recording.close()
    out = out or sys.stdout
    if as_json:
        print(msgspec.json.encode(as_document(found)).decode(), file=out)
    else:
        print_fit(found, out)
    if table is not None:
        write_result("--table", table, table_file(found.figures, found.calibration))
    if report is not None:
        write_result("--report", report, page(found))
    return 0
