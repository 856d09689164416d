"""The report of a bench run: one self-contained HTML file, and its summary with history."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from platform import machine, python_version

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from controller.common.outputs import write_result
from controller.table.publisher import software
from lab.bench.drawing import picture
from lab.bench.figures import CATALOGUE, Figure
from lab.bench.running import Result
from lab.bench.summary import Summary, read_summary, summarised

LARGEST_ENCLOSED_BYTES = 400_000
"""Larger recordings stay beside the report; no browser opens a page of 100 MB."""

_HERE = Path(__file__).parent


def write_report(
    results: Sequence[Result],
    folder: Path,
    left_out: Mapping[str, str],
    configuration: Mapping[str, str],
) -> Path:
    """Write `report.html`, whose path is returned, and `summary.json` into a folder.

    Args:
        results: of this run.
        folder: has the history of the runs before, and recordings.
        left_out: scenarios that were not played, and why.
        configuration: how the bench was called, and on what.

    Raises:
        BadInput: it cannot be written.
    """
    before = read_summary(folder) if (folder / "summary.json").is_file() else None
    when = datetime.now(UTC).isoformat(timespec="seconds")
    memory = summarised(results, when, software(), before)
    facts = {
        "when": when, "software": memory.software, "target": memory.target, **configuration,
        "Python": f"{python_version()} on {machine()}",
    }  # fmt: skip
    room = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined)
    page = room.get_template("report.html.jinja").render(
        results=results,
        worst_first=sorted(results, key=lambda r: (r.as_it_must_be, r.verdict.passed)),
        verdict=_verdict(results),
        failed=not all(result.as_it_must_be for result in results),
        minutes=sum(result.run.end_s for result in results) / 60,
        facts=facts,
        left_out=left_out,
        style=(_HERE / "report.css").read_text(encoding="utf-8"),
        look=_look,
        sign=_sign,
        anchor=_anchor,
        picture=picture,
        measured=partial(_measured, memory),
        enclosed=partial(_enclosed, folder),
    )
    path = folder / "report.html"
    write_result("--report", path, page)
    write_result("--report", folder / "summary.json", msgspec.json.encode(memory))
    return path


def _verdict(results: Sequence[Result]) -> str:
    failed = sum(not result.as_it_must_be for result in results)
    known = sum(bool(result.known) for result in results if result.as_it_must_be)
    passed = f"{len(results) - known} passed" if known else "all passed"
    verdict = f"{failed} failed" if failed else passed
    return verdict + (f", {known} failed as is known" if known else "")


def _look(result: Result) -> str:
    if result.known and result.as_it_must_be:
        return "known"
    return "good" if result.as_it_must_be else "bad"


def _sign(result: Result) -> str:
    if result.known:
        return "✗ known" if result.as_it_must_be else "✓ not as known"
    return "✓" if result.verdict.passed else "✗ failed"


def _anchor(result: Result) -> str:
    return "case-" + "".join(c if c.isalnum() else "-" for c in result.id)


def _measured(memory: Summary, result: Result) -> Iterator[tuple[Figure, float, str, str]]:
    """Each measurement with its value, limit and history; those with a limit first.

    Zeros nobody asked about are left out.
    """
    limits, measures = result.verdict.limits, result.verdict.measures
    names = (name for name, value in measures.items() if name in limits or value)
    earlier = [run.cases[result.id].measures for run in memory.earlier if result.id in run.cases]
    for name in sorted(names, key=lambda name: (name not in limits, name)):
        before = [measured[name] for measured in earlier if name in measured]
        curve = _curve([*before, measures[name]])
        yield CATALOGUE[name], measures[name], limits.get(name, ""), curve


def _curve(values: Sequence[float]) -> str:
    """Points of the history as a small curve; nothing for a single value."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = high - low or 1.0
    step = 80 / (len(values) - 1)
    return " ".join(f"{2 + k * step:.1f},{16 - 12 * (v - low) / span:.1f}"
                    for k, v in enumerate(values))  # fmt: skip


def _enclosed(folder: Path, result: Result) -> str:
    """The recording for a link that holds it; empty where it is too large."""
    path = folder / result.run.recording
    small = path.is_file() and path.stat().st_size <= LARGEST_ENCLOSED_BYTES
    return base64.b64encode(path.read_bytes()).decode() if small else ""
