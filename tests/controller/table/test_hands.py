"""How hard hands press: a peak before the release, per player, and only where it is wanted."""

from collections.abc import Iterable
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from controller.app.wiring import pipeline
from controller.table.hands import LEAST_PLACED, Hands, steadiest
from engine.events import Placed
from engine.results import Feat
from engine.samples import ScaleSamples
from lab.people.simulation import SimulatedEvening
from lab.people.ways import USUAL
from tests.engine.referee.script import begin

PERIOD_S = 1 / 80


def pressed(press_g: float, at_s: float = 5.0, mass_g: float = 3.0) -> list[ScaleSamples]:
    """Ten seconds of weights; a hand sets a piece down and pushes until `at_s`."""
    t_s = np.arange(0.0, 10.0, PERIOD_S)
    total = np.where(t_s >= at_s - 0.3, mass_g, 0.0)
    total[(t_s >= at_s - 0.2) & (t_s < at_s)] += press_g
    mass = np.repeat(total[:, None] / 4, 4, axis=1)
    block = ScaleSamples(t_s, mass, np.zeros(mass.shape, np.int32), np.ones(mass.shape, bool))
    return [
        ScaleSamples(block.t_s[cut], block.mass_g[cut], block.raw[cut], block.valid[cut])
        for cut in (slice(0, 300), slice(300, 500), slice(500, None))
    ]


def measured(blocks: Iterable[ScaleSamples], *, on: bool = True, resume_s: float = 0.0) -> Hands:
    hands = Hands(on=on)
    for block in blocks:
        hands.samples(block)
    hands.placed(Placed(7, 5.0 + resume_s, 5.4 + resume_s, "c3", 0.99), resume_s)
    return hands


@pytest.mark.parametrize("press_g", [0.0, 4.0, 60.0])
@pytest.mark.parametrize("resume_s", [0.0, 1000.0])
def test_the_press_is_the_peak_over_the_piece_at_rest(press_g: float, resume_s: float) -> None:
    found = measured(pressed(press_g), resume_s=resume_s).press_g

    assert found == {7: pytest.approx(press_g, abs=0.1)}


def test_nothing_is_measured_unless_it_is_wanted() -> None:
    assert measured(pressed(10.0), on=False).press_g == {}


def test_without_weights_around_the_release_nothing_is_told() -> None:
    blank = [replace(block, mass_g=np.full_like(block.mass_g, np.nan)) for block in pressed(9.0)]

    assert measured(blank).press_g == {}
    assert measured(pressed(9.0)[:1]).press_g == {}
    assert measured([]).press_g == {}


def test_the_steadiest_hand_is_the_one_with_the_least_median() -> None:
    game = begin(options={"dice": "untold"})
    press_g = {}
    for number in range(2 * LEAST_PLACED):
        event = game.placed("c3")
        # Ann once pushed hard; her median is low all the same.
        press_g[event] = (40.0 if number == 0 else 3.0) if number % 2 == 0 else 9.0

    assert steadiest(game.state, press_g) == Feat("Ann", 3.0)
    assert steadiest(game.state, dict(list(press_g.items())[: 2 * LEAST_PLACED - 2])) is None
    assert steadiest(game.state, {}) is None


@pytest.mark.slow
def test_on_the_simulated_table_heavy_hands_are_told_from_soft_ones() -> None:
    medians = []
    for heavy in (0.5, 2.0):
        evening = SimulatedEvening.begin(
            5,
            "calm",
            players=2,
            two_colours=False,
            ways=msgspec.structs.replace(USUAL, heavy=heavy),
        )
        rules, hands = pipeline(evening.tabletop), Hands(on=True)
        for second in range(1, 61):
            for item in evening.poll(float(second)):
                if isinstance(item, ScaleSamples):
                    hands.samples(item)
                for output in rules.feed(item):
                    if isinstance(output.cause, Placed):
                        hands.placed(output.cause, rules.resume_s)
        assert len(hands.press_g) >= LEAST_PLACED
        medians.append(float(np.median(list(hands.press_g.values()))))

    assert medians[1] > 1.5 * medians[0]
