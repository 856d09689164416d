"""`topple-table league`: the worker, and the commands that print or change a league."""

import csv
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TextIO

import msgspec
from rich.console import Console
from rich.table import Table

from controller.common.errors import BadInput
from controller.common.shutdown import Stopping, stop_on_signals
from controller.common.systemd import Notifier
from controller.league.errors import DatabaseError
from controller.league.result_messages import Game
from controller.league.standings import ORDERS, League, LeagueStanding, Order, Standings, league
from controller.league.store import ALWAYS, StoredGame, existing, opened
from controller.league.worker import Hearing, Worker
from controller.mqtt.client import BrokerAddress
from controller.mqtt.client_ids import fresh
from controller.mqtt.topics import is_client_id
from engine.games.registry import GAMES

DONE, FAILED = 0, 1

DEFAULT_DATABASE = "league.sqlite"

MOST_TOLD = 5
"""Results printed one by one; of more at a time only the number is printed."""


def run(where: str, address: BrokerAddress, *, share: str = "", name: str = "") -> int:
    """Receive results and store them until interrupted.

    Workers of one `share` divide the work; an empty one does all of it. The name at the broker is
    one that no other has when left out.

    Returns:
        Exit code: 0 after an interrupt, 1 when the database broke on the way.

    Raises:
        BadInput: `share` or `name` cannot stand in a topic or a client id.
        LeagueError: the database cannot be used.
    """
    client = name or fresh("league")
    for option, given in (("--share", share or "x"), ("--name", client)):
        if not is_client_id(given):
            raise BadInput(f"{option} {given}: use up to 64 letters, digits, '_', '.' and '-'")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    with opened(where) as store:
        worker = Worker(Hearing(address, client, share), store, told=_tell)
        stopping = Stopping()
        stop_on_signals(stopping)
        print(f"League: {store.description}; broker {address}", flush=True)
        worker.start()
        supervisor = Notifier()
        supervisor.ready(f"{store.description}; broker {address}")
        try:
            while not stopping.is_set():
                now_s = time.monotonic()
                worker.step(now_s)
                supervisor.alive(now_s, worker.status())
            supervisor.stopping()
            worker.stop()
        except DatabaseError as error:
            print(f"league: {error}", file=sys.stderr)
            return FAILED
        print(worker.status(), flush=True)
    return DONE


def _tell(games: Sequence[tuple[str, Game]]) -> None:
    """On the terminal, or in the journal of systemd."""
    if len(games) > MOST_TOLD:
        print(f"{len(games)} results of {len({table for table, _ in games})} tables", flush=True)
        return
    for table, game in games:
        print(f"{table}: {_in_words(game)}", flush=True)


def _in_words(game: Game) -> str:
    points = ", ".join(
        seat.name if seat.score is None else f"{seat.name} {seat.score}" for seat in game.seats
    )
    winners = " and ".join(seat.name for seat in game.seats if seat.won)
    if not game.over:
        return f"{game.kind} goes on, its end was taken back ({points})"
    if game.broken_off:
        return f"{game.kind} broken off ({points})"
    return f"{game.kind}: {f'{winners} won' if winners else 'a draw'} ({points})"


# --- what is given on the command line -----------------------------------------------------------


def database_given(database: str | None, file: Path | None) -> str:
    """The path or address that the options name; or the first line of a file does.

    An address with a password should stand in no list of processes.

    Raises:
        BadInput: both are given, or the file cannot be read.
    """
    if database is not None and file is not None:
        raise BadInput("--database and --database-file exclude each other; give one of them")
    if file is None:
        return database or DEFAULT_DATABASE
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"--database-file {file}: it cannot be read ({error})") from None
    if not lines or not lines[0].strip():
        raise BadInput(f"--database-file {file}: its first line is empty")
    return lines[0].strip()


def _day(option: str, given: str | None, otherwise: str) -> str:
    if given is None:
        return otherwise
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        raise BadInput(f"{option} {given}: give a day such as 2026-09-01") from None


# --- standings, games, export --------------------------------------------------------------------


def standings(
    where: str,
    *,
    kind: str | None = None,
    by: str = "wins",
    since: str | None = None,
    until: str | None = None,
    simulated: bool = False,
    as_json: bool = False,
) -> int:
    """Print who leads.

    Raises:
        BadInput: no such game, order or day.
        LeagueError: the database cannot be used.
    """
    if by not in ORDERS:
        raise BadInput(f"--by {by}: it can be {', '.join(ORDERS)}")
    if kind is not None and kind not in GAMES:
        raise BadInput(f"--game {kind}: there is no such game; there are {', '.join(GAMES)}")
    order: Order = next(found for found in ORDERS if found == by)
    games = _games(where, since, until)
    found = league(games, kind=kind or "", by=order, simulated=simulated)
    if as_json:
        print(msgspec.json.encode(found).decode())
    else:
        _show(found)
    return DONE


def _games(where: str, since: str | None, until: str | None) -> list[StoredGame]:
    first, last = _day("--since", since, ""), _day("--until", until, ALWAYS)
    with existing(where) as store:
        return list(store.games(first, last))


def _show(found: League) -> None:
    console = Console()
    for one in found.standings:
        console.print(_table(one))
    if not found.standings:
        console.print("No games yet.")
    for remark in _remarks(found):
        console.print(remark, highlight=False, soft_wrap=True)


_COLUMNS: Sequence[tuple[str, Callable[[LeagueStanding], str]]] = (
    ("", lambda line: f"{line.place}."),
    ("player", lambda line: line.name),
    ("games", lambda line: str(line.games)),
    ("wins", lambda line: str(line.wins)),
    ("points", lambda line: "" if line.points is None else str(line.points)),
    ("average", lambda line: "" if line.average is None else f"{line.average:.1f}"),
    ("rating", lambda line: f"{line.rating}{'' if line.settled else '?'}"),
    ("last game", lambda line: line.last[:10]),
)


def _table(one: Standings) -> Table:
    games = "game" if one.games == 1 else "games"
    tables = "one table" if one.tables == 1 else f"{one.tables} tables"
    table = Table(title=f"{one.title}: {one.games} {games} at {tables}", title_justify="left")
    for name, _ in _COLUMNS:
        table.add_column(name, justify="left" if name in ("player", "last game") else "right")
    for line in one.lines:
        # A name is text, whatever brackets are in it.
        table.add_row(*(cell(line).replace("[", r"\[") for _, cell in _COLUMNS))
    return table


def _remarks(found: League) -> Iterator[str]:
    if any(not line.settled for one in found.standings for line in one.lines):
        yield "?: fewer than ten games, the rating still moves a lot"
    if found.asked:
        yield f"asked: {found.asked} of these results may still change; their tables ask about them"
    if found.broken_off:
        yield f"not counted: {found.broken_off} broken off"
    if found.simulated:
        yield f"not counted: {found.simulated} of simulated tables; --simulated counts them"
    for name, other in found.alike[:MOST_TOLD]:
        yield (
            f'one person? "{name}" and "{other}"; '
            f'if so: topple-table league same "{other}" "{name}"'
        )


FORMATS = ("csv", "json")


def export(
    where: str,
    form: str,
    *,
    since: str | None = None,
    until: str | None = None,
    out: TextIO | None = None,
) -> int:
    """Print every game: as CSV, a row for each player; or as JSON lines, one for each game.

    Raises:
        BadInput: no such format or day.
        LeagueError: the database cannot be used.
    """
    if form not in FORMATS:
        raise BadInput(f"--format {form}: it can be {', '.join(FORMATS)}")
    games = _games(where, since, until)
    write = _csv if form == "csv" else _json_lines
    write(games, out or sys.stdout)
    return DONE


def _json_lines(games: Sequence[StoredGame], out: TextIO) -> None:
    for game in games:
        print(json.dumps(asdict(game), ensure_ascii=False), file=out)


def _csv(games: Sequence[StoredGame], out: TextIO) -> None:
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ("played", "table", "game", "kind", "seat", "player", "name", "score", "won",
         "broken_off", "asked", "simulated")
    )  # fmt: skip
    for game in games:
        for seat, player in enumerate(game.players, start=1):
            rows.writerow(
                (game.played, game.table, game.game, game.kind, seat, _harmless(player.key),
                 _harmless(player.name), "" if player.score is None else player.score,
                 int(player.won), int(game.broken_off), int(game.asked), int(game.simulated))
            )  # fmt: skip


def _harmless(text: str) -> str:
    """A name that a spreadsheet would run as a formula is shown instead.

    >>> _harmless("=1+1"), _harmless("Ann")
    ("'=1+1", 'Ann')
    """
    return f"'{text}" if text[:1] in "=+-@" else text


def same(where: str, name: str, other: str | None) -> int:
    """Say that a name stands for another one, or no longer does.

    Raises:
        LeagueError: the database cannot be used.
    """
    with existing(where) as store:
        changed = store.same(name, other)
        aliases = store.aliases()
    if not changed:
        print(f'nothing changed: "{name}" was so already, or both are one name', file=sys.stderr)
    for key, means in sorted(aliases.items()):
        print(f'"{key}" is "{means}"')
    return DONE if changed else FAILED
