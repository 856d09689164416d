import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.front.ticks import SCALE_DELAY_S, TICK_S, CellSolver, Tick, TickMaker
from engine.samples import ImuSamples, ScaleSamples
from tests.engine.detect.tables import TABLETOP
from tests.soaked import examples

POSITIONS = np.array(TABLETOP.load_cell_positions_mm)
LOAD_G = np.array([1.0, 2.0, 3.0, 2.0])


def scale(times: np.ndarray, cells_g: np.ndarray) -> ScaleSamples:
    raw = np.zeros(cells_g.shape, np.int32)
    return ScaleSamples(times, cells_g, raw, np.ones(cells_g.shape, bool))


def imu(times: np.ndarray, rate: np.ndarray | None = None) -> ImuSamples:
    turning = np.zeros((len(times), 3)) if rate is None else rate
    force = np.tile((0.0, 0.0, 1.0), (len(times), 1))
    return ImuSamples(times, force, turning, np.zeros((len(times), 6), np.int32))


def steady(seconds: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    times = np.arange(0, seconds, 1 / 80)
    return times, np.tile(LOAD_G, (len(times), 1))


def ticks_of(blocks: list[ScaleSamples | ImuSamples], until_s: float = np.inf) -> list[Tick]:
    maker = TickMaker(TABLETOP)
    out: list[Tick] = []
    for block in blocks:
        if isinstance(block, ScaleSamples):
            maker.feed_scale(block)
        else:
            maker.feed_imu(block)
        out += maker.take(until_s)
    return out


def test_weight_and_moment_are_summed_over_the_four_cells() -> None:
    now = ticks_of([scale(*steady()), imu(np.arange(0, 2, 1 / 200))])[-1]

    assert now.mass_g == pytest.approx(8.0)
    assert (now.cop_x_gmm, now.cop_y_gmm) == pytest.approx((140.0, 140.0))
    assert now.cells_g == pytest.approx(tuple(LOAD_G))


def test_a_tick_waits_for_the_late_scale_and_one_sample_more() -> None:
    blocks: list[ScaleSamples | ImuSamples] = [scale(*steady()), imu(np.arange(0, 2, 1 / 200))]

    for now in ticks_of(blocks, until_s=1.0):
        assert now.t_s + SCALE_DELAY_S < now.needed_s <= 1.0 + 1e-9


@examples(25)
@given(
    size=st.integers(1, 80), first=st.booleans(), seed=st.integers(0, 99)
)  # fmt: skip
def test_how_a_stream_is_cut_never_changes_the_ticks(size: int, first: bool, seed: int) -> None:
    """However long the blocks, corrupt words at their ends, the sensors in any order."""
    rng = np.random.default_rng(seed)
    times, cells = steady()
    cells = cells + rng.normal(0, 0.1, cells.shape)
    cells[rng.integers(3, 157, 4), 2] += 400.0
    turning = np.arange(0, 2, 1 / 200)
    rate = rng.normal(0, 0.2, (len(turning), 3))
    whole = ticks_of([scale(times, cells), imu(turning, rate)])
    pieces: list[ScaleSamples | ImuSamples] = []
    for start in range(0, len(times), size):
        end = start + size
        until = slice(int(start * 2.5), int(end * 2.5))
        both: list[ScaleSamples | ImuSamples] = [
            scale(times[start:end], cells[start:end]), imu(turning[until], rate[until]),
        ]  # fmt: skip
        pieces += both if first else both[::-1]

    cut = ticks_of(pieces)

    assert len(cut) == len(whole)
    assert np.allclose(np.array(cut), np.array(whole), atol=1e-9)


def test_a_corrupt_word_does_not_weigh() -> None:
    times, cells = steady()
    cells[80, 1] += 8000.0
    masses = [now.mass_g for now in ticks_of([scale(times, cells), imu(np.arange(0, 2, 1 / 200))])]

    assert max(masses) == pytest.approx(8.0)


def test_the_sample_before_a_reset_of_the_chip_is_not_believed() -> None:
    """sensing.md section 5: before 45 % of the gaps the last word was corrupt."""
    times, cells = steady()
    cells[80] += (0.0, 4.0, 4.0, 0.0)
    kept = np.r_[0:81, 86 : len(times)]
    block = scale(times[kept], cells[kept])
    masses = [now.mass_g for now in ticks_of([block, imu(np.arange(0, 2, 1 / 200))])]

    assert max(masses) == pytest.approx(8.0)


def test_a_tower_that_falls_from_one_slow_conversion_to_the_next_is_no_corrupt_word() -> None:
    """At 8 a second a load cell was said to give no values (simulated evening, seed 77040)."""
    times, cells = np.arange(32) / 8.0, np.full((32, 4), 15.0)
    corner = POSITIONS[3] / 70.0
    falling = 0.25 + POSITIONS @ corner / (4 * 70.0)
    cells[12:16] += np.outer((60.0, -70.0, 50.0, -40.0), falling)
    heard = [now.scale_ok for now in ticks_of([scale(times, cells), imu(np.arange(0, 4, 1 / 200))])]

    assert all(heard)


def test_a_silent_inertial_sensor_does_not_hold_up_the_scale() -> None:
    times, cells = steady(4.0)
    pieces = [scale(times[k : k + 8], cells[k : k + 8]) for k in range(0, len(times), 8)]
    ticks = ticks_of([imu(np.arange(0, 0.5, 1 / 200)), *pieces])

    assert ticks[-1].t_s > 3.0
    assert ticks[-1].mass_g == pytest.approx(8.0)
    assert not ticks[-1].imu_ok


def test_a_constant_turn_is_integrated_exactly_whatever_the_jitter() -> None:
    rng = np.random.default_rng(7)
    turning = np.sort(rng.uniform(0, 2, 400))
    rate = np.tile((0.5, -0.25, 0.0), (400, 1))
    ticks = ticks_of([scale(*steady()), imu(turning, rate)])

    assert ticks[-1].turn_x_rad == pytest.approx(0.5 * TICK_S)
    assert ticks[-1].rate_y_rad_s == pytest.approx(-0.25)


@pytest.mark.parametrize("beside_mm", [(0.0, 0.0), (9.0, -4.0)])
@pytest.mark.parametrize("dead", range(4))
def test_three_cells_say_what_four_would_also_around_a_pivot_beside_their_middle(
    dead: int, beside_mm: tuple[float, float]
) -> None:
    solver = CellSolver(POSITIONS + np.array(beside_mm))
    all_four = solver.solve(LOAD_G[None])
    expected = solver.expected(tuple(LOAD_G), dead)
    broken = LOAD_G.copy()
    broken[dead] = 77.0
    solver.dead = frozenset({dead})
    weight, moment = solver.solve(broken[None])

    assert weight == pytest.approx(all_four[0])
    assert moment == pytest.approx(all_four[1])
    assert expected == pytest.approx(LOAD_G[dead])


@pytest.mark.parametrize("dead", range(4))
def test_three_cells_go_on_from_a_rest_whatever_the_fourth_showed_there(dead: int) -> None:
    solver, shown = CellSolver(POSITIONS), LOAD_G.copy()
    shown[dead] += 4.0
    before, piece = solver.solve(shown[None]), 0.75 * np.ones(4)
    solver.dead = frozenset({dead})
    goes_on = solver.carry_on(tuple(shown.tolist()))
    jumped = shown + piece
    jumped[dead] -= 20.0
    weight, moment = solver.solve(np.array([shown, jumped]))

    assert goes_on
    assert weight == pytest.approx(before[0] + (0.0, 3.0))
    assert moment == pytest.approx(before[1] + np.array([(0.0, 0.0), piece @ POSITIONS]))


@pytest.mark.parametrize("dead", range(4))
def test_a_cell_that_is_back_goes_on_at_the_weight_that_three_cells_had(dead: int) -> None:
    """A hand came 0.15 s later, and the piece it brought was not weighed (seed 83401)."""
    solver, shown, piece = CellSolver(POSITIONS), LOAD_G.copy(), 0.75 * np.ones(4)
    solver.dead = frozenset({dead})
    solver.carry_on(tuple(shown.tolist()))
    shown[dead] -= 0.9  # its zero has stepped meanwhile
    before = solver.solve(shown[None])
    solver.dead = frozenset()
    goes_on = solver.carry_on(tuple(shown.tolist()), back=dead)
    weight, moment = solver.solve(np.array([shown, shown + piece]))

    assert goes_on
    assert weight == pytest.approx(before[0] + (0.0, 3.0))
    assert moment == pytest.approx(before[1] + np.array([(0.0, 0.0), piece @ POSITIONS]))


@pytest.mark.parametrize("before_g", [(), (1.0, 2.0, np.nan, 4.0)])
def test_three_cells_cannot_go_on_from_a_rest_that_nobody_weighed(
    before_g: tuple[float, ...],
) -> None:
    solver = CellSolver(POSITIONS)
    solver.dead = frozenset({1})

    assert not solver.carry_on(before_g)
    assert solver.left_out_g == 0.0


def test_two_dead_cells_are_one_too_many() -> None:
    solver = CellSolver(POSITIONS)
    solver.dead = frozenset({0, 2})

    assert np.isnan(solver.solve(LOAD_G[None])[0]).all()


@given(
    st.floats(8.0, 8000.0), st.booleans(), st.integers(0, 3), st.floats(0.0, 1.0), st.floats(0, 1)
)
def test_a_word_is_corrupt_where_no_load_can_have_changed_so(
    grams: float, less: bool, cell: int, x: float, y: float
) -> None:
    """The converter's mean of four spreads any load over as many; noise is far less than a word."""
    times, cells = steady()
    jumps = -grams if less else grams
    cells[80, cell] += jumps
    cells[120, cell] += 5.0
    at_mm = 70.0 * np.array((2 * x - 1, 2 * y - 1))
    share = 0.25 + POSITIONS @ at_mm / (4 * 70.0**2)
    tap = np.convolve(np.ones(2), np.ones(4) / 4)
    cells[30 : 30 + tap.size] += np.outer(0.03 * jumps * tap, share)
    condemned = CellSolver(POSITIONS).condemned(times, cells)

    assert np.argwhere(condemned).tolist() == [[80, cell]]


@examples(25)
@given(first=st.tuples(*[st.floats(-2.0, 2.0)] * 3), more=st.tuples(*[st.floats(-20.0, 20.0)] * 2))
def test_where_the_sensor_sits_on_the_board_does_not_show_in_what_the_tip_feels(
    first: tuple[float, ...], more: tuple[float, ...]
) -> None:
    """A rigid body that turns faster and faster about its tip, with gravity along z all the time.

    Away from the tip the sensor also feels spin x r and rate x (rate x r).
    """
    at = np.arange(0, 1, 1 / 200)
    spin = np.array((*more, 0.0))
    rate = np.array(first) + np.outer(at - 0.5, spin)
    lever = np.array(TABLETOP.imu_position_mm)
    moved = np.cross(spin, lever) + np.cross(rate, np.cross(rate, lever))
    felt = (0.0, 0.0, 1.0) + moved / 9806.65
    block = ImuSamples(at, felt, rate, np.zeros((len(at), 6), np.int32))

    for now in ticks_of([scale(*steady(1.0)), block]):
        assert (now.force_x_g, now.force_y_g, now.force_z_g) == pytest.approx((0, 0, 1), abs=2e-3)
        assert (now.spin_x_rad_s2, now.spin_y_rad_s2) == pytest.approx(more, abs=1e-6)


@examples(25)
@given(st.floats(-5.0, 5.0), st.floats(-40.0, 40.0), st.integers(0, 99))
def test_a_load_that_grows_evenly_is_weighed_as_of_the_middle_of_each_tick(
    begun_g: float, grows_g_s: float, seed: int
) -> None:
    """Whatever the jitter of the conversions; they are told late by their group delay."""
    rng = np.random.default_rng(seed)
    times = (np.arange(160) + rng.uniform(0.1, 0.9, 160)) / 80
    weight = begun_g + grows_g_s * (times - SCALE_DELAY_S)
    ticks = ticks_of(
        [scale(times, np.outer(weight, np.ones(4) / 4)), imu(np.arange(0, 2, 1 / 200))]
    )

    assert len(ticks) > 40
    for now in ticks:
        middle_s = now.t_s - TICK_S / 2
        assert now.mass_g == pytest.approx(begun_g + grows_g_s * middle_s, abs=1e-6)
