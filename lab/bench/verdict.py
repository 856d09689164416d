"""Compares the record of a run with its scenario and gives the verdict. Pure."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.events import (
    Corrected,
    Dismissed,
    Fault,
    Placed,
    Restored,
    Retracted,
    Reweighed,
    Suspected,
    Toppled,
)
from lab.bench.account import people_differ
from lab.bench.checking import broken_views
from lab.bench.comparing import agrees, differences, distance, refusal
from lab.bench.figures import (
    CATALOGUE,
    SAME_S,
    matched,
    measured,
    silent_errors,
    standing,
)
from lab.bench.health_account import health_differs
from lab.bench.limits import limit_of
from lab.bench.observed import Run, Seen, Sent
from lab.bench.refusals import refused
from lab.bench.scenario import EVENTS, Case, Expected, Scenario
from lab.bench.shown_account import shown_differs
from lab.bench.steps import Views

SLACK_S = 0.2
"""A step begins between two looks at the table; what follows it may carry the time of the first."""


VIEWS = Views.__struct_fields__

Used = dict[int, str]
"""Which of the events seen have been expected, and where."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        place: where it is expected, file and line.
    """

    what: str
    ok: bool
    text: str = ""
    place: str = ""

    @property
    def words(self) -> str:
        """What it is, and how it was."""
        if self.place and not self.ok:
            return f"{self.place}: expected {self.what}; {self.text}"
        return f"{self.what}: {self.text}" if self.text else self.what


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The result of the comparison.

    Attributes:
        checks: everything that was looked at.
        measures: all measurements.
        limits: limits of the scenario, in words.
    """

    checks: tuple[Check, ...]
    measures: dict[str, float]
    limits: dict[str, str]

    @property
    def passed(self) -> bool:
        """Whether everything was as it should be."""
        return all(check.ok for check in self.checks)

    @property
    def failures(self) -> tuple[str, ...]:
        """What was not, in words."""
        return tuple(check.words for check in self.checks if not check.ok)


def judge(case: Case, run: Run, known: Collection[str] = ()) -> CaseVerdict:
    """Compare a run with what its scenario expects.

    Args:
        case: what was played.
        run: what came of it.
        known: names of limits that hold always, but are known not to hold on this board.
    """
    scenario = case.scenario
    used: Used = {}
    checks = [*_expectations(case, run, used)]
    if scenario.unexpected == "fail":
        checks.append(_unexpected(run, used, whole=_all_by_truth(scenario)))
        checks += [Check("refused", ok=False, text=text) for text in refused(scenario, run)]
    checks += [Check(f"check at {t_s:.1f} s", ok, text) for t_s, text, ok in run.checks]
    checks += [Check("invariant", ok=False, text=text) for text in run.broken]
    if not run.broken:
        checks.append(Check("invariants", ok=True))
    if run.stopped:
        checks.append(Check("the table stopped", ok=False, text=run.stopped))
    if run.truth and "silent_errors" not in scenario.measure:
        checks.append(_never_silent(run))
    if run.orders and scenario.account.people:
        checks.append(_people(run))
    untrue = health_differs(run)
    checks.append(Check("health as it is", not untrue, "; ".join(untrue)))
    unlike = shown_differs(run)
    checks.append(Check("trace, film and tension as they are", not unlike, "; ".join(unlike)))
    values = measured(run)
    checks += _within_limits(scenario, values, known)
    return CaseVerdict(tuple(checks), values, dict(scenario.measure))


def _all_by_truth(scenario: Scenario) -> bool:
    return any(expected.truth for expected in scenario.expect)


def _never_silent(run: Run) -> Check:
    wrong = silent_errors(run)
    text = ", ".join(f"{s.cell} at {s.seen.t_s:.1f} s" for s in wrong)
    return Check("never silently wrong", not wrong, text and f"sure, and wrong: {text}")


def _people(run: Run) -> Check:
    """The game that people played, by their own count."""
    wrong = people_differ(run)
    return Check("the people's own account", not wrong, "; ".join(wrong))


def _within_limits(
    scenario: Scenario, values: dict[str, float], known: Collection[str]
) -> Iterator[Check]:
    always = {name: CATALOGUE[name].always for name in values if name not in known}
    always = {name: limit for name, limit in always.items() if limit}
    for name, wanted in (always | scenario.measure).items():
        limit, value = limit_of(wanted), values.get(name, float("nan"))
        ok = limit is not None and limit.holds(value)
        yield Check(f"{name} {wanted}", ok, "" if ok else f"it is {value:.4g}")


# --- what is expected ------------------------------------------------------------------------


def _expectations(case: Case, run: Run, used: Used) -> Iterator[Check]:
    """Events in the order of the file: each is the first of its kind that fits and is free."""
    places = case.places or ("",) * len(case.scenario.expect)
    for expected, place in zip(case.scenario.expect, places, strict=True):
        taker = place or "another"
        for check in _expectation(expected, case.scenario, run, used, taker):
            yield replace(check, place=place)


def _expectation(
    expected: Expected, scenario: Scenario, run: Run, used: Used, taker: str
) -> Iterator[Check]:
    what = expected.what
    if what in EVENTS:
        yield _event(expected, run, used, taker)
    elif what == "mqtt":
        yield _message(expected, run)
    elif what == "never":
        yield _never(expected, run)
    elif what == "truth":
        yield from _truth(scenario, run, used, taker)
    else:
        problems = broken_views(expected, run)
        yield Check(f"at the end {_parts(expected)}", not problems, "; ".join(problems))


def _parts(expected: Expected) -> str:
    """Which documents are looked at."""
    said = {name: getattr(expected, name) for name in VIEWS}
    whole = ("scores", "board")
    return ", ".join(n for n, value in said.items() if value or (n in whole and value is not None))


def _title(expected: Expected) -> str:
    value = getattr(expected, expected.what)
    text = expected.what if value is True else f"{expected.what} {value}"
    if expected.payload:
        text += f" with {', '.join(f'{key} {want}' for key, want in expected.payload.items())}"
    if expected.after:
        text += f" after {expected.after}"
    if expected.within is not None:
        text += f" within {expected.within:g} s"
    if expected.at is not None:
        text += f" at {expected.at:g} ± {expected.tolerance:g} s"
    return text


def _event(expected: Expected, run: Run, used: Used, taker: str) -> Check:
    begin_s, end_s = window(expected, run)
    wanted = expected.times or 1
    found: list[str] = []
    taken: list[str] = []
    others: list[str] = []
    for index, seen in enumerate(run.seen):
        if seen.kind != expected.what:
            continue
        reason = _mismatch(expected, seen, run, begin_s, end_s)
        if index in used:
            taken += [] if reason else [f"{describe(seen)}, which {used[index]} has taken"]
        elif reason:
            others.append(f"{describe(seen)}, {reason}")
        elif len(found) < wanted:
            used[index] = taker
            found.append(f"at {seen.t_s:.2f} s")
    if len(found) == wanted:
        return Check(_title(expected), ok=True, text=", ".join(found))
    number = [f"{len(found)} times, not {wanted}: {', '.join(found)}"] if found else []
    came = [f"came {each}" for each in (*taken, *others)]
    text = "; ".join([*number, *came][:4])
    return Check(_title(expected), ok=False, text=text or "never seen")


def window(expected: Expected, run: Run) -> tuple[float, float]:
    """The time span in which something is expected, in bench time."""
    begin_s, end_s = 0.0, float("inf")
    mark = run.mark(expected.after) if expected.after else None
    if mark is not None:
        begin_s = mark.t_s - SLACK_S
    if expected.within is not None:
        begin_of_wait_s = mark.t_s if mark is not None else 0.0
        end_s = begin_of_wait_s + expected.within
    if expected.at is not None:
        begin_s, end_s = expected.at - expected.tolerance, expected.at + expected.tolerance
    return begin_s, end_s


NAMED: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("placed", "corrected"), lambda event: event.cell or "unknown"),
    **dict.fromkeys(("fault", "restored"), lambda event: event.sensor),
    "toppled": lambda event: event.cause.value,
    "suspected": lambda event: event.kind.value,
}
"""Event -> what an expectation names of it; of `retracted` it is the cell of the placement."""


def _mismatch(expected: Expected, seen: Seen, run: Run, begin_s: float, end_s: float) -> str:
    """Why an event is not the expected one; empty when it is."""
    event: Any = seen.event
    moment_s = seen.t_s if expected.at is not None else seen.decided_s
    if not begin_s <= moment_s <= end_s:
        known = "" if expected.at is not None else f"known at {moment_s:.2f} s: "
        return f"{known}too {'early' if moment_s < begin_s else 'late'}"
    wanted = named = getattr(expected, seen.kind)
    if seen.kind == "retracted":
        named = _cell_of(event.ref, run)
    elif seen.kind in NAMED:
        named = NAMED[seen.kind](event)
    if wanted not in ("any", named):
        return f"not {wanted}"
    return _unlike(expected, event)


def _unlike(expected: Expected, event: Any) -> str:
    """Which detail is another; the loader has seen that the event has it."""
    sure = limit_of(expected.confidence)
    if sure is not None and not sure.holds(event.confidence):
        return f"not {expected.confidence}"
    if expected.fallen is not None and event.fallen != expected.fallen:
        return f"{event.fallen} fell, not {expected.fallen}"
    if expected.kind is not None and event.kind.value != expected.kind:
        return f"not {expected.kind}"
    if expected.words and expected.words not in event.reason:
        return f"not {expected.words}"
    return ""


def _cell_of(ref: int, run: Run) -> str | None:
    placed = (s.event for s in run.seen if isinstance(s.event, Placed))
    return next((event.cell for event in placed if event.id == ref), None)


def describe(seen: Seen) -> str:  # noqa: PLR0911 - one case for each event
    """An event in few words."""
    event, at = seen.event, f"at {seen.t_s:.1f} s"
    match event:
        case Placed():
            return f"placed {event.cell or 'unknown'} (confidence {event.confidence:.2f}) {at}"
        case Corrected():
            return f"corrected to {event.cell} (confidence {event.confidence:.2f}) {at}"
        case Reweighed():
            return f"weighs {event.mass_g:.1f} g {at}"
        case Retracted():
            return f"retracted, {event.reason}, {at}"
        case Toppled():
            return f"toppled by {event.cause.value}, {event.fallen} fell, {at}"
        case Suspected():
            return f"suspected {event.kind.value} (probability {event.probability:.2f}) {at}"
        case Dismissed():
            return f"dismissed {at}"
        case Fault():
            return f"fault of {event.sensor} {at}: {event.reason}"
        case Restored():
            return f"{event.sensor} well again {at}"
        case _:
            return f"cleared {at}"


def _unexpected(run: Run, used: Used, *, whole: bool) -> Check:
    """Unexpected placements, topples and faults."""
    stood = {id(s.seen) for s in standing(run)}
    surprises = [
        describe(seen)
        for index, seen in enumerate(run.seen)
        if index not in used
        and not (whole and not isinstance(seen.event, Fault))
        and (
            isinstance(seen.event, Toppled)
            or (isinstance(seen.event, Fault) and not _known(run, used, index, seen.event))
            or (isinstance(seen.event, Placed) and id(seen) in stood)
        )
    ]
    if not surprises:
        return Check("nothing unexpected", ok=True)
    them = "it" if len(surprises) == 1 else "them"
    text = f"{'; '.join(surprises)}; nothing in `expect` names {them}"
    return Check("unexpected", ok=False, text=text)


def _known(run: Run, used: Used, index: int, fault: Fault) -> bool:
    """Whether a sensor of which a fault was expected fails still: then this says more of it."""
    of_it = [
        place
        for place, seen in enumerate(run.seen[:index])
        if isinstance(seen.event, Fault | Restored) and seen.event.sensor == fault.sensor
    ]
    return bool(of_it) and of_it[-1] in used and isinstance(run.seen[of_it[-1]].event, Fault)


def _truth(scenario: Scenario, run: Run, used: Used, taker: str) -> Iterator[Check]:
    """Check that everything was seen correctly, except what the scenario limits itself."""
    values = measured(run)
    for name, wanted in (
        ("missed", 0),
        ("invented", 0),
        ("right", 1),
        ("topples_missed", 0),
        ("topples_invented", 0),
    ):
        if name not in scenario.measure and name in values:
            ok = values[name] == wanted
            yield Check(f"{name} exactly {wanted}", ok, "" if ok else _wrong(run, values[name]))
    seen = (i for i, seen in enumerate(run.seen) if isinstance(seen.event, Placed | Toppled))
    used.update(dict.fromkeys(seen, taker))
    if run.scores is not None:
        shown = {p["name"]: p["score"] for p in (run.newest("state") or {}).get("players", ())}
        ok = shown == run.scores
        text = "" if ok else f"the table says {shown}, the people {run.scores}"
        yield Check("the score the people count", ok, text)


def _wrong(run: Run, value: float) -> str:
    found = [(s, entry and entry["cell"]) for s, entry in matched(run)]
    pairs = [
        f"{cell or 'nothing'} seen as {s.cell} {s.confidence:.2f} at {s.seen.t_s:.1f} s"
        for s, cell in found
        if s.cell != cell
    ]
    return f"it is {value:.4g}; {'; '.join(pairs) or f'nothing seen within {SAME_S:g} s'}"


# --- messages --------------------------------------------------------------------------------


def _fits(expected: Expected, message: Sent, run: Run) -> bool:
    begin_s, end_s = window(expected, run)
    return (
        message.suffix == expected.mqtt
        and begin_s <= message.t_s <= end_s
        and (expected.retain is None or message.retain is expected.retain)
        and (expected.qos is None or message.qos == expected.qos)
    )


def _says(expected: Expected, message: Sent) -> bool:
    document = message.document()
    wanted = expected.payload
    if isinstance(document, str):
        return agrees(document, wanted.get("text", "any"))
    return not differences(document, wanted)


def _message(expected: Expected, run: Run) -> Check:
    sent = [message for message in run.sent if _fits(expected, message, run)]
    found = [message for message in sent if _says(expected, message)]
    if expected.times is not None:
        ok = len(found) == expected.times
        text = "" if ok else f"{len(found)} times, not {expected.times}"
        text += f"; {_nearest(expected, sent)}" if not ok and not found else ""
    else:
        ok = bool(found)
        text = "" if ok else _nearest(expected, sent)
    return Check(_title(expected), ok, text)


def _nearest(expected: Expected, sent: list[Sent]) -> str:
    if not sent:
        return f"nothing was published there{_asked(expected)}"
    wanted = expected.payload
    closest = min((m.document() for m in sent), key=lambda document: distance(document, wanted))
    words = [*differences(closest, wanted), *refusal(closest)]
    return f"{len(sent)} were published; the closest: {'; '.join(words)}"


def _asked(expected: Expected) -> str:
    """What else was asked of a message than its topic."""
    timed = expected.after or expected.within is not None or expected.at is not None
    flags = {"retention": expected.retain, "quality": expected.qos}
    named = " and ".join(name for name, wanted in flags.items() if wanted is not None)
    return (" in time" if timed else "") + (f", with this {named}" if named else "")


def _never(expected: Expected, run: Run) -> Check:
    begin_s, end_s = window(expected, run)
    if expected.never in EVENTS:
        found = [
            describe(seen)
            for seen in run.seen
            if seen.kind == expected.never and begin_s <= seen.decided_s <= end_s
        ]
    else:
        found = [
            f"at {message.t_s:.1f} s"
            for message in run.sent
            if message.suffix == expected.never
            and begin_s <= message.t_s <= end_s
            and _says(expected, message)
        ]
    return Check(f"never {expected.never}", not found, "; ".join(found[:4]))
