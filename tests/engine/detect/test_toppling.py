import numpy as np
import pytest

from engine.detect.contact import Touch
from engine.detect.placing import Placing
from engine.detect.scene import Placement, Scene
from engine.detect.toppling import Loss, Toppling
from engine.events import ANYTHING, Expectation, ToppleCause
from tests.engine.detect.tables import TABLETOP


def shaken() -> Touch:
    touch = Touch(0.0)
    for k in range(12):
        touch.feel(40.0 * (-1) ** (k // 2))
    return touch


def pressed() -> Touch:
    touch = Touch(0.0)
    for _ in range(12):
        touch.feel(12.0)
    return touch


def placement(released_s: float) -> Placement:
    return Placement(
        ref=1, released_s=released_s, cell="c3", confidence=0.99, mass=(2.9, 0.1),
        expectation=ANYTHING, change_gmm=np.zeros(2), fit=0.0, next_look_s=0.0,
    )  # fmt: skip


def test_pieces_that_bounce_have_fallen_and_pieces_taken_have_not() -> None:
    bouncing = Loss(0.0, 0.0, 5, shaken(), same_as_last=False)
    taken = Loss(0.0, 0.0, 2, pressed(), same_as_last=False)

    assert bouncing.like_a_fall
    assert not taken.like_a_fall


def test_between_turns_only_a_bump_can_topple() -> None:
    scene = Scene(TABLETOP)
    toppling = Toppling(scene, Placing(scene))
    scene.expected_at_contact = Expectation(None, may_place=False)

    cause, sure = toppling._cause(pressed(), same=False)

    assert cause is ToppleCause.BUMP
    assert sure < 1.0


def test_after_the_roll_a_hand_places_and_a_shaken_table_was_bumped() -> None:
    scene = Scene(TABLETOP)
    toppling = Toppling(scene, Placing(scene))

    assert toppling._cause(pressed(), same=False)[0] is ToppleCause.PLACING
    assert toppling._cause(shaken(), same=False)[0] is ToppleCause.BUMP


def test_a_tower_that_begins_to_fall_as_soon_as_a_piece_is_let_go_was_not_bumped() -> None:
    scene = Scene(TABLETOP)
    toppling = Toppling(scene, Placing(scene))
    scene.expected_at_contact = Expectation(None, may_place=False)
    scene.last = placement(released_s=-0.4)

    assert toppling._cause(pressed(), same=False)[0] is ToppleCause.PLACING
    assert toppling._cause(shaken(), same=False)[0] is ToppleCause.BUMP
    scene.rolled_s = -0.1
    assert toppling._cause(pressed(), same=False)[0] is ToppleCause.BUMP


@pytest.mark.parametrize(
    ("cause", "since_s", "rested", "rolled", "same", "gone"),
    [
        (ToppleCause.PLACING, 0.5, False, False, False, True),
        (ToppleCause.PLACING, 3.0, False, False, False, False),
        (ToppleCause.PLACING, 3.0, True, False, True, True),
        (ToppleCause.PLACING, 0.5, False, True, False, False),
        (ToppleCause.BUMP, 0.5, True, False, False, True),
        (ToppleCause.BUMP, 3.0, False, False, False, True),
        (ToppleCause.BUMP, 3.0, True, False, False, False),
        (ToppleCause.BUMP, 3.0, False, True, False, False),
        (ToppleCause.BUMP, 3.0, True, True, True, True),
    ],
)
def test_what_a_topple_takes_with_it(  # noqa: PLR0917 - a table of cases
    cause: ToppleCause, since_s: float, rested: bool, rolled: bool, same: bool, gone: bool
) -> None:
    scene = Scene(TABLETOP)
    toppling = Toppling(scene, Placing(scene))
    scene.last = placement(released_s=10.0)
    scene.last.rested = rested
    scene.rolled_s = 11.0 if rolled else None

    assert toppling._goes_with_it(cause, since_s, scene.last, same=same) is gone
