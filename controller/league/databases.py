"""SQLite and PostgreSQL behind one small interface, so that each statement is written once.

Statements use `?` for values and only what both understand (upserts, row values, `RETURNING`).
Errors become `DatabaseAway` (try again later) or `DatabaseError` (something must be changed first).
"""

import contextlib
import importlib
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import urlsplit

import msgspec

from controller.common.errors import BadInput
from controller.common.foreign_database import check_data_only
from controller.common.sqlite_errors import IN_USE, primary_code
from controller.league.errors import DatabaseAway, DatabaseError
from engine.plainly import plainly
from hw.drivers.libraries import how_to_get

if TYPE_CHECKING:
    import psycopg

PATIENCE_S = 5
"""For a connection, and for another worker's transaction to end."""

_LOCK = 7_083_501
"""Number of the advisory lock under which the tables are made; any, so long as it stays."""

Row = tuple[Any, ...]
Form = TypeVar("Form")


class Statements:
    """What can be done inside a transaction; `mark` stands for a value in the driver's words."""

    def __init__(self, cursor: Any, mark: str, description: str) -> None:
        self._cursor, self._mark, self._description = cursor, mark, description

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Do a statement and get its rows; none when it has none."""
        self._cursor.execute(statement.replace("?", self._mark), values)
        return [] if self._cursor.description is None else self._cursor.fetchall()

    def read(self, form: type[Form], statement: str, values: Sequence[Any] = ()) -> list[Form]:
        """Its rows, each of which has this form: a database may come from anywhere.

        Raises:
            DatabaseError: one has not.
        """
        return self.checked(form, self.rows(statement, values))

    def checked(self, form: type[Form], rows: list[Row]) -> list[Form]:
        """As `read`, of rows that are there."""
        try:
            return msgspec.convert(rows, list[form])  # type: ignore[valid-type]
        except msgspec.ValidationError as error:
            raise DatabaseError(
                f"{self._description}: it holds what no league has written ({plainly(error)}); "
                "name another database, the tables send their last games again"
            ) from None


class Database(ABC):
    """One connection; its description for people never holds a password.

    `shared`: tables of other programs may live in it too. `their_names` are those of the tables
    that are there, where ours would be made.
    """

    description: str
    shared: ClassVar[bool]
    their_names: ClassVar[str]

    @abstractmethod
    def transaction(self, *, alone: bool = False) -> contextlib.AbstractContextManager[Statements]:
        """All that is done inside happens together, or not at all.

        `alone` keeps others out who ask for the same.

        Raises:
            DatabaseAway, DatabaseError: see the module.
        """

    def tables(self, statements: Statements) -> set[str]:
        """Names of the tables that are there."""
        return {str(name) for (name,) in statements.rows(self.their_names)}

    @abstractmethod
    def has_made(self, statements: Statements, tables: Sequence[str]) -> bool:
        """Whether tables that are there were made by these very statements, if that can be seen."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""


def open_database(where: str) -> Database:
    """The database at a path (SQLite) or an address such as `postgresql://user@host/name`.

    Raises:
        BadInput: it is neither.
        DatabaseAway: it cannot be reached.
        DatabaseError: it cannot be used.
    """
    scheme, separator, rest = where.partition("://")
    if not where.strip() or (separator and not rest):
        raise BadInput(f"{where!r} is no database: give a file, or postgresql://user@host/name")
    if not separator:
        return Sqlite(Path(where))
    if scheme == "sqlite":
        return Sqlite(Path(rest.removeprefix("/")))
    if scheme in ("postgresql", "postgres"):
        return Postgres(where)
    raise BadInput(
        f"{scheme}:// is no database this league knows: give a file, or postgresql://user@host/name"
    )


# --- SQLite --------------------------------------------------------------------------------------


class Sqlite(Database):
    """A file. Several workers of one machine may share it."""

    shared = False
    their_names = "SELECT name FROM sqlite_master WHERE type = 'table'"

    def __init__(self, path: Path) -> None:
        self.description = f"SQLite, {path}"
        self._path = path
        with self._in_words():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        try:
            with self._in_words():
                check_data_only(self._connection)
                if not self._connection.execute("SELECT * FROM sqlite_master").fetchone():
                    self._connection.execute("PRAGMA journal_mode=WAL")
                # A result whose commit was lost with the power is told again by its table.
                self._connection.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            self._connection.close()
            raise

    @contextlib.contextmanager
    def transaction(self, *, alone: bool = False) -> Iterator[Statements]:
        """See `Database.transaction`. SQLite has one writer at a time anyway."""
        del alone
        with self._in_words():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield Statements(self._connection.cursor(), "?", self.description)
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def has_made(self, statements: Statements, tables: Sequence[str]) -> bool:
        """See `Database.has_made`: SQLite keeps the words, of which a type is one that binds."""
        rows = statements.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        found = {" ".join(str(text).split()) for (text,) in rows}
        return found.issuperset(" ".join(text.split()) for text in tables)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._operational(error) from None
        except sqlite3.DatabaseError as error:
            raise DatabaseError(
                f"{self._path}: this is no SQLite database, or it is damaged ({error}); name "
                "another file, the tables send their last games again"
            ) from None
        except OSError as error:
            raise DatabaseError(
                f"{self._path}: {error.strerror or error}; check the path and its rights"
            ) from None

    def _operational(self, error: sqlite3.OperationalError) -> DatabaseAway | DatabaseError:
        code = primary_code(error)
        if code in IN_USE:
            return DatabaseAway(f"{self._path}: another program keeps it locked")
        if code == sqlite3.SQLITE_FULL:
            return DatabaseAway(f"{self._path}: the disk is full; make room")
        return DatabaseError(f"{self._path}: {error}; check the path and its rights")


# --- PostgreSQL ----------------------------------------------------------------------------------


class Postgres(Database):
    """A database of a PostgreSQL server. After `DatabaseAway` the next use connects again.

    What the address leaves out comes from libpq's environment variables and its password file, as
    with every other program.
    """

    shared = True
    their_names = "SELECT tablename FROM pg_tables WHERE schemaname = ANY (current_schemas(false))"

    def __init__(self, address: str) -> None:
        self._address = address
        self.description = f"PostgreSQL, {_without_password(address)}"
        try:
            self._driver = importlib.import_module("psycopg")
        except ImportError:
            raise DatabaseError(
                f"PostgreSQL needs psycopg, which is not installed; {how_to_get('league')}"
            ) from None
        self._connection: psycopg.Connection[Row] | None = None
        self._connected()

    def _connected(self) -> "psycopg.Connection[Row]":
        if self._connection is None or self._connection.closed:
            with self._in_words():
                self._connection = self._driver.connect(
                    self._address, connect_timeout=PATIENCE_S, application_name="topple-league"
                )
        return self._connection

    @contextlib.contextmanager
    def transaction(self, *, alone: bool = False) -> Iterator[Statements]:
        """See `Database.transaction`."""
        connection = self._connected()
        with self._in_words(), connection.transaction(), connection.cursor() as cursor:
            if alone:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            yield Statements(cursor, "%s", self.description)

    def has_made(self, statements: Statements, tables: Sequence[str]) -> bool:
        """See `Database.has_made`: a server's tables are its owner's, who may part them."""
        del statements, tables
        return True

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except self._driver.Error as error:
            raise self._judged(error) from None

    def _judged(self, error: Exception) -> DatabaseAway | DatabaseError:
        """Tell the causes of a connection error apart, which PostgreSQL raises as one class."""
        said = _short(" ".join(str(error).split()))
        for part, advice in _ADVICE.items():
            if part in said:
                return DatabaseError(f"{self.description}: {said}; {advice}")
        if isinstance(error, self._driver.OperationalError):
            return DatabaseAway(
                f"{self.description}: {said}; check that it runs and can be reached"
            )
        return DatabaseError(
            f"{self.description}: {said}; check that the league's user may create and write tables"
        )


_ADVICE = {
    "password authentication failed": "check user and password",
    "no password supplied": "give one in a --database-file, ~/.pgpass or PGPASSWORD",
    'relation "': "tables of the league are gone; start it again, the games come back",
    "does not exist": "check the name, or make it: createuser, createdb",
    "no pg_hba.conf entry": "let this machine in (pg_hba.conf of the server)",
    "invalid connection option": "give postgresql://user@host:port/name",
    'missing "="': "give postgresql://user@host:port/name",
    "invalid port number": "give postgresql://user@host:port/name",
    "invalid integer value": "give postgresql://user@host:port/name",
    "invalid URI query parameter": "take that part out of the address",
    "invalid URI": "give postgresql://user@host:port/name",
}


def _short(said: str) -> str:
    """The driver's message without repetitions."""
    said = said.removeprefix("connection failed: ").split(" Multiple connection attempts")[0]
    return said.split(" Is the server running")[0]


def _without_password(address: str) -> str:
    """For people.

    >>> _without_password("postgresql://ann:secret@db.club:5433/league?sslmode=require")
    'ann@db.club:5433/league'
    """
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the address given"
    user = f"{parts.username}@" if parts.username else ""
    return f"{user}{parts.hostname or 'this machine'}{port}{parts.path}"
