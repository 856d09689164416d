"""Hands on board and table, seen as the sensors see them."""

import numpy as np
import pytest

from engine.samples import Floats, ImuSamples, ScaleSamples
from hw.errors import BadTwin
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower

CALM = preset_parameters("calm")
BOARD_G = CALM.body.empty_mass_g


def weights(tower: Tower, until_s: float) -> tuple[Floats, Floats]:
    scale = [item for item in tower.poll(until_s) if isinstance(item, ScaleSamples)]
    t_s = np.concatenate([block.t_s for block in scale])
    return t_s, np.concatenate([block.mass_g.sum(axis=1) for block in scale])


def between(t_s: Floats, weight: Floats, low_s: float, high_s: float) -> float:
    return float(np.median(weight[(t_s > low_s) & (t_s < high_s)]))


def test_a_phone_on_the_plate_weighs_and_tilts_nothing() -> None:
    tower = Tower(CALM, 1)
    tower.at(1.0, lambda: tower.rest_on_plate(170.0, 95.0, 20.0, 4.0))
    t_s, weight = weights(tower, 8.0)

    assert between(t_s, weight, 1.5, 4.5) == pytest.approx(170.0, abs=1.5)
    assert between(t_s, weight, 5.5, 7.5) == pytest.approx(0.0, abs=0.5)
    assert tower.tilt_rad < 0.002


def test_a_hand_on_the_plate_comes_slowly_and_wavers() -> None:
    tower = Tower(CALM, 1)
    tower.at(1.0, lambda: tower.rest_on_plate(300.0, -95.0, 0.0, 5.0, hand=True))
    t_s, weight = weights(tower, 8.0)

    leaning = weight[(t_s > 2.0) & (t_s < 5.0)]
    assert np.median(leaning) == pytest.approx(300.0, rel=0.05)
    assert np.ptp(leaning) > 10


def test_a_lifted_board_weighs_nothing_and_comes_back_empty() -> None:
    tower = Tower(CALM, 2)
    tower.at(0.5, lambda: tower.place("c4"))
    tower.at(3.0, lambda: tower.lift_board(3.0, tip_rad=2.4))
    t_s, weight = weights(tower, 9.0)

    assert between(t_s, weight, 3.4, 5.5) == pytest.approx(-BOARD_G, abs=1.5)
    assert between(t_s, weight, 7.0, 9.0) == pytest.approx(0.0, abs=0.5)
    assert tower.pieces.count == 0
    assert not tower.pieces.on_base


def test_the_inertial_sensor_turns_over_with_a_lifted_board() -> None:
    tower = Tower(CALM, 2)
    tower.at(1.0, lambda: tower.lift_board(4.0, tip_rad=2.4))
    blocks = [item for item in tower.poll(6.5) if isinstance(item, ImuSamples)]
    accel = np.concatenate([block.accel_g for block in blocks])
    t_s = np.concatenate([block.t_s for block in blocks])

    assert accel[(t_s > 2.8) & (t_s < 3.2), 2].max() < -0.5
    assert accel[t_s > 5.5, 2].min() > 0.95


def test_a_board_that_is_put_back_turned_swings_as_before_and_can_be_played_on() -> None:
    tower = Tower(CALM, 3)
    tower.at(0.5, lambda: tower.lift_board(2.0, turn_rad=0.2))
    tower.at(5.0, lambda: tower.place("e3"))
    t_s, weight = weights(tower, 10.0)

    assert between(t_s, weight, 8.0, 10.0) == pytest.approx(CALM.piece.mass_mean_g, abs=0.6)
    assert tower.tilt_rad > 0.01


def test_nobody_lifts_a_board_that_somebody_has() -> None:
    tower = Tower(CALM, 3)
    tower.lift_board(2.0)

    with pytest.raises(BadTwin, match="hands already"):
        tower.lift_board(2.0)


def test_somebody_who_walks_past_shakes_the_table_once_a_step() -> None:
    tower = Tower(CALM, 4)
    tower.at(1.0, lambda: tower.walk(4.0, 0.6))
    blocks = [item for item in tower.poll(7.0) if isinstance(item, ImuSamples)]
    accel = np.concatenate([np.linalg.norm(block.accel_g, axis=1) for block in blocks])
    t_s = np.concatenate([block.t_s for block in blocks])

    walking = accel[(t_s > 1.0) & (t_s < 5.0)]
    assert np.abs(walking - 1).max() > 3 * np.abs(accel[t_s > 6.0] - 1).max()
    assert tower.truth.entries[-1]["target"] == "walk"
