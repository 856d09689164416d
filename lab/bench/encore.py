"""What is done with every table after its scenario: killed, undone to the beginning, and back.

Time stands still meanwhile: only commands are sent, so it costs no table time. Looks at messages
only, as any client does; that each document on the way is right is for the accounts to see.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from lab.bench.drawn_game import drawn_game
from lab.bench.foreign_game import OF_PROCESS
from lab.bench.observed import Sent
from lab.bench.rules_oracle import LEVELS

Document = dict[str, Any]

ON_THE_WAY = (*OF_PROCESS, "rev", "seq", "last", "redo_depth")
"""Fields in which a document reached by undo may differ from the one shown on the way there."""

OF_SCALES = ("mass_g", "colour_p", "weighs")
"""What is known of a piece by its weight: each later one makes it better known."""

TOLD_BEFORE = 0.3
"""Share of pieces whose colour is announced before they are laid."""


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
        chance: draws where it is killed, what is corrected, and another game.
        broken: what did not hold, in words.
    """

    stage: Played
    chance: Random
    broken: list[str] = field(default_factory=list)

    def play(self) -> tuple[str, ...]:
        """Play it; says what did not hold."""
        self.restart("after the end")
        if not self.broken and self.shown["game"] is not None:
            self.there_and_back()
            self.correct()
        if not self.broken:
            for verb, data in drawn_game(self.chance):
                self.stage.say(verb, {**self._colour_of(verb), **data})
            self.correct()
        return tuple(f"encore: {words}" for words in self.broken)

    @property
    def shown(self) -> Document:
        """The newest document."""
        message = next(m for m in reversed(self.stage.messages) if m.suffix == "state")
        document: Document = message.document()
        return document

    def restart(self, when: str) -> None:
        """Kill the table: it must come back as it was, under a new boot."""
        before = self.shown
        self.stage.restart()
        if self.shown["boot"] == before["boot"]:
            self.broken.append(f"{when}: no new boot after a restart")
        self.compare(f"killed {when}", before, OF_PROCESS)

    def compare(self, when: str, wanted: Document, but: Sequence[str] = ON_THE_WAY) -> None:
        """Note in what the newest document is another than the wanted one."""
        found = _comparable(self.shown, but)
        for key, value in _comparable(wanted, but).items():
            if found[key] != value:
                self.broken.append(f"{when}: {key} is {found[key]!s:.90}, it was {value!s:.90}")

    def press(self, verb: str, data: Document | None = None) -> bool:
        """Ask for one change, which must make one revision."""
        rev = self.shown["rev"]
        reply = self.stage.say(verb, data)
        if not reply.get("ok"):
            self.broken.append(f"{verb} {data or ''} is refused: {reply.get('msg', 'no answer')}")
        elif self.shown["rev"] != rev + 1:
            self.broken.append(f"{verb} leads from revision {rev} to {self.shown['rev']}")
        return bool(reply.get("ok"))

    def there_and_back(self) -> None:
        """Undo to the very beginning and redo to the end; somewhere on the way it is killed."""
        last, depth = self.shown, self.shown["undo_depth"]
        verbs = ["undo"] * depth + ["redo"] * depth
        killed = self.chance.randrange(len(verbs)) if verbs else 0
        for place, verb in enumerate(verbs):
            if place == killed:
                self.restart(f"before {verb} number {place}")
            if not self.press(verb):
                return
            if place == depth:
                # A command that comes twice is obeyed once.
                before = self.shown
                self.stage.again()
                self.compare("a command delivered twice", before, OF_PROCESS)
        self.compare("undone and redone", last)

    def correct(self) -> None:
        """After a restart: a piece had been laid elsewhere; then that is taken back."""
        known = self._of_known_dice()
        while self.shown["undo_depth"] and not movable(self.shown, known):
            if not self.press("undo"):
                return
        choices = movable(self.shown, known)
        if not choices:
            return
        self.restart("before a correction")
        before = self.shown
        ref, cell = self.chance.choice(choices)
        if self.press("correct", {"ref": ref, "cell": cell}) and self.press("undo"):
            self.compare("a correction undone", before)

    def _of_known_dice(self) -> set[int]:
        """Pieces of whose dice nothing is assumed, by the events; some fall into the broker's gaps.

        What turns out about a piece may give those after it to another player, with another die.
        """
        known: set[int] = set()
        for event in (m.document() for m in self.stage.messages if m.suffix == "event"):
            ref = event["data"].get("ref", 0)
            if event["type"] in ("corrected", "retracted"):
                known = {earlier for earlier in known if earlier < ref}
            if event["data"].get("assumed"):
                known.discard(ref)
            elif event["type"] in ("placed", "corrected"):
                known.add(ref)
        return known

    def _colour_of(self, verb: str) -> Document:
        """Which colour is laid; of two nobody could guess it. Some are told beforehand."""
        shown = self.shown
        if verb != "place" or shown["turn"] is None:
            return {}
        whose = shown["turn"]["player"]
        hand = next(p["colours"] for p in shown["players"] if p["name"] == whose)
        colour = {"colour": self.chance.choice(hand)}
        if self.chance.random() >= TOLD_BEFORE:
            return colour
        self.stage.say("colour", colour)
        return {}


def _comparable(document: Mapping[str, Any], but: Sequence[str]) -> Document:
    found = {key: value for key, value in document.items() if key not in but}
    if "redo_depth" in but:
        can = document["can"].items()
        found["can"] = {who: [verb for verb in verbs if verb != "redo"] for who, verbs in can}
        found["board"] = {
            cell: [{k: v for k, v in piece.items() if k not in OF_SCALES} for piece in stack]
            for cell, stack in document["board"].items()
        }
    return found


def movable(document: Document, known: Container[int] | None = None) -> list[tuple[int, str]]:
    """Each piece with the cells that the die allowed as well: those of its level (T1).

    Args:
        document: which shows them.
        known: only these moves, of which nothing is assumed (a die that was told wrongly, for
            instance); all when left out.
    """
    if document["phase"] in ("clear", "over") or document["kind"] != "topple":
        return []
    return [
        (piece["ref"], other)
        for cell, stack in document["board"].items()
        for piece in stack
        if known is None or piece["ref"] in known
        for other in LEVELS
        if other != cell and LEVELS[other] == LEVELS[cell]
    ]
