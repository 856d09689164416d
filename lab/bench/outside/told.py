"""What a table's own `event` messages say it saw, as the judge of the bench reads it. Pure.

A message does not say when a piece was let go; that is known from the hand. So each placement
is dated by the deed that it must be, and `decided_s` is when its message arrived here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.events import (
    Cleared,
    Corrected,
    Dismissed,
    Fault,
    Placed,
    Restored,
    Retracted,
    Suspected,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from lab.bench.observed import Seen, Sent

SAME_DEED_S = 15.0
"""What is told later than this is not of that deed; a fall is looked at for nine seconds."""

Truth = Sequence[Mapping[str, Any]]


def seen_by(sent: Sequence[Sent], truth: Truth) -> tuple[Seen, ...]:
    """The table events behind the messages, dated by what truly happened."""
    dating, known = _Dating(truth), set[int]()
    found = []
    for message in sent:
        if message.suffix != "event":
            continue
        document = message.document()
        data = document.get("data", {})
        event = _event(document["type"], data, message.t_s, known)
        if event is not None:
            happened_s = dating.of(event, message.t_s)
            found.append(Seen(happened_s, message.t_s, event, message.process))
    return tuple(found)


def _event(  # noqa: PLR0911 - one case for each type
    kind: str, data: Mapping[str, Any], t_s: float, known: set[int]
) -> TableEvent | None:
    sure, cell = data.get("confidence"), data.get("cell")
    match kind:
        case "placed" if sure is not None and data["ref"] not in known:
            known.add(data["ref"])
            return Placed(data["ref"], t_s, t_s, cell, sure)
        case "corrected" if sure is not None and data.get("of") == "placed" and cell:
            return Corrected(data["ref"], t_s, cell, sure)
        case "retracted" | "fell" if cell or kind == "fell":
            return Retracted(data["ref"], t_s, data.get("reason", kind))
        case "toppled" if sure is not None:
            return Toppled(
                data["ref"], t_s, t_s,
                ToppleKind(data.get("kind", "collapse")), ToppleCause(data["cause"]), sure,
            )  # fmt: skip
        case "suspected":
            chance = data["probability"]
            return Suspected(data["id"], t_s, t_s, chance, ToppleKind(data["kind"]))
        case "dismissed":
            return Dismissed(data["id"], t_s)
        case "cleared":
            return Cleared(t_s, t_s)
        case "fault":
            return Fault(t_s, data["sensor"], data["reason"])
        case "restored":
            return Restored(t_s, data["sensor"])
    return None


class _Dating:
    """Gives each event the moment of the deed it tells of."""

    def __init__(self, truth: Truth) -> None:
        self._places = [entry for entry in truth if entry["type"] == "place"]
        self._falls = [entry for entry in truth if entry["type"] == "topple"]

    def of(self, event: TableEvent, arrived_s: float) -> float:
        """When it happened; the arrival where no deed fits."""
        if isinstance(event, Placed):
            begun = list(self._near(self._places, "t_contact", arrived_s))
            same = [entry for entry in begun if entry["cell"] == event.cell]
            if begun:
                entry = (same or begun)[-1]
                self._places.remove(entry)
                return min(float(entry["t_release"]), arrived_s)
        if isinstance(event, Toppled):
            fell = [float(e["t"]) for e in self._near(self._falls, "t", arrived_s)]
            return fell[-1] if fell else arrived_s
        return arrived_s

    @staticmethod
    def _near(entries: Truth, key: str, arrived_s: float) -> Iterator[Mapping[str, Any]]:
        return (e for e in entries if 0 <= arrived_s - float(e[key]) <= SAME_DEED_S)
