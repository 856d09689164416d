"""What a hand is asked to do and what it answers: one line of JSON each. Pure.

A line is a step of a scenario (docs/bench/steps.md), such as `{"place": {"cell": "d4", "colour":
"red"}}`, or asks for something else: `{"can": true}` for the steps that this hand knows,
`{"truth": true}` for what really happened since the start.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import msgspec

from lab.bench.steps import Place, ScenarioStep

HAND_VERBS = (
    *("place", "put_back", "hesitate", "lift", "knock_off", "touch", "nudge", "bump", "tap"),
    *("lean", "knock", "press", "weight", "clear", "button", "fault", "mend", "broker"),
)
"""Steps that a hand is asked for; all others are waits, commands or checks."""

TIMES = ("t", "t_contact", "t_release", "t_settled", "t_detectable")
"""Keys of an entry of the truth that are times."""


class DeedLine(ScenarioStep, frozen=True):
    """What a hand is asked: a step, or one of these.

    Attributes:
        can: which steps do you know?
        truth: what has really happened?
    """

    can: bool = False
    truth: bool = False


class DeedAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a hand answers when a deed is done, or cannot be.

    Attributes:
        ok: whether it was done.
        why: what hindered it.
        can: steps this hand knows, and `truth` if it tells it.
        released_ago_s: how many seconds ago the piece was let go; None where nobody knows.
        truth: entries as in `*.truth.jsonl`, with times in seconds before this answer (below 0).
    """

    ok: bool
    why: str = ""
    can: tuple[str, ...] = ()
    released_ago_s: float | None = None
    truth: tuple[dict[str, Any], ...] = ()


def asked(verb: str, value: Any) -> bytes:
    """The line for a step."""
    return msgspec.json.encode(DeedLine(**{verb: value}))


def coloured(what: str | Place, colour: str) -> Place:
    """A piece to be placed, of that colour unless it has one."""
    place = Place(what) if isinstance(what, str) else what
    return place if place.colour else msgspec.structs.replace(place, colour=colour)


def shifted(entry: Mapping[str, Any], by_s: float) -> dict[str, Any]:
    """An entry of the truth whose times count from somewhere else."""
    moved = {k: entry[k] + by_s for k in TIMES if isinstance(entry.get(k), int | float)}
    return {**entry, **moved}


@dataclass(frozen=True, slots=True)
class Done:
    """A deed that a hand has confirmed, in bench time.

    Attributes:
        asked_s, done_s: when it was asked for and confirmed.
        released_s: when the piece was let go; None where nobody knows better.
        colour: of a piece that was placed.
    """

    verb: str
    value: Any
    asked_s: float
    done_s: float
    released_s: float | None = None
    colour: str = ""


def truth_of(deed: Done) -> Iterator[dict[str, Any]]:
    """What has happened by a deed, as far as whoever did it knows.

    A piece whose release nobody knows was let go somewhere between request and answer.
    """
    cell = getattr(deed.value, "cell", deed.value)
    match deed.verb:
        case "place" | "put_back":
            known = deed.released_s is not None and isfinite(deed.released_s)
            release_s = deed.released_s if known else deed.done_s
            span = {} if known else {"slid_from": "somewhere"}
            yield {
                "t": release_s, "type": "place", "cell": cell, "colour": deed.colour,
                "t_contact": deed.asked_s, "t_release": release_s, "ended_in_topple": False,
                **span,
            }  # fmt: skip
            if deed.verb == "put_back":
                yield _removed(deed, cell, 1)
        case "lift":
            yield _removed(deed, cell, getattr(deed.value, "count", 1))
        case "clear":
            yield {"t": deed.done_s, "type": "cleared"}
        case _:
            # Hands were there; what the board made of it nobody has measured.
            dur = deed.done_s - deed.asked_s
            yield {"t": deed.asked_s, "type": "touch", "target": deed.verb, "dur": dur}


def _removed(deed: Done, cell: Any, count: int) -> dict[str, Any]:
    return {"t": deed.done_s, "type": "remove", "n": count, "cell": cell, "where": "board"}


TOLD_BY_NOBODY = ("knock_off", "knock")
"""After these only a hand that tells the truth knows how the tower stands."""
