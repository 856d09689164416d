"""What docs/mqtt.md promises, held against the messages of one case. Pure.

Beside what the bench looks at in its own runs: the schema of each payload, the retain flag, what
somebody is given who comes later, sizes in bytes, times with their zone, and how long it is valid.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from controller.common.files import clipped
from lab.bench.foreign_client import heard
from lab.bench.invariants import QOS, RETAINED, contract_broken, times_broken
from lab.bench.observed import Order, Sent
from lab.bench.outside.link import ALWAYS_KEPT
from lab.bench.published import broken_schemas

NAMED = ("state", "results", "event")
"""Rows whose documents say of which table they are."""

CLOCKS_S = 120.0
"""How far the clocks of table and bench may be apart: both should keep the time of the network."""

SAME_MOMENT_S = 1.0
"""What is heard so shortly before somebody comes may reach him or not."""

MOST_OF_A_KIND = 3
"""One mistake is often made with every message; a few show it."""


@dataclass(frozen=True, slots=True)
class Overheard:
    """All that was heard of one case.

    Attributes:
        table: id of the table.
        joined: what was retained at the beginning, by suffix.
        sent: what came since, in order.
        orders: what was asked of the table; `place` counts `sent` alone.
        kept: what somebody is given at the end.
        kept_s: when that was.
        unix_s: the wall clock when bench time was 0.
        joined_s: when it began.
        flags: whether the retain flags of `sent` are true ones.
    """

    table: str
    joined: Mapping[str, Sent]
    sent: tuple[Sent, ...]
    orders: tuple[Order, ...]
    kept: Mapping[str, Sent]
    kept_s: float
    unix_s: float
    joined_s: float = 0.0
    flags: bool = True

    @property
    def said(self) -> tuple[Sent, ...]:
        """All that the table has said: before, and since."""
        return (*self.before, *self.sent)

    @property
    def asked(self) -> tuple[Order, ...]:
        """What was asked of it, placed among `said`."""
        return tuple(replace(each, place=each.place + len(self.before)) for each in self.orders)

    @property
    def before(self) -> tuple[Sent, ...]:
        """What was retained, in the order in which a table says it.

        The first word of the process was before our time: `init`. Its health may be older than its
        status, so that is left out.
        """
        rows = ("status", "state", "summary", "results", "film", "availability")
        there = [self.joined[row] for row in rows if row in self.joined]
        return tuple(replace(message, t_s=self.joined_s) for message in [*self._birth(), *there])

    def _birth(self) -> Iterator[Sent]:
        status = self.joined.get("status")
        document = status.document() if status is not None else None
        if status is not None and isinstance(document, dict):
            begun = status.payload.replace(str(document.get("phase")).encode(), b"init", 1)
            yield replace(status, payload=begun) if document.get("phase") != "init" else status


def broken_promises(case: Overheard) -> tuple[str, ...]:
    """Everything that was not as docs/mqtt.md says, each mistake a few times at most."""
    misshapen = list(_misshapen(case))
    if misshapen:
        # Whoever reads on would stumble over what is missing.
        return _few(misshapen)
    sent = case.said
    flagged = sent if case.flags else tuple(map(_as_promised, sent))
    return _few(
        [
            *contract_broken(flagged),
            *_late_joiner(case),
            *times_broken(sent, [case.unix_s], heard_s=-inf, off_s=CLOCKS_S),
            *_silences(case),
            *heard(case.asked, sent),
        ]
    )


def _few(found: Sequence[str]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    kept = []
    for words in found:
        kind = "".join(c for c in words if not c.isdigit())[:40]
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= MOST_OF_A_KIND:
            kept.append(words)
    return tuple(kept)


def _row(message: Sent) -> str:
    return message.suffix.split("/")[0]


def _as_promised(message: Sent) -> Sent:
    """A message whose flag nobody could see."""
    return replace(message, retain=_row(message) in RETAINED)


# --- shape -------------------------------------------------------------------------------------


def _misshapen(case: Overheard) -> Iterator[str]:
    """Payloads that are not as their JSON Schema says, or speak of another table."""
    said = [m for m in (*case.joined.values(), *case.sent) if _row(m) in QOS]
    found = list(broken_schemas(said, strict=False))
    yield from found
    if not found:
        named = [m.document()["table"] for m in said if m.suffix in NAMED]
        yield from (f"messages speak of table {name}" for name in {*named} - {case.table})


# --- who comes later ---------------------------------------------------------------------------


def _late_joiner(case: Overheard) -> Iterator[str]:
    """Somebody who comes is given the newest of each retained row, and nothing else."""
    for when, given in (("at the beginning", case.joined), ("at the end", case.kept)):
        yield from (
            f"late joiner: no {row} is retained {when}" for row in ALWAYS_KEPT if row not in given
        )
        yield from (
            f"late joiner: {suffix} is retained {when}"
            for suffix in given
            if (row := suffix.split("/")[0]) in QOS and row not in RETAINED
        )
    for suffix, message in case.kept.items():
        heard_of_it = [each for each in case.sent if each.suffix == suffix]
        before = sum(each.t_s < case.kept_s - SAME_MOMENT_S for each in heard_of_it)
        new = [each.payload for each in heard_of_it[max(0, before - 1) :]]
        if suffix in RETAINED and message.payload not in (new or [message.payload]):
            yield f"late joiner: is given an old {suffix}: {clipped(str(message.document()), 80)}"


def _silences(case: Overheard) -> Iterator[str]:
    """A table that says nothing for `valid_s` is taken for gone."""
    known = [m.document()["valid_s"] for m in case.sent if m.suffix == "health"]
    if not known or any(m.payload == b"offline" for m in case.sent):
        return
    for one_s, two_s in pairwise([*(message.t_s for message in case.sent), case.kept_s]):
        if two_s - one_s > known[0]:
            yield f"health: valid for {known[0]:g} s, and {two_s - one_s:.0f} s of silence"
