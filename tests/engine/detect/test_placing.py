from dataclasses import replace

import numpy as np
import pytest

from engine.detect.body import cell_centre_mm
from engine.detect.contact import Touch
from engine.detect.moment import Moment
from engine.detect.placing import Placing
from engine.detect.scene import Scene
from engine.events import ANYTHING, Corrected, Expectation
from engine.samples import Floats
from tests.engine.detect.tables import TABLETOP, placement, weights


@pytest.mark.parametrize(
    ("grams", "one", "two"),
    [(3.0, True, False), (2.6, True, False), (6.1, False, True), (1.2, False, False),
     (4.5, False, False), (-3.0, False, False)],
)  # fmt: skip
def test_whole_pieces_are_told_from_hands_by_their_weight(
    grams: float, *, one: bool, two: bool
) -> None:
    scene = Scene(TABLETOP)
    for now in weights([0.0] * 6):
        scene.balance.update(now.t_s, now.mass_g)
    scene.accept()
    for now in weights([grams * 3] + [grams] * 5, start_s=1.0):
        scene.balance.update(now.t_s, now.mass_g)
    placing = Placing(scene)

    assert (placing.is_one_piece(), placing.is_two_pieces()) == (one, two)


def pull_gmm(cell: str) -> Floats:
    """What a piece on a cell does to the moment."""
    return 3.0 * np.array(cell_centre_mm(TABLETOP, cell)[:2])


def announced_on_c2(expectation: Expectation, *, since_s: float) -> tuple[Scene, Placing]:
    scene = Scene(TABLETOP)
    scene.stacks.put(1, "c2")
    scene.last = replace(
        placement(released_s=10.0), cell="c2", expectation=expectation, change_gmm=pull_gmm("c2")
    )
    scene.balance.touch = Touch(10.0 + since_s)
    return scene, Placing(scene)


def moved_to(cell: str) -> Moment:
    change = pull_gmm(cell) - pull_gmm("c2")
    return Moment(np.zeros(2), change, np.eye(2) * 5.0**2, 0.0, 0.1, 20)


def test_a_piece_announced_under_the_weight_of_another_hand_is_moved_to_where_it_was_laid() -> None:
    scene, placing = announced_on_c2(Expectation(("c2", "b3", "d3", "c4")), since_s=0.4)

    assert placing.lay_elsewhere(moved_to("b3"))
    (event,) = scene.events
    assert isinstance(event, Corrected)
    assert (event.ref, event.cell) == (1, "b3")
    assert event.confidence > 0.95
    assert scene.stacks.height("b3") == 1


@pytest.mark.parametrize(("cell", "since_s"), [("d4", 0.4), ("b3", 2.0)])
def test_what_moves_against_the_rules_or_later_has_fallen(cell: str, since_s: float) -> None:
    scene, placing = announced_on_c2(Expectation(("c2", "b3", "d3", "c4")), since_s=since_s)

    assert not placing.lay_elsewhere(moved_to(cell))
    assert not scene.events


def test_without_the_die_people_are_asked_whether_it_fell_or_was_laid_there() -> None:
    scene, placing = announced_on_c2(ANYTHING, since_s=0.4)

    assert placing.lay_elsewhere(moved_to("d4"))
    (event,) = scene.events
    assert isinstance(event, Corrected)
    assert event.confidence < 0.8
