"""The board is a pendulum that is kicked now and then; both sensors are noisy as real ones are."""

from collections.abc import Callable, Iterable, Iterator
from math import nan

import numpy as np
import pytest

from engine.detect.front.mounting import Mounting
from engine.detect.front.ticks import TICK_S, Tick
from tests.engine.detect.turned import TURNED, Y_MIRRORED, Axes, about_z, evening, placed

HZ = 80.0
SOON_S = 25.0


def changes(ticks: Iterable[Tick], scale_hz: float = HZ) -> list[tuple[float, bool]]:
    """When which is found out."""
    mounting, out = Mounting(), [(0.0, False)]
    for n, tick in enumerate(ticks):
        mounting.update(tick, scale_hz)
        if mounting.turned != out[-1][1]:
            out.append((n * TICK_S, mounting.turned))
    return out[1:]


def late(ticks: tuple[Tick, ...], by: int) -> Iterator[Tick]:
    """The same with load cells that are so many ticks late, and a mean of as many."""
    moments = np.array([(tick.cop_x_gmm, tick.cop_y_gmm) for tick in ticks])
    for n, tick in enumerate(ticks[by + 2 :], by + 2):
        x_gmm, y_gmm = moments[n - by - 2 : n - by + 3].mean(axis=0).tolist()
        yield tick._replace(cop_x_gmm=x_gmm, cop_y_gmm=y_gmm)


@pytest.mark.parametrize("friction_gmm", [0.0, 30.0])
def test_a_chip_that_lies_as_it_did_is_never_doubted(friction_gmm: float) -> None:
    assert changes(evening(friction_gmm)) == []


@pytest.mark.parametrize("how", TURNED)
def test_a_chip_that_lies_otherwise_is_found_out(how: str) -> None:
    ((t_s, turned),) = changes(placed(evening(), TURNED[how]))
    assert turned
    assert t_s < SOON_S


@pytest.mark.parametrize("degrees", [-30.0, 30.0])
def test_a_board_that_was_put_back_a_little_turned_is_no_chips_fault(degrees: float) -> None:
    assert changes(placed(evening(), about_z(degrees))) == []


@pytest.mark.parametrize("axes", [about_z(90.0), Y_MIRRORED], ids=["turned", "mirrored"])
def test_it_is_well_again_when_both_agree_for_ten_seconds_of_motion(axes: Axes) -> None:
    ticks = evening()
    both = [*placed(ticks[:1200], axes), *ticks[1200:]]
    (_, turned), (well_s, still) = changes(both)

    assert (turned, still) == (True, False)
    assert 40.0 < well_s < 55.0


@pytest.mark.parametrize(("scale_hz", "by"), [(8.0, 9), (10.0, 7), (20.0, 3)])
def test_slow_load_cells_are_late_and_that_is_allowed_for(scale_hz: float, by: int) -> None:
    assert changes(late(evening(), by), scale_hz) == []
    assert changes(placed(late(evening(), by), about_z(180.0)), scale_hz) != []


def pushed(tick: Tick, mass_g: float) -> Tick:
    """Somebody rocks the board: what presses on a side turns it down there, as no swing does."""
    return tick._replace(
        cop_x_gmm=-tick.cop_x_gmm, cop_y_gmm=-tick.cop_y_gmm, mass_g=tick.mass_g + mass_g
    )


def pressing(n: int) -> float:
    return 3.0 * (n % 16 < 8)


def carrying(_n: int) -> float:
    return -180.0


def rolled(tick: Tick) -> Tick:
    return tick._replace(
        cop_x_gmm=-30 * tick.cop_x_gmm, cop_y_gmm=-30 * tick.cop_y_gmm,
        spin_x_rad_s2=5 * tick.spin_x_rad_s2, spin_y_rad_s2=5 * tick.spin_y_rad_s2,
    )  # fmt: skip


def test_a_palm_that_rolls_over_the_board_at_an_even_weight_outweighs_no_swing() -> None:
    """As lively people did once: half a second of it, with thirty times the moment of a swing."""
    palm = [
        rolled(tick) if 40 <= n % 400 < 60 else tick  # it comes while the board swings
        for n, tick in enumerate(evening())
    ]
    assert changes(palm) == []


@pytest.mark.parametrize("hand", [pressing, carrying])
def test_hands_are_no_motion_of_the_board(hand: Callable[[int], float]) -> None:
    assert changes(pushed(tick, hand(n)) for n, tick in enumerate(evening())) == []
    assert changes(pushed(tick, 0.0) for tick in evening()) != [], "the weight does tell"


def test_a_board_at_rest_tells_nothing() -> None:
    rng = np.random.default_rng(2)
    still = [
        tick._replace(
            cop_x_gmm=rng.normal(0.0, 12.0), cop_y_gmm=rng.normal(0.0, 12.0),
            spin_x_rad_s2=rng.normal(0.0, 0.2), spin_y_rad_s2=rng.normal(0.0, 0.2),
        )
        for tick in evening()
    ]  # fmt: skip
    assert changes(placed(still, Y_MIRRORED)) == []


@pytest.mark.parametrize("cell", range(4))
def test_a_load_cell_that_feels_nothing_is_not_blamed_on_the_inertial_sensor(cell: int) -> None:
    """It hides a quarter of the moment, and turns the rest by 19 degrees at most."""
    corner = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)][cell])

    def deaf(tick: Tick) -> Tick:
        moment = np.array([tick.cop_x_gmm, tick.cop_y_gmm])
        x_gmm, y_gmm = (moment - corner * (corner @ moment) / 4).tolist()
        return tick._replace(cop_x_gmm=x_gmm, cop_y_gmm=y_gmm)

    assert changes(map(deaf, evening())) == []


@pytest.mark.parametrize("sensor", ["imu", "scale"])
def test_nothing_is_compared_across_a_gap(sensor: str) -> None:
    gaps = [
        tick if n % 15 else tick.without_imu() if sensor == "imu" else tick._replace(mass_g=nan)
        for n, tick in enumerate(placed(evening(), Y_MIRRORED))
    ]
    assert changes(gaps) == []


@pytest.mark.parametrize(("grams", "asked"), [(0.0, True), (-15.0, True), (-60.0, False)])
def test_a_board_in_somebodys_hands_says_nothing_of_its_chip(grams: float, asked: bool) -> None:
    """It turns as hands turn it; five pieces less are none of that, a third of the board is."""
    lighter = (tick._replace(mass_g=grams) for tick in placed(evening(), Y_MIRRORED))
    assert bool(changes(lighter)) == asked
