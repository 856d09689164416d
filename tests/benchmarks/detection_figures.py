"""The figures of the goals, each with its number and its 95 % interval.

Each decision belongs to what `detection_judge` says. Here the counts of many games are put
together, with what went wrong in each: which placement was wrong, which topple unseen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields

from tests.benchmarks.detection_falls import Claim, Fall, found
from tests.benchmarks.detection_games import Event, Replayed
from tests.benchmarks.detection_judge import (
    SURE,
    Pair,
    Placements,
    latency_s,
    placements_of,
    topples_of,
)

CLAIMED = 0.99
DEAF_PIECES = 2
"""So many placements in a row unseen or wrong, and the table is deaf until the next right one."""

LOST_PIECES = ("off_board", "collapse")


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


def tally(runs: Iterable[Replayed]) -> Tally:
    """Judge every run and add up."""
    out = Tally()
    for run in runs:
        _take_placements(out, run)
        _take_topples(out, run)
        _take_falls(out, run)
        _take_score(out, run)
        out.deaf += deaf_spans(run)
        out.hours += run.duration_s / 3600
        out.cpu_s += run.cpu_s
        out.games += 1
    return out


def _take_placements(out: Tally, run: Replayed) -> None:
    found = placements_of(run.truth, run.events)
    out.placements += len(found.stand)
    out.right += len(found.right)
    out.missed += len(found.missed)
    out.invented += len(found.invented)
    out.silent += len(found.missed) + len(found.kept) + len(found.invented)
    out.latency_s += map(latency_s, found.pairs)
    out.pairs += found.pairs
    questions = {e.get("ref") for e in run.events if e["type"] == "question"}
    for pair in found.pairs:
        # Also what was asked about before, and settled by itself.
        asked = pair[1]["confidence"] < SURE or pair[1]["id"] in questions
        _take_pair(out, pair, run, asked=asked)
    _take_lost(out, found, run)


def _take_pair(out: Tally, pair: Pair, run: Replayed, *, asked: bool) -> None:
    truth, event = pair
    right = truth["cell"] == event["cell"]
    out.asked += asked
    out.placement_claims.append((event["confidence"], right))
    if not right:
        out.silent += not asked
        kind = "wrong cell, asked" if asked else "wrong cell, silent"
        words = f"{truth['cell']} (piece {truth['k'] + 1} there); decided: {_said(event)}"
        out.misses.append(Miss(kind, truth["t"], words, run))


def _take_lost(out: Tally, found: Placements, run: Replayed) -> None:
    """Placements without a decision, and decisions without a placement."""
    for truth in found.missed:
        words = f"{truth['cell']} (level {truth['level']}) released, nothing decided"
        out.misses.append(Miss("missed", truth["t"], words, run))
    for truth, event in found.kept:
        words = f"{truth.get('cell', 'piece')} fell; decided: {_said(event)}"
        out.misses.append(Miss("kept a fallen piece", event["t"], words, run))
    for event in found.invented:
        out.misses.append(Miss("invented", event["t"], f"nothing; decided: {_said(event)}", run))
    wrong = [event for _, event in found.kept] + found.invented
    out.placement_claims += [(event["confidence"], False) for event in wrong]


def _said(event: Event) -> str:
    others = ", ".join(f"{cell} {p:.3f}" for cell, p in event.get("alternatives", ()))
    return f"{event['cell']} {event['confidence']:.4f}" + (f" ({others})" if others else "")


def _take_topples(out: Tally, run: Replayed) -> None:
    found = topples_of(run.truth, run.events)
    for truth in (e for e in run.truth if e["type"] == "topple"):
        out.lost += truth["kind"] in LOST_PIECES
        out.stacks += truth["kind"] not in LOST_PIECES
    for truth, event in found.pairs:
        _take_seen(out, truth, event, run)
    for truth in found.missed:
        words = f"{truth['kind']} by {truth['cause']}, {truth['fallen']} fell; nothing decided"
        out.misses.append(Miss("topple unseen", truth["t"], words, run))
    for event in found.left_over:
        words = f"nothing fell; decided: {event['kind']} by {event['cause']}"
        words += f", {event['confidence']:.3f}"
        out.misses.append(Miss("topple invented", event["t"], words, run))
    out.false_topples += len(found.left_over)
    out.topple_latency_s += map(latency_s, found.pairs)
    out.topple_claims += [(event["confidence"], True) for _, event in found.pairs]
    out.topple_claims += [(event["confidence"], False) for event in found.left_over]


def _take_seen(out: Tally, truth: Event, event: Event, run: Replayed) -> None:
    if truth["kind"] not in LOST_PIECES:
        out.stacks_seen += 1
        return
    out.lost_seen += 1
    out.lost_cause_right += truth["cause"] == event["cause"]
    if truth["cause"] != event["cause"]:
        words = f"{truth['kind']} by {truth['cause']}; decided: by {event['cause']}"
        out.misses.append(Miss("topple, wrong cause", truth["t"], words, run))


def _take_falls(out: Tally, run: Replayed) -> None:
    topples = found(run.truth, run.events)
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


def deaf_spans(run: Replayed) -> Iterator[tuple[float, int]]:
    """Times in which the table did not follow: length (s), and placements that were lost in it."""
    found = placements_of(run.truth, run.events)
    right = {id(truth) for truth, _ in found.right}
    since, lost = None, 0
    for place in [*sorted(found.stand, key=lambda e: float(e["t"])), None]:
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
