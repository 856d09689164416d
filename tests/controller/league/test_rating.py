"""Elo's formula over every pair at a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.league.rating import START, K, Place, all_rated, expected, rated

_PLACES = st.tuples(st.booleans(), st.integers(-50, 200).map(float))
_RATINGS = st.floats(500.0, 2500.0)


def test_the_formula_is_elos() -> None:
    # 400 points more: ten times as likely to win as to lose.
    assert expected(1900.0, 1500.0) == pytest.approx(10 / 11)
    # Worked by hand: 1600 loses against 1500, expected 0.640065.
    after = rated({"a": 1600.0, "b": 1500.0}, [("a", (False, 3.0)), ("b", (True, 9.0))])
    assert after["a"] == pytest.approx(1600 - 32 * 0.640065, abs=1e-3)
    assert rated({}, [("a", (True, 9.0))]) == {"a": START}


def test_three_players_are_three_pairs() -> None:
    after = rated({}, [("a", (True, 9.0)), ("b", (False, 5.0)), ("c", (False, 5.0))])

    # Against two with half the weight: won both; drew one and lost one.
    assert after == {"a": 1516.0, "b": 1492.0, "c": 1492.0}


def test_who_won_is_before_who_has_more_points() -> None:
    """In Topolo the larger group wins; in a tie of sizes the heights decide."""
    after = rated({}, [("a", (True, 9.0)), ("b", (False, 9.0))])

    assert after["a"] > after["b"]


@given(st.lists(st.tuples(_RATINGS, _PLACES), min_size=2, max_size=4))
def test_what_one_gains_others_lose(players: list[tuple[float, Place]]) -> None:
    before = {str(n): rating for n, (rating, _) in enumerate(players)}
    after = rated(before, [(str(n), place) for n, (_, place) in enumerate(players)])

    assert sum(after.values()) == pytest.approx(sum(before.values()))
    assert all(abs(after[name] - before[name]) <= K for name in before)


def test_who_always_wins_leads_after_a_season() -> None:
    strong: tuple[tuple[str, Place], ...] = (("a", (True, 9.0)), ("b", (False, 1.0)))
    ratings = all_rated([strong] * 30)

    assert ratings["a"] > 1700
    assert ratings["b"] < 1300
