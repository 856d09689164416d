"""The figures of the goals, each with its number and its 95 % interval.

Counting is the judge's: `../shared/traces/evaluate.py`, loaded where it lies, so that this
benchmark and the final judgement cannot drift apart. Here the counts of many games are put
together, and what the judge keeps to itself is taken apart once more with its own matching:
which placement was wrong, which topple unseen.
"""

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.benchmarks.detection_falls import Claim, Fall, found
from tests.benchmarks.detection_games import SHARED, Event, Replayed

CLAIMED = 0.99
DEAF_PIECES = 2
"""So many placements in a row unseen or wrong, and the table is deaf until the next right one."""

LOST_PIECES = ("off_board", "collapse")


def load_judge(shared: Path = SHARED) -> ModuleType | None:
    """The judge's program as a module; None when it is not beside the checkout."""
    path = shared / "traces" / "evaluate.py"
    spec = importlib.util.spec_from_file_location("topple_evaluate", path)
    if not path.is_file() or spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True, slots=True)
class Miss:
    """Something that went wrong, to be looked at.

    Attributes:
        kind: `wrong cell, silent`, `wrong cell, asked`, `missed`, `invented`, `kept a fallen
            piece`, `topple unseen`, `topple invented`, `topple, wrong cause`.
        t_s: table time to look at.
        words: truth and decision.
    """

    kind: str
    t_s: float
    words: str
    run: Replayed


@dataclass(slots=True)
class Tally:
    """What is counted over the games of one preset, source and method."""

    placements: int = 0
    right: int = 0
    silent: int = 0
    asked: int = 0
    missed: int = 0
    invented: int = 0
    kept_void: int = 0
    wrong: int = 0
    latency_s: list[float] = field(default_factory=list)
    lost: int = 0
    lost_seen: int = 0
    lost_cause_right: int = 0
    stacks: int = 0
    stacks_seen: int = 0
    false_topples: int = 0
    topple_latency_s: list[float] = field(default_factory=list)
    falls: list[Fall] = field(default_factory=list)
    dismissed: list[str] = field(default_factory=list)
    placement_claims: list[Claim] = field(default_factory=list)
    topple_claims: list[Claim] = field(default_factory=list)
    kind_claims: list[Claim] = field(default_factory=list)
    cause_claims: list[Claim] = field(default_factory=list)
    suspicion_claims: list[Claim] = field(default_factory=list)
    deaf: list[tuple[float, int]] = field(default_factory=list)
    scored: int = 0
    exact: int = 0
    pairs: list[tuple[Event, Event]] = field(default_factory=list)
    misses: list[Miss] = field(default_factory=list)
    decision_ms: list[float] = field(default_factory=list)
    hours: float = 0.0
    cpu_s: float = 0.0
    games: int = 0

    @property
    def claims(self) -> list[Claim]:
        """How sure of every placement and topple that was decided, and whether rightly."""
        return self.placement_claims + self.topple_claims

    @property
    def longest_deaf(self) -> int:
        """Most placements in a row that were lost; 0 when it was never deaf."""
        return max((pieces for _, pieces in self.deaf), default=0)

    @property
    def deaf_s(self) -> float:
        """Table time in which it was deaf."""
        return sum(seconds for seconds, _ in self.deaf)

    @property
    def claimed(self) -> list[bool]:
        """Whether right, for every event that was claimed with `CLAIMED` or more."""
        return [right for confidence, right in self.claims if confidence >= CLAIMED]

    @property
    def times_real(self) -> float:
        """Seconds of table time in a second of one core."""
        return 3600 * self.hours / self.cpu_s if self.cpu_s else 0.0


def tally(judge: ModuleType, runs: Iterable[Replayed]) -> Tally:
    """Judge every run and add up."""
    out = Tally()
    for run in runs:
        _count(out, judge.judge(run.truth, run.events))
        _take_placements(out, judge, run)
        _take_topples(out, judge, run)
        _take_falls(out, judge, run)
        _take_score(out, run)
        out.deaf += deaf_spans(judge, run)
        out.hours += run.duration_s / 3600
        out.cpu_s += run.cpu_s
        out.games += 1
    return out


def _count(out: Tally, row: dict[str, Any]) -> None:
    out.placements += row["placements"]
    out.right += row["right"]
    out.silent += row["silent_errors"]
    out.asked += row["asked"]
    out.missed += row["missed"]
    out.invented += row["extra"]
    out.kept_void += row["kept_void"]
    out.wrong += row["wrong"]
    out.latency_s += row["latency"]
    out.false_topples += row["topples_false"]
    out.topple_latency_s += row["topple_latency"]


def _take_placements(out: Tally, judge: ModuleType, run: Replayed) -> None:
    """The judge's matching once more, keeping what belongs to what."""
    places = [e for e in run.truth if e["type"] == "place"]
    stand = [e for e in places if not e.get("ended_in_topple")]
    void = [e for e in places if e.get("ended_in_topple")]
    void += [e for e in run.truth if e["type"] == "release_void"]
    window, found = judge.WINDOW_S, judge.final_placements(run.events)
    pairs, missed, extra = judge.match(stand, found, lambda e: e["t"], window, window)
    kept, _, invented = judge.match(void, extra, lambda e: e["t"], window, window)
    out.pairs += pairs
    questions = {e.get("ref") for e in run.events if e["type"] == "question"}
    for truth, event in pairs:
        doubted = event["confidence"] < judge.SURE
        _take_pair(out, truth, event, run, asked=doubted or event["id"] in questions)
        if event["id"] in questions and not doubted:
            # The judge knows what is asked about in the end, not what was asked about before.
            out.asked += 1
            out.silent -= truth["cell"] != event["cell"]
    for truth in missed:
        words = f"{truth['cell']} (level {truth['level']}) released, nothing decided"
        out.misses.append(Miss("missed", truth["t"], words, run))
    for truth, event in kept:
        words = f"{truth.get('cell', 'piece')} fell; decided: {_said(event)}"
        out.misses.append(Miss("kept a fallen piece", event["t"], words, run))
    for event in invented:
        out.misses.append(Miss("invented", event["t"], f"nothing; decided: {_said(event)}", run))
    wrong = [event for _, event in kept] + invented
    out.placement_claims += [(event["confidence"], False) for event in wrong]


def _take_pair(out: Tally, truth: Event, event: Event, run: Replayed, *, asked: bool) -> None:
    right = truth["cell"] == event["cell"]
    out.placement_claims.append((event["confidence"], right))
    if not right:
        kind = "wrong cell, asked" if asked else "wrong cell, silent"
        words = f"{truth['cell']} (piece {truth['k'] + 1} there); decided: {_said(event)}"
        out.misses.append(Miss(kind, truth["t"], words, run))


def _said(event: Event) -> str:
    others = ", ".join(f"{cell} {p:.3f}" for cell, p in event.get("alternatives", ()))
    return f"{event['cell']} {event['confidence']:.4f}" + (f" ({others})" if others else "")


def _take_topples(out: Tally, judge: ModuleType, run: Replayed) -> None:
    truths = [e for e in run.truth if e["type"] == "topple"]
    called = [e for e in run.events if e["type"] == "toppled"]
    early, late = judge.TOPPLE_EARLY_S, judge.TOPPLE_LATE_S
    hit, unseen, false = judge.match(
        truths, called, lambda e: e.get("t_detectable") or e["t"], early, late
    )
    for truth in truths:
        out.lost += truth["kind"] in LOST_PIECES
        out.stacks += truth["kind"] not in LOST_PIECES
    for truth, event in hit:
        _take_seen(out, truth, event, run)
    for truth in unseen:
        words = f"{truth['kind']} by {truth['cause']}, {truth['fallen']} fell; nothing decided"
        out.misses.append(Miss("topple unseen", truth["t"], words, run))
    for event in false:
        words = f"nothing fell; decided: {event['kind']} by {event['cause']}"
        words += f", {event['confidence']:.3f}"
        out.misses.append(Miss("topple invented", event["t"], words, run))
    out.topple_claims += [(event["confidence"], True) for _, event in hit]
    out.topple_claims += [(event["confidence"], False) for event in false]


def _take_seen(out: Tally, truth: Event, event: Event, run: Replayed) -> None:
    if truth["kind"] not in LOST_PIECES:
        out.stacks_seen += 1
        return
    out.lost_seen += 1
    out.lost_cause_right += truth["cause"] == event["cause"]
    if truth["cause"] != event["cause"]:
        words = f"{truth['kind']} by {truth['cause']}; decided: by {event['cause']}"
        out.misses.append(Miss("topple, wrong cause", truth["t"], words, run))


def _take_falls(out: Tally, judge: ModuleType, run: Replayed) -> None:
    topples = found(judge, run.truth, run.events)
    out.falls += topples.falls
    out.dismissed += topples.dismissed
    out.suspicion_claims += topples.suspicions
    out.cause_claims += topples.causes
    out.kind_claims += topples.kinds


def _take_score(out: Tally, run: Replayed) -> None:
    """Whether the score is the people's own, where they were there to answer."""
    counted = next((e for e in reversed(run.truth) if e["type"] == "scores"), None)
    summary = next((e for e in reversed(run.events) if e["type"] == "summary"), None)
    if run.game.seen is None or counted is None or summary is None or "scores" not in summary:
        return
    out.scored += 1
    out.exact += dict(summary["scores"]) == dict(counted["scores"])


def deaf_spans(judge: ModuleType, run: Replayed) -> Iterator[tuple[float, int]]:
    """Times in which the table did not follow: length (s), and placements that were lost in it."""
    stand = [e for e in run.truth if e["type"] == "place" and not e.get("ended_in_topple")]
    window, final = judge.WINDOW_S, judge.final_placements(run.events)
    pairs, _, _ = judge.match(stand, final, lambda e: e["t"], window, window)
    right = {id(truth) for truth, event in pairs if truth["cell"] == event["cell"]}
    since, lost = None, 0
    for place in [*sorted(stand, key=lambda e: float(e["t"])), None]:
        if place is not None and id(place) not in right:
            since = place["t"] if since is None else since
            lost += 1
            continue
        if since is not None and lost >= DEAF_PIECES:
            yield (place["t"] if place is not None else run.duration_s) - since, lost
        since, lost = None, 0


def quantile(values: Sequence[float], share: float) -> float | None:
    """The judge's quantile: an observed value, never one in between."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def merged(tallies: Iterable[Tally]) -> Tally:
    """All of them as one."""
    out = Tally()
    for one in tallies:
        for each in fields(Tally):
            setattr(out, each.name, getattr(out, each.name) + getattr(one, each.name))
    return out
