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


AHEAD, RIGHT = (1, 2, 0, 1, 2, 0, 1, 2, 0), (0, 1, 2, 0, 1, 2, 0, 1, 2)


@pytest.mark.parametrize(
    ("believed", "turns", "end_s", "found"),
    [
        (believing(*RIGHT, None), THREE_ROUNDS, END_S, OutOfStep(0.0, 0)),
        # In three turns it believes the one before, but for the seconds when it is thought over.
        (
            believing(0, 0, 1, 2, 0, 2, 0, 1, 2), THREE_ROUNDS, END_S,
            OutOfStep(10.0 + 7.0 + 7.0 + 7.0, 4),
        ),
        (believing(*AHEAD), THREE_ROUNDS, END_S, OutOfStep(90.0, 9)),
        (believing(*RIGHT, early_s=-2.0), THREE_ROUNDS, END_S, OutOfStep(18.0, 0)),
        (
            [Believed(0.0, 0), Believed(7.0, 2), Believed(12.0, 1)],
            (TrueTurn(0.0, 0), TrueTurn(10.0, 1)), 20.0, OutOfStep(5.0, 0),
        ),
        (believing(0, 1), (), 20.0, OutOfStep(0.0, 0)),
        ([], THREE_ROUNDS, END_S, OutOfStep(90.0, 9)),
    ],
    ids=[
        "a table that knows of each turn as the piece lies is in step",
        "one turn behind it is out of step until it has caught up",
        "one turn ahead too",
        "a decision that is late counts for its seconds and for no turn",
        "so does a wrong guess that is put right within the turn",
        "without turns nothing is out of step",
        "without a belief all is",
    ],
)  # fmt: skip
def test_how_long_it_is_out_of_step(
    believed: list[Believed], turns: tuple[TrueTurn, ...], end_s: float, found: OutOfStep
) -> None:
    assert out_of_step(believed, turns, end_s) == found


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
