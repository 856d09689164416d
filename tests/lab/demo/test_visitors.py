"""Seats of visitors, and what they may want when."""

import pytest

from lab.demo.visitors import GONE_S, Awaited, Visitors, Wish

ROLL, PASS, C3 = Wish("roll"), Wish("pass"), Wish("place", "c3", "red")
TO_ROLL = Awaited("Ann", "roll")
TO_PLACE = Awaited("Ann", "act", ("c3", "c4"), ("red",))


class Desk:
    """Visitors with a clock that is set by hand, and Ann's seat taken."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.visitors = Visitors(("Ann", "Bob"), lambda: self.now_s)
        self.ann = self.visitors.sit("Ann") or ""


def test_a_seat_is_given_once_and_only_at_this_table() -> None:
    desk = Desk()

    assert desk.ann
    assert desk.visitors.sit("Ann") is None
    assert desk.visitors.sit("Zoe") is None
    assert desk.visitors.sit("Bob")
    assert desk.visitors.taken == ("Ann", "Bob")


def test_who_leaves_or_closes_the_page_gives_the_seat_back() -> None:
    desk = Desk()
    desk.now_s = GONE_S
    assert desk.visitors.player(desk.ann) == "Ann"
    desk.now_s = 2 * GONE_S
    assert "Ann" in desk.visitors.taken
    desk.now_s = 2 * GONE_S + 0.1
    assert not desk.visitors.taken
    assert desk.visitors.player(desk.ann) is None

    again = desk.visitors.sit("Ann") or ""
    desk.visitors.leave(again)
    assert not desk.visitors.taken


def test_a_wish_is_taken_once_and_the_table_waits_for_nothing_meanwhile() -> None:
    desk = Desk()
    desk.visitors.wait_for(TO_ROLL)

    assert desk.visitors.awaited == TO_ROLL
    assert desk.visitors.ask(desk.ann, ROLL) is None
    assert desk.visitors.awaited is None
    assert desk.visitors.ask(desk.ann, ROLL) == "not-now"
    assert desk.visitors.wish() == ROLL
    assert desk.visitors.wish() is None


@pytest.mark.parametrize(
    ("awaited", "wish", "refusal"),
    [
        (None, ROLL, "not-now"),
        (TO_ROLL, C3, "not-now"),
        (TO_PLACE, ROLL, "not-now"),
        (TO_PLACE, PASS, "not-now"),
        (TO_PLACE, Wish("place", "a1", "red"), "not-there"),
        (TO_PLACE, Wish("place", "c3", "blue"), "not-there"),
        (Awaited("Bob", "roll"), ROLL, "not-now"),
        (TO_PLACE, C3, None),
    ],
)
def test_only_what_the_table_waits_for_is_done(
    awaited: Awaited | None, wish: Wish, refusal: str | None
) -> None:
    desk = Desk()
    desk.visitors.wait_for(awaited)

    assert desk.visitors.ask(desk.ann, wish) == refusal
    assert (desk.visitors.wish() is None) is (refusal is not None)


def test_without_a_seat_nothing_is_done() -> None:
    desk = Desk()
    desk.visitors.wait_for(TO_ROLL)

    assert desk.visitors.ask("nobody", ROLL) == "no-seat"
    assert desk.visitors.bump("nobody") == "no-seat"
    assert desk.visitors.start_anew("nobody") == "no-seat"
    assert desk.visitors.bumped_by() is None
    assert not desk.visitors.wants_new_game()


def test_bump_and_new_game_are_wanted_once() -> None:
    desk = Desk()
    desk.visitors.bump(desk.ann)
    desk.visitors.start_anew(desk.ann)

    assert [desk.visitors.bumped_by() for _ in range(2)] == ["Ann", None]
    assert [desk.visitors.wants_new_game() for _ in range(2)] == [True, False]


def test_a_wish_for_a_moment_that_is_gone_is_forgotten() -> None:
    desk = Desk()
    desk.visitors.wait_for(TO_ROLL)
    desk.visitors.ask(desk.ann, ROLL)
    desk.visitors.wait_for(None)

    assert desk.visitors.wish() is None


def test_only_who_sits_there_takes_back_how_the_game_ended_and_once() -> None:
    desk = Desk()

    assert desk.visitors.take_back("stranger") == "no-seat"
    assert not desk.visitors.wants_undo()
    assert desk.visitors.take_back(desk.ann) is None
    assert desk.visitors.wants_undo()
    assert not desk.visitors.wants_undo()
