"""The whole league as it is run: many tables, several worker processes, things that die."""

import contextlib
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from controller.league.databases import open_database
from controller.league.store import Store
from controller.mqtt.client import Message, Mqtt
from controller.mqtt.topics import Publication
from engine.results import GameResult
from tests.controller.conftest import PATIENCE_S, RunningBroker, wait_until
from tests.controller.evening_online import START, OnlineTable
from tests.controller.league.postgres import Server
from tests.controller.league.tables import Table, evening

ROOT = Path(__file__).parents[3]
CLI = "from controller import cli; import sys; sys.exit(cli.main())"

Told = dict[str, tuple[tuple[str, ...], tuple[int | None, ...], tuple[str, ...]]]
"""Game -> players, points, winners."""

Evenings = list[tuple[Mqtt, Iterator[Publication]]]
"""What each table has still to say, and over which connection."""

GAMES = 3
"""Games of a table in a season."""


class Workers:
    """Processes of `topple-table league`; one that is killed is started again, as systemd does."""

    def __init__(self, where: str, port: int, count: int) -> None:
        self._command = [
            sys.executable, "-c", CLI, "league", "--broker", f"127.0.0.1:{port}",
            "--database", where, "--share", "club",
        ]  # fmt: skip
        self.processes = [self._start() for _ in range(count)]

    def _start(self) -> "subprocess.Popen[str]":
        started = subprocess.Popen(
            self._command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert started.stdout is not None
        assert started.stdout.readline().startswith("League: ")
        return started

    def kill(self, number: int) -> None:
        self._end(number)
        self.processes[number] = self._start()

    def _end(self, number: int) -> None:
        self.processes[number].kill()
        self.processes[number].communicate()

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """While this lasts nobody listens."""
        for number in range(len(self.processes)):
            self._end(number)
        yield
        self.processes = [self._start() for _ in self.processes]

    def stop(self) -> list[str]:
        """What they said since, each in one text."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        said = [process.communicate(timeout=PATIENCE_S)[0] for process in self.processes]
        assert [process.returncode for process in self.processes] == [0] * len(said)
        return said


def births(tables: list[Table]) -> list[Publication]:
    return [table.said() for table in tables if table.games]


class Hall:
    """Tables that share a few connections, each with all that is retained when it is new."""

    def __init__(self, broker: RunningBroker, tables: list[Table], connections: int) -> None:
        self._edges = []
        self._evenings: Evenings = []
        for number in range(connections):
            mine = tables[number::connections]
            edge = Mqtt(
                broker.address(), f"hall-{number}", quiet=True,
                birth=partial(births, mine),
            )  # fmt: skip
            edge.start()
            self._edges.append(edge)
            self._evenings += [(edge, evening(table, GAMES)) for table in mine]
        wait_until(self.up, "the hall")

    def up(self) -> bool:
        return all(edge.connection.up for edge in self._edges)

    @property
    def left(self) -> int:
        """Tables that still play."""
        return len(self._evenings)

    def play_on(self, chance: random.Random, messages: int) -> int:
        """The next messages of tables that are drawn; fewer when all have gone home."""
        for said in range(messages):
            if not self._evenings:
                return said
            at = chance.randrange(len(self._evenings))
            edge, rest = self._evenings[at]
            publication = next(rest, None)
            if publication is None:
                del self._evenings[at]
            else:
                edge.publish(publication)
        return messages

    def stop(self) -> None:
        for edge in self._edges:
            edge.stop()


def expected(tables: list[Table]) -> Told:
    return {game.game: _told(game) for table in tables for game in table.games if game.over}


def _told(game: GameResult) -> tuple[tuple[str, ...], tuple[int | None, ...], tuple[str, ...]]:
    names = tuple(p.name for p in game.players)
    winners = tuple(name for name in names if name in game.winners)
    return names, tuple(p.score for p in game.players), winners


def kept(store: Store) -> Told:
    return {
        game.game: (
            tuple(p.name for p in game.players),
            tuple(p.score for p in game.players),
            tuple(p.name for p in game.players if p.won),
        )
        for game in store.games()
    }


def a_season(
    broker: RunningBroker, where: str, *, tables: int, workers: int, connections: int, rounds: int
) -> None:
    """Play; in each round a worker is killed and, in between, the broker."""
    chance = random.Random(1)
    hall_tables = [Table(f"hall-{n}") for n in range(tables)]
    staff = Workers(where, broker.port, workers)
    hall = Hall(broker, hall_tables, connections)
    store = Store(open_database(where))
    every = max(1, tables * GAMES // (2 * rounds))
    number = 0
    while hall.play_on(chance, every):
        if number < rounds:
            broker.stop()
            hall.play_on(chance, every // 4)
            broker.start()
            wait_until(hall.up, "the hall to be back")
            hall.play_on(chance, every // 4)
            # After the broker: what the worker takes with it, nobody says again by chance.
            staff.kill(number % workers)
        number += 1
        if hall.left < every:
            break
    with staff.away():
        # What is said now stands retained and comes to nobody.
        while hall.play_on(chance, every):
            number += 1
    assert number >= rounds
    wait_until(lambda: kept(store) == expected(hall_tables), "every result")
    hall.stop()
    said = staff.stop()
    store.close()
    assert not any("Traceback" in text for text in said), said
    assert sum(len(re.findall(r"results? from", text)) for text in said) == workers


@pytest.mark.slow
def test_two_hundred_tables_a_killed_worker_and_a_killed_broker(
    mosquitto: RunningBroker, postgres: Server
) -> None:
    a_season(mosquitto, postgres.fresh(), tables=200, workers=2, connections=8, rounds=1)


@pytest.mark.soak
def test_two_hundred_connections_four_workers_and_ten_of_each_killed(
    mosquitto: RunningBroker, postgres: Server
) -> None:
    a_season(mosquitto, postgres.fresh(), tables=200, workers=4, connections=200, rounds=10)


@pytest.mark.slow
def test_workers_of_one_machine_may_share_a_file(mosquitto: RunningBroker, tmp_path: Path) -> None:
    where = str(tmp_path / "league.sqlite")
    a_season(mosquitto, where, tables=20, workers=2, connections=2, rounds=1)


def await_results(mosquitto: RunningBroker, games: set[str]) -> None:
    """Wait until the broker keeps them: what a killed table had not sent yet is lost to others."""
    heard: list[Message] = []
    observer = Mqtt(mosquitto.address(), "observer", subscriptions=("topple/1/t1/results",))
    observer.on_message(heard.append)
    observer.start()
    wait_until(
        lambda: any(all(game.encode() in message.payload for game in games) for message in heard),
        "the results at the broker",
    )
    observer.stop()


def ended(table: OnlineTable) -> set[str]:
    """Games of a table that are over."""
    return {game.game for game in table.table._results.games if game.over}


def test_a_real_table_from_its_journal_to_the_league(
    mosquitto: RunningBroker, tmp_path: Path
) -> None:
    """Games end, one end is undone; the table is killed and goes on from its journal."""
    where, journal = str(tmp_path / "league.sqlite"), tmp_path / "games.journal"
    table = OnlineTable(mosquitto.address(), journal)
    wait_until(lambda: table.edge.connection.up, "the table")
    for _ in range(2):
        table.hear("start", START)
        table.hear("roll", {"value": 1})
        table.hear("place", {"cell": "c3"})
        table.hear("end", {})
    table.hear("undo", {})
    # The book of results is written a moment after the document that `hear` waits for.
    wait_until(lambda: len(ended(table)) == 1, "the end that was taken back")
    first = ended(table)
    await_results(mosquitto, first)
    table.kill()

    staff = Workers(where, mosquitto.port, 1)
    store = Store(open_database(where))
    wait_until(lambda: first <= set(kept(store)), "the first game")
    again = OnlineTable(mosquitto.address(), journal)
    again.hear("end", {})
    wait_until(lambda: len(kept(store)) == 2, "both games")
    mosquitto.stop()
    mosquitto.start()
    again.hear("start", START)
    again.hear("end", {})
    wait_until(lambda: len(kept(store)) == 3, "the third game")

    assert [game.broken_off for game in store.games()] == [True] * 3
    assert all(names == ("Ann", "Bob") for names, _, _ in kept(store).values())
    assert first < set(kept(store))
    staff.stop()
    store.close()
    again.stop()
