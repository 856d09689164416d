"""The report of a bench run: one self-contained HTML file, and its summary with history."""

import base64
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from platform import machine, python_version

import msgspec

from controller.common.outputs import write_result
from controller.table.publisher import software
from lab.bench.drawing import picture
from lab.bench.figures import CATALOGUE
from lab.bench.running import Result
from lab.bench.summary import Summary, read_summary, summarised

LARGEST_ENCLOSED_BYTES = 400_000
"""Larger recordings stay beside the report; no browser opens a page of 100 MB."""

_STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


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
    path = folder / "report.html"
    write_result("--report", path, _page(results, memory, folder, facts, left_out))
    write_result("--report", folder / "summary.json", msgspec.json.encode(memory))
    return path


def _page(
    results: Sequence[Result],
    memory: Summary,
    folder: Path,
    facts: Mapping[str, str],
    left_out: Mapping[str, str],
) -> str:
    failed = [result for result in results if not result.as_it_must_be]
    known = sum(bool(result.known) for result in results if result.as_it_must_be)
    passed = f"{len(results) - known} passed" if known else "all passed"
    verdict = f"{len(failed)} failed" if failed else passed
    verdict += f", {known} failed as is known" if known else ""
    table_s = sum(result.run.end_s for result in results)
    count = f"{len(results)} cases, {verdict}; {table_s / 60:.1f} minutes of table time"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Bench: {verdict}</title><style>{_STYLE}</style></head><body><main>",
            "<h1>Topple Table bench</h1>",
            f'<p class="verdict {"bad" if failed else "good"}">{count}</p>',
            "<dl>",
            *(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items()),
            "</dl>",
            _overview(results),
            *_not_played(left_out),
            *(_case(result, memory, folder) for result in results),
            "</main></body></html>",
        ]
    )


def _overview(results: Sequence[Result]) -> str:
    rows = [
        f'<tr class="{_class(r)}"><td>{_sign(r)}</td><td><a href="#{_anchor(r)}">{escape(r.id)}'
        f"</a></td><td>{escape(r.case.scenario.about)}</td><td>{r.run.end_s:.0f} s</td></tr>"
        for r in sorted(results, key=lambda r: (r.as_it_must_be, r.verdict.passed))
    ]
    head = "<tr><th></th><th>case</th><th>what must be so</th><th>table time</th></tr>"
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


def _not_played(left_out: Mapping[str, str]) -> list[str]:
    if not left_out:
        return []
    rows = [f"<tr><td>{escape(n)}</td><td>{escape(why)}</td></tr>" for n, why in left_out.items()]
    head = "<tr><th>not played here</th><th>why</th></tr>"
    return [f'<div class="wide"><table>{head}{"".join(rows)}</table></div>']


def _class(result: Result) -> str:
    if result.known and result.as_it_must_be:
        return "known"
    return "good" if result.as_it_must_be else "bad"


def _sign(result: Result) -> str:
    if result.known:
        return "✗ known" if result.as_it_must_be else "✓ not as known"
    return "✓" if result.verdict.passed else "✗ failed"


def _anchor(result: Result) -> str:
    return "case-" + "".join(c if c.isalnum() else "-" for c in result.id)


def _case(result: Result, memory: Summary, folder: Path) -> str:
    opened = "" if result.verdict.passed else " open"
    checks = [
        f'<li class="{"good" if c.ok else "bad"}">{escape(c.words)}</li>'
        for c in result.verdict.checks
    ]
    covers = ", ".join(result.case.scenario.covers)
    return "\n".join(
        [
            f'<details{opened}><summary class="{_class(result)}">',
            f"<b>{escape(result.id)}</b> {_sign(result)}</summary>",
            # Inside, so that a link to it opens the details.
            f'<p id="{_anchor(result)}">{escape(result.case.scenario.about)}',
            f"<small>Covers {escape(covers)}.</small></p>" if covers else "</p>",
            f'<p class="known">Known to fail: {escape(result.known)}.</p>' if result.known else "",
            f'<div class="wide">{picture(result.run)}</div>',
            f"<ul>{''.join(checks)}</ul>",
            _measures(result, memory),
            _download(result, folder),
            "</details>",
        ]
    )


def _measures(result: Result, memory: Summary) -> str:
    limits = result.verdict.limits
    # Those with a limit first; zeros nobody asked about are left out.
    names = sorted(
        (n for n, value in result.verdict.measures.items() if n in limits or value),
        key=lambda name: (name not in limits, name),
    )
    rows = []
    for name in names:
        figure, value = CATALOGUE[name], result.verdict.measures[name]
        before = [
            run.cases[result.id].measures[name]
            for run in memory.earlier
            if result.id in run.cases and name in run.cases[result.id].measures
        ]
        rows.append(
            f"<tr><td>{escape(figure.text)}</td><td>{value:.4g} {figure.unit}</td>"
            f"<td>{escape(limits.get(name, ''))}</td><td>{_spark([*before, value])}</td></tr>"
        )
    head = "<tr><th>measured</th><th>value</th><th>limit</th><th>history</th></tr>"
    return f'<div class="wide"><table class="measures">{head}{"".join(rows)}</table></div>'


def _spark(values: Sequence[float]) -> str:
    """The history as a small curve; nothing for a single value."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = high - low or 1.0
    step = 80 / (len(values) - 1)
    points = " ".join(f"{2 + k * step:.1f},{16 - 12 * (v - low) / span:.1f}"
                      for k, v in enumerate(values))  # fmt: skip
    return f'<svg class="spark" viewBox="0 0 84 18"><polyline points="{points}"/></svg>'


def _download(result: Result, folder: Path) -> str:
    if not result.run.recording:
        return ""
    path = folder / result.run.recording
    name = escape(path.name)
    if not path.is_file() or path.stat().st_size > LARGEST_ENCLOSED_BYTES:
        return f'<p>Recording: <a href="{name}">{name}</a>, beside this page.</p>'
    data = base64.b64encode(path.read_bytes()).decode()
    link = f"data:application/octet-stream;base64,{data}"
    return f'<p>Recording: <a download="{name}" href="{link}">{name}</a></p>'
