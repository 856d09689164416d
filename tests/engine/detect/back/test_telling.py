"""What of a belief is said, and when."""

from dataclasses import replace
from math import log
from typing import Any

import pytest

from engine.detect.back.account import Account, Fall, Sighting
from engine.detect.back.location import Location
from engine.detect.back.parameters import MOST_CERTAIN_FELL
from engine.detect.back.telling import Teller
from engine.detect.back.tracker import Tracker
from engine.detect.body import Stacks
from engine.events import (
    ANYTHING,
    Cleared,
    Corrected,
    Dismissed,
    Placed,
    Retracted,
    Suspected,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from tests.engine.detect.rests import PIECE_G, believing
from tests.engine.detect.tables import TABLETOP

EMPTY = Account(0.0, 0.0)
STANDS = Account(0.0, PIECE_G, (1,))
FALL = Fall(2, 7.5, ToppleKind.OFF_BOARD, 0.2, 1)
FELL = STANDS.but(fall=FALL, over=True)
CLEAR = Account(0.0, 0.0, emptied=1)


def belief(p: float, account: Account, otherwise: Account = EMPTY) -> Tracker:
    """An account with so much probability, and another one."""
    return believing(account.but(log_p=log(p)), otherwise.but(log_p=log(max(1.0 - p, 1e-9))))


def place(cell: str, p: float = 0.9995, other: str = "d3") -> Location:
    return Location(cell, p, ((other, round(1 - p, 4)),), 0.0)


def teller(location: Location | None = None) -> Teller:
    """It has seen one piece let go, ten seconds after the start, and has said nothing."""
    told = Teller(Stacks(TABLETOP))
    told.sightings[1] = Sighting(1, 10.0, (3.05, 0.05), ANYTHING, None, location)
    told.sightings[1].weighed = 3.05, 0.05
    return told


def announced(p: float = 0.9995) -> Teller:
    told = teller(place("c3", p))
    said(told, belief(0.9995, STANDS), steady_s=1.3)
    return told


def said(
    told: Teller, tracker: Tracker, *, steady_s: float, now_s: float = 11.0, broken: bool = False
) -> list[TableEvent]:
    """What is said now."""
    told.tell(tracker, now_s, steady_s, broken=broken)
    events = list(told.events)
    told.events.clear()
    return events


# -- pieces ----------------------------------------------------------------------------------------


def said_after_s(p: float) -> float:
    told, steady_s = teller(place("c3")), 0.0
    while not said(told, belief(p, STANDS), steady_s=steady_s):
        steady_s += 0.02
        assert steady_s < 5.0
    return steady_s


def test_the_surer_the_sooner_a_piece_is_announced_and_at_last_in_any_case() -> None:
    after_s = [said_after_s(p) for p in (0.9994, 0.994, 0.975, 0.7)]

    assert after_s == sorted(after_s)
    assert len(set(after_s)) == 4
    assert after_s[0] < 0.25
    assert after_s[-1] < 1.5


def test_what_is_announced_is_what_is_believed() -> None:
    told = teller(place("c3", 0.93))
    (event,) = said(told, belief(0.99, STANDS), steady_s=1.3, now_s=11.4)

    assert isinstance(event, Placed)
    assert (event.id, event.cell, event.t_s, event.decided_s) == (1, "c3", 10.0, 11.4)
    assert event.confidence == pytest.approx(0.99 * 0.93, abs=0.001)
    assert event.alternatives == (("d3", 0.07),)
    assert event.mass_g == 3.05
    assert told.stacks.height("c3") == 1
    assert told.last is told.sightings[1]


def test_a_piece_of_which_no_cell_can_be_told_says_how_surely_it_stands() -> None:
    (event,) = said(teller(), belief(0.97, STANDS), steady_s=1.3)

    assert isinstance(event, Placed)
    assert (event.cell, event.confidence) == (None, 0.0)
    assert event.stands == pytest.approx(0.97, abs=0.001)


def let_go_twice(second_s: float, first: Account = STANDS) -> list[TableEvent]:
    """A piece was announced; then it, or another one, is seen to be let go."""
    told = announced()
    told.sightings[2] = Sighting(2, second_s, (3.05, 0.05), ANYTHING, None, place("c3"))
    second = first.but(stands=(2,) if first is STANDS else first.stands)
    return said(told, belief(0.55, second, STANDS), steady_s=1.3, now_s=second_s + 1.5)


def test_a_piece_that_is_let_go_in_two_steps_is_announced_once() -> None:
    assert let_go_twice(10.2) == []


def test_a_piece_that_stands_beside_the_one_before_is_another() -> None:
    both = STANDS.but(stands=(1, 2), free_g=2 * PIECE_G)

    assert [type(event) for event in let_go_twice(10.2, both)] == [Placed]


def test_what_is_let_go_later_than_a_turn_takes_is_another_piece() -> None:
    assert Placed in [type(event) for event in let_go_twice(12.0)]


def test_nothing_is_said_of_what_is_a_hand_more_likely_than_not() -> None:
    assert said(teller(place("c3")), belief(0.4, STANDS), steady_s=30.0) == []


def test_nothing_is_more_certain_than_the_tails_are_known() -> None:
    (event,) = said(teller(place("c3", 1.0)), belief(1.0 - 1e-9, STANDS), steady_s=2.0)

    assert isinstance(event, Placed)
    assert event.confidence < 1.0


def test_touched_again_what_is_probable_is_said_for_it_will_not_get_clearer() -> None:
    tracker = belief(0.93, STANDS)
    assert said(teller(place("c3")), tracker, steady_s=0.2) == []
    (event,) = said(teller(place("c3")), tracker, steady_s=0.2, broken=True)
    assert isinstance(event, Placed)


@pytest.mark.parametrize(("steady_s", "count"), [(0.2, 0), (0.9, 1)])
def test_touched_again_a_piece_that_lay_for_long_is_said_though_its_cell_is_doubtful(
    steady_s: float, count: int
) -> None:
    told = teller(place("c3", 0.6))

    assert len(said(told, belief(0.97, STANDS), steady_s=steady_s, broken=True)) == count


@pytest.mark.parametrize("steady_s", [0.2, 2.0])
def test_touched_again_what_was_hardly_a_piece_is_not_said(steady_s: float) -> None:
    told = teller(place("c3"))

    assert said(told, belief(0.6, STANDS), steady_s=steady_s, broken=True) == []


def test_without_any_sensor_that_tells_the_cell_it_is_left_open() -> None:
    (event,) = said(teller(None), belief(0.99, STANDS), steady_s=1.0)

    assert isinstance(event, Placed)
    assert (event.cell, event.confidence, event.alternatives) == (None, 0.0, ())


def test_each_piece_is_announced_once() -> None:
    told = announced()

    assert said(told, belief(0.9995, STANDS), steady_s=5.0) == []


# -- second thoughts -------------------------------------------------------------------------------


def test_a_piece_that_lies_elsewhere_is_corrected_once() -> None:
    told = announced()
    told.sightings[1].moved = place("d3", 0.99, "c3")
    (event,) = said(told, belief(0.999, STANDS), steady_s=1.0, now_s=13.0)

    assert isinstance(event, Corrected)
    assert (event.ref, event.cell, event.decided_s) == (1, "d3", 13.0)
    assert event.alternatives == (("c3", 0.01),)
    assert (told.stacks.height("c3"), told.stacks.height("d3")) == (0, 1)
    assert said(told, belief(0.999, STANDS), steady_s=2.0) == []


def test_a_doubt_that_is_settled_is_told() -> None:
    told = announced(0.7)
    told.sightings[1].moved = place("c3", 0.99)
    (event,) = said(told, belief(0.9995, STANDS), steady_s=1.0)

    assert isinstance(event, Corrected)
    assert event.cell == "c3"
    assert event.confidence > 0.95


@pytest.mark.parametrize("moved", [place("d3", 0.5), place("c3", 0.9999)])
def test_a_second_thought_that_says_nothing_new_is_not_told(moved: Location) -> None:
    told = announced()
    told.sightings[1].moved = moved

    assert said(told, belief(0.9995, STANDS), steady_s=1.0) == []


def test_what_people_said_is_not_doubted() -> None:
    told = announced()
    told.sightings[1].known = True
    told.sightings[1].moved = place("d3", 0.99)

    assert said(told, belief(0.9995, STANDS), steady_s=1.0) == []


def test_a_piece_that_does_not_stand_is_retracted_once_and_comes_back_under_its_number() -> None:
    told = announced()
    (event,) = said(told, belief(0.99, EMPTY, STANDS), steady_s=0.5, now_s=14.0)
    assert isinstance(event, Retracted)
    assert (event.ref, event.decided_s) == (1, 14.0)
    assert len(told.stacks) == 0
    assert told.last is None
    assert said(told, belief(0.99, EMPTY, STANDS), steady_s=3.0) == []

    (again,) = said(told, belief(0.9995, STANDS), steady_s=1.0)
    assert isinstance(again, Placed)
    assert again.id == 1


def test_a_piece_that_may_stand_still_is_left_where_it_is() -> None:
    assert said(announced(), belief(0.6, EMPTY, STANDS), steady_s=1.0) == []


# -- topples ---------------------------------------------------------------------------------------


def test_a_probable_topple_is_said_soon_and_once_in_a_round() -> None:
    told = announced()
    (event,) = said(told, belief(0.99, FELL, STANDS), steady_s=0.3, now_s=12.0)

    assert isinstance(event, Toppled)
    assert (event.t_s, event.decided_s, event.fallen) == (7.5, 12.0, 1)
    assert (event.kind, event.cause) == (ToppleKind.OFF_BOARD, ToppleCause.PLACING)
    assert event.confidence == MOST_CERTAIN_FELL
    assert event.cause_confidence == pytest.approx(0.8)
    assert said(told, belief(0.99, FELL, STANDS), steady_s=3.0) == []
    more = FELL.but(fall=replace(FALL, contact=3, kind=ToppleKind.COLLAPSE))
    assert said(told, belief(0.99, more, STANDS), steady_s=3.0) == []


def test_the_less_sure_a_topple_the_longer_it_is_only_suspected() -> None:
    def said_after_s(p: float) -> float:
        told, steady_s = announced(), 0.0
        while not any(
            isinstance(e, Toppled) for e in said(told, belief(p, FELL, STANDS), steady_s=steady_s)
        ):
            steady_s += 0.1
            assert steady_s < 10.0
        return steady_s

    assert said_after_s(0.99) < 0.35
    assert said_after_s(0.99) <= said_after_s(0.94)


def test_what_was_bumped_is_called_a_bump() -> None:
    bumped, told = FELL.but(fall=replace(FALL, bumped=0.9)), announced()
    told.sightings[1].still_s = -10.0
    (event,) = said(told, belief(0.99, bumped, STANDS), steady_s=0.3)

    assert isinstance(event, Toppled)
    assert (event.cause, event.cause_confidence) == (ToppleCause.BUMP, 0.9)


def test_a_topple_that_takes_the_last_placement_along_retracts_it_after_it_was_said() -> None:
    falls = FELL.but(stands=(), fall=replace(FALL, takes=1))
    events = said(announced(), belief(0.99, falls, STANDS), steady_s=0.3)

    assert [type(event) for event in events] == [Toppled, Retracted]


def test_a_possible_topple_is_suspected_once_and_becomes_the_topple() -> None:
    told = announced()
    (event,) = said(told, belief(0.5, FELL, STANDS), steady_s=0.1, now_s=12.0)
    assert isinstance(event, Suspected)
    assert (event.t_s, event.decided_s, event.kind) == (7.5, 12.0, ToppleKind.OFF_BOARD)
    assert event.probability == pytest.approx(0.5, abs=0.001)
    assert said(told, belief(0.6, FELL, STANDS), steady_s=0.3) == []

    assert [type(e) for e in said(told, belief(0.99, FELL, STANDS), steady_s=0.5)] == [Toppled]
    assert not any(
        isinstance(e, Dismissed) for e in said(told, belief(0.99, FELL, STANDS), steady_s=0.9)
    )


def test_a_suspicion_that_comes_to_nothing_is_dismissed_once_and_another_may_follow() -> None:
    told = announced()
    (first,) = said(told, belief(0.5, FELL, STANDS), steady_s=0.1)
    assert isinstance(first, Suspected)
    assert said(told, belief(0.2, FELL, STANDS), steady_s=0.2) == []
    (gone,) = said(told, belief(0.02, FELL, STANDS), steady_s=0.4, now_s=12.5)
    assert gone == Dismissed(first.id, 12.5)
    assert said(told, belief(0.02, FELL, STANDS), steady_s=0.6) == []

    (second,) = said(told, belief(0.5, FELL, STANDS), steady_s=0.1)
    assert isinstance(second, Suspected)
    assert second.id > first.id


def test_without_a_suspicion_nothing_is_dismissed() -> None:
    assert said(announced(), belief(0.02, FELL, STANDS), steady_s=1.0) == []


def test_a_topple_that_was_none_is_taken_back_and_the_next_one_said() -> None:
    told = announced()
    (topple,) = said(told, belief(0.99, FELL, STANDS), steady_s=0.3)
    assert isinstance(topple, Toppled)
    assert said(told, belief(0.5, FELL, STANDS), steady_s=0.5) == []
    (event,) = said(told, belief(0.02, FELL, STANDS), steady_s=1.0, now_s=15.0)
    assert isinstance(event, Retracted)
    assert (event.ref, event.decided_s) == (topple.id, 15.0)

    assert [type(e) for e in said(told, belief(0.99, FELL, STANDS), steady_s=0.3)] == [Toppled]


def test_every_number_is_given_once_also_after_those_of_a_resumed_game() -> None:
    told = Teller(Stacks(TABLETOP))
    told.continue_ids(41)
    told.continue_ids(7)

    assert (told.new_id(), told.new_id()) == (42, 43)


# -- clearing --------------------------------------------------------------------------------------


def test_an_empty_board_at_rest_is_clear_and_a_new_round_begins() -> None:
    told = announced()
    assert said(told, belief(0.99, CLEAR, STANDS), steady_s=0.1) == []
    events = said(told, belief(0.99, CLEAR, STANDS), steady_s=1.0, now_s=30.0)

    assert events == [Cleared(29.0, 30.0)]
    assert told.clears == 1
    assert (told.last, told.fall, dict(told.sightings), len(told.stacks)) == (None, None, {}, 0)
    assert said(told, belief(0.99, CLEAR, STANDS), steady_s=3.0) == []


def test_touched_again_an_empty_board_is_clear_though_it_lay_for_a_moment_only() -> None:
    events = said(announced(), belief(0.99, CLEAR, STANDS), steady_s=0.2, broken=True)

    assert [type(event) for event in events] == [Cleared]


def test_pieces_taken_off_with_all_the_others_are_not_taken_back() -> None:
    told = announced()
    events = said(told, belief(0.99, CLEAR.but(emptied=0, over=True), STANDS), steady_s=0.1)
    events += said(told, belief(0.99, CLEAR, STANDS), steady_s=1.0)

    assert [type(event) for event in events] == [Cleared]


def test_a_piece_of_the_next_round_is_announced_once_and_after_the_clearing() -> None:
    """Nobody had seen that the board was empty until the next piece lay on it."""
    told = announced()
    told.sightings[5] = replace(
        told.sightings[1], contact=5, ref=None, cell=None, location=place("a1")
    )
    begun = Account(0.0, PIECE_G, (5,), emptied=1)
    events = said(told, belief(0.9995, begun, STANDS), steady_s=0.7)
    events += said(told, belief(0.9995, begun, STANDS), steady_s=1.3)

    cleared, placed = events
    assert isinstance(cleared, Cleared)
    assert isinstance(placed, Placed)
    assert cleared.t_s < placed.t_s
    assert told.stacks.height("a1") == 1


def test_a_board_that_may_be_empty_is_not_clear_yet() -> None:
    told = announced()
    said(told, belief(0.6, CLEAR, STANDS), steady_s=3.0)

    assert told.clears == 0


FELL_ON = FELL.but(log_p=log(0.5), fall=replace(FALL, contact=4), free_g=0.0)
"""By it the last piece fell only after the fall that was said, so nothing is left."""


def test_a_board_from_which_the_rest_fell_needs_no_hand_to_clear_it() -> None:
    told = announced()
    told.light_g = PIECE_G / 2
    said(told, belief(0.99, FELL), steady_s=0.4)
    tracker = believing(CLEAR.but(log_p=log(0.5), last_fall=FALL), FELL_ON)

    assert Cleared in {type(event) for event in said(told, tracker, steady_s=1.0, now_s=31.0)}
    assert all(each.account.emptied == 1 for each in tracker.now)
    assert not any(each.account.stands or each.account.over for each in tracker.now)


@pytest.mark.parametrize(
    "otherwise",
    [{"fall": FALL}, {"free_g": PIECE_G}, {"plate_g": (PIECE_G,)}, {"over": False}],
    ids=["the piece that fell lies beside it", "a piece is left", "one lies there", "play goes on"],
)
def test_what_may_be_left_is_cleared_by_hands(otherwise: dict[str, Any]) -> None:
    told = announced()
    told.light_g = PIECE_G / 2
    said(told, belief(0.99, FELL), steady_s=0.4)
    left = FELL_ON.but(**otherwise)
    tracker = believing(CLEAR.but(log_p=log(0.5), last_fall=FALL), left)

    assert Cleared not in {type(event) for event in said(told, tracker, steady_s=1.0, now_s=31.0)}


def test_people_who_pressed_know_it_so_it_is_not_said_to_them_and_needs_no_rest() -> None:
    told = announced()
    told.pressed = True
    events = said(told, belief(0.99, CLEAR, STANDS), steady_s=0.1)

    assert not any(isinstance(event, Cleared) for event in events)
    assert told.clears == 1
    assert not told.pressed


def test_a_topple_that_only_the_clearing_shows_is_said_before_it() -> None:
    told = announced()
    cleared = CLEAR.but(last_fall=FALL)
    events = said(told, believing(
        cleared.but(log_p=log(0.8)), CLEAR.but(log_p=log(0.2)),
    ), steady_s=1.0)  # fmt: skip

    assert [type(e) for e in events if not isinstance(e, Suspected)] == [Toppled, Cleared]
    topple = next(e for e in events if isinstance(e, Toppled))
    assert topple.confidence == pytest.approx(0.8, abs=0.01)


def test_a_suspicion_ends_with_the_round_if_nothing_had_fallen() -> None:
    told = announced()
    (suspicion,) = said(told, belief(0.5, FELL, STANDS), steady_s=0.1)
    assert isinstance(suspicion, Suspected)
    unclear = believing(
        CLEAR.but(last_fall=FALL, log_p=log(0.2)),
        CLEAR.but(log_p=log(0.8)),
    )
    events = said(told, unclear, steady_s=1.0, now_s=31.0)

    assert [type(event) for event in events] == [Dismissed, Cleared]
    assert isinstance(events[0], Dismissed)
    assert events[0].ref == suspicion.id


def test_a_topple_is_said_anew_in_the_next_round() -> None:
    told = announced()
    said(told, belief(0.99, FELL, STANDS), steady_s=0.3)
    said(told, belief(0.99, CLEAR.but(last_fall=FALL), FELL), steady_s=1.0)
    again = FELL.but(emptied=1, fall=replace(FALL, contact=9))

    events = said(told, belief(0.99, again, STANDS.but(emptied=1)), steady_s=0.3)
    assert [type(event) for event in events] == [Toppled]


def test_after_a_topple_nothing_is_announced_again() -> None:
    told = announced()
    said(told, belief(0.99, FELL.but(stands=(), fall=replace(FALL, takes=1))), steady_s=0.3)

    assert told.fall is not None
    assert said(told, belief(0.6, STANDS, FELL), steady_s=3.0) == []


def test_a_piece_whose_turn_is_over_is_never_taken_back() -> None:
    told = announced()
    for sighting in told.sightings.values():
        sighting.settled = True

    assert said(told, belief(0.99, EMPTY, STANDS), steady_s=0.5) == []


def test_what_people_confirmed_no_sensor_takes_back() -> None:
    told = announced()
    told.tell(belief(0.99, FELL, STANDS), 12.0, 0.0, told=True)
    assert [type(event) for event in told.events] == [Toppled]
    told.events.clear()

    assert said(told, belief(0.02, FELL, STANDS), steady_s=1.0) == []


@pytest.mark.parametrize(("still_s", "rested"), [(10.2, 0.9), (None, 0.1)])
def test_a_topple_tells_whether_the_board_had_come_to_rest(
    still_s: float | None, rested: float
) -> None:
    told = announced()
    if still_s is not None:
        told.came_to_rest(still_s)
    bumped = FELL.but(fall=replace(FALL, bumped=0.9, t_s=12.0, began_s=11.5))
    event, *undone = said(told, belief(0.99, bumped, STANDS), steady_s=0.3)

    assert isinstance(event, Toppled)
    assert event.rested is not None
    assert (event.rested > 0.5) == (rested > 0.5)
    # T16: a piece under which the board still swung was never placed.
    assert [type(each) for each in undone] == ([] if rested > 0.5 else [Retracted])
    assert abs(event.rested - rested) < 0.11


@pytest.mark.parametrize(
    ("p_goes_on", "said_then"), [(0.6, Retracted), (0.35, Cleared)], ids=["no fall", "clearing"]
)
def test_once_play_surely_goes_on_it_is_decided_how_the_topple_ended(
    p_goes_on: float, said_then: type[TableEvent]
) -> None:
    """Lively people, normal table, seed 750001: it stayed open, and the table deaf, for 90 s."""
    told = announced()
    assert Toppled in map(type, said(told, belief(0.97, FELL, STANDS), steady_s=1.0))
    fell_and_cleared = Account(0.0, PIECE_G, (5,), emptied=1, last_fall=FALL)
    goes_on = STANDS.but(stands=(1, 5))
    tracker = belief(p_goes_on, goes_on, fell_and_cleared)

    assert said_then in map(type, said(told, tracker, steady_s=1.0))
    assert told.fall is None
