import numpy as np
import pytest

from engine.events import HumanInput
from hw.twin.parameters import preset_parameters
from hw.twin.world import World


def test_left_alone_nothing_happens_but_noise() -> None:
    world = World(preset_parameters("rough"), 1)
    items = world.poll(5.0)

    assert items
    assert world.truth.entries == []
    assert world.tilt_rad == 0.0
    assert not world.swinging
    assert not world.toppling


def test_what_is_planned_happens_at_its_time() -> None:
    world = World(preset_parameters("calm"), 1)
    seen: list[float] = []
    for t_s in (0.5, 0.123, 0.123):
        world.at(t_s, lambda: seen.append(round(world.now_s, 3)))
    world.advance(1.0)

    assert seen == [0.123, 0.123, 0.5]


def test_a_closed_world_gives_what_is_left_and_ends() -> None:
    world = World(preset_parameters("calm"), 1)
    world.advance(0.55)
    world.close()
    items = world.collect(10.0)

    assert items
    assert world.ended
    world.advance(2.0)
    assert world.now_s == pytest.approx(0.55)


def test_what_people_say_waits_for_its_samples() -> None:
    world = World(preset_parameters("calm"), 1)
    world.advance(0.33)
    world.put_events([HumanInput(0.33, "pass")])

    assert HumanInput(0.33, "pass") not in world.collect(0.33)
    assert HumanInput(0.33, "pass") in world.poll(0.6)


def test_it_tells_the_tilt_that_one_more_piece_would_cause() -> None:
    world = World(preset_parameters("calm"), 1)

    assert world.tilt_after("c3") < 1e-9
    assert np.degrees(world.tilt_after("e3")) == pytest.approx(2.65, abs=0.15)
    assert world.tilt_after("a1") > world.tilt_after("b2") > 0


def test_a_time_within_rounding_of_now_is_reached() -> None:
    world = World(preset_parameters("calm"), 1)
    world.advance(0.33)

    assert world.reached(0.33)
    assert world.reached(0.33 + 1e-12)
    assert not world.reached(0.331)
