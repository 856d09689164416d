"""Topples one by one: when they were shown, when decided, whether asked about, and how sure.

A topple is *shown* when pages first say that something falls: with a suspicion or with the
decision, whichever comes first. Times run from the first piece that falls.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.benchmarks.detection_games import Event
from tests.benchmarks.detection_judge import TOPPLE_EARLY_S, topple_window_s, topples_of

KINDS = ("off_board", "off_stack", "collapse")
ANY = "all"

BEFORE_S = TOPPLE_EARLY_S
"""A suspicion may come so long before the first fall, with the blow that makes it."""

SHOWN_S = 10.0
"""What is first shown later than this belongs to something else, or comes of the clearing."""

Claim = tuple[float, bool]
"""A stated probability, and whether it was right."""


@dataclass(frozen=True, slots=True)
class Fall:
    """One true topple.

    Attributes:
        kind: how pieces fell, in truth.
        shown_s: from the first fall until pages showed that something falls; None: never.
        decided_s: the same to the decision.
        asked: whether who or what made it was asked.
    """

    kind: str
    shown_s: float | None
    decided_s: float | None
    asked: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What became of the topples of one game.

    Attributes:
        falls: the true ones.
        dismissed: kinds of the suspicions that were taken back.
        suspicions, causes, kinds: stated probabilities, and whether they were right.
    """

    falls: list[Fall]
    dismissed: list[str]
    suspicions: list[Claim]
    causes: list[Claim]
    kinds: list[Claim]


def found(truth: Sequence[Event], events: Sequence[Event]) -> Found:
    """Look at the topples of one game."""
    truths = [e for e in truth if e["type"] == "topple"]
    suspected = [e for e in events if e["type"] == "suspected"]
    told = topples_of(truth, events)
    decision = {id(true): event for true, event in told.pairs}
    starts = [*(float(e["t"]) for e in truths), float("inf")]
    falls = [
        _fall(true, until_s, decision.get(id(true)), events)
        for true, until_s in zip(truths, starts[1:], strict=True)
    ]
    kind_of = {e["id"]: e.get("kind", ANY) for e in suspected}
    return Found(
        falls,
        [str(kind_of.get(e["ref"], ANY)) for e in events if e["type"] == "dismissed"],
        [(float(e["probability"]), _near(truths, e)) for e in suspected],
        [(float(e.get("cause_confidence", 1.0)), t["cause"] == e["cause"]) for t, e in told.pairs],
        [(float(e["confidence"]), t["kind"] == e["kind"]) for t, e in told.pairs]
        + [(float(e["confidence"]), False) for e in told.left_over],
    )


def _near(truths: Iterable[Event], event: Event) -> bool:
    """Whether something fell where this was suspected; several may be about one topple."""
    windows = map(topple_window_s, truths)
    return any(first_s <= event["t"] <= last_s for first_s, last_s in windows)


def _fall(true: Event, until_s: float, decision: Event | None, events: Sequence[Event]) -> Fall:
    began_s = float(true["t"])
    last_s = min(began_s + SHOWN_S, until_s)
    shown = [
        float(e["decided"])
        for e in events
        if e["type"] == "suspected" and began_s - BEFORE_S <= e["decided"] < last_s
    ]
    shown += [] if decision is None else [float(decision["decided"])]
    return Fall(
        str(true["kind"]),
        max(0.0, min(shown) - began_s) if shown else None,
        None if decision is None else max(0.0, float(decision["decided"]) - began_s),
        any(_asks(e, began_s, last_s, decision) for e in events),
    )


def _asks(event: Event, began_s: float, last_s: float, decision: Event | None) -> bool:
    """Whether an event is the question who or what made this topple."""
    if event["type"] != "question" or event["kind"] not in ("blame", "cause"):
        return False
    if event.get("ref") is not None:
        return decision is not None and event["ref"] == decision["id"]
    return began_s - BEFORE_S <= float(event["t"]) < last_s


# --- counting -----------------------------------------------------------------------------------


def of_kind(falls: Iterable[Fall], kind: str) -> list[Fall]:
    """Those of a kind; `ANY`: all."""
    return [fall for fall in falls if kind in (ANY, fall.kind)]


def shown_within(falls: Iterable[Fall], seconds: float) -> int:
    """How many were shown within some seconds of the first fall."""
    return sum(fall.shown_s is not None and fall.shown_s <= seconds for fall in falls)


def decided_within(falls: Iterable[Fall], seconds: float) -> int:
    """How many were decided within some seconds of the first fall."""
    return sum(fall.decided_s is not None and fall.decided_s <= seconds for fall in falls)


def reliability(claims: Sequence[Claim], edges: Sequence[float]) -> list[tuple[float, int, int]]:
    """For each bin of confidence: mean confidence, how many were right, how many there were."""
    out = []
    for low, high in pairwise(edges):
        inside = [(c, right) for c, right in claims if low <= c < high]
        if inside:
            mean = sum(c for c, _ in inside) / len(inside)
            out.append((mean, sum(right for _, right in inside), len(inside)))
    return out
