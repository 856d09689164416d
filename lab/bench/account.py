"""Holds a run against independent accounts of it: exactly, and at every quiet moment. Pure.

Nothing here uses the program's own referee, rules, document or journal: see
`lab.bench.foreign_client` (messages), `foreign_journal` (journal) and `people_account`
(what people did and said). Numbers, table time and journal may begin anywhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from lab.bench.foreign_client import answers, heard
from lab.bench.foreign_game import game_differs
from lab.bench.foreign_journal import journal_broken
from lab.bench.observed import Order, Run, Sent
from lab.bench.people_account import PeopleAccount

Document = Mapping[str, Any]

QUIET_S = 2.5
"""Between two turns of a scenario there is so much; a sure decision takes 1.5 s at most."""

QUIET_AT_THE_END_S = 2.0
"""Every scenario gives the table so long to settle."""

TOPPLE_DECIDED_S = 8.0
"""A topple is looked at until the board lies still; the slowest scenario allows nine seconds."""

DONE_BY_HANDS = (
    "place", "topple", "remove", "release_void", "cleared", "touch", "bump", "lean", "lift_board",
)  # fmt: skip


def broken_accounts(run: Run) -> tuple[str, ...]:
    """What a foreign client and a foreign reader of the journal find wrong with a run."""
    sent = (*run.sent, *run.encore)
    return (*heard(run.orders, sent), *journal_broken(run.journal, sent))


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened, was said or was published.

    Attributes:
        answer: what the table said to an order.
    """

    t_s: float
    truth: Mapping[str, Any] | None = None
    order: Order | None = None
    answer: Mapping[str, Any] | None = None
    message: Sent | None = None


def people_differ(run: Run) -> tuple[str, ...]:
    """Where the published game is not the one that people played, by their own count.

    What comes after the first difference follows from it, so that one is told.
    """
    return Comparison(run).differences()


@dataclass(slots=True)
class Comparison:
    """Goes through a run, and looks at the document at every quiet moment.

    Attributes:
        state: the newest document. shown_s: when it was published.
        hands_s, decided_s: when the last hand was gone, and the last topple decided.
        well_since_s: since when no sensor fails.
        standing: pieces on the tower, whoever put them there.
    """

    run: Run
    people: PeopleAccount = field(default_factory=PeopleAccount)
    state: Document = field(default_factory=dict)
    shown_s: float = 0.0
    hands_s: float = 0.0
    decided_s: float = 0.0
    well_since_s: float = inf
    standing: int = 0

    def differences(self) -> tuple[str, ...]:
        """The first difference, or what was done against the rules."""
        for moment in (*_moments(self.run), Moment(inf)):
            if moment.message is None and (words := self._compared(moment)):
                return (words,)
            self._take(moment)
        return tuple(self.people.wrong)

    def _compared(self, moment: Moment) -> str:
        """What differs before this moment; empty when nothing does, or nobody can know."""
        now_s, at_the_end = min(moment.t_s, self.run.end_s), moment.t_s == inf
        quiet_s = now_s - (self.hands_s if at_the_end else max(self.hands_s, self.decided_s))
        quiet = quiet_s >= (QUIET_AT_THE_END_S if at_the_end else QUIET_S)
        well = now_s - self.well_since_s >= QUIET_AT_THE_END_S
        if not (quiet and well and self.state) or self.state["pending"]:
            return ""
        if self.shown_s >= (moment.truth or {}).get("t_contact", inf):
            return ""  # what a hand still holds may be told before it lets go
        game = self.people.game()
        words = "" if game is None else "; ".join(game_differs(game, self.state))
        return f"at {now_s:.1f} s: {words}" if words else ""

    def _take(self, moment: Moment) -> None:
        if moment.message is not None:
            self._look(moment.message, moment.message.document())
        elif moment.truth is not None:
            self.people.happened(moment.truth)
            self._note_hands(moment.t_s, moment.truth)
        elif moment.order is not None:
            self._hear(moment.order, moment.answer)

    def _look(self, message: Sent, document: Document) -> None:
        if message.suffix == "status":
            well = document["phase"] == "ready"
            self.well_since_s = min(self.well_since_s, message.t_s) if well else inf
            return
        self.state, self.shown_s = document, message.t_s
        empty = not (document["board"] or document["pending"] or document["doubt"] or self.standing)
        fresh = document["phase"] in ("roll", "act") and document["turn"]["die"] is None
        if self.people.lost and document["kind"] == "topple" and fresh and empty:
            self.people.resume(document)

    def _note_hands(self, t_s: float, entry: Document) -> None:
        if entry["type"] in DONE_BY_HANDS:
            self.hands_s = max(self.hands_s, t_s + (entry.get("dur") or 0.0))
        if entry["type"] == "topple":
            self.decided_s = t_s + TOPPLE_DECIDED_S
        if entry["type"] in ("topple", "place"):
            self.standing += 1  # what fell lies somewhere, until the board was cleared
        elif entry["type"] == "cleared":
            self.standing = 0

    def _hear(self, order: Order, answer: Document | None) -> None:
        command = order.document() or {}
        if answer is None or answer["ok"]:
            self.people.said(order.verb, command, order.t_s, self.state, self._taken_back(order))
        elif answer["code"] in ("illegal", "not-your-turn"):
            self.people.refused(order.verb, command, order.t_s, answer.get("reason", ""))

    def _taken_back(self, order: Order) -> Document:
        """What the table said that it took back or did again."""
        if order.verb not in ("undo", "redo"):
            return {}
        said = (m.document() for m in self.run.sent[order.place :] if m.suffix == "event")
        return next((e["data"] for e in said if e["type"] in ("undone", "redone")), {})


def _moments(run: Run) -> list[Moment]:
    """What happened, what was said and what was published, in order."""
    found, _ = answers(run.orders, (*run.sent, *run.encore))
    published = [(n, m) for n, m in enumerate(run.sent) if m.suffix in ("state", "status")]
    seen: set[tuple[str, str]] = set()
    said: list[tuple[float, float, int, Moment]] = []
    for order, answer in zip(run.orders, found, strict=True):
        command = order.document() or {}
        key = (str(command.get("client")), str(command.get("id")))
        again = bool(command.get("id")) and key in seen
        seen.add(key)
        obeyed = not (again or answer is None) if order.by_mqtt else order.heard
        if obeyed and order.place < len(run.sent):
            said.append((order.t_s, order.place - 0.5, 1, Moment(order.t_s, None, order, answer)))
    done = [(_time(e), -1.0, 0, Moment(_time(e), truth=e)) for e in run.truth]
    told = [(m.t_s, float(n), 1, Moment(m.t_s, message=m)) for n, m in published]
    in_order = sorted([*done, *said, *told], key=lambda row: (row[0], row[2], row[1]))
    return [moment for *_, moment in in_order]


def _time(entry: Mapping[str, Any]) -> float:
    return float(entry.get("t_release", entry["t"]))
