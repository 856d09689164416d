"""Which decision belongs to which event of the truth, as docs/traces.md says that it is judged."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.benchmarks.detection_games import Event

PLACE_WINDOW_S = 1.5
"""A placement may be told so long before or after its release."""
TOPPLE_EARLY_S, TOPPLE_LATE_S = 0.5, 6.0
"""A topple may be told so long before its first piece falls, and so long after it can be known."""
SURE = 0.95
"""With less confidence the table asks."""

Pair = tuple[Event, Event]
"""An event of the truth, and the decision about it."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What belongs together, one to one, and what was left over on either side."""

    pairs: list[Pair]
    missed: list[Event]
    left_over: list[Event]


@dataclass(frozen=True, slots=True)
class Placements:
    """What became of the placements of a game.

    Attributes:
        stand: pieces that were placed and stayed.
        pairs: those that were told, with the decision as it was in the end.
        missed: those that were not.
        kept: pieces that fell at once, with decisions that let them stand.
        invented: decisions without any piece.
    """

    stand: list[Event]
    pairs: list[Pair]
    missed: list[Event]
    kept: list[Pair]
    invented: list[Event]

    @property
    def right(self) -> list[Pair]:
        """Those that were told with their cell."""
        return [(true, event) for true, event in self.pairs if true["cell"] == event["cell"]]


def placements_of(truth: Iterable[Event], events: Iterable[Event]) -> Placements:
    """Find the decision of every placement.

    A piece that fell at once takes only what no standing piece claims.
    """
    truth = list(truth)
    places = [event for event in truth if event["type"] == "place"]
    stand = [event for event in places if not event.get("ended_in_topple")]
    fell = [event for event in places if event.get("ended_in_topple")]
    void = [event for event in truth if event["type"] == "release_void"]
    told = match(stand, decided_in_the_end(events), _around_release_s)
    kept = match([*fell, *void], told.left_over, _around_release_s)
    return Placements(stand, told.pairs, told.missed, kept.pairs, kept.left_over)


def topples_of(truth: Iterable[Event], events: Iterable[Event]) -> Matched:
    """Find the decision of every topple; what is left over was none."""
    truths = [event for event in truth if event["type"] == "topple"]
    return match(truths, (event for event in events if event["type"] == "toppled"), topple_window_s)


def decided_in_the_end(events: Iterable[Event]) -> list[Event]:
    """Placements that were not taken back, by time, with corrected cell and confidence.

    `decided` stays the time of the first decision.
    """
    standing = dict[object, Event]()
    for event in events:
        if event["type"] == "placed":
            standing[event["id"]] = dict(event)
        elif event["type"] == "retracted":
            standing.pop(event["ref"], None)
        elif event["type"] == "corrected" and event["ref"] in standing:
            standing[event["ref"]] |= {key: event[key] for key in ("cell", "confidence")}
    return sorted(standing.values(), key=_time_s)


def match(
    truths: Iterable[Event],
    decisions: Iterable[Event],
    window_s: Callable[[Event], tuple[float, float]],
) -> Matched:
    """Give every event of the truth, one after the other, the nearest decision in its window."""
    pairs, missed, free = list[Pair](), list[Event](), sorted(decisions, key=_time_s)
    for true in truths:
        first_s, last_s = window_s(true)
        near = [event for event in free if first_s <= event["t"] <= last_s]
        if not near:
            missed.append(true)
            continue
        nearest = min(near, key=lambda event: abs(event["t"] - true["t"]))
        pairs.append((true, nearest))
        free = [event for event in free if event is not nearest]
    return Matched(pairs, missed, free)


def topple_window_s(true: Event) -> tuple[float, float]:
    """From when to when a decision, or a suspicion, belongs to this topple."""
    known_s = true.get("t_detectable") or true["t"]
    return true["t"] - TOPPLE_EARLY_S, known_s + TOPPLE_LATE_S


def latency_s(pair: Pair) -> float:
    """From what happened to its first decision."""
    true, event = pair
    return max(0.0, float(event["decided"]) - float(true["t"]))


def _around_release_s(true: Event) -> tuple[float, float]:
    return true["t"] - PLACE_WINDOW_S, true["t"] + PLACE_WINDOW_S


def _time_s(event: Event) -> float:
    return float(event["t"])
