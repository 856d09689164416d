"""The league's memory: every game once, whatever happens on the way to it."""

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.journal import Journal
from controller.league.databases import open_database
from controller.league.errors import DatabaseError
from controller.league.result_messages import TableResults
from controller.league.store import Store, StoredGame
from tests.controller.league.tables import NOW, Table, evening


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    found = Store(open_database(where))
    yield found
    found.close()


def scores(games: Iterator[StoredGame]) -> dict[str, dict[str, int | None]]:
    return {game.game: {p.name: p.score for p in game.players} for game in games}


def test_a_game_comes_back_as_its_table_told_it_also_after_a_restart(where: str) -> None:
    store = Store(open_database(where))
    table = Table("attic").ends(("Ann", 42), ("Bob", None))
    written = store.write([table.heard()], NOW)
    store.close()
    store = Store(open_database(where))
    (game,) = store.games()
    store.close()

    assert [(name, found.game) for name, found in written.games] == [("attic", "attic-0")]
    assert (game.table, game.kind, game.played) == ("attic", "topple", NOW.isoformat())
    assert [(p.name, p.key, p.score, p.won) for p in game.players] == [
        ("Ann", "ann", 42, True),
        ("Bob", "bob", None, False),
    ]


def test_what_is_told_twice_counts_once(store: Store) -> None:
    heard = Table("attic").ends(("Ann", 5), ("Bob", 3)).heard()

    assert len(store.write([heard, heard], NOW).games) == 1
    assert store.write([heard], NOW).games == ()
    assert len(list(store.games())) == 1


def test_a_correction_replaces_the_result_and_an_older_word_does_not(store: Store) -> None:
    table = Table("attic").ends(("Ann", 5), ("Bob", 3))
    first = table.heard()
    store.write([table.change(players=(*table.games[0].players[::-1],)).heard()], NOW)

    store.write([first], NOW)

    (game,) = store.games()
    assert [p.name for p in game.players] == ["Bob", "Ann"]


def test_an_undone_end_is_no_game_until_it_ends_again(store: Store) -> None:
    table = Table("attic").ends(("Ann", 5), ("Bob", 3))
    store.write([table.heard()], NOW)
    store.write([table.change(over=False, winners=()).heard()], NOW)
    assert list(store.games()) == []

    store.write([table.change(over=True, winners=("Bob",)).heard()], NOW)

    (game,) = store.games()
    assert [p.won for p in game.players] == [False, True]


def test_a_later_run_counts_though_its_revision_is_lower(store: Store) -> None:
    """A table that had to go back to an older copy of its journal."""
    table = Table("attic").ends(("Ann", 5), ("Bob", 3), rev=200)
    before = table.heard()
    store.write([before], NOW)
    table.restart().games[0] = msgspec.structs.replace(table.games[0], rev=150, winners=("Bob",))
    store.write([table.heard()], NOW)

    store.write([before], NOW)

    (game,) = store.games()
    assert [p.won for p in game.players] == [False, True]


def test_runs_of_a_table_have_the_order_in_which_they_are_heard(store: Store) -> None:
    """Not that of their names, which are drawn."""
    table = Table("attic").ends(("Ann", 5), ("Bob", 3))
    first = replace(table.change().change().heard(), boot="zz")
    table.games[0] = msgspec.structs.replace(table.games[0], rev=1)
    last = replace(table.change(winners=("Bob",)).heard(), boot="aa")

    store.write([first, last], NOW)

    (game,) = store.games()
    assert [p.won for p in game.players] == [False, True]


def test_two_tables_of_one_name_both_count_and_are_noticed(store: Store) -> None:
    one, other = Table("t1").ends(("Ann", 5), ("Bob", 3)), Table("t1")
    other.boots = 7
    other.ends(("Cat", 9), ("Dan", 1), game="other-0")
    store.write([one.heard()], NOW)
    store.write([other.heard()], NOW)

    assert store.write([one.heard()], NOW).stale == ("t1",)
    assert store.write([one.heard(retained=True)], NOW).stale == ()
    assert len(list(store.games())) == 2


@pytest.mark.parametrize("year", [1970, 2027])
def test_a_wrong_clock_at_the_table_gives_the_time_of_the_first_hearing(
    year: int, store: Store
) -> None:
    table = Table("attic").ends(("Ann", 5), ended=f"{year}-12-31T00:03:00+00:00")
    store.write([table.heard()], NOW)
    store.write([table.change(asked=True).heard()], NOW.replace(year=2028))

    (game,) = store.games()
    assert game.played == NOW.isoformat()


def test_games_of_a_time_can_be_asked_for(store: Store) -> None:
    table = Table("attic")
    for day in ("2026-08-31", "2026-09-01", "2026-09-30", "2026-10-01"):
        table.ends(("Ann", 1), ended=f"{day}T12:00:00+00:00")
    store.write([table.heard()], NOW)

    found = [game.played[:10] for game in store.games("2026-09-01", "2026-10-01")]

    assert found == ["2026-09-01", "2026-09-30"]


def test_a_name_can_stand_for_another_and_be_itself_again(store: Store) -> None:
    store.write([Table("attic").ends(("Ann", 5), ("Annie", 3)).heard()], NOW)

    assert store.same("ANNIE", "Ann")
    assert [p.key for p in next(store.games()).players] == ["ann", "ann"]
    assert not store.same("Ann", "Annie"), "a circle"
    assert store.same("Annie", None)
    assert not store.same("Annie", None)
    assert [p.key for p in next(store.games()).players] == ["ann", "annie"]


def test_many_workers_at_once_write_every_game_once(where: str) -> None:
    tables = [Table(f"hall-{n}") for n in range(8)]
    said = [heard for table in tables for heard in _all_heard(table)]
    Store(open_database(where)).close()

    def work(seed: int) -> None:
        store = Store(open_database(where))
        mine = said * 2
        random.Random(seed).shuffle(mine)
        for at in range(0, len(mine), 5):
            store.write(mine[at : at + 5], NOW)
        store.close()

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    store = Store(open_database(where))
    found = scores(store.games())
    store.close()

    assert found == {
        game.game: {p.name: p.score for p in game.players}
        for table in tables
        for game in table.games
    }


def _all_heard(table: Table) -> list[TableResults]:
    return [table.play().heard() for _ in range(4)]


@given(st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(chance: random.Random) -> None:
    """As long as the runs of a table are first heard in their order."""
    store = Store(open_database(":memory:"))
    table = Table("attic")
    said = [table.heard() for _ in evening(table, 4)]
    first = {heard.boot: heard for heard in reversed(said)}
    rest = said * 2
    chance.shuffle(rest)
    for heard in (*list(first.values())[::-1], *rest):
        store.write([heard], NOW)

    assert scores(store.games()) == {
        game.game: {p.name: p.score for p in game.players} for game in table.games if game.over
    }
    store.close()


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    with Journal(tmp_path / "table.journal"):
        pass
    before = (tmp_path / "table.journal").read_bytes()

    with pytest.raises(DatabaseError, match="this is a database, but no league"):
        Store(open_database(str(tmp_path / "table.journal")))
    assert (tmp_path / "table.journal").read_bytes() == before


def test_a_newer_league_is_left_alone(where: str) -> None:
    database = open_database(where)
    Store(database)
    with database.transaction() as statements:
        statements.rows("UPDATE league_schema SET version = 9")

    with pytest.raises(DatabaseError, match="format 9, this version knows format 1; update"):
        Store(database)
    database.close()
