"""A piece is weighed again once no hand bears a part of it, and what fell is weighed as well."""

from dataclasses import replace
from math import inf, isnan, log

import pytest

from engine.detect.back.parameters import STOPPED_PERHAPS
from engine.detect.back.telling import Teller
from engine.events import (
    Cleared,
    Corrected,
    Placed,
    Retracted,
    Reweighed,
    Suspected,
    Toppled,
    ToppleKind,
)
from engine.referee.position import BELIEVED
from tests.engine.detect.back.test_scene import PIECE_G, hand, scene_at_rest, weigh
from tests.engine.detect.back.test_telling import (
    CLEAR,
    EMPTY,
    FALL,
    FELL,
    STANDS,
    announced,
    belief,
    place,
    said,
    teller,
)
from tests.engine.detect.rests import Board, believing


@pytest.mark.parametrize(("mass_g", "told"), [(4.02, True), (3.1, False)])
def test_a_piece_that_weighs_otherwise_by_a_later_rest_is_told_once(
    mass_g: float, told: bool
) -> None:
    """A hand bore a gram of it: on marked pieces it was the other player's (seed 1500002)."""
    table = announced()
    table.sightings[1].weighed = mass_g, 0.05
    events = said(table, belief(0.99, STANDS), steady_s=1.0)
    events += said(table, belief(0.99, STANDS), steady_s=2.0)

    assert events == ([Reweighed(1, 11.0, mass_g, 0.05)] if told else [])


def test_a_piece_that_is_let_go_in_two_steps_is_weighed_after_the_second() -> None:
    scene = scene_at_rest()
    hand(scene, 0.0)
    events = weigh(scene, PIECE_G - 0.4, 1.0)
    for mass_g in (PIECE_G - 1.5, PIECE_G + 0.8):
        events += weigh(scene, mass_g, 0.05)
    events += weigh(scene, PIECE_G, 4.0)

    first, again = (e for e in events if isinstance(e, Placed | Reweighed))
    assert isinstance(first, Placed)
    assert isinstance(again, Reweighed)
    assert again.ref == first.id
    assert first.mass_g == pytest.approx(PIECE_G - 0.4, abs=0.1)
    assert again.mass_g == pytest.approx(PIECE_G, abs=0.1)


def test_a_short_rest_under_the_next_hand_says_nothing_of_a_piece_that_lay_for_long() -> None:
    scene = scene_at_rest()
    hand(scene, 0.0)
    events = weigh(scene, PIECE_G, 4.0)
    weigh(scene, PIECE_G + 4.0, 0.05)
    events += weigh(scene, PIECE_G - 0.5, 0.3)
    events += weigh(scene, PIECE_G, 1.0)

    assert not [event for event in events if isinstance(event, Reweighed)]


@pytest.mark.parametrize("lies", [True, False])
def test_a_piece_that_fell_from_the_hand_is_weighed_if_it_lies_there(lies: bool) -> None:
    fall = replace(FALL, kind=ToppleKind.OFF_STACK)
    fall = replace(fall, weighed=(3.97, 0.06)) if lies else fall
    (event,) = said(announced(), belief(0.99, FELL.but(fall=fall), STANDS), steady_s=1.0)

    assert isinstance(event, Toppled)
    assert (event.mass_g, event.mass_sd_g) == (3.97, 0.06) if lies else isnan(event.mass_g)


@pytest.mark.parametrize("contact", [1, 2])
def test_what_the_clearing_shows_to_have_fallen_is_taken_back_and_other_pieces_are_not(
    contact: int,
) -> None:
    """It was told to lie on e5, and after its fall it counted there still (seed 1500009)."""
    table = teller(place("e5", 0.3))
    said(table, belief(0.8, STANDS), steady_s=1.3)
    cleared = CLEAR.but(last_fall=replace(FALL, contact=contact))
    events = said(table, believing(
        cleared.but(log_p=log(0.97)), CLEAR.but(log_p=log(0.03)),
    ), steady_s=1.0)  # fmt: skip

    assert any(isinstance(event, Retracted) for event in events) == (contact == 1)


def cleared_perhaps_after_a_fall(table: Teller, fell: float) -> Cleared:
    """The board is clear, and with so much probability something had fallen before."""
    cleared = CLEAR.but(last_fall=FALL)
    (event,) = (e for e in said(table, believing(
        cleared.but(log_p=log(fell)), CLEAR.but(log_p=log(1.0 - fell)),
    ), steady_s=1.0) if isinstance(e, Cleared))  # fmt: skip
    return event


@pytest.mark.parametrize("pressed", [False, True])
def test_a_fall_that_is_doubted_goes_with_the_clearing_also_if_people_have_pressed(
    pressed: bool,
) -> None:
    table = announced()
    for ref in range(11, 31):
        table.stacks.put(ref, "e5")
    table.pressed = pressed
    event = cleared_perhaps_after_a_fall(table, 0.25)

    assert event.perhaps is not None
    assert event.perhaps.confidence == pytest.approx(0.25, abs=0.01)
    assert event.perhaps.id not in (1, None)


@pytest.mark.parametrize(("closed", "toppled"), [(False, True), (True, False)])
def test_few_pieces_are_cleared_before_all_are_played_because_some_fell(
    closed: bool, toppled: bool
) -> None:
    """Six pieces were taken off; that a hand had let one fall was held for 0.06 (26400200)."""
    table = announced()
    for ref in range(11, 16):
        table.stacks.put(ref, "e5")
    table.closed = closed
    cleared = CLEAR.but(last_fall=FALL)
    events = said(table, believing(
        cleared.but(log_p=log(0.06)), CLEAR.but(log_p=log(0.94)),
    ), steady_s=1.0)  # fmt: skip

    assert any(isinstance(event, Toppled) for event in events) == toppled
    assert any(isinstance(event, Cleared) for event in events)


def test_what_hardly_fell_is_not_kept_in_mind_nor_what_a_told_piece_did() -> None:
    assert cleared_perhaps_after_a_fall(announced(), 0.01).perhaps is None
    table = announced()
    table.sightings[FALL.contact] = replace(table.sightings[1], contact=FALL.contact)

    assert cleared_perhaps_after_a_fall(table, 0.25).perhaps is None


@pytest.mark.parametrize(("bumped", "goes"), [(0.1, True), (0.9, False)])
def test_a_fall_takes_back_at_once_what_was_told_of_its_own_contact_but_for_a_bump(
    bumped: float, goes: bool
) -> None:
    """A press that came between was taken for the end of its round (normal, seed 1600010)."""
    table = announced()
    fall = replace(FALL, contact=1, bumped=bumped)
    table.sightings[1].still_s = 0.0
    events = said(table, belief(0.8, FELL.but(fall=fall), STANDS), steady_s=0.0)
    assert not [event for event in events if isinstance(event, Toppled)]
    table.topple(fall, 0.9, 11.0)

    told = [type(event) for event in table.events]
    assert told == ([Toppled, Retracted] if goes else [Toppled])


@pytest.mark.parametrize(("p", "told"), [(0.9, [Placed, Toppled]), (0.3, [Toppled])])
def test_what_stood_too_briefly_to_be_announced_is_told_with_the_fall(
    p: float, told: list[type]
) -> None:
    """A piece was put down half a second before the bump, and its points were lost (2100013)."""
    table, fall = teller(place("c3")), replace(FALL, bumped=0.97, t_s=10.6, began_s=10.5)
    table.sightings[1].still_s, fell = 10.2, FELL.but(fall=fall)
    events = said(table, belief(p, fell, fell.but(stands=())), steady_s=0.5)

    assert [type(event) for event in events] == told


def test_what_fell_with_its_own_contact_is_not_announced_with_the_fall() -> None:
    table = teller(place("c3"))
    fell = FELL.but(fall=replace(FALL, contact=1, bumped=0.1, t_s=10.6))
    events = said(table, belief(0.99, fell, STANDS), steady_s=0.5)

    assert [type(event) for event in events] == [Toppled]


def test_whether_the_board_had_rested_is_told_of_the_piece_before_the_fall() -> None:
    """A piece was let go as others lay about already; it had not rested (rough, 1700016)."""
    table = announced()
    table.sightings[1].still_s = 10.2
    table.last = replace(table.sightings[1], contact=3, released_s=12.4, still_s=inf, ref=2)
    table.sightings[3] = table.last
    table.topple(replace(FALL, bumped=0.97, t_s=12.0, began_s=11.8), 0.9, 13.0)
    event = table.events[0]

    assert isinstance(event, Toppled)
    assert event.rested is not None
    assert event.rested > 0.9


@pytest.mark.parametrize(("still_s", "counts"), [(10.2, True), (inf, False)])
def test_whether_the_board_had_rested_is_told_of_a_piece_that_the_suspicion_took_back(
    still_s: float, *, counts: bool
) -> None:
    """A tap 0.3 s after the release; people blame it, and the piece counted (normal, 3100007)."""
    table = announced()
    table.sightings[1].still_s = still_s
    fall = replace(FALL, takes=1, bumped=0.1, t_s=11.2, began_s=11.1)
    fell = FELL.but(stands=(), fall=fall)
    suspected, gone = said(table, belief(0.9, fell, EMPTY), steady_s=0.0, now_s=11.3)
    (event,) = said(table, belief(0.99, fell, EMPTY), steady_s=1.0, now_s=12.3)

    assert isinstance(suspected, Suspected)
    assert isinstance(gone, Retracted)
    assert isinstance(event, Toppled)
    assert event.rested is not None
    assert (event.rested > 0.5) is counts


def test_a_piece_taken_back_under_a_suspicion_that_was_none_says_nothing_of_the_next_fall() -> None:
    table = announced()
    fell = FELL.but(stands=(), fall=replace(FALL, takes=1))
    said(table, belief(0.9, fell, EMPTY), steady_s=0.0)
    table.dismiss(11.5)
    table.topple(replace(FALL, contact=4, t_s=20.0, began_s=19.9), 0.99, 20.3)
    event = table.events[-1]

    assert isinstance(event, Toppled)
    assert event.rested is None


def test_what_fell_a_second_after_a_piece_was_let_go_is_another_one() -> None:
    """People in haste: the piece before the fall lost its points (hasty, normal, 1400102)."""
    table = announced()
    table.topple(replace(FALL, t_s=11.15, weighed=(3.97, 0.06)), 0.9, 12.0)

    assert [type(event) for event in table.events] == [Toppled]


@pytest.mark.parametrize(("p", "told"), [(0.9995, True), (0.7, False)])
def test_a_doubtful_piece_that_stands_by_what_came_later_is_settled(p: float, told: bool) -> None:
    """It was left out of a story as if it had been none (calm, seed 1600012)."""
    table, fell = teller(place("c3", 0.999)), FELL.but(stands=())
    said(table, belief(0.4, STANDS, fell), steady_s=1.3)
    table.sightings[1].open = False
    events = said(table, belief(p, STANDS, fell), steady_s=1.0)

    assert any(isinstance(event, Corrected) for event in events) is told


@pytest.mark.parametrize("beside", [(), (4.0,)])
def test_a_piece_is_weighed_again_whatever_may_lie_beside(beside: tuple[float, ...]) -> None:
    """One account has a piece less and a thing on the plate.

    The weight stayed as it was told in the hand, and the piece went to the other player (normal,
    seed 1800021).
    """
    board = Board(("c3", "d4"))
    scene, last = scene_at_rest(), board.sightings()[2]
    last.pieces, last.before_g, last.weighed, last.weighed_for_s = 2, PIECE_G, (2.0, 0.08), 0.1
    both = board.account.but(log_p=log(0.7), plate_g=beside)
    scene.tracker = believing(both, board.account.but(log_p=log(0.3), stands=(2,), plate_g=(4.0,)))
    scene._weigh_again(board.explaining(board.rest(0.9, None, 1.0)), last)

    weighed = PIECE_G + 0.9 if not beside else 2.0
    assert last.weighed[0] == pytest.approx(weighed, abs=0.01)


@pytest.mark.parametrize(("pieces", "toppled"), [(9, True), (23, False)])
def test_of_a_tower_hardly_high_enough_to_stop_a_fall_is_told_and_asked_about(
    pieces: int, toppled: bool
) -> None:
    """One in three was no fall: people were asked, and it was charged to nobody (26500218)."""
    table = announced()
    for ref in range(11, 10 + pieces):
        table.stacks.put(ref, "e5")
    cleared = CLEAR.but(last_fall=FALL)
    told = [e for e in said(table, believing(
        cleared.but(log_p=log(0.33)), CLEAR.but(log_p=log(0.67)),
    ), steady_s=1.0) if isinstance(e, Toppled)]  # fmt: skip

    assert [event.confidence for event in told] == ([STOPPED_PERHAPS] if toppled else [])
    assert STOPPED_PERHAPS < BELIEVED
