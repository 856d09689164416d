from dataclasses import replace

from engine.detect.contact import Touch
from engine.detect.placing import Placing
from engine.detect.scene import Scene
from engine.detect.toppling import Loss, Toppling
from engine.events import ANYTHING, Expectation
from tests.engine.detect.tables import TABLETOP, placement, pressed, shaken


def test_pieces_that_bounce_have_fallen_and_pieces_taken_have_not() -> None:
    bouncing = Loss(0.0, 0.0, 5, shaken(), False, False, ANYTHING)
    bumped = Loss(0.0, 0.0, 2, pressed(), False, True, ANYTHING)
    taken = Loss(0.0, 0.0, 2, pressed(), False, False, ANYTHING)

    assert bouncing.like_a_fall
    assert bumped.like_a_fall
    assert not taken.like_a_fall


def test_hands_that_take_pieces_while_nobody_has_rolled_mean_that_the_last_one_fell() -> None:
    scene = Scene(TABLETOP)
    toppling = Toppling(scene, Placing(scene))
    nobody_places = Expectation(None, may_place=False)
    taken = Loss(5.0, 5.2, 3, Touch(5.0), False, False, nobody_places)

    assert toppling._fell_unseen(placement(released_s=1.0), taken)
    assert not toppling._fell_unseen(placement(released_s=4.0), taken)
    assert not toppling._fell_unseen(placement(released_s=1.0), replace(taken, bumped=True))
    assert not toppling._fell_unseen(placement(released_s=1.0), replace(taken, expected=ANYTHING))
    scene.last, scene.rolled_s = placement(released_s=1.0), 3.0
    assert not toppling._fell_unseen(scene.last, taken)
