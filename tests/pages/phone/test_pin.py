"""The PIN: found by no guessing, forgiving to people, never the same for long."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.phone import pin as pins
from pages.phone.pin import (
    GUESSES_AN_HOUR,
    LASTS_S,
    MOST_CLIENTS,
    RENEW_AFTER_WRONG,
    TRIES_EACH,
    TRIES_IN_ALL,
    WINDOW_S,
    PinDesk,
)


def desk() -> PinDesk:
    """PINs 100001, 100002, ... in this order."""
    numbers = count(100_001)
    return PinDesk(0.0, lambda: str(next(numbers)))


def test_the_right_pin_is_welcome_and_a_wrong_one_is_not() -> None:
    one = desk()

    assert one.attempt("100001", "ann", 1.0).welcome
    assert not one.attempt("100002", "ann", 1.0).welcome
    assert not one.attempt("", "ann", 1.0).welcome
    assert not one.attempt("\uff11\uff10\uff10\uff10\uff10\uff11", "ann", 1.0).welcome


def test_a_client_that_was_wrong_too_often_is_not_even_compared_until_the_window_has_passed() -> (
    None
):
    one = desk()
    left = [one.attempt("0", "eve", float(second)).tries_left for second in range(TRIES_EACH)]
    assert left == [4, 3, 2, 1, 0]
    refused = one.attempt("100001", "eve", 10.0)

    assert not refused.welcome
    assert refused.wait_s == WINDOW_S - 10.0
    assert one.attempt("100001", "ann", 10.0).welcome
    assert one.attempt("100001", "eve", WINDOW_S).welcome


def test_many_clients_together_are_stopped_as_well() -> None:
    one = desk()
    for number in range(TRIES_IN_ALL):
        one.attempt("0", f"eve-{number}", 0.0)

    assert one.attempt("100001", "ann", 1.0).wait_s == WINDOW_S - 1.0
    assert one.attempt("100001", "ann", WINDOW_S).welcome


def test_who_mistyped_and_then_joined_starts_afresh() -> None:
    one = desk()
    for _ in range(TRIES_EACH - 1):
        one.attempt("0", "ann", 0.0)
    assert one.attempt("100001", "ann", 1.0).welcome

    assert one.attempt("0", "ann", 2.0).tries_left == TRIES_EACH - 1


def test_another_evening_and_much_guessing_bring_another_pin() -> None:
    one = desk()
    assert one.pin(LASTS_S - 1) == "100001"
    assert one.pin(LASTS_S) == "100002"
    for number in range(RENEW_AFTER_WRONG):
        one.attempt("0", str(number), LASTS_S + number * WINDOW_S / 10)

    assert one.pin(LASTS_S + 1e4) == "100003"


def test_drawn_pins_have_six_digits_leading_zeros_included_and_differ_from_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda limit: limit - 1)
    assert pins.drawn() == "999999"
    monkeypatch.setattr("secrets.randbelow", lambda _limit: 7)
    assert pins.drawn() == "000007"
    drawn = iter(["111111", "111111", "222222"])
    assert PinDesk(0.0, lambda: next(drawn)).renew(1.0) == "222222"


def test_it_remembers_no_more_clients_than_it_says() -> None:
    one = desk()
    for number in range(3 * MOST_CLIENTS):
        one.attempt("0", str(number), number * WINDOW_S)

    assert len(one._each) == MOST_CLIENTS


@given(st.lists(st.tuples(st.floats(0.0, 40.0), st.integers(0, 30)), min_size=1, max_size=400))
def test_however_one_guesses_no_more_are_compared_than_allowed(
    tries: list[tuple[float, int]],
) -> None:
    one, now_s = desk(), 0.0
    compared: list[tuple[float, str]] = []
    for pause_s, number in tries:
        now_s += pause_s
        before = one._wrong, one._pin
        one.attempt("wrong", f"c{number}", now_s)
        if (one._wrong, one._pin) != before:
            compared.append((now_s, f"c{number}"))

    for end_s, client in compared:
        window = [(t_s, who) for t_s, who in compared if end_s - WINDOW_S < t_s <= end_s]
        assert len(window) <= TRIES_IN_ALL
        assert sum(who == client for _, who in window) <= TRIES_EACH


@given(st.lists(st.floats(0.0, 600.0), max_size=60))
def test_people_who_wait_as_long_as_they_are_told_get_in(pauses_s: list[float]) -> None:
    one, now_s = desk(), 0.0
    for pause_s in pauses_s:
        now_s += pause_s
        one.attempt("wrong", "ann", now_s)
    now_s += one.attempt("wrong", "ann", now_s).wait_s + 1e-6
    pin = one.pin(now_s)

    assert one.attempt(pin, "ann", now_s).welcome


def test_an_evening_of_guessing_seldom_succeeds() -> None:
    assert GUESSES_AN_HOUR * 12 / 10**pins.DIGITS < 0.003
