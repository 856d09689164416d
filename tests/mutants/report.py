"""What the mutants of a run say about the tests and the bench. Pure: trials in, text out."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from controller.common.intervals import wilson
from tests.mutants.trial import Trial


class Equivalent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant that nobody can ever notice, and why."""

    mutant: str
    reason: str


def equivalent(text: str) -> dict[str, str]:
    """Mutant -> reason, of the text of equivalent.toml."""
    found = msgspec.convert(tomllib.loads(text).get("equivalent", []), list[Equivalent])
    return {each.mutant: each.reason for each in found}


EQUIVALENT = equivalent((Path(__file__).parent / "equivalent.toml").read_text())

Both = tuple[Trial | None, Trial | None]
"""What the tests and what the bench said of a mutant; None where it was not asked."""


def report(trials: Sequence[Trial], title: str, equivalents: Mapping[str, str] = EQUIVALENT) -> str:
    """Figures, and every mutant that got past somebody."""
    names = list(dict.fromkeys(trial.mutant for trial in trials))
    tests = {trial.mutant: trial for trial in trials if trial.judge == "tests"}
    bench = {trial.mutant: trial for trial in trials if trial.judge == "bench"}
    unbuilt = {trial.mutant for trial in trials if trial.fate == "cannot be built"}
    real = {
        name: (tests.get(name), bench.get(name))
        for name in names
        if name not in unbuilt and name not in equivalents
    }
    same = len(names) - len(unbuilt) - len(real)
    lines = [
        f"# {title}",
        "",
        f"{len(names)} mutants tried: {len(unbuilt)} cannot be built, {same} are equivalent.",
        "",
        "| who | caught | of | share, 95 % interval |",
        "|---|---|---|---|",
        *_figures(list(real.values())),
        "",
        *_section("Past the tests", ((n, b) for n, b in real.items() if _past(b[0]))),
        *_section("Past the bench only", ((n, b) for n, b in real.items() if _past_bench(b))),
    ]
    return "\n".join(lines) + "\n"


def _past(trial: Trial | None) -> bool:
    return trial is not None and trial.fate != "caught"


def _past_bench(both: Both) -> bool:
    return _past(both[1]) and not _past(both[0])


def _does_something_else(trial: Trial) -> bool:
    return trial.fate == "caught" or bool(trial.differing)


def _figures(real: Sequence[Both]) -> Iterator[str]:
    tests = [one for one, _ in real if one]
    bench = [one for _, one in real if one]
    seen = [one for one in bench if _does_something_else(one)]
    both = [(one, two) for one, two in real if one and two]
    either = sum(not (_past(one) and _past(two)) for one, two in both)
    yield _figure("unit tests", _caught(tests), len(tests))
    yield _figure("bench, all mutants", _caught(bench), len(bench))
    yield _figure("bench, where a table does something else", _caught(seen), len(seen))
    yield _figure("one or the other", either, len(both))


def _caught(trials: Iterable[Trial]) -> int:
    return sum(trial.fate == "caught" for trial in trials)


def _figure(who: str, caught: int, of: int) -> str:
    if not of:
        return f"| {who} | - | 0 | not asked |"
    low, high = wilson(caught, of)
    return f"| {who} | {caught} | {of} | {caught / of:.0%} ({low:.0%} to {high:.0%}) |"


def _section(title: str, found: Iterable[tuple[str, Both]]) -> list[str]:
    lines = [f"- `{name}`\n  {'; '.join(_said(*both))}" for name, both in found]
    return [f"## {title}", "", *lines, ""] if lines else []


def _said(tests: Trial | None, bench: Trial | None) -> Iterator[str]:
    if tests:
        yield f"tests: {_ends(tests)}"
    if not bench:
        return
    yield f"bench: {_ends(bench)}"
    if bench.fate == "survived" and bench.differing:
        name, number = max(bench.differing.items(), key=lambda each: each[1])
        yield f"nearest was {name}, {number} messages were different"
    elif bench.fate == "survived":
        yield "every message was the same"


def _ends(trial: Trial) -> str:
    if trial.fate == "caught":
        return f"caught by {trial.by}{f' ({trial.why[:150]})' if trial.why else ''}"
    if trial.fate == "not run":
        return "none comes there"
    return "survived" + (f", {trial.left} were left when the time was used up" * bool(trial.left))
