import numpy as np
import pytest

from hw.errors import BadTwin
from lab.twin.board import PivotedBoard, mass_state
from lab.twin.hands import (
    HOVER_MM,
    Deed,
    follow,
    holding_fingers,
    leave,
    placing_hand,
    resting_palm,
    touch_time_s,
)
from lab.twin.parameters import BodyParameters, Manners

BODY = BodyParameters()
MANNERS = Manners()
TOP = (32.0, 0.0, -6.0)


@pytest.fixture
def board() -> PivotedBoard:
    return PivotedBoard(BODY, mass_state(BODY, (0.0, 0.0), []))


def test_a_hand_comes_down_from_above_and_presses_as_deep_as_told(board: PivotedBoard) -> None:
    hand = placing_hand(board, TOP, 5.0, 0.4, 1.2, MANNERS, np.random.default_rng(1))

    surface = board.height_mm(TOP)
    assert hand.height_mm(5.0) == pytest.approx(surface + HOVER_MM)
    assert hand.height_mm(touch_time_s(hand)) == pytest.approx(surface)
    depths = [
        surface - hand.height_mm(t_s) for t_s in np.arange(5.0, touch_time_s(hand) + 0.4, 0.001)
    ]
    assert max(depths) == pytest.approx(1.2, abs=0.05)


def test_a_hand_that_leaves_goes_up_from_where_it_is(board: PivotedBoard) -> None:
    hand = placing_hand(board, TOP, 0.0, 0.4, 1.2, MANNERS, np.random.default_rng(1))
    before = hand.height_mm(0.5)
    leave(hand, 0.5)

    assert hand.height_mm(0.5) == pytest.approx(before)
    assert hand.height_mm(0.6) > before + 10
    assert hand.end_s == pytest.approx(0.65)


def test_before_it_lets_go_the_hand_finds_the_board_again(board: PivotedBoard) -> None:
    hand = placing_hand(board, TOP, 0.0, 0.4, 1.2, MANNERS, np.random.default_rng(1))
    board.up = (0.05, 0.0, np.sqrt(1 - 0.05**2))
    follow(board, hand, 0.4, np.random.default_rng(1))

    assert abs(hand.height_mm(0.5) - board.height_mm(TOP)) < 1.5


def test_a_palm_comes_rests_and_goes(board: PivotedBoard) -> None:
    palm = resting_palm(board, TOP, 1.0, 0.6, 2.0, MANNERS)

    surface = board.height_mm(TOP)
    assert palm.height_mm(1.0) > surface > palm.height_mm(1.3)
    assert palm.end_s == pytest.approx(1.6)
    assert palm.height_mm(1.6) > surface


def test_holding_fingers_share_the_pressure(board: PivotedBoard) -> None:
    points = [(64.0, 0.0, -18.0), (-64.0, 0.0, -18.0)]
    fingers = holding_fingers(board, points, 0.0, 80.0, MANNERS)

    depth = [board.height_mm(f.point_mm) - f.height_mm(1.0) for f in fingers]
    assert sum(
        d * f.stiffness for d, f in zip(depth, fingers, strict=True)
    ) / 9806.65 == pytest.approx(80)


def test_only_a_placement_has_piece_hand_and_cell() -> None:
    with pytest.raises(BadTwin, match="hold"):
        Deed("hold", 0.0, 1.0).placement()
