"""Every table of the benchmark as plain words; terminal and HTML report print the same sheets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from controller.common.intervals import wilson
from tests.benchmarks.detection_falls import (
    ANY,
    KINDS,
    Claim,
    decided_within,
    of_kind,
    reliability,
    shown_within,
)
from tests.benchmarks.detection_figures import CLAIMED, Tally
from tests.benchmarks.detection_kinds import OTHER_PEOPLE, PUBLIC, USUAL_PEOPLE, group_of
from tests.benchmarks.detection_results import NAIVE, NOW, Results
from tests.benchmarks.detection_tables import (
    MATRICES,
    OTHERS,
    ROWS,
    Row,
    limit_words,
    printed,
)
from tests.benchmarks.intervals import rate_interval

CURVE_S = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
BIN_EDGES = (0.0, 0.5, 0.7, 0.85, 0.95, CLAIMED, 0.999, 1.01)

COLUMNS = 6
"""Of one table of all kinds of evenings: so many fit a wide terminal."""

CLASSIFIER: Mapping[str, Mapping[float, str]] = {
    USUAL_PEOPLE: {1.0: "77-82", 2.0: "86-89", 3.0: "92-93"},
    OTHER_PEOPLE: {1.0: "77", 2.0: "85", 3.0: "88"},
}
"""A gradient-boosted classifier on 170 causal features, on games it had not seen, at 8 suspicions
an hour that went away; per cent shown within so many seconds. Figures of the goals."""

CLASSIFIER_COLLAPSES = {1.0: "93-100"}
CLAIM_SORTS: Mapping[str, Callable[[Tally], list[Claim]]] = {
    "placements": lambda tally: tally.placement_claims,
    "topples": lambda tally: tally.topple_claims,
    "kinds of topples": lambda tally: tally.kind_claims,
    "causes": lambda tally: tally.cause_claims,
    "suspicions": lambda tally: tally.suspicion_claims,
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table.

    Attributes:
        heads: of the columns; may have two lines.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def sheets(results: Results, *, by_preset: bool = False) -> Iterator[Sheet]:
    """All tables of a run."""
    for group in results.groups:
        for preset in results.presets:
            if results.of(NOW, group=group, preset=preset, die=True) or results.of(
                NOW, group=group, preset=preset, die=False
            ):
                yield goal_sheet(results, group, preset)
    for title, figures in MATRICES.items():
        at_once = max(1, COLUMNS // len(results.detectors))
        for first in range(0, len(figures), at_once):
            part = figures[first : first + at_once]
            yield matrix(results, title, part, by_preset=by_preset)
    yield shown_sheet(results)
    yield curve_sheet(results)
    for sort, claims in CLAIM_SORTS.items():
        yield calibration_sheet(results, sort, claims)


# --- goals ------------------------------------------------------------------------------------


def goal_sheet(results: Results, group: str, preset: str) -> Sheet:
    """The goals of one group of evenings and one preset."""
    with_naive = results.of(NAIVE, group=group, preset=preset) is not None
    others = [each for each in results.detectors if each != NOW]
    heads = ["figure", "unit", "goal", "measured [95 %] n", "", *others]
    heads += ["naive"] * with_naive + ["limit 1 / 3 rests"]
    rows = []
    for row in ROWS:
        found = results.of(NOW, group=group, preset=preset, die=row.die)
        if found is None:
            continue
        measured = row.figure(found)
        beside = [*others, *[NAIVE] * with_naive]
        rows.append(
            [
                row.name,
                row.unit,
                goal_words(row, preset),
                printed(measured, row.digits),
                row.verdict(measured, preset),
                *(
                    _short(row, results.of(other, group=group, preset=preset, die=row.die))
                    for other in beside
                ),
                limit_words(row, results.limits[preset]),
            ]
        )
    return Sheet(f"{preset}, {group if group != PUBLIC else 'public games'}", heads, rows)


def goal_words(row: Row, preset: str) -> str:
    """The goal as printed."""
    goal = row.goals.get(preset)
    return "" if goal is None else f"{row.sign} {goal:g}"


def _short(row: Row, tally: Tally | None) -> str:
    """The figure alone."""
    return "" if tally is None else printed(row.figure(tally), row.digits).partition(" n=")[0]


# --- kinds of evenings ------------------------------------------------------------------------


def matrix(
    results: Results, title: str, figures: Sequence[Row], *, by_preset: bool = False
) -> Sheet:
    """A line for each kind of evening, a column for each figure and detector."""
    detectors = results.detectors
    heads = [
        "evenings",
        *(f"{row.name}, {row.unit}\n{each}" for row in figures for each in detectors),
    ]
    goals = ["goal", *(goal_words(row, OTHERS) for row in figures for _ in detectors)]
    rows = [
        goals,
        *(_line(results, figures, name, which) for name, which in _which(results, by_preset)),
    ]
    return Sheet(title, heads, rows)


def _which(results: Results, by_preset: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """Every kind, and after each group all of it."""
    for group in results.groups:
        kinds = [kind for kind in results.kinds if group_of(kind) == group]
        for kind in kinds:
            yield kind, {"kind": kind}
            for preset in results.presets if by_preset and len(results.presets) > 1 else ():
                yield f"  {preset}", {"kind": kind, "preset": preset}
        if len(kinds) > 1:
            yield f"all {group}", {"group": group}


def _line(
    results: Results, figures: Sequence[Row], name: str, which: Mapping[str, str]
) -> list[str]:
    cells = [name]
    for row in figures:
        for detector in results.detectors:
            tally = results.of(detector, die=row.die, **which)
            cells.append("-" if tally is None else _brief(row, tally))
    return cells


def _brief(row: Row, tally: Tally) -> str:
    """A figure with its interval, and with its number where that is not the placements'."""
    measured = row.figure(tally)
    if measured.value is None:
        return "-"
    return printed(measured, min(row.digits, 1)).replace(" n=", "  ")


# --- when it is shown ---------------------------------------------------------------------------


def shown_sheet(results: Results) -> Sheet:
    """Share of topples that were shown in time, beside the classifier's, by kind of fall."""
    heads = ["evenings", "fall", "detector", "n", "1 s [95 %]", "2 s [95 %]", "3 s [95 %]"]
    heads += ["classifier, %\n1 / 2 / 3 s", "dismissed an hour\n[95 %]"]
    rows = []
    for group in results.groups:
        for kind in (ANY, *KINDS):
            for detector in results.detectors:
                tally = results.of(detector, group=group)
                if tally is not None:
                    rows.append([group, kind, detector, *_shown(tally, group, kind)])
    note = (
        "Shown: the page says that something falls, by a suspicion or by the decision; share of "
        "all topples, from the first piece that falls. Classifier: at 8 an hour that go away; at 1 "
        "an hour 45-49 / 64-72 / 74-80 with usual people."
    )
    return Sheet("Suspicion: topples shown within", heads, rows, note)


def _shown(tally: Tally, group: str, kind: str) -> list[str]:
    falls = of_kind(tally.falls, kind)
    shares = [_share_words(shown_within(falls, seconds), len(falls)) for seconds in (1.0, 2.0, 3.0)]
    of_classifier = CLASSIFIER.get(group, {}) if kind == ANY else {}
    of_classifier = CLASSIFIER_COLLAPSES if kind == "collapse" else of_classifier
    beside = " / ".join(of_classifier.get(seconds, "-") for seconds in (1.0, 2.0, 3.0))
    count = sum(kind in (ANY, each) for each in tally.dismissed)
    low, high = rate_interval(count, tally.hours)
    hourly = f"{count / max(tally.hours, 1e-9):.1f} [{low:.1f}, {high:.1f}]"
    return [str(len(falls)), *shares, beside if of_classifier else "", hourly]


def _share_words(k: int, n: int) -> str:
    if not n:
        return "-"
    low, high = wilson(k, n)
    return f"{100 * k / n:.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def curve(
    tally: Tally, times_s: Sequence[float] = CURVE_S, *, decided: bool = False
) -> list[float]:
    """Share of topples that were shown (or decided) within each of these times."""
    within = decided_within if decided else shown_within
    return [within(tally.falls, seconds) / max(len(tally.falls), 1) for seconds in times_s]


def curve_sheet(results: Results) -> Sheet:
    """The latency curves as numbers."""
    rows = []
    for group in results.groups:
        for detector in results.detectors:
            tally = results.of(detector, group=group)
            if tally is None or not tally.falls:
                continue
            for decided, words in ((False, "shown"), (True, "decided")):
                shares = [f"{100 * share:.0f}" for share in curve(tally, decided=decided)]
                rows.append([group, detector, words, str(len(tally.falls)), *shares])
        if group in CLASSIFIER:
            beside = [CLASSIFIER[group].get(seconds, "") for seconds in CURVE_S]
            rows.append([group, "classifier", "shown", "", *beside])
    heads = ["evenings", "detector", "", "n", *(f"{seconds:g} s" for seconds in CURVE_S)]
    return Sheet("Topples within so many seconds of the first fall, %", heads, rows)


# --- how sure -----------------------------------------------------------------------------------


def calibration_sheet(results: Results, sort: str, claims: Callable[[Tally], list[Claim]]) -> Sheet:
    """Reliability: what was claimed, and how often it was right; all evenings, die told."""
    rows = []
    for detector in results.detectors:
        tally = results.of(detector)
        if tally is None:
            continue
        for low, high in pairwise(BIN_EDGES):
            span = f"{low:g} to {min(high, 1.0):g}"
            for claimed, right, n in reliability(claims(tally), (low, high)):
                rows.append([detector, span, f"{claimed:.4f}", str(n), _right_words(right, n)])
        sure = [right for confidence, right in claims(tally) if confidence >= CLAIMED]
        n = len(sure)
        rows.append([detector, f">= {CLAIMED}", "", str(n), _right_words(sum(sure), n)])
    heads = ["detector", "claimed", "mean", "n", "right, % [95 %]"]
    return Sheet(f"How sure, and how often right: {sort}", heads, rows)


def _right_words(right: int, n: int) -> str:
    if not n:
        return "-"
    low, high = wilson(right, n)
    return f"{100 * right / n:.2f} [{100 * low:.2f}, {100 * high:.2f}]"
