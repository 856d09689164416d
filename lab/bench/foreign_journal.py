"""The journal as any program reads it: plain rows and JSON, held against what was published.

Pure. docs/durability.md promises that each decision is written before anybody sees it: so every
published event stands in it once, in order, as it was told, whatever was killed when.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from lab.bench.foreign_client import PASSING, SAME_MOMENT_S
from lab.bench.observed import Row, Sent

Told = dict[str, Any]


def journal_broken(rows: Sequence[Row], sent: Sequence[Sent]) -> Iterator[str]:
    """What journal and messages do not agree upon.

    Args:
        rows: all entries; those before this run are looked at, too.
        sent: what was published, in order.
    """
    yield from _rows_in_order(rows)
    kept = [outcome for row in rows for outcome in json.loads(row.outcomes)]
    for one, two in pairwise(kept):
        if two["seq"] != one["seq"] + 1:
            yield f"journal: outcome {one['seq']} is followed by {two['seq']}"
        if two["t_s"] < one["t_s"]:
            yield f"journal: outcome {two['seq']} is earlier than the one before it"
    by_number = {outcome["seq"]: outcome for outcome in kept}
    told = [m for m in sent if m.suffix == "event" and m.document()["type"] not in PASSING]
    for message in told:
        yield from _differs(message.document(), by_number)
    yield from _untold(told, by_number)


def _rows_in_order(rows: Sequence[Row]) -> Iterator[str]:
    for one, two in pairwise(rows):
        if two.entry != one.entry + 1:
            yield f"journal: entry {one.entry} is followed by {two.entry}"
        if two.t_s < one.t_s:
            yield f"journal: entry {two.entry} is {one.t_s - two.t_s:.3f} s back in time"
    for row in rows:
        for outcome in json.loads(row.outcomes):
            if abs(outcome["t_s"] - row.t_s) > SAME_MOMENT_S:
                yield f"journal: outcome {outcome['seq']} is of another time than entry {row.entry}"


def _differs(event: Told, by_number: dict[int, Told]) -> Iterator[str]:
    kept = by_number.get(event["seq"])
    if kept is None:
        yield f"journal: event {event['seq']} ({event['type']}) was shown and is not kept"
        return
    shown = (event["type"], event.get("player"), event.get("data", {}), event["t"])
    written = (kept["type"], kept["player"], kept["data"], kept["t_s"])
    if shown != written:
        yield f"journal: event {event['seq']} is {written!s:.120}, shown was {shown!s:.120}"


def _untold(told: Sequence[Sent], by_number: dict[int, Told]) -> Iterator[str]:
    """What is kept was shown; only what happens while the broker is away is not."""
    for one, two in pairwise(told):
        between = range(one.document()["seq"] + 1, two.document()["seq"])
        if one.connection == two.connection:
            yield from (
                f"journal: {n} is kept and was not shown" for n in between if n in by_number
            )
