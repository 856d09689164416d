"""The league's memory: every game once, with the last word its table had about it.

Theory of operation. A game is one row, whose key is table and game. It has an order: the run of
its table (boots are numbered in the order they were first heard) and the revision inside it. A
row is only ever replaced by one of higher order, in the same statement that compares, so it does
not matter how often, how late and by how many workers at once a message is written down. The
players' rows follow the game's in the same transaction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from controller.league.databases import Database, Row, Statements
from controller.league.errors import DatabaseError
from controller.league.names import meant, player_key, shown
from controller.league.reading import Game, Heard

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

_WRITE_GAME = """
INSERT INTO league_games (table_id, game, kind, run, rev, is_over, broken_off, asked, simulated,
                          ended, played, heard)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (table_id, game) DO UPDATE SET
    kind = excluded.kind, run = excluded.run, rev = excluded.rev,
    is_over = excluded.is_over, broken_off = excluded.broken_off, asked = excluded.asked,
    simulated = excluded.simulated, heard = excluded.heard, ended = excluded.ended,
    -- When the table's clock is wrong this is the time of hearing, and of the first hearing.
    played = CASE WHEN league_games.ended = excluded.ended
                  THEN league_games.played ELSE excluded.played END
WHERE (excluded.run, excluded.rev) > (league_games.run, league_games.rev)
RETURNING game"""

_DROP_SEATS = "DELETE FROM league_seats WHERE table_id = ? AND game = ?"

_WRITE_SEAT = """
INSERT INTO league_seats (table_id, game, seat, name, player, score, won)
VALUES (?, ?, ?, ?, ?, ?, ?)"""

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


@dataclass(frozen=True, slots=True)
class Player:
    """One player in a game that was played. `key` is the person, `name` as it was typed."""

    key: str
    name: str
    score: int | None
    won: bool


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played to its end, or broken off."""

    table: str
    game: str
    kind: str
    played: str
    asked: bool
    broken_off: bool
    simulated: bool
    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of some messages.

    Attributes:
        games: those that are new or changed, with their tables.
        stale: tables of which an earlier run spoke after a later one had been heard.
    """

    games: tuple[tuple[str, Game], ...] = ()
    stale: tuple[str, ...] = ()


class Store:
    """A league in a database.

    Args:
        database: open; tables are made in it when it has none of ours.

    Raises:
        DatabaseAway: see `controller.league.databases`.
        DatabaseError: the same; or it is somebody else's, or a newer league's.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.words = database.words
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
                    f"{self.words}: this league has format {version}, this version knows format "
                    f"{SCHEMA}; update the software, or name another database"
                )
            return
        if there and not self._database.shared:
            raise DatabaseError(
                f"{self.words}: this is a database, but no league; name another file"
            )
        for statement in _TABLES:
            statements.rows(statement)
        statements.rows("INSERT INTO league_schema (version) VALUES (?)", (SCHEMA,))

    def write(self, documents: Iterable[Heard], now: datetime) -> Written:
        """Write down what tables have said; all of it, or nothing.

        Args:
            documents: in any order, with any repetitions.
            now: wall time, UTC.

        Raises:
            DatabaseAway: nothing was written; the same may be written again later.
            DatabaseError: the database has become unusable.
        """
        heard = now.isoformat(timespec="seconds")
        games: list[tuple[str, Game]] = []
        runs: dict[tuple[str, str], int] = {}
        ordered = sorted(documents, key=lambda found: (found.table, found.boot))
        with self._database.transaction() as statements:
            for document in ordered:
                run = self._run(statements, document, heard)
                runs[document.table, document.boot] = run
                for game in _newer_games(statements, document, run):
                    if _write_game(statements, document, run, game, heard):
                        # Between the two questions another worker may have written it.
                        statements.rows(_DROP_SEATS, (document.table, game.game))
                        _write_seats(statements, document.table, game)
                        games.append((document.table, game))
        self._remember(runs)
        return Written(tuple(games), self._stale(ordered))

    def _remember(self, runs: Mapping[tuple[str, str], int]) -> None:
        """Only what was committed is true."""
        if len(self._runs) > MOST_RUNS_KNOWN:
            self._runs.clear()
            self._last_run.clear()
        self._runs.update(runs)
        for (table, _), run in runs.items():
            self._last_run[table] = max(run, self._last_run.get(table, 0))

    def _stale(self, documents: Iterable[Heard]) -> tuple[str, ...]:
        """Tables whose earlier run speaks on, as far as this worker has heard the later one."""
        return tuple(
            found.table
            for found in documents
            if not found.retained
            and self._runs[found.table, found.boot] < self._last_run[found.table]
        )

    def _run(self, statements: Statements, document: Heard, heard: str) -> int:
        key = (document.table, document.boot)
        if key in self._runs:
            return self._runs[key]
        find = "SELECT run FROM league_runs WHERE table_id = ? AND boot = ?"
        found = statements.rows(find, key)
        if not found:
            statements.rows(_NEW_RUN, (*key, heard, document.table))
            found = statements.rows(find, key)
        return int(found[0][0])

    def games(self, since: str = "", until: str = ALWAYS) -> Iterator[Played]:
        """Every game that has ended, in order of their ends.

        Args:
            since: ISO 8601; games that ended before do not count.
            until: ISO 8601; nor those that ended then or later.

        Raises:
            DatabaseAway: see `write`.
        """
        with self._database.transaction() as statements:
            aliases = _aliases(statements)
            rows = statements.rows(_GAMES, (since, until))
        for _, seats in groupby(rows, key=lambda row: row[:2]):
            yield _played(list(seats), aliases)

    def same(self, name: str, other: str | None) -> bool:
        """Let a name stand for another one, everywhere and also in games already played.

        Args:
            name: the spelling to be given up.
            other: who is meant; None takes it back.

        Returns:
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


def _newer_games(statements: Statements, document: Heard, run: int) -> list[Game]:
    """Games about which the document knows more: as a rule one of twenty."""
    if not document.games:
        return []
    marks = ", ".join("?" * len(document.games))
    rows = statements.rows(
        f"SELECT game, run, rev FROM league_games WHERE table_id = ? AND game IN ({marks})",  # noqa: S608
        (document.table, *(game.game for game in document.games)),
    )
    known = {game: (known_run, rev) for game, known_run, rev in rows}
    newer = [game for game in document.games if (run, game.rev) > known.get(game.game, (0, 0))]
    # One order for all workers, so that no two wait for each other.
    return sorted(newer, key=lambda game: game.game)


def _write_game(statements: Statements, document: Heard, run: int, game: Game, heard: str) -> bool:
    values = (
        document.table, game.game, game.kind, run, game.rev, int(game.over), int(game.broken_off),
        int(game.asked), int(document.simulated), game.ended, game.played, heard,
    )  # fmt: skip
    # None when another worker was faster, with the same or a later word.
    return bool(statements.rows(_WRITE_GAME, values))


def _write_seats(statements: Statements, table: str, game: Game) -> None:
    rows = [
        (table, game.game, number, seat.name, seat.player, seat.score, int(seat.won))
        for number, seat in enumerate(game.seats)
    ]
    statements.many(_WRITE_SEAT, rows)


def _aliases(statements: Statements) -> dict[str, str]:
    return dict(statements.rows("SELECT player, means FROM league_aliases"))


def _played(seats: Sequence[Row], aliases: Mapping[str, str]) -> Played:
    table, game, kind, played, asked, broken_off, simulated = seats[0][:7]
    players = tuple(
        Player(meant(key, aliases), shown(name), score, bool(won))
        for name, key, score, won in (row[7:] for row in seats)
    )
    return Played(
        table, game, kind, played, bool(asked), bool(broken_off), bool(simulated), players
    )
