"""What can be wrong with a database, in one line that says what to do; never with a password."""

import os
import sqlite3
import sys
from pathlib import Path

import pytest

from controller.common.errors import BadInput
from controller.league.databases import open_database
from controller.league.errors import DatabaseAway, DatabaseError, LeagueError
from controller.league.store import Store
from tests.controller.league.postgres import PASSWORD, Server
from tests.controller.league.tables import NOW, Table
from tests.ports import free_port


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        ("", BadInput, "'' is no database: give a file, or postgresql://"),
        ("postgresql://", BadInput, "is no database: give a file"),
        ("mysql://ann@db/league", BadInput, "mysql:// is no database this league knows"),
        ("/proc/league/l.sqlite", DatabaseError, "check the path and its rights"),
    ],
)
def test_what_is_no_database_is_refused(where: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        open_database(where)


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_a_file_may_be_named_by_path_or_address(form: str, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "l.sqlite"
    database = open_database(form.format(path))
    Store(database)

    assert path.exists()
    assert database.description == f"SQLite, {path}"
    database.close()


def test_a_file_that_is_none_of_sqlite_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("buy dice\n" * 100)

    with pytest.raises(DatabaseError, match="no SQLite database, or it is damaged"):
        open_database(str(path))
    assert path.read_text() == "buy dice\n" * 100


def test_a_locked_file_is_something_to_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.league.databases.PATIENCE_S", 0.05)
    database = open_database(str(tmp_path / "l"))
    other = sqlite3.connect(tmp_path / "l", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(DatabaseAway, match="another program keeps it locked"):
        Store(database)
    other.execute("ROLLBACK")
    Store(database)
    other.close()
    database.close()


def test_without_the_driver_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(DatabaseError, match=r"pip install 'dist/topple_table-.*\.whl\[league\]'"):
        open_database("postgresql://db/league")


def test_nobody_at_the_address_is_something_to_wait_for() -> None:
    with pytest.raises(DatabaseAway, match=r"Connection refused; check that it runs"):
        open_database(f"postgresql://ann:{PASSWORD}@127.0.0.1:{free_port()}/league")


@pytest.mark.parametrize(
    ("login", "name", "words"),
    [
        ("league:wr0ng", "postgres", "authentication failed.*; check user and password"),
        (f"ann:{PASSWORD}", "postgres", "check user and password"),
        (f"league:{PASSWORD}", "nowhere", "does not exist; check the name, or make it"),
        (f"league:{PASSWORD}", "postgres?colour=red", "take that part out of the address"),
    ],
)
def test_what_has_to_be_changed_is_said(
    postgres: Server, login: str, name: str, words: str
) -> None:
    user, password = login.split(":")
    with pytest.raises(DatabaseError, match=words) as refused:
        open_database(postgres.address(user, password, name))

    assert password not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_user_who_may_make_no_tables_is_told_so(postgres: Server) -> None:
    owner = open_database(postgres.address())
    with owner.transaction() as statements:
        statements.rows("CREATE USER guest PASSWORD 'guest'")
    owner.close()
    guest = open_database(postgres.address("guest", "guest"))

    with pytest.raises(DatabaseError, match="may create and write tables"):
        Store(guest)
    guest.close()


def test_a_connection_that_was_lost_is_made_again(postgres: Server) -> None:
    where = postgres.fresh()
    store = Store(open_database(where))
    other = open_database(where)
    with other.transaction() as statements:
        statements.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'topple-league' AND pid <> pg_backend_pid()"
        )
    heard = [Table("attic").ends(("Ann", 5)).heard()]

    with pytest.raises(DatabaseAway):
        store.write(heard, NOW)
    assert len(store.write(heard, NOW).games) == 1
    store.close()
    other.close()


def test_a_transaction_that_fails_leaves_nothing(where: str) -> None:
    database = open_database(where)
    store = Store(database)

    def half_of_it() -> None:
        with database.transaction() as statements:
            statements.rows("DELETE FROM league_schema")
            statements.rows("SELECT nothing FROM nowhere")

    with pytest.raises(LeagueError):
        half_of_it()
    with database.transaction() as statements:
        assert statements.rows("SELECT version FROM league_schema") == [(1,)]
    store.close()


def test_the_password_may_come_from_where_postgresql_looks_for_it(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "PGPASSWORD", PASSWORD)

    database = open_database(f"postgresql://league@127.0.0.1:{postgres.port}/postgres")

    assert database.description == f"PostgreSQL, league@127.0.0.1:{postgres.port}/postgres"
    database.close()
