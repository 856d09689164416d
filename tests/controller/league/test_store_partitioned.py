"""The shipped partitions of PostgreSQL: the same league, in sixteen parts."""

from pathlib import Path

import psycopg
import pytest

from controller.league.databases import open_database
from controller.league.store import Store
from tests.controller.league.postgres import Server
from tests.controller.league.tables import NOW, Table

SHIPPED = Path(__file__).parents[3] / "deploy/postgresql/league-partitioned.sql"


@pytest.fixture
def parted(postgres: Server) -> str:
    where = postgres.fresh()
    with psycopg.connect(where) as connection:
        connection.execute(SHIPPED.read_bytes())
    return where


def test_a_league_lives_in_the_partitions_that_were_made_for_it(parted: str) -> None:
    store = Store(open_database(parted))
    tables = [Table(f"hall-{n}").play() for n in range(40)]
    store.write([table.heard() for table in tables], NOW)
    store.write([table.change(asked=True).heard() for table in tables], NOW)
    store.write([table.heard() for table in tables], NOW)

    assert len(list(store.games())) == 40
    assert all(game.asked for game in store.games())
    with psycopg.connect(parted) as connection:
        used = connection.execute("SELECT DISTINCT tableoid FROM league_games").fetchall()
    assert len(used) > 10
    store.close()


def columns(where: str) -> set[tuple[str, ...]]:
    with psycopg.connect(where) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name !~ '_[0-9]+$'"
        ).fetchall()
    return {tuple(map(str, row)) for row in rows}


def test_they_are_the_tables_that_a_league_makes_itself(parted: str, postgres: Server) -> None:
    own = postgres.fresh()
    Store(open_database(own)).close()

    assert columns(parted) == columns(own)
