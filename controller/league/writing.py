"""Writes a batch of games into the database, in four statements for any number of games.

A database is often a network away, so that asking it for each game would cost more than writing.
The comparison that makes everything idempotent stands in the upsert itself (`_UPSERT`): a game is
replaced by a later word about it and by nothing else. The question before it only saves work.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from controller.league.databases import Statements
from controller.league.result_messages import LARGEST, Game, TableResults

Key = tuple[str, str]
"""Table and game."""

Number = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
"""Of a table that anybody may have written."""

Item = TypeVar("Item")

MOST_ROWS = 500
"""In one statement. Of twelve values each, which both databases take (32,766 and 65,535)."""

_KNOWN = "SELECT table_id, game, run, rev FROM league_games WHERE (table_id, game) IN (VALUES {})"

_UPSERT = """
INSERT INTO league_games (table_id, game, kind, run, rev, is_over, broken_off, asked, simulated,
                          ended, played, heard)
VALUES {}
ON CONFLICT (table_id, game) DO UPDATE SET
    kind = excluded.kind, run = excluded.run, rev = excluded.rev,
    is_over = excluded.is_over, broken_off = excluded.broken_off, asked = excluded.asked,
    simulated = excluded.simulated, heard = excluded.heard, ended = excluded.ended,
    -- When the table's clock is wrong this is the time of hearing, and of the first hearing.
    played = CASE WHEN league_games.ended = excluded.ended
                  THEN league_games.played ELSE excluded.played END
WHERE (excluded.run, excluded.rev) > (league_games.run, league_games.rev)
RETURNING table_id, game"""

_DROP_SEATS = "DELETE FROM league_seats WHERE (table_id, game) IN (VALUES {})"

_WRITE_SEATS = """
INSERT INTO league_seats (table_id, game, seat, name, player, score, won) VALUES {}"""


@dataclass(frozen=True, slots=True)
class Word:
    """What a run of a table has said about a game; of two words the one of higher order counts."""

    run: int
    simulated: bool
    game: Game

    @property
    def order(self) -> tuple[int, int]:
        """Run and revision."""
        return self.run, self.game.rev


def last_words(
    documents: Iterable[TableResults], runs: Mapping[tuple[str, str], int]
) -> dict[Key, Word]:
    """The last word about each game in these documents; runs are numbered by table and boot."""
    found: dict[Key, Word] = {}
    for document in documents:
        run = runs[document.table, document.boot]
        for game in document.games:
            word, key = Word(run, document.simulated, game), (document.table, game.game)
            if key not in found or word.order > found[key].order:
                found[key] = word
    return found


def write(statements: Statements, words: Mapping[Key, Word], heard: str) -> list[Key]:
    """Write down what is new, in a transaction; returns the games that are new or changed.

    They were heard at a time in ISO 8601, UTC.
    """
    known = _known(statements, words)
    # One order for all workers, so that no two wait for each other.
    newer = sorted(key for key, word in words.items() if word.order > known.get(key, (0, 0)))
    rows = [_row(key, words[key], heard) for key in newer]
    # One that is missing in the answer: another worker was faster, with the same or a later word.
    written = [(str(table), str(game)) for table, game in _do(statements, _UPSERT, rows)]
    # Of all, also new ones: an older word may have come between the question and the writing.
    _do(statements, _DROP_SEATS, written)
    seats = [row for key in written for row in _seats(key, words[key].game)]
    _do(statements, _WRITE_SEATS, seats)
    return written


def _known(statements: Statements, keys: Iterable[Key]) -> dict[Key, tuple[int, int]]:
    """Orders of the words that are there; most documents tell one new game, and many known ones."""
    rows = statements.checked(tuple[str, str, Number, Number], _do(statements, _KNOWN, list(keys)))
    return {(table, game): (run, rev) for table, game, run, rev in rows}


def _row(key: Key, word: Word, heard: str) -> tuple[Any, ...]:
    game = word.game
    return (
        *key, game.kind, word.run, game.rev, int(game.over), int(game.broken_off),
        int(game.asked), int(word.simulated), game.ended, game.played, heard,
    )  # fmt: skip


def _seats(key: Key, game: Game) -> Iterator[tuple[Any, ...]]:
    for number, seat in enumerate(game.seats):
        yield (*key, number, seat.name, seat.player, seat.score, int(seat.won))


def _do(
    statements: Statements, statement: str, rows: Sequence[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """A statement with many rows of values, in as many pieces as it takes."""
    answers: list[tuple[Any, ...]] = []
    for piece in _pieces(rows, MOST_ROWS):
        row = f"({', '.join('?' * len(piece[0]))})"
        values = [value for values in piece for value in values]
        answers += statements.rows(statement.format(", ".join([row] * len(piece))), values)
    return answers


def _pieces(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """In pieces of at most so many.

    >>> list(_pieces([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    return (items[at : at + size] for at in range(0, len(items), size))
