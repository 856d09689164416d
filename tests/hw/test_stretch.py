import numpy as np
import pytest

from hw.stretch import gather
from tests.controller.workshop.diagnose.core.rests import rest, tower


def test_everything_between_two_times_is_joined_in_order() -> None:
    stretch = rest(seconds=5.0)

    assert len(stretch.scale.t_s) == pytest.approx(395, abs=8)
    assert len(stretch.imu.t_s) == pytest.approx(990, abs=10)
    assert (np.diff(stretch.scale.t_s) > 0).all()
    assert stretch.seconds == 5.0


def test_nothing_gives_empty_blocks() -> None:
    stretch = gather([], 0.0, 1.0)

    assert stretch.scale.raw.shape == (0, 4)
    assert stretch.imu.raw.shape == (0, 6)
    assert not len(stretch.fresh(0))


def test_rows_in_which_a_cell_has_no_news_are_not_its_conversions() -> None:
    stretch = rest("wrong rate cell C1")

    assert stretch.fresh(1).sum() == pytest.approx(100, abs=3)
    assert stretch.fresh(0).all()


def test_a_quiet_cell_that_repeats_a_count_by_chance_has_lost_nothing() -> None:
    table = tower()
    items = table.poll(5.0)
    stretch = gather(items, 0.0, 5.0)
    stretch.scale.raw[10, 0] = stretch.scale.raw[9, 0]

    assert stretch.fresh(0).all()


def test_switches_and_reports_are_kept() -> None:
    assert [edge.closed for edge in rest("switch closed", seconds=3.0).switches] == [True]
