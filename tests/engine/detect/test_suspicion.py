from dataclasses import replace

from engine.detect.causes import Causes
from engine.detect.contact import Touch
from engine.detect.scene import Scene
from engine.detect.suspicion import Suspicion, Suspicions
from engine.events import ANYTHING, Expectation
from tests.engine.detect.tables import TABLETOP, placement, shaken


def test_what_was_felt_before_the_roll_did_not_keep_the_players_from_rolling() -> None:
    scene = Scene(TABLETOP)
    suspicions = Suspicions(scene, Causes(scene))
    nobody_places = Expectation(None, may_place=False)
    tapped = Suspicion(1.0, shaken(), False, nobody_places)
    brushed = Suspicion(4.0, Touch(4.0), False, ANYTHING)
    suspicions.odd, suspicions.brush = tapped, brushed

    assert suspicions.to_blame() == brushed
    suspicions.odd = odd = Suspicion(3.0, shaken(), True, ANYTHING)
    assert suspicions.to_blame() == replace(odd, t_s=4.0)
    scene.expectation = nobody_places
    suspicions.odd = tapped
    assert suspicions.to_blame() == replace(tapped, t_s=4.0)


def test_players_who_stare_at_a_board_and_do_not_roll_have_seen_the_last_piece_fall() -> None:
    scene = Scene(TABLETOP)
    suspicions = Suspicions(scene, Causes(scene))
    scene.expected_at_contact = Expectation(None, may_place=False)
    scene.balance.touch = Touch(5.0)

    assert suspicions.stared_at(placement(released_s=1.0), None)
    assert not suspicions.stared_at(placement(released_s=4.0), None)
    bumped = Suspicion(3.0, shaken(), False, ANYTHING)
    assert not suspicions.stared_at(placement(released_s=1.0), bumped)
    scene.last, scene.rolled_s = placement(released_s=1.0), 2.0
    assert not suspicions.stared_at(scene.last, None)


def test_a_piece_taken_back_is_not_forgotten_for_a_later_brush() -> None:
    scene = Scene(TABLETOP)
    suspicions = Suspicions(scene, Causes(scene))
    suspicions.taken_back()
    scene.balance.touch = shaken()
    suspicions.note(moved=True)

    assert suspicions.odd is not None
    assert suspicions.odd.same_as_last
