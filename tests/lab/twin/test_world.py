from dataclasses import replace

import numpy as np
import pytest

from engine.events import HumanInput
from lab.twin.parameters import TwinParameters, preset_parameters
from lab.twin.tower import Tower
from lab.twin.world import TowerWorld


def test_left_alone_nothing_happens_but_noise() -> None:
    world = TowerWorld(preset_parameters("rough"), 1)
    items = world.poll(5.0)

    assert items
    assert world.truth.entries == []
    assert world.tilt_rad == 0.0
    assert not world.swinging
    assert not world.toppling


def test_what_is_planned_happens_at_its_time() -> None:
    world = TowerWorld(preset_parameters("calm"), 1)
    seen: list[float] = []
    for t_s in (0.5, 0.123, 0.123):
        world.at(t_s, lambda: seen.append(round(world.now_s, 3)))
    world.advance(1.0)

    assert seen == [0.123, 0.123, 0.5]


def test_a_closed_world_gives_what_is_left_and_ends() -> None:
    world = TowerWorld(preset_parameters("calm"), 1)
    world.advance(0.55)
    world.close()
    items = world.collect(10.0)

    assert items
    assert world.ended
    world.advance(2.0)
    assert world.now_s == pytest.approx(0.55)


def test_what_people_say_waits_for_its_samples() -> None:
    world = TowerWorld(preset_parameters("calm"), 1)
    world.advance(0.33)
    world.put_events([HumanInput(0.33, "pass")])

    assert HumanInput(0.33, "pass") not in world.collect(0.33)
    assert HumanInput(0.33, "pass") in world.poll(0.6)


def test_it_tells_the_tilt_that_one_more_piece_would_cause() -> None:
    world = TowerWorld(preset_parameters("calm"), 1)

    assert world.tilt_after("c3") < 1e-9
    assert np.degrees(world.tilt_after("e3")) == pytest.approx(2.65, abs=0.15)
    assert world.tilt_after("a1") > world.tilt_after("b2") > 0


def test_a_time_within_rounding_of_now_is_reached() -> None:
    world = TowerWorld(preset_parameters("calm"), 1)
    world.advance(0.33)

    assert world.reached(0.33)
    assert world.reached(0.33 + 1e-12)
    assert not world.reached(0.331)


def with_cloth(sink_mm: float) -> TwinParameters:
    plain = preset_parameters("normal")
    return replace(plain, body=replace(plain.body, cloth_sink_mm=sink_mm))


def moment_about_x(sink_mm: float) -> list[float]:
    """What the load moves the centre of pressure by, before, under and after a cup of 400 g."""
    tower, seen = Tower(with_cloth(sink_mm), 1), list[tuple[float, float]]()
    tower.witnesses.append(lambda span: seen.append((span.t_s[-1], span.load[:, 1].mean())))
    tower.advance(1.0)
    tower.rest_on_plate(400.0, 90.0, 0.0, 4.0)
    tower.advance(12.0)
    return [
        float(np.mean([m for t, m in seen if a < t < b])) for a, b in ((0, 1), (3.5, 4.5), (11, 12))
    ]


def test_on_a_soft_cloth_a_cup_tilts_the_base_which_moves_the_weight_further() -> None:
    hard, soft = moment_about_x(0.0), moment_about_x(1.5)

    assert hard == pytest.approx([0.0, 36_000.0, 0.0], abs=1.0)
    assert soft[0] == pytest.approx(0.0, abs=1.0)
    assert 200 < soft[1] - hard[1] < 2000
    assert abs(soft[2]) < 20
