"""How a piece is weighed while the load cells wander."""

import numpy as np
import pytest

from hw.calibrating import laying

FELT_G, PIECE_G, WANDER_G_S = 1.0, 3.0, 0.03


def weighed(*on: tuple[float, float], free_s: float) -> float:
    """A piece that lies there in these spans, on a table that wanders upwards."""
    t_s = np.arange(0.0, free_s + 2.0, 1 / 80)
    total = WANDER_G_S * t_s
    for since_s, until_s in on:
        total[(t_s >= since_s) & (t_s < until_s)] += PIECE_G
    return laying._weighed(t_s, total, free_s, FELT_G)


def test_a_piece_is_weighed_against_the_board_just_before_it() -> None:
    assert weighed((3.0, 99.0), free_s=3.5) == pytest.approx(PIECE_G, abs=0.08)


def test_a_piece_that_is_laid_anew_is_weighed_against_the_board_just_before_that() -> None:
    again = weighed((3.0, 14.0), (15.2, 99.0), free_s=15.7)

    assert again == pytest.approx(PIECE_G, abs=0.08)
    assert weighed((3.0, 99.0), free_s=15.7) > PIECE_G + 0.3, "the wander of all that time"


def test_a_moment_without_the_piece_is_no_board_to_weigh_against() -> None:
    touched = weighed((3.0, 4.0), (4.3, 99.0), free_s=4.8)

    assert touched == pytest.approx(PIECE_G, abs=0.12)
