"""Reads messages on `results`, and gives the reason if one cannot be used.

Pure: topic, payload and the time go in. Everything from the network is checked here: sizes,
numbers that no database takes, a newer contract, a wrong clock.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

from controller.league.names import keys_at_a_table, shown
from controller.mqtt.client import MAX_PAYLOAD_BYTES
from controller.mqtt.topics import is_table_id
from engine.errors import UNREADABLE
from engine.plainly import plainly
from engine.results import GameResult, Results
from engine.scoreboard import API_VERSION

FILTER = "topple/+/+/results"
"""Every version of the contract, so that newer tables are noticed and reported."""

LARGEST = 2**53
"""Of any number; no game comes near, and every database and every JSON reader takes it."""

MOST_PLAYERS = 16
MOST_TEXT = 200
"""Characters of an id; ours have twelve."""

CLOCK_TOLERANCE = timedelta(days=1)
"""A table whose clock is further ahead has a wrong clock; then the time of hearing counts."""

EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""Before there were tables. A Raspberry Pi without network may begin in 1970."""

Why = Literal["no_table", "malformed", "newer", "too_large"]


@dataclass(frozen=True, slots=True)
class Unusable:
    """A message that cannot be used: from whom, why, and a reason for the log, with what to do."""

    who: str
    why: Why
    reason: str


@dataclass(frozen=True, slots=True)
class Seat:
    """A player in a game. `player` is what spellings of one name have in common."""

    name: str
    player: str
    score: int | None
    won: bool


@dataclass(frozen=True, slots=True)
class Game:
    """A game of a table, as the league keeps it.

    Attributes:
        played: when it ended: by the table's clock, or by ours when that cannot be right.
    """

    game: str
    kind: str
    rev: int
    over: bool
    broken_off: bool
    asked: bool
    ended: str
    played: str
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class TableResults:
    """A document of a table, whose name is that in the topic, so its name at this broker.

    `retained`: said before we began to listen.
    """

    table: str
    boot: str
    simulated: bool
    games: tuple[Game, ...]
    retained: bool = False


def read(  # noqa: PLR0911 - one answer for each thing wrong
    topic: str, payload: bytes, now: datetime, *, retained: bool = False
) -> TableResults | Unusable:
    """What a message on a topic that `FILTER` let through tells; `now` is wall time, UTC."""
    levels = topic.split("/")
    if len(levels) != 4 or not is_table_id(levels[2]):
        return Unusable("?", "no_table", f"{shown(topic)} is no table's topic; ignored")
    version, table = levels[1], levels[2]
    if version != str(API_VERSION):
        return _newer(table, version)
    if len(payload) > MAX_PAYLOAD_BYTES:
        return Unusable(table, "too_large", f"{table} said {len(payload)} bytes at once; ignored")
    try:
        told = msgspec.json.decode(payload, type=Results)
    except UNREADABLE as error:
        return _malformed(table, plainly(error))
    if told.v > API_VERSION:
        return _newer(table, str(told.v))
    if problem := _problem(told):
        return _malformed(table, problem)
    games = tuple(_game(found, now) for found in told.games)
    return TableResults(table, told.boot, told.simulated, games, retained)


def _newer(table: str, version: str) -> Unusable:
    return Unusable(
        table,
        "newer",
        f"{table} speaks version {shown(version)[:20]} of the contract, this league knows "
        f"{API_VERSION}; update the league",
    )


def _malformed(table: str, problem: str) -> Unusable:
    reason = f"{table} said something that is no list of results ({shown(problem)}); ignored"
    return Unusable(table, "malformed", reason)


def _problem(told: Results) -> str:
    """Why a document that has the right form cannot be kept; empty when it can."""
    texts = [told.boot, *(text for found in told.games for text in (found.game, found.kind))]
    if any(not text or len(text) > MOST_TEXT or not text.isprintable() for text in texts):
        return "an id is empty, too long or not printable"
    if len({found.game for found in told.games}) < len(told.games):
        return "a game comes twice"
    return next((p for p in map(_problem_of_game, told.games) if p), "")


def _problem_of_game(found: GameResult) -> str:
    if len(found.players) > MOST_PLAYERS:
        return f"a game of {len(found.players)} players"
    numbers = [found.rev, *(player.score or 0 for player in found.players)]
    if any(abs(number) > LARGEST for number in numbers):
        return "a number is too large"
    names = [player.name for player in found.players]
    if any(not shown(name) for name in names):
        return "a player without a name"
    if any(0xD800 <= ord(letter) < 0xE000 for name in names for letter in name):
        return "a name that is no text"
    return ""


def _game(found: GameResult, now: datetime) -> Game:
    names = [player.name for player in found.players]
    seats = tuple(
        Seat(shown(player.name), key, player.score, player.name in found.winners)
        for player, key in zip(found.players, keys_at_a_table(names), strict=True)
    )
    played = _believed(found.ended, now).isoformat(timespec="seconds")
    return Game(
        found.game, found.kind, found.rev, found.over, found.broken_off, found.asked,
        shown(found.ended)[:MOST_TEXT], played, seats,
    )  # fmt: skip


def _believed(ended: str, now: datetime) -> datetime:
    """When a game ended.

    >>> now = datetime(2026, 11, 21, tzinfo=UTC)
    >>> _believed("1970-01-01T00:00:09+00:00", now) == now
    True
    """
    try:
        told = datetime.fromisoformat(ended).astimezone(UTC)
    except (ValueError, OverflowError):
        return now
    return told if EARLIEST <= told <= now + CLOCK_TOLERANCE else now
