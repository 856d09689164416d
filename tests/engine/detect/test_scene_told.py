"""What the scene makes of rolls that come while it is busy, and learns of how rounds end."""

from dataclasses import replace
from math import log

import pytest

from engine.detect.account import Account, Fall
from engine.detect.explaining import HIGH_TOWER
from engine.events import Toppled, ToppleKind
from tests.engine.detect.rests import believing
from tests.engine.detect.test_scene import PIECE_G, ROLLED, feel, hand, place, scene_at_rest, weigh

FELL = Fall(1, 0.0, ToppleKind.OFF_STACK, 0.1, 1)


def test_a_roll_told_as_the_table_is_tapped_is_heard_at_the_rest_that_follows() -> None:
    """A piece on c3 beside a lean was taken for a load on the plate (seed 1200029)."""
    scene = scene_at_rest()
    scene.expect(ROLLED)
    hand(scene, 0.0)
    weigh(scene, PIECE_G, 0.2)
    feel(scene, [PIECE_G + g for g in (2.0, -6.0, 1.0)])
    assert scene.tracker is not None
    unplaced = scene.tracker.probability(lambda account: not account.stands)
    scene.expect(replace(ROLLED, legal_cells=("a1", "c3"), ahead=True))
    weigh(scene, PIECE_G, 0.2)

    assert scene.tracker.probability(lambda account: not account.stands) < 0.3 * unplaced


@pytest.mark.parametrize("felt", [True, False])
def test_a_bump_that_people_name_was_what_the_table_felt_last_and_not_just_now(felt: bool) -> None:
    """It took along the piece under which the board still swung then (seed 1200055)."""
    scene = scene_at_rest()
    scene.expect(ROLLED)
    place(scene)
    assert scene.teller.last is not None
    if felt:
        feel(scene, [PIECE_G + g for g in (12.0, -20.0, 9.0, -14.0, 6.0)])
    scene.teller.last.still_s = scene.now_s + 0.5
    weigh(scene, PIECE_G, 4.0)
    scene.press_blame()

    (fall,) = (event for event in scene.teller.events if isinstance(event, Toppled))
    assert fall.rested is not None
    assert (fall.rested < 0.1) is felt


@pytest.mark.parametrize(("fell", "rarer"), [(0.99, True), (0.01, False)])
def test_who_never_stops_a_round_is_believed_less_and_less_to_have(
    fell: float, rarer: bool
) -> None:
    """A high tower that is cleared between two turns had mostly come down (seed 1200050)."""
    scene = scene_at_rest()
    before = scene._explaining()._priors.agreed
    scene.tracker = believing(
        Account(log(fell), 0.0, emptied=1, last_fall=FELL), Account(log(1.0 - fell), 0.0, emptied=1)
    )
    for ref in range(HIGH_TOWER):
        scene.stacks.put(ref, "c3")
    scene._say(1.0)

    assert scene.teller.clears == 1
    assert (scene._explaining()._priors.agreed < before) is rarer
