"""Holds a run against independent accounts of it: exactly, and at every quiet moment. Pure.

Nothing here uses the program's own referee, rules, document or journal: see
`lab.bench.foreign_client` (messages), `foreign_journal` (journal) and `people_account`
(what people did and said). Numbers, table time and journal may begin anywhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from lab.bench.foreign_client import answers, heard
from lab.bench.foreign_journal import journal_broken
from lab.bench.observed import Order, Run, Sent
from lab.bench.people_account import PeopleAccount
from lab.bench.scorer import ScoreSheet

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
    """One thing that happened or was said; `truth` or `order`."""

    t_s: float
    truth: Mapping[str, Any] | None = None
    order: Order | None = None
    answer: Mapping[str, Any] | None = None
    told: Mapping[str, Any] | None = None

    @property
    def place(self) -> float:
        """Number of the messages before it; 0 where nobody knows."""
        return 0 if self.order is None else self.order.place


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
    """

    run: Run
    people: PeopleAccount = field(default_factory=PeopleAccount)
    state: Document = field(default_factory=dict)
    shown_s: float = 0.0
    hands_s: float = 0.0
    decided_s: float = 0.0
    well_since_s: float = inf

    def differences(self) -> tuple[str, ...]:
        """The first difference, or what was done against the rules."""
        sent = (*self.run.sent, *self.run.encore)
        shown = ((n, m) for n, m in enumerate(sent) if m.suffix in ("state", "status"))
        following = next(shown, None)
        for moment in (*_moments(self.run, sent), Moment(inf)):
            while following is not None and self._is_before(*following, moment):
                self._look(*following)
                following = next(shown, None)
            if words := self._compared(moment):
                return (words,)
            self._take(moment)
        return tuple(self.people.wrong)

    def _is_before(self, place: int, message: Sent, moment: Moment) -> bool:
        if moment.order is not None:
            return place < moment.order.place
        in_time = place < len(self.run.sent) and message.t_s <= moment.t_s
        return in_time or moment.t_s == inf

    def _look(self, place: int, message: Sent) -> None:
        document = message.document()
        if message.suffix == "state":
            self.state, self.shown_s = document, message.t_s
        elif place < len(self.run.sent):
            # In the encore nobody has been near the sensors.
            well = document["phase"] == "ready"
            self.well_since_s = min(self.well_since_s, message.t_s) if well else inf

    def _compared(self, moment: Moment) -> str:
        """What differs before this moment; empty when nothing does, or nobody can know."""
        sheet, now_s = self.people.sheet, min(moment.t_s, self.run.end_s)
        at_the_end = moment.t_s == inf
        in_encore = moment.place > len(self.run.sent) or bool(at_the_end and self.run.encore)
        quiet_s = now_s - (self.hands_s if at_the_end else max(self.hands_s, self.decided_s))
        quiet = quiet_s >= (QUIET_AT_THE_END_S if at_the_end else QUIET_S)
        well = now_s - self.well_since_s >= QUIET_AT_THE_END_S
        if sheet is None or not self.state or self.state["pending"] or self.people.astray:
            return ""
        if self.shown_s >= (moment.truth or {}).get("t_contact", inf):
            return ""  # what a hand still holds may be told before it lets go
        words = self.people.lost or "; ".join(differences(sheet, self.state))
        when = "in the encore" if in_encore else f"at {now_s:.1f} s"
        return f"{when}: {words}" if words and well and (quiet or in_encore) else ""

    def _take(self, moment: Moment) -> None:
        if moment.truth is not None:
            self.people.happened(moment.truth)
            self._note_hands(moment.t_s, moment.truth)
        elif moment.order is not None:
            self._hear(moment.order, moment)

    def _note_hands(self, t_s: float, entry: Document) -> None:
        if entry["type"] in DONE_BY_HANDS:
            self.hands_s = max(self.hands_s, t_s + (entry.get("dur") or 0.0))
        if entry["type"] == "topple":
            self.decided_s = t_s + TOPPLE_DECIDED_S

    def _hear(self, order: Order, moment: Moment) -> None:
        command, answer = order.document() or {}, moment.answer
        data = command.get("data") or {}
        if answer is None or answer["ok"]:
            self.people.said(order.verb, data, order.t_s, self.state, told=moment.told)
        elif answer["code"] in ("illegal", "not-your-turn"):
            self.people.refused(order.verb, data, order.t_s, answer.get("reason", ""))


def _moments(run: Run, sent: Sequence[Sent]) -> list[Moment]:
    """What happened and what was said, in order."""
    found, _ = answers(run.orders, sent)
    moved = _taken_back(sent)
    seen: set[tuple[str, str]] = set()
    said = []
    for order, answer in zip(run.orders, found, strict=True):
        command = order.document() or {}
        key = (str(command.get("client")), str(command.get("id")))
        if order.by_mqtt and (answer is None or (command.get("id") and key in seen)):
            continue
        seen.add(key)
        if order.by_mqtt or order.heard:
            told = next((data for place, data in moved if place >= order.place), {})
            none = answer is None and order.verb not in ("undo", "redo")
            said.append(Moment(order.t_s, None, order, answer, None if none else told))
    done = [Moment(_time(entry), truth=entry) for entry in run.truth]
    return sorted((*done, *said), key=lambda moment: (moment.t_s, moment.order is not None))


def _taken_back(sent: Sequence[Sent]) -> list[tuple[int, Mapping[str, Any]]]:
    """What the table said it took back or did again, by number of the message."""
    events = ((place, m.document()) for place, m in enumerate(sent) if m.suffix == "event")
    return [(place, e["data"]) for place, e in events if e["type"] in ("undone", "redone")]


def _time(entry: Mapping[str, Any]) -> float:
    return float(entry.get("t_release", entry["t"]))


def differences(sheet: ScoreSheet, state: Mapping[str, Any]) -> Iterator[str]:
    """What the document shows otherwise than the people's sheet."""
    shown = {c: [piece["colour"] for piece in stack] for c, stack in state["board"].items()}
    if shown != sheet.seen:
        cells = [c for c in {**shown, **sheet.seen} if shown.get(c) != sheet.seen.get(c)]
        parts = [f"{c} shows {shown.get(c, [])}, there is {sheet.seen.get(c, [])}" for c in cells]
        yield ", ".join(parts)
    scores = {player["name"]: player["score"] for player in state["players"]}
    if scores != sheet.scores:
        yield f"the score is {scores}, the people count {sheet.scores}"
    if state["phase"] != sheet.phase:
        yield f"the phase is {state['phase']}, for the people {sheet.phase}"
    elif sheet.phase in ("roll", "act"):
        turn = (state["turn"]["player"], state["turn"]["die"])
        if turn != (sheet.names[sheet.current], sheet.die):
            yield f"turn and die are {turn}, for the people {sheet.names[sheet.current], sheet.die}"
    if sheet.winners != tuple(state["winners"]):
        yield f"winners are {state['winners']}, for the people {sheet.winners}"
    for player, hand in zip(state["players"], sheet.hands, strict=False):
        points = {colour: sheet.points[colour] for colour in hand}
        if len(hand) > 1 and player["colour_scores"] != points:
            yield f"{player['name']}'s colours have {player['colour_scores']}, counted {points}"
