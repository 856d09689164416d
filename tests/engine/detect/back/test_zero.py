import pytest

from engine.detect.back.parameters import ZERO_SD_G
from engine.detect.back.zero import Zero


def test_the_first_weight_is_the_empty_boards_and_later_ones_are_not() -> None:
    zero = Zero((0.0, 0.0))
    zero.begin(0.4)
    zero.begin(9.0)

    assert zero.g == 0.4
    assert zero.drift_g == 0.0


def test_the_empty_board_is_followed_and_drifts_from_its_first_weight() -> None:
    zero = Zero((0.0, 0.0))
    zero.creep(5.0)
    assert zero.g is None
    zero.begin(0.4)
    zero.seen(0.9, 60.0)
    zero.creep(0.1)

    assert zero.g == pytest.approx(1.0)
    assert zero.drift_g == pytest.approx(0.6)


def test_what_was_seen_long_ago_is_known_less_well() -> None:
    zero = Zero((0.0, 0.0))
    zero.seen(0.0, 100.0)

    assert zero.sd_g(100.0) == ZERO_SD_G
    assert zero.sd_g(400.0) > 5 * ZERO_SD_G
