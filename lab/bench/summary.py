"""The summary of a bench run: compared between two reports, and kept as history."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from controller.common.errors import BadInput
from engine.errors import UNREADABLE
from engine.plainly import plainly
from lab.bench.running import Result

HISTORY_KEPT = 30
"""Most runs in the history of a report."""


class CaseSummary(msgspec.Struct, frozen=True):
    """One case: whether it passed, and what was measured."""

    passed: bool
    measures: dict[str, float]
    failures: tuple[str, ...] = ()


class Summary(msgspec.Struct, frozen=True):
    """One run of the bench.

    Attributes:
        when: ISO 8601, UTC.
        software: version.
        earlier: runs before it, oldest first, without their own history.
    """

    when: str
    software: str
    target: str
    cases: dict[str, CaseSummary]
    earlier: tuple["Summary", ...] = ()


def summarised(
    results: Sequence[Result], when: str, software: str, before: Summary | None = None
) -> Summary:
    """The memory of a run, with the runs before it."""
    cases = {
        r.id: CaseSummary(r.verdict.passed, r.verdict.measures, r.verdict.failures) for r in results
    }
    target = results[0].target if results else ""
    earlier = (
        () if before is None else (*before.earlier, msgspec.structs.replace(before, earlier=()))
    )
    return Summary(when, software, target, cases, earlier[-HISTORY_KEPT:])


def read_summary(folder: Path) -> Summary:
    """The memory in a report's folder (or of a report's `summary.json`).

    Raises:
        BadInput: there is none, or it cannot be read.
    """
    path = folder / "summary.json" if folder.is_dir() else folder
    try:
        return msgspec.json.decode(path.read_bytes(), type=Summary)
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror}; name the folder that --report wrote") from None
    except UNREADABLE as problem:
        raise BadInput(f"{path}: this is not a summary of the bench ({plainly(problem)})") from None


def compared(before: Summary, after: Summary) -> list[tuple[str, str, str, str]]:
    """What differs: (case, measurement or `verdict`, before, after); regressions first."""
    rows = []
    for name in sorted({*before.cases, *after.cases}):
        old, new = before.cases.get(name), after.cases.get(name)
        if old is None or new is None:
            rows.append((name, "played", _there(old), _there(new)))
            continue
        if old.passed != new.passed:
            rows.append((name, "verdict", _verdict(old), _verdict(new)))
        rows += [
            (name, key, f"{old.measures[key]:.4g}", f"{new.measures[key]:.4g}")
            for key in old.measures
            if key in new.measures and old.measures[key] != new.measures[key]
        ]
    return sorted(rows, key=lambda row: (row[3] != "failed", row[0], row[1]))


def regressed(before: Summary, after: Summary) -> list[str]:
    """Cases that passed and do not any more."""
    return [
        name
        for name, old in before.cases.items()
        if old.passed and name in after.cases and not after.cases[name].passed
    ]


def _there(case: CaseSummary | None) -> str:
    return "not there" if case is None else _verdict(case)


def _verdict(case: CaseSummary) -> str:
    return "passed" if case.passed else "failed"
