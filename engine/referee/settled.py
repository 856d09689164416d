"""The law of the settled: what no sensor takes back.

* What people have said or confirmed - a press, an answer, a blame, a correction - holds until
  people say otherwise.
* A piece counts for good once a later roll was played on, or the board was cleared: what falls
  or is taken later makes no finished turn undone. Only its cell may still be corrected, and whose
  turn it was by the weight of pieces (`stories`), where people have not said that.
"""

from engine.events import SURE
from engine.referee.ledger import Ledger, Move, MoveKind, index_of
from engine.referee.state import RefereeState

_BY_PEOPLE = (
    MoveKind.ROLL, MoveKind.PASS, MoveKind.COLOUR, MoveKind.END, MoveKind.TURN, MoveKind.ACTION,
)  # fmt: skip
ONE_PIECE_S = 2.0
"""A piece that its hand lets go twice is let go again sooner."""

_TURN_TAKEN = (MoveKind.PLACE, MoveKind.PASS)


def overrules(before: RefereeState, after: RefereeState, known: Move) -> bool:
    """Whether evidence of the sensors would take back what is settled.

    Args:
        before: the referee without it.
        after: with it.
        known: the move that would not count any more.
    """
    if known.settled or _confirmed_by_press(before.ledger, known):
        return True
    return _turn_is_over(before, known) or word_broken(before, after)


def _confirmed_by_press(ledger: Ledger, known: Move) -> bool:
    """Whether people cleared the board after this fall, and said so."""
    return known.fall is not None and any(
        move.kind is MoveKind.CLEARED and move.data.get("pressed") for move in _later(ledger, known)
    )


def _turn_is_over(state: RefereeState, known: Move) -> bool:
    """Whether a roll came after this piece on which somebody played, or the board was cleared.

    Not its own roll, if that was told late. Where no die is told the next piece says the same, if
    it was seen for sure and cannot be this one, let go a second time.
    """
    if known.kind is not MoveKind.PLACE:
        return False
    rolled = False
    for move in _later(state.ledger, known):
        if move.kind is MoveKind.CLEARED or (rolled and move.kind in _TURN_TAKEN):
            return True
        if not state.position.die_is_told and _another_piece(known, move):
            return True
        rolled = rolled or (move.kind is MoveKind.ROLL and not _counts_with(state, move, known))
    return False


def _another_piece(known: Move, move: Move) -> bool:
    sure = move.kind is MoveKind.PLACE and (move.seen is None or move.seen.confidence >= SURE)
    return sure and move.t_s - known.t_s > ONE_PIECE_S


def _counts_with(state: RefereeState, roll: Move, known: Move) -> bool:
    """Whether a piece waited for this roll."""
    return any(applied.ref == known.ref for applied in state.judged_move(roll.ref).applied)


def _later(ledger: Ledger, known: Move) -> Ledger:
    if known not in ledger:
        return ()
    return tuple(move for move in ledger[index_of(ledger, known.ref) + 1 :] if not move.void)


def word_broken(before: RefereeState, after: RefereeState) -> bool:
    """Whether something that people said or confirmed counted, and would not any more."""
    said = [
        move for move in before.ledger
        if move.settled or (move.kind in _BY_PEOPLE and not move.weighed)
    ]  # fmt: skip
    counted = [m for m in said if not m.void and before.judged_move(m.ref).refusal is None]
    return any(after.judged_move(move.ref).refusal is not None for move in counted)
