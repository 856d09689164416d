"""What the scene makes of a contact in which the table was pushed."""

from math import inf, log

import pytest

from engine.detect.back.account import Account, Fall, Sighting
from engine.detect.back.explaining import unseen_bump
from engine.detect.back.parameters import BEHAVIOUR, LATE_BLAME_S, SHAKEN_SD_MM, TREMBLED_SD_MM
from engine.detect.back.scene import Scene, shaken_mm
from engine.detect.front.shocks import Pushes
from engine.events import ANYTHING, ToppleCause, Toppled, ToppleKind
from tests.engine.detect.rests import PIECE_G, believing
from tests.engine.detect.tables import TABLETOP


def pushed() -> Scene:
    """A contact that began at 1 s, in which the table was pushed."""
    scene = Scene(TABLETOP, BEHAVIOUR)
    scene.touched_s, scene.jolted_s = 1.0, 1.1
    return scene


def test_a_light_push_shifts_the_pieces_less_than_one_in_which_they_slide() -> None:
    assert shaken_mm(Pushes(heard=True)) == 0.0
    assert shaken_mm(Pushes(heard=True, shaken=True)) == TREMBLED_SD_MM
    assert shaken_mm(Pushes(heard=True, shaken=True, slid=True)) == SHAKEN_SD_MM
    # Without the inertial sensor nobody knows how hard it was.
    assert shaken_mm(Pushes(shaken=True)) == SHAKEN_SD_MM


def test_who_is_blamed_has_bumped_when_the_table_was_pushed_last() -> None:
    """What a hand touched later was not the bump (seed 1200037, rough)."""
    scene = pushed()
    scene.now_s = 5.0

    assert scene._pushed_s() == pytest.approx(1.1)
    scene.now_s = 1.1 + LATE_BLAME_S + 1.0
    assert scene._pushed_s() == inf
    # Nor was it that push, if somebody has placed a piece since (seed 1200043).
    scene.now_s = 5.0
    scene.teller.last = Sighting(1, 4.0, (PIECE_G, 0.1), ANYTHING, None, None)
    assert scene._pushed_s() == inf
    assert unseen_bump(3, 0.5, 1.1).t_s == 1.1
    assert unseen_bump(3, 5.0, 1.1).began_s == 1.1
    # What slips from a hand while the board swings falls as it is let go (26500904).
    assert unseen_bump(3, 1.9, 1.1).t_s == 1.9
    assert unseen_bump(3, 5.0).t_s == 5.0


def test_who_names_a_culprit_means_the_fall_that_was_hardly_believed() -> None:
    """With one in twenty it had been a doubt until the board was cleared (seed 1200015, rough)."""
    scene = pushed()
    scene.now_s = 5.0
    scene.stacks.put(1, "c3")
    plays = Account(log(0.95), PIECE_G, (1, 2))
    fell = Fall(2, 1.1, ToppleKind.OFF_STACK, 0.9, 1, began_s=1.0)
    scene.tracker = believing(plays, Account(log(0.05), PIECE_G, (1,), fall=fell, over=True))
    scene.press_blame()
    told = scene.teller.events[-1]

    assert isinstance(told, Toppled)
    assert (told.fallen, told.cause) == (1, ToppleCause.BUMP)


@pytest.mark.parametrize(("stands", "spoken_of"), [((), False), ((3, 4, 5), True)])
def test_a_blame_is_of_the_round_that_is_played_and_not_of_one_believed_past(
    stands: tuple[int, ...], spoken_of: bool
) -> None:
    """By 0.05 the first piece had fallen and been cleared: it was charged 40 s on (26500882)."""
    scene = pushed()
    scene.now_s = 5.0
    scene.stacks.put(1, "c3")
    begun = Account(0.0, PIECE_G * len(stands), stands, emptied=1)
    scene.tracker = believing(Account(log(0.5), PIECE_G, (1,)), begun)
    scene.press_blame()
    (heard,) = scene.tracker._heard

    assert (heard(begun) != begun) == spoken_of


@pytest.mark.parametrize(("still_s", "counts"), [(0.2, True), (2.0, False)])
def test_a_bump_that_people_name_takes_the_last_piece_along_or_leaves_it(
    still_s: float, counts: bool
) -> None:
    """Whatever was believed of it before they did: its round goes on with it (hasty, 1400101)."""
    scene = pushed()
    scene.now_s = 5.0
    scene.stacks.put(1, "c3")
    last = Sighting(2, -1.0, (PIECE_G, 0.1), ANYTHING, None, None, still_s=still_s)
    scene.teller.last = last
    takes = Fall(3, 1.1, ToppleKind.OFF_STACK, 0.6, 1, takes=2, began_s=1.0)
    scene.tracker = believing(Account(0.0, PIECE_G, (1,), fall=takes, over=True))
    scene.press_blame()
    account = scene.tracker.best.account

    assert account.fall is not None
    assert account.fall.t_s == 1.1
    assert account.fall.takes == (None if counts else 2)
    assert (2 in account.stands) is counts
