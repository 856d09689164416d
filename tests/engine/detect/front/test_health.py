from math import isfinite

import numpy as np
import pytest

from engine.detect.front.health import (
    SILENT_TICKS,
    STUCK_TICKS,
    LineWatch,
    Rests,
    SensorWatch,
    pivot_verdict,
)
from engine.detect.front.ticks import TICK_S, CellSolver, Tick
from engine.events import Fault, Restored
from engine.troubles import CELL_JUMPED, CELL_NO_VALUES
from tests.engine.detect.tables import TABLETOP, tick
from tests.engine.detect.turned import Y_MIRRORED, evening, placed


def watch() -> SensorWatch:
    return SensorWatch(CellSolver(np.array(TABLETOP.load_cell_positions_mm)))


def flicker(k: int, rng: np.random.Generator, **values: float) -> Tick:
    cells = dict(zip(("cell_0_g", "cell_1_g", "cell_2_g", "cell_3_g"), rng.normal(2, 0.1, 4)))  # noqa: B905
    felt = {"force_x_g": rng.normal(0, 0.001)}
    return tick(k * TICK_S, **(cells | felt | values))


def run(watcher: SensorWatch, count: int, **values: float) -> list[Fault | Restored]:
    rng = np.random.default_rng(count)
    return [change for k in range(count) for change in watcher.update(flicker(k, rng, **values))]


def test_living_sensors_raise_nothing() -> None:
    assert run(watch(), 400) == []


@pytest.mark.parametrize(("value", "words"), [(float("nan"), "no valid"), (-71.0, "repeats")])
def test_a_cell_that_gives_nothing_new_is_condemned_once(value: float, words: str) -> None:
    watcher = watch()
    changes = run(watcher, 100, cell_2_g=value)

    assert [change.sensor for change in changes] == ["scale.2"]
    assert isinstance(changes[0], Fault)
    assert words in changes[0].reason
    assert "Load cell C2" in watcher.faults["scale.2"]


@pytest.mark.parametrize(("value", "words"), [(float("nan"), "no valid"), (-71.0, "repeats")])
def test_the_one_cell_of_a_starter_is_watched_by_itself(value: float, words: str) -> None:
    watcher = SensorWatch(watch()._solver, weight_only=True)
    cells = dict.fromkeys(("cell_0_g", "cell_1_g", "cell_2_g", "cell_3_g"), value)
    assert run(watcher, 200, force_z_g=float("nan")) == []
    (lost,) = run(watcher, 100, **cells)
    back = run(watcher, 200)

    assert isinstance(lost, Fault)
    assert lost.sensor == "scale"
    assert words in watcher.faults.get("scale", lost.reason)
    assert [(change.sensor, type(change)) for change in back] == [("scale", Restored)]


def test_a_cell_that_agrees_with_the_others_again_is_trusted_again() -> None:
    watcher = watch()
    run(watcher, 60, cell_1_g=float("nan"))
    (change,) = run(watcher, 200)

    assert change == Restored(change.t_s, "scale.1")
    assert watcher.faults == {}


def warped() -> tuple[SensorWatch, Rests]:
    """A table with one zero off by 2.4 g, as every untouched moment of the evening has it."""
    watcher = watch()
    found = Rests(watcher._solver)
    for n in range(5):
        found.note((2.0 + n, 2.0 + n, 4.4 + n, 2.0 + n))
    return watcher, found


@pytest.mark.parametrize("lost", [(1,), (0, 1, 2, 3)])
def test_cells_come_back_to_where_their_zeros_were(lost: tuple[int, ...]) -> None:
    watcher, found = warped()
    for cell in lost:
        watcher.condemn(cell, Fault.of(0.0, f"scale.{cell}", CELL_NO_VALUES(n="C")))
        found.forget()

    rng = np.random.default_rng(3)
    ticks = [flicker(k, rng, cell_2_g=rng.normal(4.4, 0.1)) for k in range(200)]
    changes = [change for tick in ticks for change in watcher.update(tick)]
    assert {change.sensor for change in changes} == {f"scale.{cell}" for cell in lost}
    assert watcher.faults == {}


def test_a_cell_that_did_not_follow_the_load_is_not_how_the_zeros_are() -> None:
    watcher, found = warped()
    found.note((9.0, 9.0, 4.4, 9.0))
    found.forget()

    assert watcher._solver.warp_g == 0.0


def test_a_cell_that_jumped_alone_is_not_taken_back_while_no_load_changes() -> None:
    """One with friction agrees with the others then, and cost the next pieces (seed 83401)."""
    watcher = watch()
    watcher.condemn(1, Fault.of(0.0, "scale.1", CELL_JUMPED(n="C2")))

    assert run(watcher, 400) == []
    assert list(watcher.faults) == ["scale.1"]


def test_a_cell_that_was_unplugged_is_believed_when_it_is_back_but_not_twice() -> None:
    watcher, jumped = watch(), CELL_JUMPED(n="C2")
    watcher.condemn(1, Fault.of(0.0, "scale.1", jumped))
    gone = run(watcher, 60, cell_1_g=-71.0)
    (back,) = run(watcher, 200)
    watcher.condemn(1, Fault.of(10.0, "scale.1", jumped))
    run(watcher, 60, cell_1_g=-71.0)

    assert gone == []
    assert isinstance(back, Restored)
    assert run(watcher, 400) == []


def test_what_a_loose_plug_silences_twice_is_taken_back_at_once() -> None:
    watcher = watch()
    for _ in range(2):
        run(watcher, 60, cell_1_g=float("nan"))
        (back,) = run(watcher, 200)
        assert isinstance(back, Restored)


def test_all_cells_still_is_a_quiet_mock_and_not_four_faults() -> None:
    watcher = watch()

    assert [watcher.update(tick(k * TICK_S)) for k in range(100)] == [[]] * 100


def test_a_silent_inertial_sensor_is_named_and_taken_back() -> None:
    watcher = watch()
    gone = run(watcher, 40, force_z_g=float("nan"))
    back = run(watcher, 40)

    assert [type(change) for change in gone + back] == [Fault, Restored]
    assert gone[0].sensor == "imu"


def test_samples_from_before_a_reported_loss_are_no_sign_of_life() -> None:
    watcher, rng = watch(), np.random.default_rng(1)
    run(watcher, 40)
    watcher.report(Fault(60 * TICK_S, "imu", "does not answer"))
    late = [change for k in range(40, 61) for change in watcher.update(flicker(k, rng))]
    alive = [change for k in range(61, 90) for change in watcher.update(flicker(k, rng))]

    assert late == []
    assert [type(change) for change in alive] == [Restored]


def test_an_inertial_sensor_that_repeats_itself_is_as_good_as_silent() -> None:
    (fault,) = run(watch(), 60, force_x_g=0.0)

    assert isinstance(fault, Fault)
    assert "repeats" in fault.reason


def test_means_of_one_repeated_value_that_differ_in_the_last_bit_are_still_one_value() -> None:
    watcher, rng = watch(), np.random.default_rng(1)
    changes = [
        change
        for k in range(60)
        for change in watcher.update(flicker(k, rng, force_x_g=0.1 + 1e-16 * (k % 3)))
    ]

    (fault,) = changes
    assert isinstance(fault, Fault)
    assert "repeats" in fault.reason


def of_imu(changes: list[Fault | Restored]) -> list[str]:
    return [
        change.code if isinstance(change, Fault) else "well"
        for change in changes
        if change.sensor == "imu"
    ]


def test_an_inertial_sensor_that_lies_otherwise_is_named_however_alive_it_is() -> None:
    watcher = watch()
    watcher.mounting.turned = True
    assert of_imu(run(watcher, 200)) == ["imu_turned"]
    assert not watcher.imu_trusted
    watcher.mounting.turned = False
    assert of_imu(run(watcher, 200)) == ["well"]
    assert watcher.imu_trusted


def test_what_is_said_of_an_inertial_sensor_is_what_it_has_now() -> None:
    """Silent, and turned when it is heard again; its source knows only that it answers."""
    watcher = watch()
    silent = run(watcher, 40, force_z_g=float("nan"))
    watcher.mounting.turned = True
    assert of_imu(silent + run(watcher, 100)) == ["imu_silent", "well", "imu_turned"]
    watcher.report(Fault(2.0, "imu", "does not answer"))
    watcher.absolve(2.1, "imu")
    assert of_imu(run(watcher, 100)) == ["imu_turned"]


@pytest.mark.parametrize(("odd", "turned"), [(False, True), (True, False)])
def test_load_cells_at_an_odd_rate_say_nothing_of_the_inertial_sensor(
    odd: bool, turned: bool
) -> None:
    watcher = watch()
    if odd:
        watcher.report(Fault(0.0, "rates", "C1 converts 10 times a second", "rate_slow"))
    for each in placed(evening(), Y_MIRRORED):
        watcher.compare(each, 80.0)
    assert watcher.mounting.turned == turned


def judged(
    watcher: SensorWatch, *jumps_s: float, until_s: float = 400.0
) -> list[tuple[str, float]]:
    """What is said of a gyroscope whose bias jumps at these times."""
    said = [watcher.judge_gyro(t_s, jumped=t_s in jumps_s) for t_s in np.arange(until_s).tolist()]
    return [(type(each).__name__, each.t_s) for each in said if each is not None]


def test_a_gyroscope_is_named_when_it_jumps_again_and_is_well_two_minutes_after_the_last() -> None:
    watcher = watch()

    assert judged(watcher, 10.0, 40.0, 70.0) == [("Fault", 40.0), ("Restored", 191.0)]
    assert watcher.imu_trusted
    assert watcher.faults == {}


def test_a_gyroscope_that_is_put_right_once_is_not_named() -> None:
    assert judged(watch(), 10.0, 12.0, 150.0, 151.0) == []


def test_the_pivot_is_judged_in_words_with_what_to_do() -> None:
    assert "good" in pivot_verdict(0.12, 0.01).sentence
    assert "Clean" in pivot_verdict(0.45, 0.02).sentence
    assert "not swung enough" in pivot_verdict(0.2, 0.3).sentence


def cut_ticks(line: LineWatch, count: int) -> list[float]:
    return [round(k * TICK_S, 3) for k in range(count) if line.was_cut(tick(k * TICK_S))]


def test_ticks_of_a_time_without_a_line_are_known() -> None:
    line = LineWatch()
    line.report(1.01, ok=False)
    line.report(1.2, ok=False)
    line.report(2.0, ok=True)

    assert (cut_ticks(line, 38), line.is_back()) == ([], False)
    cut = cut_ticks(line, 200)
    assert [cut[0], cut[-1]] == pytest.approx([1.0, 2.025])
    assert (line.is_back(), line.is_back()) == (True, False)


def test_a_line_that_is_still_cut_is_cut() -> None:
    line = LineWatch()
    line.report(1.0, ok=False)

    assert cut_ticks(line, 400)[-1] == pytest.approx(399 * TICK_S)


def test_a_gap_that_the_samples_bridge_is_no_matter() -> None:
    line = LineWatch()
    line.report(1.0, ok=False)
    line.report(1.1, ok=True)

    assert cut_ticks(line, 200) == []
    assert not line.is_back()


def rests(*cells_g: tuple[float, ...]) -> Rests:
    found = Rests(CellSolver(np.array([(-70, -70), (70, -70), (70, 70), (-70, 70)])))
    for each in cells_g:
        found.note(each)
    return found


@pytest.mark.parametrize("cell", range(4))
def test_a_cell_that_moved_with_no_load_is_the_one_that_breaks_the_plate(cell: int) -> None:
    loads = [[5.0 + n * share for share in (0.9, 0.5, 0.9, 1.3)] for n in range(5)]
    for load in loads:
        load[cell] = 3.0

    assert rests(*map(tuple, loads)).suspect(3.0) == cell


@pytest.mark.parametrize("cell", range(4))
def test_a_cell_far_from_its_tare_alone_is_suspected_before_any_load_came(cell: int) -> None:
    load = [0.3, -0.2, 0.1, 0.4]
    load[cell] = -201.0

    assert rests(tuple(load)).suspect(3.0) == cell


def test_no_cell_is_suspected_when_all_follow_the_load_or_none_came() -> None:
    follow = [tuple(n * share for share in (0.9, 0.5, 0.1, 0.5)) for n in range(5)]
    drifting = [(0.0, 0.0, 0.5 * n, 0.0) for n in range(5)]

    assert rests(*follow).suspect(3.0) is None
    assert rests(*drifting).suspect(3.0) is None, "what moves alone is no load"
    assert rests(*follow[:2]).suspect(3.0) is None
    assert rests().suspect(3.0) is None


@pytest.mark.parametrize(("value", "after"), [(float("nan"), SILENT_TICKS), (-71.0, STUCK_TICKS)])
def test_a_cell_is_named_as_soon_as_it_may_be_and_as_lost_since_it_was(
    value: float, after: int
) -> None:
    watcher, rng = watch(), np.random.default_rng(4)
    alive = 30
    for k in range(alive):
        assert watcher.update(flicker(k, rng)) == []
    begun = alive + isfinite(value)  # the first of those that repeat differs from the one before
    for k in range(alive, begun + after - 1):
        assert watcher.update(flicker(k, rng, cell_2_g=value)) == []
    (lost,) = watcher.update(flicker(begun + after - 1, rng, cell_2_g=value))

    assert lost.t_s == pytest.approx((begun - 1) * TICK_S)


@pytest.mark.parametrize(("share", "unplugged"), [(0.0, True), (0.1, True), (0.3, False)])
def test_a_cell_that_shows_a_third_of_its_load_is_plugged_in(share: float, unplugged: bool) -> None:
    """And one that shows hardly any hangs on no more than its cable."""
    rests = Rests(watch()._solver)
    for pieces in range(6):
        rests.note((2.0 + pieces, 2.0 + share * pieces, 2.0 + pieces, 2.0 + pieces))

    assert rests.suspect(3.0) == (1 if unplugged else None)


@pytest.mark.parametrize(("value", "after"), [(float("nan"), SILENT_TICKS), (-71.0, STUCK_TICKS)])
def test_the_one_cell_of_a_starter_is_named_as_soon_as_it_may_be(value: float, after: int) -> None:
    watcher, rng = SensorWatch(watch()._solver, weight_only=True), np.random.default_rng(4)
    cells = dict.fromkeys(("cell_0_g", "cell_1_g", "cell_2_g", "cell_3_g"), value)
    alive = [watcher.update(flicker(k, rng)) for k in range(30)]
    begun = 30 + isfinite(value)
    lost = [watcher.update(flicker(k, rng, **cells)) for k in range(30, begun + after)]
    (fault,) = lost[-1]

    assert not any(alive)
    assert not any(lost[:-1])
    assert fault.t_s == pytest.approx((begun - 1) * TICK_S)
