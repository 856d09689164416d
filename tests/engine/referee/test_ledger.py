"""The ledger: where a move lands, and that every edit has its inverse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Ranked
from engine.referee.ledger import (
    Change,
    Edit,
    Ledger,
    Move,
    MoveKind,
    SensedPlacement,
    by_source,
    index_of,
    insertion,
    replacement,
    rewrite,
)

START = Move(1, 5.0, MoveKind.START)
C3: Ranked = (("c3", 0.9),)


def ledger_of(*times_s: float) -> Ledger:
    moves = (Move(ref, t_s, MoveKind.ROLL) for ref, t_s in enumerate(times_s, start=2))
    return (START, *moves)


def test_a_late_decision_lands_before_what_followed_it() -> None:
    ledger = ledger_of(6.0, 8.0)
    after = insertion(ledger, Move(9, 7.0, MoveKind.PLACE)).apply(ledger)

    assert [move.ref for move in after] == [1, 2, 9, 3]


def test_of_two_moves_at_one_time_the_one_told_first_comes_first() -> None:
    ledger = ledger_of(6.0)
    after = insertion(ledger, Move(9, 6.0, MoveKind.PASS)).apply(ledger)

    assert [move.ref for move in after] == [1, 2, 9]


def test_nothing_lands_before_the_start() -> None:
    ledger = ledger_of(6.0)
    after = insertion(ledger, Move(9, 1.0, MoveKind.PLACE)).apply(ledger)

    assert [move.ref for move in after] == [1, 9, 2]


@given(st.lists(st.floats(5.0, 99.0), max_size=6), st.floats(0.0, 99.0), st.integers(0, 6))
def test_an_inverse_takes_its_edit_back(times_s: list[float], t_s: float, at: int) -> None:
    ledger = ledger_of(*sorted(times_s))
    target = ledger[at % len(ledger)]
    edits = (
        insertion(ledger, Move(50, t_s, MoveKind.PLACE)),
        replacement(ledger, Move(target.ref, target.t_s, MoveKind.PASS)),
    )
    change = Change("test", edits)

    assert change.apply(ledger) != ledger
    assert change.inverse().apply(change.apply(ledger)) == ledger


def test_a_replaced_move_is_found_although_the_ledger_has_grown() -> None:
    ledger = ledger_of(6.0)
    edit = replacement(ledger, Move(2, 6.0, MoveKind.PASS))
    grown = Edit(1, None, Move(9, 5.5, MoveKind.PLACE)).apply(ledger)

    assert [move.kind for move in edit.apply(grown)][2] is MoveKind.PASS


def test_an_unknown_move_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        index_of((START,), 99)


def test_a_move_is_found_by_the_event_behind_it() -> None:
    seen = Move(2, 6.0, MoveKind.PLACE, seen=SensedPlacement(7, C3, 0.9))

    assert by_source((START, seen), 7) == seen
    assert by_source((START, seen), 8) is None


def test_new_evidence_reaches_the_steps_that_undo_goes_through() -> None:
    old = Move(2, 6.0, MoveKind.PLACE, seen=SensedPlacement(7, C3, 0.9))
    new = Move(2, 6.0, MoveKind.PLACE, seen=SensedPlacement(7, (("c4", 0.99),), 0.99))
    changes = (Change("place", (Edit(1, None, old),)),)

    (rewritten,) = rewrite(changes, 2, lambda _: new)

    assert rewritten.edits[0].new == new
