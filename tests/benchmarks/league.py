"""What one node of a league carries: `python -m tests.benchmarks.league [--messages 4000]`.

On a real Mosquitto and a real PostgreSQL that keeps its promises (fsync on), both on this machine
with the workers and the simulated tables:

1. results into each database, from the message to the commit, by one worker and by two;
2. bytes of a game in each database, and of a message;
3. messages through Mosquitto to a group that shares a subscription, without any database;
4. the whole way: tables, broker, worker processes, PostgreSQL;
5. how long a worker that begins takes to hear what the broker keeps of many tables.

docs/league.md extrapolates from these figures, and says where it does.
"""

import argparse
import contextlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from rich.console import Console
from rich.table import Table as Printed

from controller.league.databases import Sqlite, open_database
from controller.league.result_messages import TableResults, read
from controller.league.store import Store
from controller.league.worker import BATCH
from controller.mqtt.topics import Publication
from tests.benchmarks.mqtt_equipment import Broker, mosquitto
from tests.controller.conftest import wait_until
from tests.controller.league.postgres import Server, server
from tests.controller.league.tables import NOW, Table

TABLES = 200
WORKERS = (1, 2)
CLI = "from controller import cli; import sys; sys.exit(cli.main())"
QUEUE = "max_queued_messages 20000\nmax_queued_bytes 200000000\n"
"""As the shipped hub.conf has it."""


class Figure(NamedTuple):
    """One line of the report."""

    what: str
    n: int
    figure: float
    unit: str


def said(tables: int, messages: int, first: int = 0) -> list[Publication]:
    """What tables say in turns: in each message one new game, and up to nineteen known ones."""
    found = [Table(f"hall-{first + n}") for n in range(tables)]
    return [found[n % tables].play("topple").said() for n in range(messages)]


# --- 1 and 2: the databases ----------------------------------------------------------------------


def _write(where: str, messages: Sequence[Publication], begin: Any, told: Any) -> None:
    """A worker without a broker: read and write down, in its batches."""
    store = Store(open_database(where))
    told.put("ready")
    begin.wait()
    began_s = time.monotonic()
    for at in range(0, len(messages), BATCH):
        heard = [read(m.topic, m.payload, NOW) for m in messages[at : at + BATCH]]
        store.write([found for found in heard if isinstance(found, TableResults)], NOW)
    told.put((began_s, time.monotonic()))
    store.close()


def into_database(where: str, messages: int, workers: int, what: str) -> Figure:
    """Results a second into a database, by so many processes at once."""
    Store(open_database(where)).close()
    context = multiprocessing.get_context("spawn")
    begin, told = context.Event(), context.Queue()
    each = messages // workers
    processes = [
        context.Process(
            target=_write, args=(where, said(TABLES, each, n * TABLES), begin, told), daemon=True
        )
        for n in range(workers)
    ]
    for process in processes:
        process.start()
    for _ in processes:
        assert told.get(timeout=60) == "ready"
    begin.set()
    spans = [told.get(timeout=600) for _ in processes]
    for process in processes:
        process.join(20)
    took_s = max(end for _, end in spans) - min(start for start, _ in spans)
    games = sum(1 for _ in _games(where))
    assert games == each * workers, (games, each * workers)
    return Figure(f"{what}, {workers} worker{'s'[: workers - 1]}", games, games / took_s, "games/s")


def _games(where: str) -> Iterator[object]:
    store = Store(open_database(where))
    yield from store.games()
    store.close()


_SIZE = """
SELECT SUM(pg_total_relation_size(c.oid))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind = 'r'"""


def bytes_a_game(where: str, games: int) -> float:
    """Of a database in which so many games stand, indexes and all."""
    database = open_database(where)
    with database.transaction() as statements:
        if isinstance(database, Sqlite):
            ((pages,),) = statements.rows("PRAGMA page_count")
            ((size,),) = statements.rows("PRAGMA page_size")
            total = pages * size
        else:
            ((total,),) = statements.rows(_SIZE)
    database.close()
    return float(total) / games


# --- 3: the broker -------------------------------------------------------------------------------


def _client(port: int, name: str) -> paho.Client:
    client = paho.Client(CallbackAPIVersion.VERSION2, name, protocol=paho.MQTTv311)
    client.max_queued_messages_set(0)
    client.connect("127.0.0.1", port, 60)
    return client


def _count(port: int, name: str, topic: str, told: Any, ends: Any) -> None:
    """A member of a group that only counts."""
    heard = 0

    def hear(*_: object) -> None:
        nonlocal heard
        heard += 1

    client = _client(port, name)
    client.on_message = hear
    client.on_subscribe = lambda *_: told.put("ready")
    client.subscribe(topic, 1)
    client.loop_start()
    ends.wait()
    client.loop_stop()
    told.put(heard)


def through_broker(broker: Broker, messages: Sequence[Publication], members: int) -> list[Figure]:
    """Messages a second from one publisher to a group, and what the broker uses for each."""
    context = multiprocessing.get_context("spawn")
    told, ends = context.Queue(), context.Event()
    topic = "$share/bench/topple/+/+/results"
    group = [
        context.Process(target=_count, args=(broker.port, f"m{n}", topic, told, ends), daemon=True)
        for n in range(members)
    ]
    for member in group:
        member.start()
    for _ in group:
        assert told.get(timeout=60) == "ready"
    used_s, _ = broker.used()
    began_s = time.monotonic()
    _publish(broker.port, messages)
    took_s = time.monotonic() - began_s
    time.sleep(1.0)
    ends.set()
    heard = sum(told.get(timeout=60) for _ in group)
    used_after_s, memory_mb = broker.used()
    per_message_us = 1e6 * (used_after_s - used_s) / len(messages)
    what = f"QoS 1 through Mosquitto to a group of {members}"
    return [
        Figure(f"{what}, {heard} of {len(messages)} heard", heard, heard / took_s, "messages/s"),
        Figure("... processor time of Mosquitto for one", heard, per_message_us, "us"),
        Figure("... memory of Mosquitto", heard, memory_mb, "MB"),
    ]


def _publish(port: int, messages: Sequence[Publication]) -> None:
    """All of them, as fast as they are acknowledged."""
    client = _client(port, f"speaker-{os.urandom(3).hex()}")
    client.loop_start()
    last = None
    for number, message in enumerate(messages):
        last = client.publish(message.topic, message.payload, 1, retain=message.retain)
        if number % 500 == 499:
            last.wait_for_publish(60)
    if last is not None:
        last.wait_for_publish(60)
    client.disconnect()
    client.loop_stop()


# --- 4 and 5: the whole way ----------------------------------------------------------------------


@contextlib.contextmanager
def staff(where: str, port: int, count: int) -> Iterator[None]:
    """Worker processes as they are run."""
    command = [
        sys.executable, "-c", CLI, "league", "--broker", f"127.0.0.1:{port}",
        "--database", where, "--share", "bench",
    ]  # fmt: skip
    processes = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)


def _when_there(where: str, games: int) -> Callable[[], bool]:
    database = open_database(where)
    Store(database)

    def there() -> bool:
        with database.transaction() as statements:
            ((count,),) = statements.rows("SELECT COUNT(*) FROM league_games")
        time.sleep(0.1)
        return int(count) >= games

    return there


def the_whole_way(where: str, broker: Broker, messages: int, workers: int) -> Figure:
    """Results a second from the tables' mouths into PostgreSQL."""
    first = said(1, 1, 90_000)
    rest = said(TABLES, messages, 10_000 * workers)
    with staff(where, broker.port, workers):
        _publish(broker.port, first)
        wait_until(_when_there(where, 1), "the workers")
        # The sweeps with which workers begin would be measured too.
        time.sleep(min(3.0, messages / 500))
        began_s = time.monotonic()
        _publish(broker.port, rest)
        wait_until(_when_there(where, len(rest) + 1), "the results")
        took_s = time.monotonic() - began_s
    words = f"tables to PostgreSQL through Mosquitto, {workers} worker{'s'[: workers - 1]}"
    return Figure(words, len(rest), len(rest) / took_s, "games/s")


def catching_up(where: str, broker: Broker, tables: int, games: int) -> Figure:
    """Seconds a worker that begins takes for what is retained of so many tables."""
    found = [Table(f"late-{n}") for n in range(tables)]
    for table in found:
        for _ in range(games):
            table.play("topple")
    _publish(broker.port, [table.said() for table in found])
    began_s = time.monotonic()
    with staff(where, broker.port, 1):
        wait_until(_when_there(where, tables * games), "all that is retained")
        took_s = time.monotonic() - began_s
    what = f"a worker begins: {games} games of each of {tables} tables are retained"
    return Figure(what, tables * games, took_s, "s")


# --- the report ----------------------------------------------------------------------------------


def measure(messages: int, tables: int, workers: Sequence[int] = WORKERS) -> list[Figure]:
    """All figures.

    Args:
        messages: of results, in each measurement.
        tables: retained, for the last one.
        workers: how many write at once; a measurement for each number.
    """
    with tempfile.TemporaryDirectory() as folder, server(durable=True) as postgres:
        found = _databases(Path(folder), postgres, messages, workers)
        stream = said(TABLES, messages)
        size = sum(len(m.payload) for m in stream) / len(stream)
        found.append(Figure("a message of results on average", len(stream), size, "bytes"))
        full = said(1, 20)[-1]
        found.append(Figure("a message of twenty games", 1, len(full.payload), "bytes"))
        with mosquitto(QUEUE) as broker:
            found += through_broker(broker, stream, 2)
        for count in workers:
            with mosquitto(QUEUE) as broker:
                found.append(the_whole_way(postgres.fresh(), broker, messages, count))
        with mosquitto(QUEUE) as broker:
            found.append(catching_up(postgres.fresh(), broker, tables, 5))
    return found


def _databases(
    folder: Path, postgres: Server, messages: int, workers: Sequence[int]
) -> list[Figure]:
    found = []
    for kind, place in (
        ("PostgreSQL", postgres.fresh),
        ("SQLite", lambda: str(folder / f"{time.monotonic_ns()}.sqlite")),
    ):
        for count in workers:
            where = place()
            found.append(into_database(where, messages, count, f"into {kind}"))
        size = bytes_a_game(where, found[-1].n)
        found.append(
            Figure(f"a game of three in {kind}, indexes and all", found[-1].n, size, "bytes")
        )
    return found


def main() -> int:
    """Measure and print; the exit code is 2 without broker or database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", type=int, default=4000)
    parser.add_argument("--tables", type=int, default=2000, help="retained, for the last figure")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    try:
        figures = measure(arguments.messages, arguments.tables)
    except pytest.skip.Exception as error:
        print(f"league: {error}", file=sys.stderr)
        return 2
    today = datetime.now(UTC).date().isoformat()
    title = (
        f"{today}, {os.cpu_count()} cores, load {load:.1f} before, {os.getloadavg()[0]:.1f} after"
    )
    printed = Printed("measured", "n", "figure", "", title=title)
    for found in figures:
        printed.add_row(found.what, f"{found.n:,}", f"{found.figure:,.0f}", found.unit)
    Console().print(printed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
