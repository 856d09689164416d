"""What is done with every table after its scenario: killed, undone to the beginning, and back.

Time stands still meanwhile: only commands are sent, so it costs no table time. What is found are
invariants; the scenario itself is judged without it. Looks at messages only, as any client does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from lab.bench.drawn_game import drawn_game
from lab.bench.foreign_game import BESIDE, OF_PROCESS, board_of, in_doubt
from lab.bench.observed import Sent
from lab.bench.scorer import FILES, RANKS, level

Document = dict[str, Any]

ON_THE_WAY = ("rev", "seq", "last", "redo_depth", "boot", "hints", "simulated")
"""Fields in which a document reached by undo may differ from the one shown on the way there."""

TOLD_BEFORE = 0.3
"""Share of pieces whose colour is announced before they are laid."""

TURNED = ("corrected", "retracted", "fell")
"""Better knowledge of an earlier move: it holds for the past, too, so older documents changed."""


class Played(Protocol):
    """What the encore needs of a stage."""

    def say(self, verb: str, data: dict[str, Any] | None = None) -> Document:
        """Send a command, let the table answer at once, and give the answer."""
        ...

    def again(self) -> None:
        """Deliver the last command once more."""
        ...

    def restart(self) -> None:
        """Kill the table and start it again, at once."""
        ...

    @property
    def messages(self) -> Sequence[Sent]:
        """All that was published."""
        ...


@dataclass(slots=True)
class Encore:
    """One encore.

    Attributes:
        stage: the table.
        chance: draws where it is killed, and what is corrected.
        broken: what did not hold, in words.
    """

    stage: Played
    chance: Random
    broken: list[str] = field(default_factory=list)

    def play(self) -> tuple[str, ...]:
        """Play it; says what did not hold."""
        if self._restarted("after the end") and self._shown["game"] is not None:
            way = on_the_way(self.stage.messages)
            last = self._shown
            depth = last["undo_depth"]
            # On the way back or on the way forth, as the seed will have it.
            kills = (
                {self.chance.choice((-1, 1)) * self.chance.randint(1, depth)} if depth else set()
            )
            self._back(depth, way, kills)
            self._forth(depth, last, kills)
            self._correct()
        if not self.broken:
            self._another_game()
        return tuple(f"encore: {words}" for words in self.broken)

    @property
    def _shown(self) -> Document:
        found = next(m for m in reversed(self.stage.messages) if m.suffix == "state")
        document: Document = found.document()
        return document

    def _restarted(self, when: str) -> bool:
        before = self._shown
        self.stage.restart()
        after = self._shown
        if after["boot"] == before["boot"]:
            self.broken.append(f"{when}: no new boot after a restart")
        self._compare(f"killed {when}", before, after, OF_PROCESS)
        return not self.broken

    def _compare(
        self, when: str, wanted: Mapping[str, Any], found: Mapping[str, Any], but: Sequence[str]
    ) -> None:
        for key in wanted:
            if key not in but and _told(key, wanted, but) != _told(key, found, but):
                one, two = _told(key, found, but), _told(key, wanted, but)
                self.broken.append(f"{when}: {key} is {one!s:.90}, it was {two!s:.90}")

    def _press(self, verb: str, data: dict[str, Any] | None = None) -> bool:
        rev = self._shown["rev"]
        reply = self.stage.say(verb, data)
        if not reply.get("ok"):
            self.broken.append(f"{verb} {data or ''} is refused: {reply.get('msg', 'no answer')}")
        elif self._shown["rev"] != rev + 1:
            self.broken.append(f"{verb} leads from revision {rev} to {self._shown['rev']}")
        return bool(reply.get("ok"))

    def _back(self, depth: int, way: Mapping[int, Document], kills: set[int]) -> None:
        """Undo to the very beginning, past every document that was shown on the way."""
        for step in range(depth - 1, -1, -1):
            if -(step + 1) in kills:
                self._restarted(f"{step + 1} steps from the beginning")
            if not self._press("undo"):
                return
            if step in way:
                self._compare(f"undone to step {step}", way[step], self._shown, ON_THE_WAY)
        if self._shown["undo_depth"]:
            self.broken.append(f"after {depth} times undo there are {self._shown['undo_depth']}")

    def _forth(self, depth: int, last: Document, kills: set[int]) -> None:
        """And redo to the end."""
        for step in range(1, depth + 1):
            if step in kills:
                self._restarted(f"{step - 1} steps from the beginning, on the way back")
            if not self._press("redo"):
                return
            if step == 1:
                self._repeated()
        self._compare("undone and redone", last, self._shown, ON_THE_WAY)

    def _repeated(self) -> None:
        """A command that comes twice is obeyed once; a foreign client compares the answers."""
        before = self._shown
        self.stage.again()
        self._compare("a command delivered twice", before, self._shown, OF_PROCESS)

    def _correct(self) -> None:
        """Say that a piece had been laid elsewhere: that one moves, and no other."""
        while self._shown["undo_depth"] and not _movable(self._shown):
            if not self._press("undo"):
                return
        choices = _movable(self._shown)
        if not choices:
            return
        self._restarted("before a correction")
        before = self._shown
        ref, cell = self.chance.choice(choices)
        if not self._press("correct", {"ref": ref, "cell": cell}):
            return
        # While something is asked, what one piece was says what the others are.
        wrong = () if in_doubt(before) else moved_wrongly(before, self._shown, ref, cell)
        for words in wrong:
            self.broken.append(f"move {ref} corrected to {cell}: {words}")
        if self._press("undo"):
            self._compare("a correction undone", before, self._shown, ON_THE_WAY)

    def _another_game(self) -> None:
        """A short game by hand, and a correction in it after a restart.

        The people's own account knows what it must come to.
        """
        rev = self._shown["rev"]
        for verb, data in drawn_game(self.chance):
            self.stage.say(verb, {**self._colour_of(verb), **data})
            if verb == "start" and (self._shown["board"] or self._shown["rev"] != rev + 1):
                self.broken.append(f"a new game begins with {self._shown!s:.90}")
        self._correct()

    def _colour_of(self, verb: str) -> dict[str, Any]:
        """Which colour is laid; of two nobody could guess it. Half of them are told beforehand."""
        shown = self._shown
        if verb != "place" or shown["turn"] is None:
            return {}
        whose = shown["turn"]["player"]
        hand = next(p["colours"] for p in shown["players"] if p["name"] == whose)
        colour = {"colour": self.chance.choice(hand)}
        if self.chance.random() >= TOLD_BEFORE:
            return colour
        self.stage.say("colour", colour)
        return {}


def _told(key: str, document: Mapping[str, Any], but: Sequence[str]) -> Any:
    value = document[key]
    if key == "can" and "redo_depth" in but:
        return {who: [verb for verb in verbs if verb != "redo"] for who, verbs in value.items()}
    return value


def _movable(document: Document) -> list[tuple[int, str]]:
    """Each piece with the cells that the die allowed as well: those of its level."""
    if document["phase"] in ("clear", "over") or document["kind"] != "topple":
        return []
    return [
        (ref, other)
        for cell, stack in board_of(document).items()
        for ref, _ in stack
        for other in _same_level(cell)
        if other != cell
    ]


def _same_level(cell: str) -> list[str]:
    """Cells as many steps from the centre (T1)."""
    cells = (file + rank for file in FILES for rank in RANKS)
    return [other for other in cells if level(other) == level(cell)]


def moved_wrongly(before: Document, after: Document, ref: int, cell: str) -> Iterator[str]:
    """What else has moved by a correction, or that nothing has."""
    rest = [
        {at: [piece for piece in stack if piece[0] != ref] for at, stack in board.items()}
        for board in (board_of(before), board_of(after))
    ]
    was, now = ({at: stack for at, stack in board.items() if stack} for board in rest)
    if was != now:
        yield f"other pieces moved: {now!s:.90}, they lay {was!s:.90}"
    if ref not in [piece[0] for piece in board_of(after).get(cell, [])]:
        yield f"on {cell} lie {board_of(after).get(cell)}"


def on_the_way(messages: Sequence[Sent]) -> dict[int, Document]:
    """The documents that undo must pass, by their number of undo steps.

    What later knowledge has rewritten is left out: undo shows it as it is known now.
    """
    way: dict[int, Document] = {}
    laid: dict[int, int] = {}
    game: str | None = None
    turned: list[int] = []
    moves, toppled = 0, False
    heard: int | None = None
    for message in messages:
        document = message.document()
        if message.suffix == "event":
            heard = document["seq"]
            moves += document["type"] not in BESIDE
            toppled = toppled or document["type"] == "toppled"
            turned += _turned(document, laid)
        if message.suffix != "state":
            continue
        if document["game"] != game or heard not in (None, document["seq"]):
            # Another game, or a broker that was away: nobody knows what has been rewritten.
            way, laid, game = {}, {}, document["game"]
        depth = document["undo_depth"]
        before = max(way, default=-1)
        # People's own correction is a step like any other; the documents before it stay.
        if depth <= before or moves > 1 or toppled:
            since = min((laid.get(ref, 0) for ref in turned), default=depth)
            way = {step: doc for step, doc in way.items() if step < since}
        turned, moves, toppled = [], 0, False
        way = {step: doc for step, doc in way.items() if step < depth} | {depth: document}
        for stack in document["board"].values():
            for piece in stack:
                laid.setdefault(piece["ref"], depth)
    return way


def _turned(event: Document, laid: Mapping[int, int]) -> list[int]:
    """The moves that an event may have shown in another light."""
    if event["type"] == "toppled":
        # The newest piece may have fallen with it, which is told by this event alone.
        return [max(laid, default=0)]
    if event["type"] == "settled":
        return [int(event["data"]["id"].rpartition("-")[2])]
    return [event.get("data", {}).get("ref", 0)] if event["type"] in TURNED else []
