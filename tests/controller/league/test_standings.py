"""Who leads, and what does not count."""

from typing import Any

import pytest

from controller.league.databases import open_database
from controller.league.standings import League, Order, league
from controller.league.store import Store
from engine.games.registry import GAMES
from tests.controller.league.tables import NOW, Table


def standing(*tables: Table, same: tuple[str, str] | None = None, **options: Any) -> League:
    store = Store(open_database(":memory:"))
    store.write([table.heard() for table in tables], NOW)
    if same is not None:
        store.same(*same)
    found = league(store.games(), **options)
    store.close()
    return found


def rows(found: League) -> list[tuple[object, ...]]:
    (one,) = found.standings
    return [(s.place, s.name, s.games, s.wins, s.points, s.average) for s in one.lines]


def test_games_wins_points_and_average_are_what_they_say() -> None:
    attic = Table("attic").ends(("Ann", 42), ("Bob", 30)).ends(("Ann", 10), ("Cat", 41))
    cellar = Table("cellar").ends(("bob", 44), ("Ann", 11))

    assert rows(standing(attic, cellar)) == [
        (1, "Cat", 1, 1, 41, 41.0),
        (2, "Bob", 2, 1, 74, 37.0),
        (3, "Ann", 3, 1, 63, 21.0),
    ]


def test_form_is_the_last_five_games_and_who_beat_whom_counts_when_both_played() -> None:
    table = Table("attic").ends(("Ann", 9), ("Bob", 1)).ends(("Ann", 1), ("Bob", 9))
    for _ in range(5):
        table.ends(("Ann", 9), ("Cat", 3), ("Dan", 2))
    table.ends(("Cat", 9), ("Ann", 9), winners=("Cat", "Ann"))
    (one,) = standing(table).standings

    assert [(line.name, line.form) for line in one.lines] == [
        ("Ann", (True,) * 5), ("Bob", (False, True)), ("Cat", (False,) * 4 + (True,)),
        ("Dan", (False,) * 5),
    ]  # fmt: skip
    assert one.met == (
        (None, 1, 5, 5), (1, None, None, None), (0, None, None, 0), (0, None, 0, None),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("by", "first"), [("wins", "Ann"), ("average", "Cat"), ("points", "Ann"), ("games", "Bob")]
)
def test_people_choose_what_counts(by: Order, first: str) -> None:
    table = Table("attic").ends(("Ann", 42), ("Bob", 30)).ends(("Ann", 40), ("Bob", 5))
    table.ends(("Cat", 50), ("Bob", 7))

    assert rows(standing(table, by=by))[0][1] == first


@pytest.mark.parametrize(
    ("seats", "fields", "lines"),
    [
        (
            (("Ann", 42), ("Bob", 42), ("Cat", 1)), {},
            [(1, "Ann", 1, 1, 42, 42.0), (1, "Bob", 1, 1, 42, 42.0), (3, "Cat", 1, 0, 1, 1.0)],
        ),
        # The young people's version: last one in wins.
        (
            (("Ann", None), ("Bob", None)), {"winners": ("Bob",)},
            [(1, "Bob", 1, 1, None, None), (2, "Ann", 1, 0, None, None)],
        ),
    ],
    ids=["a shared win is one for each", "without points"],
)  # fmt: skip
def test_equals_share_a_place_and_games_without_points_have_none(
    seats: Any, fields: Any, lines: Any
) -> None:
    assert rows(standing(Table("attic").ends(*seats, **fields))) == lines


def test_each_kind_of_game_has_a_table_of_its_own_in_the_order_of_the_rules() -> None:
    table = Table("attic")
    for kind in [*reversed(list(GAMES)), "chess"]:
        table.ends(("Ann", 3), ("Bob", 1), kind=kind)
    found = standing(table)

    assert [one.kind for one in found.standings] == [*GAMES, "chess"]
    assert [one.kind for one in standing(table, kind="topolo").standings] == ["topolo"]


@pytest.mark.parametrize("kind", list(GAMES))
def test_a_game_that_was_really_played_counts(kind: str) -> None:
    (one,) = standing(Table("attic").play(kind)).standings

    assert (one.kind, one.title) == (kind, GAMES[kind].rules.title)
    assert sum(line.wins for line in one.lines) >= 1


def test_what_does_not_count_is_said() -> None:
    table = Table("attic").ends(("Ann", 3), ("Bob", 1), broken_off=True)
    table.ends(("Ann", 3), ("Bob", 1), asked=True)
    toy = Table("toy", simulated=True).ends(("Robot", 3))
    found = standing(table, toy)

    assert (found.broken_off, found.simulated, found.asked) == (1, 1, 1)
    assert [row[:3] for row in rows(found)] == [(1, "Ann", 1), (2, "Bob", 1)]
    assert standing(table, toy, simulated=True).simulated == 0


def test_spellings_are_one_person_once_somebody_says_so() -> None:
    table = Table("attic").ends(("John", 3), ("Mary", 1)).ends(("Jon", 5), ("Mary", 2))
    apart, together = standing(table), standing(table, same=("Jon", "John"))

    assert apart.alike == (("john", "jon"),)
    assert rows(together)[0] == (1, "John", 2, 2, 8, 4.0)
    assert together.alike == ()


def test_a_rating_with_few_games_is_marked() -> None:
    table = Table("attic")
    for _ in range(9):
        table.ends(("Ann", 3), ("Bob", 1))
    assert not any(line.settled for line in standing(table).standings[0].lines)

    (one,) = standing(table.ends(("Ann", 3), ("Bob", 1))).standings

    assert all(line.settled for line in one.lines)
    assert [line.rating > 1500 for line in one.lines] == [True, False]
