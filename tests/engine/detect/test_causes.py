import pytest

from engine.detect.causes import Causes
from engine.detect.contact import Touch
from engine.detect.scene import Scene
from engine.events import Expectation, ToppleCause
from tests.engine.detect.tables import TABLETOP, placement, pressed, shaken, tick


def test_between_turns_only_a_bump_can_topple() -> None:
    scene = Scene(TABLETOP)
    causes = Causes(scene)
    scene.expected_at_contact = Expectation(None, may_place=False)

    cause, sure = causes.cause(pressed(), same=False)

    assert cause is ToppleCause.BUMP
    assert sure < 1.0


def test_after_the_roll_a_hand_places_and_a_shaken_table_was_bumped() -> None:
    scene = Scene(TABLETOP)
    causes = Causes(scene)

    assert causes.cause(pressed(), same=False)[0] is ToppleCause.PLACING
    assert causes.cause(shaken(), same=False)[0] is ToppleCause.BUMP


def test_a_push_too_light_for_the_scale_is_felt_and_one_that_was_not_felt_is_none() -> None:
    scene = Scene(TABLETOP)
    causes = Causes(scene)
    scene.shocks.update(tick(0.05), (0.0, 0.0, 1.0))
    falling = Touch(0.0)
    for excess_g in (4.0, 4.0, -18.0, -18.0, 4.0, -18.0):
        falling.feel(excess_g)
    assert falling.shaken

    assert causes.cause(falling, same=False)[0] is ToppleCause.PLACING
    scene.shocks.update(tick(0.1, force_x_g=0.15), (0.0, 0.0, 1.0))
    assert causes.cause(pressed(), same=False)[0] is ToppleCause.BUMP


def test_a_tower_that_begins_to_fall_as_soon_as_a_piece_is_let_go_was_not_bumped() -> None:
    scene = Scene(TABLETOP)
    causes = Causes(scene)
    scene.expected_at_contact = Expectation(None, may_place=False)
    scene.last = placement(released_s=-0.4)

    assert causes.cause(pressed(), same=False)[0] is ToppleCause.PLACING
    assert causes.cause(shaken(), same=False)[0] is ToppleCause.BUMP
    scene.rolled_s = -0.1
    assert causes.cause(pressed(), same=False)[0] is ToppleCause.BUMP


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
    causes = Causes(scene)
    scene.last = placement(released_s=10.0)
    scene.last.rested = rested
    scene.rolled_s = 11.0 if rolled else None

    assert causes.takes_along(cause, since_s, scene.last, same=same) is gone
