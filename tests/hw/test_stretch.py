import numpy as np
import pytest

from hw.stretch import gather
from tests.controller.workshop.diagnose.core.rests import rest, tower


def test_everything_between_two_times_is_joined_in_order() -> None:
    stretch = rest(seconds=5.0)

    assert len(stretch.scale.t_s) == pytest.approx(400, abs=8)
    assert len(stretch.imu.t_s) == pytest.approx(990, abs=10)
    assert (np.diff(stretch.scale.t_s) > 0).all()
    assert stretch.seconds == 5.0


def test_nothing_gives_empty_blocks() -> None:
    stretch = gather([], 0.0, 1.0)

    assert stretch.scale.raw.shape == (0, 4)
    assert stretch.imu.raw.shape == (0, 6)
    assert not len(stretch.conversions(0))


def test_what_the_chips_converted_lies_beside_the_rows_made_of_it() -> None:
    stretch = rest("wrong rate cell C1", seconds=5.0)

    assert np.allclose(np.diff(stretch.scale.t_s), 1 / 80)
    assert [len(stretch.conversions(cell)) for cell in range(4)] == pytest.approx(
        [403, 53, 410, 420], abs=4
    )


def test_where_only_rows_are_known_they_stand_for_the_conversions() -> None:
    stretch = gather(tower().poll(5.0), 0.0, 5.0)
    cell = stretch.conversions(2)

    assert cell.t_s.tolist() == stretch.scale.t_s.tolist()
    assert cell.counts.tolist() == stretch.scale.raw[:, 2].tolist()


def test_switches_and_reports_are_kept() -> None:
    assert [edge.closed for edge in rest("switch closed", seconds=3.0).switches] == [True]
