"""Stores a league: every game once, with the last result that its table sent.

Theory of operation. A game is one row, whose key is table and game. It has an order: the run of
its table (boots are numbered in the order they were first heard) and the revision inside it. A
row is only ever replaced by one of higher order, in the same statement that compares, so it does
not matter how often, how late and by how many workers at once a message is written down. The
players' rows follow the game's in the same transaction.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from controller.common.errors import BadInput
from controller.league.databases import Database, Statements, open_database
from controller.league.errors import DatabaseError
from controller.league.names import meant, player_key, shown
from controller.league.result_messages import MOST_PLAYERS, MOST_TEXT, Game, TableResults
from controller.league.writing import Number, last_words, write
from controller.mqtt.topics import is_table_id

SCHEMA = 1
"""Raised whenever an older league could no longer use what is written."""

_TABLES = (
    "CREATE TABLE league_schema (version BIGINT NOT NULL)",
    """CREATE TABLE league_runs (
        table_id TEXT NOT NULL, boot TEXT NOT NULL, run BIGINT NOT NULL, heard TEXT NOT NULL,
        PRIMARY KEY (table_id, boot))""",
    """CREATE TABLE league_games (
        table_id TEXT NOT NULL, game TEXT NOT NULL, kind TEXT NOT NULL,
        run BIGINT NOT NULL, rev BIGINT NOT NULL,
        is_over SMALLINT NOT NULL, broken_off SMALLINT NOT NULL, asked SMALLINT NOT NULL,
        simulated SMALLINT NOT NULL,
        ended TEXT NOT NULL, played TEXT NOT NULL, heard TEXT NOT NULL,
        PRIMARY KEY (table_id, game))""",
    "CREATE INDEX league_games_played ON league_games (played)",
    """CREATE TABLE league_seats (
        table_id TEXT NOT NULL, game TEXT NOT NULL, seat SMALLINT NOT NULL,
        name TEXT NOT NULL, player TEXT NOT NULL, score BIGINT, won SMALLINT NOT NULL,
        PRIMARY KEY (table_id, game, seat))""",
    "CREATE INDEX league_seats_player ON league_seats (player)",
    """CREATE TABLE league_aliases (
        player TEXT NOT NULL PRIMARY KEY, means TEXT NOT NULL)""",
)

_NEW_RUN = """
INSERT INTO league_runs (table_id, boot, run, heard)
SELECT ?, ?, COALESCE(MAX(run), 0) + 1, ? FROM league_runs WHERE table_id = ?
ON CONFLICT (table_id, boot) DO NOTHING"""

_GAMES = """
SELECT g.table_id, g.game, g.kind, g.played, g.asked, g.broken_off, g.simulated,
       s.name, s.player, s.score, s.won
FROM league_games g JOIN league_seats s ON s.table_id = g.table_id AND s.game = g.game
WHERE g.is_over = 1 AND g.played >= ? AND g.played < ?
ORDER BY g.played, g.table_id, g.game, s.seat"""

ALWAYS = "9999"
"""Later than every time, as text."""

MOST_RUNS_KNOWN = 100_000
"""Boots whose number is kept in memory, some 20 MB at most."""


MOST_KEY = 500
"""Characters of a person's key: a name of 128, of which a letter may become three."""

Key = Annotated[str, Meta(min_length=1, max_length=MOST_KEY)]
Text = Annotated[str, Meta(min_length=1, max_length=MOST_TEXT)]
Flag = Annotated[int, Meta(ge=0, le=1)]


class _SeatRow(msgspec.Struct, frozen=True, array_like=True):
    """A row of `_GAMES`, from a database that anybody may have written."""

    table: str
    game: Text
    kind: Text
    played: Text
    asked: Flag
    broken_off: Flag
    simulated: Flag
    name: Text
    player: Key
    score: Number | None
    won: Flag

    def __post_init__(self) -> None:
        """Refuse what would move a cursor or a column where it is printed."""
        if not (is_table_id(self.table) and f"{self.game}{self.kind}{self.played}".isprintable()):
            raise ValueError("a game's table, id, kind or time cannot be")


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """One player in a game that was played. `key` is the person, `name` as it was typed."""

    key: str
    name: str
    score: int | None
    won: bool


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game that was played to its end, or broken off."""

    table: str
    game: str
    kind: str
    played: str
    asked: bool
    broken_off: bool
    simulated: bool
    players: tuple[StoredPlayer, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of some messages: games that are new or changed, with their tables.

    `stale` are tables of which an earlier run spoke after a later one had been heard.
    """

    games: tuple[tuple[str, Game], ...] = ()
    stale: tuple[str, ...] = ()


class Store:
    """A league in a database; tables are made in it when it has none of ours.

    Raises:
        DatabaseAway: see `controller.league.databases`.
        DatabaseError: the same; or it is somebody else's, or a newer league's.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.description = database.description
        self._runs: dict[tuple[str, str], int] = {}
        self._last_run: dict[str, int] = {}
        with database.transaction(alone=True) as statements:
            self._prepare(statements)

    def _prepare(self, statements: Statements) -> None:
        there = self._database.tables(statements)
        if "league_schema" in there:
            ((version,),) = statements.rows("SELECT MAX(version) FROM league_schema")
            if version != SCHEMA:
                raise DatabaseError(
                    f"{self.description}: this league has format {version}, this version knows "
                    f"format {SCHEMA}; update the software, or name another database"
                )
            if not self._database.has_made(statements, _TABLES):
                raise DatabaseError(
                    f"{self.description}: its tables are not as a league makes them; name another "
                    "database, the tables send their last games again"
                )
            return
        if there and not self._database.shared:
            raise DatabaseError(
                f"{self.description}: this is a database, but no league; name another file"
            )
        for statement in _TABLES:
            statements.rows(statement)
        statements.rows("INSERT INTO league_schema (version) VALUES (?)", (SCHEMA,))

    def write(self, documents: Iterable[TableResults], now: datetime) -> Written:
        """Store what tables have sent, in any order and repetition; all of it, or nothing.

        Raises:
            DatabaseAway: nothing was written; the same may be written again later.
            DatabaseError: the database has become unusable.
        """
        heard = now.isoformat(timespec="seconds")
        # By table, so that no two workers wait for each other; of one table as they came, since
        # its boots are numbered in the order they are heard.
        ordered = sorted(documents, key=lambda found: found.table)
        with self._database.transaction() as statements:
            runs = {
                (found.table, found.boot): self._run(statements, found, heard) for found in ordered
            }
            text = last_words(ordered, runs)
            written = write(statements, text, heard)
        self._remember(runs)
        games = tuple((table, text[table, game].game) for table, game in written)
        return Written(games, self._stale(ordered))

    def _remember(self, runs: Mapping[tuple[str, str], int]) -> None:
        """Only what was committed is true."""
        if len(self._runs) > MOST_RUNS_KNOWN:
            self._runs.clear()
            self._last_run.clear()
        self._runs.update(runs)
        for (table, _), run in runs.items():
            self._last_run[table] = max(run, self._last_run.get(table, 0))

    def _stale(self, documents: Iterable[TableResults]) -> tuple[str, ...]:
        """Tables whose earlier run still sends, as far as this worker knows the later one."""
        return tuple(
            found.table
            for found in documents
            if not found.retained
            and self._runs[found.table, found.boot] < self._last_run[found.table]
        )

    def _run(self, statements: Statements, document: TableResults, heard: str) -> int:
        key = (document.table, document.boot)
        if key in self._runs:
            return self._runs[key]
        find = "SELECT run FROM league_runs WHERE table_id = ? AND boot = ?"
        found = statements.read(tuple[Number], find, key)
        if not found:
            statements.rows(_NEW_RUN, (*key, heard, document.table))
            found = statements.read(tuple[Number], find, key)
        return found[0][0]

    def games(self, since: str = "", until: str = ALWAYS) -> Iterator[StoredGame]:
        """Every game that ended from `since` to before `until` (ISO 8601), in order of their ends.

        Raises:
            DatabaseAway, DatabaseError: see `write`; or it holds what no league has written.
        """
        with self._database.transaction() as statements:
            aliases = _aliases(statements)
            rows = statements.read(_SeatRow, _GAMES, (since, until))
        for _, seats in groupby(rows, key=lambda row: (row.table, row.game)):
            yield self._played(list(seats), aliases)

    def _played(self, seats: Sequence[_SeatRow], aliases: Mapping[str, str]) -> StoredGame:
        first = seats[0]
        if len(seats) > MOST_PLAYERS:
            raise DatabaseError(f"{self.description}: it holds a game of {len(seats)} players")
        players = tuple(
            StoredPlayer(meant(row.player, aliases), shown(row.name), row.score, bool(row.won))
            for row in seats
        )
        return StoredGame(
            first.table, first.game, first.kind, first.played, bool(first.asked),
            bool(first.broken_off), bool(first.simulated), players,
        )  # fmt: skip

    def same(self, name: str, other: str | None) -> bool:
        """Let a name stand for another one, everywhere and in past games; None takes it back.

        Whether that changed anything.
        """
        key = player_key(name)
        with self._database.transaction() as statements:
            before = _aliases(statements)
            statements.rows("DELETE FROM league_aliases WHERE player = ?", (key,))
            if other is not None and meant(player_key(other), before) != key:
                row = (key, player_key(other))
                statements.rows("INSERT INTO league_aliases (player, means) VALUES (?, ?)", row)
            return _aliases(statements) != before

    def aliases(self) -> dict[str, str]:
        """Which names stand for which."""
        with self._database.transaction() as statements:
            return _aliases(statements)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()


@contextlib.contextmanager
def opened(where: str) -> Iterator[Store]:
    """Open the league in a database for the duration of the block; create it if missing.

    Raises:
        BadInput: `where` names no database.
        LeagueError: it cannot be used.
    """
    database = open_database(where)
    try:
        yield Store(database)
    finally:
        database.close()


@contextlib.contextmanager
def existing(where: str) -> Iterator[Store]:
    """As `opened`, but do not create a missing league: the name may be a typing error.

    Raises:
        BadInput: there is no such file, besides.
    """
    if "://" not in where and not Path(where).exists():
        raise BadInput(
            f"{where}: there is no such league; name its --database, or start one: "
            "topple-table league"
        )
    with opened(where) as store:
        yield store


def _aliases(statements: Statements) -> dict[str, str]:
    return dict(statements.read(tuple[Key, Key], "SELECT player, means FROM league_aliases"))
