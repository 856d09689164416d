"""Weight and tilt for drawing: from samples, and from the simulated tower as a whole."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table.trace import EVERY_S, RESTING_EVERY_S, TracePoint, Tracer
from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower
from tests.controller.evenings import Evening


def scales(
    t_s: float, cells_g: tuple[float, ...] = (1, 2, 3, 4), *, dead: int = -1
) -> ScaleSamples:
    times = np.linspace(t_s - 0.0375, t_s, 4)
    mass_g = np.tile(np.array(cells_g, dtype=float), (4, 1))
    valid = np.ones((4, 4), dtype=bool)
    if dead >= 0:
        mass_g[:, dead], valid[:, dead] = np.nan, False
    return ScaleSamples(times, mass_g, np.zeros((4, 4), np.int32), valid)


def imu(
    t_s: float, up_x: float = 0.0, up_y: float = 0.0, rate: tuple[float, ...] = (0, 0, 0)
) -> ImuSamples:
    times = np.linspace(t_s - 0.045, t_s, 10)
    accel_g = np.tile([up_x, up_y, 1.0], (10, 1))
    return ImuSamples(
        times, accel_g, np.tile(np.array(rate, dtype=float), (10, 1)), np.zeros((10, 6), np.int32)
    )


def point(tracer: Tracer, t_s: float = 1.0, unix_s: float = 1000.0) -> TracePoint:
    found = tracer.point("boot-1", t_s, unix_s)
    assert found is not None
    return found


def test_a_point_is_the_mean_weight_of_each_cell_and_their_sum() -> None:
    tracer = Tracer()
    assert tracer.point("boot-1", 1.0, 1000.0) is None
    tracer.samples(scales(0.95, (1, 2, 3, 4)))
    tracer.samples(scales(1.0, (3, 2, 3, 4)))
    found = point(tracer, 1.01)

    assert (found.mass_g, found.cells_g) == (11.0, (2.0, 2.0, 3.0, 4.0))
    assert found.late_ms == pytest.approx(10.0)
    assert found.tilt_deg is None


def test_a_point_has_no_more_digits_than_somebody_can_see() -> None:
    tracer = Tracer()
    tracer.samples(scales(1.000_4, (1.234_567, 2.345_678, 3.456_789, 4.567_891)))
    tracer.samples(imu(1.000_4, up_x=0.012_345_6, up_y=-0.023_456_7))
    found = point(tracer, 1.012_345_678, 1000.123_456_7)

    assert (found.t_s, found.unix_s, found.late_ms) == (1.0, 1000.123, 11.9)
    assert (found.mass_g, found.cells_g) == (11.61, (1.23, 2.35, 3.46, 4.57))
    assert found.tilt_deg == (-0.71, 1.34)


def test_a_dead_cell_is_none_and_not_zero() -> None:
    tracer = Tracer()
    tracer.samples(scales(1.0, dead=2))

    found = point(tracer)

    assert (found.mass_g, found.cells_g) == (7.0, (1.0, 2.0, None, 4.0))


def test_the_gyroscope_carries_the_tilt_over_a_quick_turn() -> None:
    tracer = Tracer()
    tracer.samples(imu(1.0))
    # Half a radian a second about x for 50 ms: rank 5 rises by 1.4 degrees.
    tracer.samples(imu(1.05, rate=(0.5, 0.0, 0.0), up_y=0.025))
    tilt = point(tracer, 1.05).tilt_deg

    assert tilt is not None
    assert tilt[1] == pytest.approx(-1.43, abs=0.1)


@given(st.lists(st.floats(0.001, 0.5), min_size=5, max_size=60))
def test_however_often_it_is_asked_it_speaks_at_most_ten_times_a_second(steps: list[float]) -> None:
    tracer, unix_s, spoken = Tracer(), 1000.0, []
    for number, step_s in enumerate(steps):
        unix_s += step_s
        tracer.samples(scales(float(number), (number * 9.0, 0, 0, 0)))
        if tracer.point("boot-1", float(number), unix_s) is not None:
            spoken.append(unix_s)

    assert all(later - one >= EVERY_S for one, later in pairwise(spoken))


@pytest.mark.parametrize("has_imu", [True, False])
def test_a_table_at_rest_speaks_once_a_second_only(has_imu: bool) -> None:
    tracer, spoken = Tracer(), 0
    for tick in range(1, 101):
        tracer.samples(scales(tick * 0.1))
        if has_imu:
            tracer.samples(imu(tick * 0.1))
        spoken += tracer.point("boot-1", tick * 0.1, 1000.0 + tick * 0.1) is not None

    assert spoken == pytest.approx(10 / RESTING_EVERY_S, abs=1)


def test_a_table_publishes_its_trace_and_a_fast_game_does_not_flood() -> None:
    evening = Evening(
        *(scales(tick * 0.1, (tick, 0, 0, 0)) for tick in range(1, 200)), HumanInput(21.0, "x")
    )
    for tick in range(1, 20):
        evening.step(float(tick), unix_s=1000.0 + tick * 0.02)
    rows = evening.wire.rows().count("trace")

    assert 1 <= rows <= 5
    assert evening.wire.last("trace")["boot"] == "boot-1"


@pytest.mark.parametrize(
    ("cell", "axis", "sign"), [("d3", 0, 1), ("b3", 0, -1), ("c4", 1, 1), ("c2", 1, -1)]
)
def test_on_the_simulated_tower_the_trace_shows_its_true_weight_and_tilt(
    cell: str, axis: int, sign: int
) -> None:
    tower, tracer = Tower(preset_parameters("calm"), 5), Tracer()
    last = None
    tower.place(cell, grams=12.0, offset_mm=(0.0, 0.0))
    for tick in range(1, 100):
        for item in tower.poll(tick * 0.1):
            if not isinstance(item, HumanInput):
                tracer.samples(item)
        last = tracer.point("b", tick * 0.1, 1000.0 + tick * 0.1) or last

    assert last is not None
    assert last.tilt_deg is not None
    assert last.mass_g == pytest.approx(12.0, abs=2.0)
    true_deg = math.degrees(tower.board.tilt_rad)
    assert true_deg > 0.5
    assert last.tilt_deg[axis] * sign == pytest.approx(true_deg, abs=0.6)


def test_a_slow_step_is_counted_as_late_and_not_as_a_wrong_clock() -> None:
    evening = Evening(scales(1.0))
    evening.step(1.0, unix_s=1000.0)
    point_sent = evening.wire.last("trace")

    # However long the step took, both say so alike.
    assert point_sent["unix_s"] - 1000.0 == pytest.approx(point_sent["late_ms"] / 1000, abs=0.002)
    assert point_sent["late_ms"] > 0
