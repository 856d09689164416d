"""The ledger: every move that was seen or said, in table time, and how to take changes back.

A move is kept as it was witnessed - what the sensors saw, what people said - never as what it
came to mean. What it means is worked out by folding the ledger through the rules (`fold.py`),
so that a correction of one move re-scores everything after it by itself. Nothing is ever
deleted because it was ignored: a placement seen while the board was being cleared counts again
when the topple before it turns out to have been none.

Changes are groups of edits, each of which knows its inverse: undo applies the inverses.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite, nan
from typing import Any

from engine.events import Ranked, ToppleCause, ToppleKind

LOOKED_AT = "looked_at"
"""In the data of a placement: the colour that people saw on the board, whoever's turn it was."""

ELSEWHERE = "elsewhere"
"""In the data of a placement: the cells that were offered, and on none of which it was."""


class MoveKind(StrEnum):
    """What kind of thing a move is; `ACTION` is a move of a game played by hand."""

    START = "start"
    ROLL = "roll"
    PASS = "pass"  # noqa: S105 - the rule book's word, no secret
    PLACE = "place"
    TOPPLE = "topple"
    COLOUR = "colour"
    TURN = "turn"
    CLEARED = "cleared"
    END = "end"
    ACTION = "action"


@dataclass(frozen=True, slots=True)
class SensedPlacement:
    """A placement as the sensors saw it.

    Attributes:
        id: number of the detector's event.
        cells: cells with their probabilities, best first; empty when no cell could be told.
        confidence: probability that it happened and the best cell is right.
        mass_g, mass_sd_g: of the piece, and the standard deviation of that weighing.
        felt: probability that it happened, where no cell could be told.
    """

    id: int
    cells: Ranked
    confidence: float
    mass_g: float = nan
    mass_sd_g: float = nan
    felt: float = 1.0

    @property
    def stands(self) -> float:
        """Probability that a piece stands, on whichever cell."""
        return sum(p for _, p in self.cells) if self.cells else self.felt


@dataclass(frozen=True, slots=True)
class SensedTopple:
    """A topple as the sensors saw it; see `engine.events.Toppled`."""

    id: int
    kind: ToppleKind
    cause: ToppleCause
    confidence: float
    cause_confidence: float
    fallen: int | None = None
    rested: float | None = None
    mass_g: float = nan
    mass_sd_g: float = nan


DOUBTED, DOUBTED_P = "doubted", 0.5
"""Why a fall does not count in which the sensors believe by less than that."""


@dataclass(frozen=True, slots=True)
class Move:
    """One entry of the ledger.

    Attributes:
        ref: number of the move, never used twice in a game; what `correct` names.
        t_s: table time at which it happened (a placement: its release).
        data: what people said about it, in the form of a record action without `type`. Always
            stronger than what the sensors saw.
        seen: the sensors' placement, if they saw one.
        fall: the sensors' topple, if they saw one.
        settled: people said what it was; later evidence does not move it any more.
        void: why it does not count (`fell`, `denied`, ...); empty while it counts.
        unknown: kinds of the questions about it that people cannot answer either.
    """

    ref: int
    t_s: float
    kind: MoveKind
    data: Mapping[str, Any] = field(default_factory=dict)
    seen: SensedPlacement | None = None
    fall: SensedTopple | None = None
    settled: bool = False
    void: str = ""
    unknown: tuple[str, ...] = ()

    @property
    def source(self) -> int | None:
        """Number of the detector's event behind the move."""
        return self.seen.id if self.seen else self.fall.id if self.fall else None

    @property
    def mass_g(self) -> float | None:
        """Weight of the piece that was placed; None where none was weighed."""
        return self.seen.mass_g if self.seen is not None and isfinite(self.seen.mass_g) else None

    @property
    def weighing(self) -> tuple[float, float] | None:
        """Weight of the piece that was placed or fell from the hand, and its standard deviation.

        None where none was weighed.
        """
        seen = self.seen or self.fall
        return (seen.mass_g, seen.mass_sd_g) if seen and isfinite(seen.mass_g) else None

    @property
    def weighed(self) -> bool:
        """Whether the weight of pieces says so, and no person."""
        return bool(self.data.get("weighed"))

    @property
    def cause(self) -> ToppleCause:
        """Why pieces fell, of a topple: people's word, or else what the sensors say."""
        if "cause" in self.data:
            return ToppleCause(self.data["cause"])
        return self.fall.cause if self.fall else ToppleCause.PLACING

    @property
    def colour(self) -> str | None:
        """Of a placement, people's word: which of a player's own colours, or whose piece it was."""
        found = self.data.get("colour", self.data.get(LOOKED_AT))
        return None if found is None else str(found)

    @property
    def cell(self) -> str | None:
        """Where a piece was placed: people's word, or else the likeliest cell of the sensors."""
        if "cell" in self.data:
            return str(self.data["cell"])
        return self.seen.cells[0][0] if self.seen and self.seen.cells else None


Ledger = tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the ledger: insertion (`old` None), removal (`new` None) or replacement.

    `index` is where an insertion belongs among moves of the same time; moves that are there
    already are found by number.
    """

    index: int
    old: Move | None
    new: Move | None

    def inverse(self) -> "Edit":
        """The edit that takes this one back."""
        return Edit(self.index, self.new, self.old)

    def apply(self, ledger: Ledger) -> Ledger:
        """The ledger after the edit."""
        new = () if self.new is None else (self.new,)
        index = self._place(ledger)
        return ledger[:index] + new + ledger[index + (self.old is not None) :]

    def _place(self, ledger: Ledger) -> int:
        if self.old is not None:
            return index_of(ledger, self.old.ref)
        return self.index if self.new is None else _in_time(ledger, self.index, self.new.t_s)


@dataclass(frozen=True, slots=True)
class Change:
    """What one press of undo takes back: edits made together.

    Attributes:
        verb: what was done (`roll`, `place`, `correct`, ...), to be named when it is undone.
        noticed: false for a change nobody could see (a placement while the board is cleared);
            undo takes such ones back along with the last visible one.
    """

    verb: str
    edits: tuple[Edit, ...]
    noticed: bool = True

    def inverse(self) -> "Change":
        """The change that takes this one back."""
        edits = tuple(edit.inverse() for edit in reversed(self.edits))
        return replace(self, edits=edits)

    def apply(self, ledger: Ledger) -> Ledger:
        """The ledger after the change."""
        for edit in self.edits:
            ledger = edit.apply(ledger)
        return ledger


def _in_time(ledger: Ledger, index: int, t_s: float) -> int:
    """The place nearest to `index` that keeps the order of time.

    Evidence that came since may have moved what stood around an insertion that is done again.
    """
    index = min(index, len(ledger))
    # The first entry is the start of the game; nothing can have happened before it.
    while index > 1 and ledger[index - 1].t_s > t_s:
        index -= 1
    while 0 < index < len(ledger) and ledger[index].t_s < t_s:
        index += 1
    return index


def insertion(ledger: Ledger, move: Move) -> Edit:
    """Put a move where its time belongs: late decisions land before what followed them."""
    return Edit(_in_time(ledger, len(ledger), move.t_s), None, move)


def in_order(ledger: Ledger) -> Ledger:
    """The ledger by time, behind the start of the game."""
    return (*ledger[:1], *sorted(ledger[1:], key=lambda move: move.t_s))


def replacement(ledger: Ledger, move: Move) -> Edit:
    """Exchange the move that has the same number."""
    index = index_of(ledger, move.ref)
    return Edit(index, ledger[index], move)


def index_of(ledger: Ledger, ref: int) -> int:
    """Where the move with this number stands.

    Raises:
        KeyError: there is none.
    """
    for index in range(len(ledger) - 1, -1, -1):
        if ledger[index].ref == ref:
            return index
    raise KeyError(ref)


def by_source(ledger: Ledger, event_id: int) -> Move | None:
    """The move that came from a detector event, if it is in the ledger."""
    return next((m for m in reversed(ledger) if m.source == event_id), None)


def rewrite(
    changes: Iterable[Change], ref: int, updated: Callable[[Move], Move]
) -> tuple[Change, ...]:
    """Let new evidence about a move hold in the past too, as if it had been seen so at once.

    Without this, undoing some later step would bring an outdated sighting back.
    """
    return tuple(_rewritten(change, ref, updated) for change in changes)


def _rewritten(change: Change, ref: int, updated: Callable[[Move], Move]) -> Change:
    def new(move: Move | None) -> Move | None:
        return updated(move) if move is not None and move.ref == ref else move

    edits = tuple(Edit(edit.index, new(edit.old), new(edit.new)) for edit in change.edits)
    return change if edits == change.edits else replace(change, edits=edits)
