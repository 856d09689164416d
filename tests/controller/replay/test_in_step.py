"""How long the table believed it was somebody else's turn."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.replay.in_step import Believed, OutOfStep, TrueTurn, out_of_step, true_turns

THREE_ROUNDS = tuple(TrueTurn(10.0 * turn, turn % 3) for turn in range(9))
END_S = 90.0


def believing(*seats: int | None, early_s: float = 3.0) -> list[Believed]:
    """Each turn is believed some seconds before its player begins."""
    return [Believed(10.0 * turn - early_s, seat) for turn, seat in enumerate(seats)]


def test_a_table_that_knows_of_each_turn_as_the_piece_lies_is_in_step() -> None:
    believed = believing(0, 1, 2, 0, 1, 2, 0, 1, 2, None)

    assert out_of_step(believed, THREE_ROUNDS, END_S) == OutOfStep(0.0, 0)


def test_one_turn_behind_it_is_out_of_step_until_it_has_caught_up() -> None:
    behind = believing(0, 0, 1, 2, 0, 2, 0, 1, 2)
    found = out_of_step(behind, THREE_ROUNDS, END_S)

    # In three turns it believes the one before, but for the seconds when it is thought over.
    assert (found.seconds, found.turns) == (10.0 + 7.0 + 7.0 + 7.0, 4)


def test_one_turn_ahead_it_is_out_of_step_too() -> None:
    ahead = believing(1, 2, 0, 1, 2, 0, 1, 2, 0)

    assert out_of_step(ahead, THREE_ROUNDS, END_S) == OutOfStep(90.0, 9)


def test_a_decision_that_is_late_counts_for_its_seconds_and_for_no_turn() -> None:
    late = believing(0, 1, 2, 0, 1, 2, 0, 1, 2, early_s=-2.0)

    assert out_of_step(late, THREE_ROUNDS, END_S) == OutOfStep(18.0, 0)


def test_a_wrong_guess_that_is_put_right_within_the_turn_counts_for_its_seconds() -> None:
    believed = [Believed(0.0, 0), Believed(7.0, 2), Believed(12.0, 1)]
    really = [TrueTurn(0.0, 0), TrueTurn(10.0, 1)]

    assert out_of_step(believed, really, 20.0) == OutOfStep(5.0, 0)


def test_without_turns_nothing_is_out_of_step() -> None:
    assert out_of_step(believing(0, 1), (), 20.0) == OutOfStep(0.0, 0)
    assert out_of_step((), THREE_ROUNDS, END_S) == OutOfStep(90.0, 9)


@given(st.lists(st.tuples(st.floats(0.0, 90.0), st.none() | st.integers(0, 2))))
def test_it_is_never_out_of_step_for_longer_than_was_played(
    changes: list[tuple[float, int | None]],
) -> None:
    believed = [Believed(t_s, seat) for t_s, seat in sorted(changes, key=lambda each: each[0])]
    found = out_of_step(believed, THREE_ROUNDS, END_S)

    assert 0.0 <= found.seconds <= END_S + 1e-9
    assert found.turns <= len(THREE_ROUNDS)


def test_the_truth_lies_beside_the_trace(tmp_path: Path) -> None:
    trace = tmp_path / "game.mcap"
    assert true_turns(trace) is None
    (tmp_path / "game.truth.jsonl").write_bytes(
        b'{"t": 1.5, "type": "turn", "player": 1, "roll": 4}\n'
        b'{"t": 2.0, "type": "place", "cell": "c3"}\n'
        b'{"t": 3.0, "type": "turn"}\n'
        b"no JSON\n[]\n\n"
        b'{"t": 4, "type": "turn", "player": 0}\n'
    )

    assert true_turns(trace) == (TrueTurn(1.5, 1), TrueTurn(4.0, 0))


@pytest.mark.parametrize("recording", ["calm_recording"])
def test_a_replay_with_its_truth_beside_it_says_how_long_it_was_out_of_step(
    recording: str, request: pytest.FixtureRequest
) -> None:
    turns = true_turns(request.getfixturevalue(recording))

    assert turns
    assert len(turns) > 28
