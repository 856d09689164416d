"""The referee's whole memory as one frozen value, and how a change of the ledger alters it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.public_events import PublicEvent
from engine.referee.fold import fold
from engine.referee.ledger import Change, Ledger, Move, MoveKind, in_order, index_of, rewrite
from engine.referee.position import Applied, JudgedMove, Position, Question

NOWHERE = Position()

BLAME_OPEN_CLEARS = 1
"""A culprit may still be named in the round after: people clear first and argue later. Where a
piece lay nobody can tell once the board is cleared."""

TURN_OPEN_TURNS = 2
"""Who began is asked until two turns were played: by then somebody would have objected."""

_PLAYED = (MoveKind.ROLL, MoveKind.PASS, MoveKind.PLACE, MoveKind.TOPPLE, MoveKind.CLEARED)


@dataclass(frozen=True, slots=True)
class RefereeState:
    """Everything the referee knows. Built by `engine.referee.observe` and `handle_input` alone.

    Attributes:
        ledger: what was seen and said in this game, in table time.
        judged_moves: what it means; one for each move, worked out from the ledger.
        done, undone: changes that undo and redo go through.
        next_ref: number of the next move; counts on over games, so that no number comes twice.
        rev: raised by each change; never goes back.
        seq: number of the last outcome.
        game_id: name of this game, None before the first.
        last: the headline: what happened last.
        at_end: ids of what is asked together before the winner is called (`ending`); None while
            the game goes on.
    """

    ledger: Ledger = ()
    judged_moves: tuple[JudgedMove, ...] = ()
    done: tuple[Change, ...] = ()
    undone: tuple[Change, ...] = ()
    next_ref: int = 1
    rev: int = 0
    seq: int = 0
    games: int = 0
    game_id: str | None = None
    last: PublicEvent | None = None
    at_end: tuple[str, ...] | None = None

    @property
    def position(self) -> Position:
        """Where the game stands now."""
        return self.judged_moves[-1].after if self.judged_moves else NOWHERE

    @property
    def undo_depth(self) -> int:
        """How many times undo can be pressed."""
        return sum(change.noticed for change in self.done)

    @property
    def redo_depth(self) -> int:
        """How many times redo can be pressed."""
        return sum(change.noticed for change in self.undone)

    @property
    def last_source(self) -> int:
        """Highest number of a sensor event behind a move, also one that undo has taken back."""
        edits = [edit for change in (*self.done, *self.undone) for edit in change.edits]
        moves = [*self.ledger, *(move for edit in edits for move in (edit.old, edit.new) if move)]
        return max((move.source or 0 for move in moves), default=0)

    def judged_move(self, ref: int) -> JudgedMove:
        """A move of the ledger, judged.

        Raises:
            KeyError: there is no such move.
        """
        return self.judged_moves[index_of(self.ledger, ref)]

    def applied(self) -> dict[int, Applied]:
        """What each move came to mean; a later judgement about a move replaces the earlier."""
        found: dict[int, Applied] = {}
        for judged in self.judged_moves:
            # A roll may stand for the piece that nobody saw before it: the piece lies on the board.
            told = sorted(judged.applied, key=lambda applied: applied.type == "placed")
            found |= {applied.ref: applied for applied in told}
        return found

    def questions(self) -> tuple[Question, ...]:
        """Open questions, the one to ask first in front.

        Who begins and who bumped the table come first, since points wait for it; then the latest
        piece, which everybody still remembers. After the end they are those on which the result
        hangs.
        """
        found = [
            question
            for judged in self.judged_moves
            for question in judged.questions
            if not self._left_open(question) and self._still_open(question, judged)
        ]
        found.reverse()
        return tuple(sorted(found, key=lambda question: question.kind not in _FIRST))

    def blame_asked(self) -> int | None:
        """The fall of this round of which it is asked, aloud or quietly, who made it; else None.

        A question about an earlier round does not count once pieces stand on the board again, nor
        beside one about a later round.
        """
        newest = max((ref for refs in self.position.refs.values() for ref in refs), default=-1)
        asked = (q.ref for q in (*self.questions(), *self.doubts()) if q.kind == "blame")
        open_now = [ref for ref in asked if ref > newest]
        return max(open_now, key=lambda ref: index_of(self.ledger, ref), default=None)

    def last_questions(self) -> tuple[Question, ...]:
        """What is asked together before the winner is called, the one to ask first in front."""
        return self.questions() if self.at_end and self.position.over else ()

    def every_doubt(self) -> tuple[Question, ...]:
        """All that was ever unsure in this game, asked or not, but for what nobody knows."""
        found = (question for judged in self.judged_moves for question in judged.questions)
        return tuple(question for question in found if not self._left_open(question))

    def _left_open(self, question: Question) -> bool:
        return question.kind in self.ledger[index_of(self.ledger, question.ref)].unknown

    def _still_open(self, question: Question, judged: JudgedMove) -> bool:
        if self.at_end is not None and self.position.over:
            return question.id in self.at_end
        if question.quiet or question.spared:
            return False
        age = self.position.clears - judged.after.clears
        if question.kind == "turn":
            return age <= BLAME_OPEN_CLEARS and self._turns_since(judged) < TURN_OPEN_TURNS
        return age <= (BLAME_OPEN_CLEARS if question.kind == "blame" else 0)

    def _turns_since(self, judged: JudgedMove) -> int:
        """Turns that ended after a move was judged."""
        since = self.judged_moves[index_of(self.ledger, judged.move.ref) + 1 :]
        return sum(applied.type in _TURN_ENDS for each in since for applied in each.applied)

    def doubts(self) -> tuple[Question, ...]:
        """What the table believes without asking and may be told better, the newest first.

        The next roll settles it, or the next piece where nobody tells the die.
        """
        found: list[Question] = []
        for judged in reversed(self.judged_moves):
            found += (question for question in judged.questions if question.quiet)
            if any(applied.type in _GOES_ON for applied in judged.applied):
                break
        return tuple(found)


_GOES_ON = ("rolled", "placed", "passed")
_TURN_ENDS = ("placed", "passed")
_FIRST = ("turn", "blame")
"""What all later points depend on is asked first."""


def refolded(state: RefereeState, ledger: Ledger) -> RefereeState:
    """The state with another ledger; what did not change keeps its meaning."""
    return replace(state, ledger=ledger, judged_moves=tuple(judging(state, ledger)))


def judging(state: RefereeState, ledger: Ledger) -> Iterator[JudgedMove]:
    """The moves of another ledger, judged one after the other as they are asked for."""
    kept = state.judged_moves[: _first_affected(state.ledger, ledger)]
    yield from kept
    position = kept[-1].after if kept else NOWHERE
    for at in range(len(kept), len(ledger)):
        judged = fold(position, ledger[at], following(ledger, at))
        yield judged
        position = judged.after


def _first_affected(before: Ledger, after: Ledger) -> int:
    pairs = enumerate(zip(before, after, strict=False))
    shared = min(len(before), len(after))
    index = next((at for at, (old, new) in pairs if old is not new), shared)
    index = min(index, len(before))
    toppled = _topple_before(before, index)
    # Rolls and placements that fell are judged by the two moves that followed them, so begin at
    # the last move that follows nothing new.
    for _ in range(_LOOKS_AHEAD):
        while index > 0 and not _plays(before[index - 1]):
            index -= 1
        index = max(0, index - 1)
    return index if toppled is None else min(index, toppled)


_LOOKS_AHEAD = 2


def _topple_before(ledger: Ledger, index: int) -> int | None:
    """The first topple of the clearing that goes on: it is judged by all that follows."""
    found = None
    while index > 0 and ledger[index - 1].kind is not MoveKind.CLEARED:
        index -= 1
        found = index if ledger[index].kind is MoveKind.TOPPLE else found
    return found


def _plays(move: Move) -> bool:
    return move.kind in _PLAYED and not move.void


def following(ledger: Ledger, index: int) -> Ledger:
    """The moves after one that play."""
    return tuple(move for move in ledger[index + 1 :] if _plays(move))


def changed(state: RefereeState, change: Change, *, known: bool = False) -> RefereeState:
    """The state after a change that undo can take back.

    A change nobody can notice keeps the redo steps: nothing was done that could contradict them.

    Args:
        state: before it.
        change: what is changed.
        known: it says nothing that was not known already, so nobody would want to undo it.
    """
    after = refolded(state, change.apply(state.ledger))
    noticed = not known and _visible(after) != _visible(state)
    change = replace(change, noticed=noticed)
    undone = () if noticed else state.undone
    return replace(after, done=(*state.done, change), undone=undone)


def _visible(state: RefereeState) -> Any:
    return state.position, state.questions(), state.doubts(), state.applied()


def evidence(state: RefereeState, ref: int, updated: Callable[[Move], Move]) -> RefereeState:
    """The state in which a move had been seen otherwise from the beginning."""
    ledger = tuple(updated(move) if move.ref == ref else move for move in state.ledger)
    after = refolded(state, in_order(ledger))
    return replace(
        after,
        done=rewrite(state.done, ref, updated),
        undone=rewrite(state.undone, ref, updated),
    )


def undo(state: RefereeState) -> tuple[RefereeState, Change | None]:
    """One step back, and what was taken back; None when there is nothing."""
    return _move_over(state, state.done, state.undone, forward=False)


def redo(state: RefereeState) -> tuple[RefereeState, Change | None]:
    """One step forward again, and what was done again; None when there is nothing."""
    return _move_over(state, state.undone, state.done, forward=True)


def _move_over(
    state: RefereeState, source: tuple[Change, ...], target: tuple[Change, ...], *, forward: bool
) -> tuple[RefereeState, Change | None]:
    taken, rest = _one_noticed(source, forward=forward)
    visible = next((change for change in taken if change.noticed), None)
    if visible is None:
        return state, None
    for change in taken:
        step = change if forward else change.inverse()
        state = refolded(state, step.apply(state.ledger))
        target = (*target, change)
    done, undone = (target, rest) if forward else (rest, target)
    return replace(state, done=done, undone=undone), visible


def _one_noticed(
    changes: tuple[Change, ...], *, forward: bool
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """The changes one press goes over, in the order of going, and the rest.

    Backwards: the unnoticed ones on top and one noticed. Forwards: one noticed and the
    unnoticed ones that came after it, which makes redo the exact inverse of undo.
    """
    count = 0
    noticed = 0
    while count < len(changes):
        nxt = changes[-1 - count]
        if noticed and (not forward or nxt.noticed):
            break
        noticed += nxt.noticed
        count += 1
    return tuple(reversed(changes[len(changes) - count :])), changes[: len(changes) - count]
