"""A real MPU-6050, at rest for ten minutes and turned by hand: a table of it is well.

One row of a recording at rest is one sample of the chip: its noise is white, and its wander comes
twice as fast as it was. Rows of one that was turned lie on a straight line between each other.
"""

import numpy as np
import pytest

from engine.samples import Floats, ImuSamples
from tests.planted_tables import PATHS
from tests.recordings.signals import motion
from tests.recordings.tables import Said, diagnosed, live, recorded_table
from tests.soaked import soaked

pytestmark = pytest.mark.recordings_apart

LONG, SHORT = "unmoved-with-x-pointing-forward-10min", "unmoved-x-pointing-forward"
ABOUT_X, OVER_A_SPHERE = "tilt-around-x-pointing-forward", "tilt-sphere"
LASTS_S = {SHORT: 31.0, LONG: 320.0}
"""At one row a sample."""
RECORDED_HZ, SAMPLED_HZ = 99.3, 200.0
ACCEL_COUNTS = 61.0
"""Of one sample, mean of the axes: 3.7 mg."""
SAMPLES_APART = 200
ALL_CELLS_OF_THE_TWIN = (None, None, None, None)


def expect_well(said: Said) -> None:
    assert (said.troubles, said.events) == (set(), ())
    assert said.healths
    for health in said.healths:
        figures = health["sensors"]["imu"]
        assert figures["rate_hz"] == pytest.approx(SAMPLED_HZ, rel=0.02)
        assert figures["noise_counts"] == pytest.approx(ACCEL_COUNTS, rel=0.5)
        assert figures["missed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", soaked(LASTS_S, but=(SHORT,)))
def test_a_table_whose_board_it_lies_on_is_well(path: str, name: str) -> None:
    expect_well(live(recorded_table(path, ALL_CELLS_OF_THE_TWIN, motion(name)[1]), LASTS_S[name]))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", soaked(LASTS_S, but=(SHORT,)))
def test_nothing_is_found_in_any_ten_seconds_of_it(path: str, name: str) -> None:
    under = recorded_table(path, ALL_CELLS_OF_THE_TWIN, motion(name)[1])

    assert diagnosed(under, LASTS_S[name]) == ()


def as_sampled(name: str) -> Floats:
    """A recording as the chip would have sampled it: arrivals are late, its own times even."""
    _, rows = motion(name)
    recorded_s = np.arange(len(rows)) / RECORDED_HZ
    wanted_s = np.arange(0.0, recorded_s[-1], 1 / SAMPLED_HZ)
    columns = [np.interp(wanted_s, recorded_s, column) for column in rows.T]
    return np.rint(np.column_stack(columns))


@pytest.mark.slow
@pytest.mark.parametrize("name", [ABOUT_X, OVER_A_SPHERE])
def test_a_chip_that_is_turned_by_hand_is_called_turned_and_nothing_else(name: str) -> None:
    """So it is: the twin's load cells say that the board stands still, and in no hand."""
    rows = as_sampled(name)
    said = live(recorded_table("pins", ALL_CELLS_OF_THE_TWIN, rows), len(rows) / SAMPLED_HZ)

    assert said.troubles == {"imu_turned"}


def turned(path: str, name: str) -> tuple[Floats, Floats, Floats]:
    """Times, specific force and rate that a table's drivers make of a recording."""
    rows = as_sampled(name)
    under = recorded_table(path, ALL_CELLS_OF_THE_TWIN, rows)
    items = []
    for now_s in np.arange(0.25, len(rows) / SAMPLED_HZ, 0.25).tolist():
        items += [i for i in under.source.poll(now_s) if isinstance(i, ImuSamples)]
    under.source.close()
    return (
        np.concatenate([item.t_s for item in items]),
        np.concatenate([item.accel_g for item in items]),
        np.concatenate([item.rate_rad_s for item in items]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_its_gyroscope_turns_as_far_and_the_way_its_accelerometer_does(path: str) -> None:
    t_s, accel_g, rate_rad_s = turned(path, ABOUT_X)
    leant = np.unwrap(np.arctan2(accel_g[:, 1], accel_g[:, 2]))
    gone = np.concatenate(([0.0], np.cumsum(rate_rad_s[1:, 0] * np.diff(t_s))))
    far, turning = np.diff(leant[::SAMPLES_APART]), np.diff(gone[::SAMPLES_APART])

    assert np.polyfit(far, turning, 1)[0] == pytest.approx(1.0, abs=0.03)
    assert np.corrcoef(far, turning)[0, 1] > 0.995
    assert np.median(np.linalg.norm(accel_g, axis=1)) == pytest.approx(1.0, abs=0.02)
