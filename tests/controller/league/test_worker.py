"""Workers on a real broker: whatever goes away and comes back, every game counts once."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.league import worker as module
from controller.league.databases import open_database
from controller.league.store import Store
from controller.league.worker import Hearing, Worker
from controller.mqtt.client import Mqtt
from controller.mqtt.topics import Publication
from tests.controller.conftest import RunningBroker, wait_until
from tests.controller.league.postgres import Server
from tests.controller.league.tables import NOW, Table


class Tables:
    """A connection over which tables speak, and say everything again when it is made anew."""

    def __init__(self, broker: RunningBroker, *tables: Table, name: str = "tables") -> None:
        self.tables = tables
        self.edge = Mqtt(broker.address(), name, birth=self._birth, quiet=True)
        self.edge.start()
        wait_until(lambda: self.edge.connection.up, "the tables' connection")

    def _birth(self) -> list[Publication]:
        return [table.said() for table in self.tables if table.games]

    def say(self) -> None:
        for table in self.tables:
            self.edge.publish(table.said())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store(open_database(str(tmp_path / "league.sqlite")))
    yield found
    found.close()


@pytest.fixture
def speaking(mosquitto: RunningBroker) -> Iterator[Callable[..., Tables]]:
    """Lets tables speak, until the end."""
    made: list[Tables] = []

    def speak(*tables: Table, name: str = "tables") -> Tables:
        made.append(Tables(mosquitto, *tables, name=name))
        return made[-1]

    yield speak
    for tables in made:
        tables.edge.stop()


@pytest.fixture
def begin(mosquitto: RunningBroker, store: Store) -> Iterator[Callable[..., Worker]]:
    """Starts workers, and stops them at the end."""
    running: list[Worker] = []

    def start(share: str = "", into: Store | None = None, name: str = "") -> Worker:
        name = name or f"worker-{len(running)}"
        found = Worker(Hearing(mosquitto.address(), name, share), into or store, now=lambda: NOW)
        found.start()
        running.append(found)
        return found

    yield start
    for worker in running:
        worker.stop()


def work(workers: list[Worker], true: Callable[[], bool], what: str) -> None:
    """Step them until something is so."""

    def stepped() -> bool:
        for worker in workers:
            worker.step(time.monotonic(), 0.01)
        return true()

    wait_until(stepped, what)


def games(store: Store) -> set[str]:
    return {game.game for game in store.games()}


def test_a_worker_hears_what_was_said_before_it_came_and_what_comes_after(
    speaking: Callable[..., Tables], store: Store, begin: Callable[..., Worker]
) -> None:
    attic = Table("attic").play()
    tables = speaking(attic)
    worker = begin()
    work([worker], lambda: games(store) == {"attic-0"}, "the retained result")
    assert worker.status() == "1 result from 1 message"

    attic.play()
    tables.say()
    work([worker], lambda: games(store) == {"attic-0", "attic-1"}, "the new result")

    assert worker.status() == "2 results from 2 messages"


def test_where_it_brings_nothing_for_long_the_worker_says_so_and_hears_everything(
    embedded_broker: RunningBroker,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(module, "SWEEP_EVERY_S", 0.1)
    monkeypatch.setattr(module, "SWEEP_QUIET_S", 0.3)
    attic = Table("attic").play()
    tables = Tables(embedded_broker, attic)
    worker = Worker(Hearing(embedded_broker.address(), "w", "club"), store, now=lambda: NOW)
    worker.start()
    work([worker], lambda: len(games(store)) == 1, "the first sweep")

    attic.play()
    tables.say()
    work([worker], lambda: "only Mosquitto" in caplog.text, "the warning after a later sweep")
    assert len(games(store)) == 2
    work([worker], lambda: worker.connection.up, "its plain connection")
    attic.play()
    tables.say()
    work([worker], lambda: len(games(store)) == 3, "a result without any sweep")

    worker.stop()
    tables.edge.stop()


def test_a_broker_that_delivers_to_the_group_is_left_alone(
    speaking: Callable[..., Tables],
    store: Store,
    begin: Callable[..., Worker],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(module, "SWEEP_EVERY_S", 0.1)
    monkeypatch.setattr(module, "SWEEP_QUIET_S", 0.3)
    worker, attic = begin("club"), Table("attic")
    work([worker], lambda: worker.connection.up, "its connection")
    tables = speaking(attic.play())
    for number in range(1, 5):
        work([worker], lambda: worker._swept > 2 * number, "sweeps")  # noqa: B023
        attic.play()
        tables.say()
        work([worker], lambda: len(games(store)) == number + 1, "a result")  # noqa: B023

    assert "only Mosquitto" not in caplog.text


def test_an_inbox_that_overflows_is_made_good_by_a_sweep(
    speaking: Callable[..., Tables],
    store: Store,
    begin: Callable[..., Worker],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "INBOX_SIZE", 3)
    worker = begin("club")
    work([worker], lambda: worker.connection.up, "its connection")
    loud, quiet = Table("loud").play(), Table("quiet").play()
    tables = speaking()
    time_s = time.monotonic()
    for table in (loud, loud, loud, quiet):
        tables.edge.publish(table.said())
    wait_until(lambda: worker.counts["put off"] > 0, "a full inbox")

    work([worker], lambda: games(store) == {"loud-0", "quiet-0"}, "the sweep")

    assert time.monotonic() - time_s < module.SWEEP_EVERY_S / 10


def test_nonsense_is_counted_and_said_once(
    speaking: Callable[..., Tables],
    store: Store,
    begin: Callable[..., Worker],
    caplog: pytest.LogCaptureFixture,
) -> None:
    worker = begin()
    attic = Table("attic").play()
    tables = speaking(attic)
    # What is not retained is heard only by who has subscribed already.
    work([worker], lambda: games(store) == {"attic-0"}, "a worker that hears")
    for _ in range(3):
        tables.edge.publish(Publication("topple/1/cellar/results", b"\xff", 1, retain=False))
        tables.edge.publish(Publication("topple/2/lab/results", b"{}", 1, retain=False))
    tables.edge.publish(Publication("topple/1/gone/results", b"", 1, retain=True))
    attic.play()
    tables.say()

    work([worker], lambda: worker.counts["newer"] == worker.counts["malformed"] == 3, "nonsense")
    work([worker], lambda: len(games(store)) == 2, "sense")

    said = [record.message for record in caplog.records if "league" in record.name]
    assert sum("cellar said something that is no list" in line for line in said) == 1
    assert sum("lab speaks version 2 of the contract" in line for line in said) == 1
    assert "6 messages not understood" in worker.status()


def test_a_broker_that_restarts_is_waited_for_in_words(
    mosquitto: RunningBroker,
    speaking: Callable[..., Tables],
    store: Store,
    begin: Callable[..., Worker],
) -> None:
    attic = Table("attic").play()
    speaking(attic)
    worker = begin()
    work([worker], lambda: len(games(store)) == 1, "the first result")
    mosquitto.stop()
    work([worker], lambda: "waiting for the broker" in worker.status(), "words")
    attic.play().play()

    mosquitto.start()

    work([worker], lambda: len(games(store)) == 3, "what ended meanwhile")


def test_a_database_that_goes_away_costs_nothing(
    speaking: Callable[..., Tables], postgres: Server, begin: Callable[..., Worker]
) -> None:
    store = Store(open_database(postgres.fresh()))
    attic = Table("attic").play()
    tables = speaking(attic)
    worker = begin(into=store)
    work([worker], lambda: len(games(store)) == 1, "the first result")
    postgres.kill()
    attic.play()
    tables.say()
    work([worker], lambda: "PostgreSQL" in worker.status(), "words")

    postgres.start()

    work([worker], lambda: worker.counts["games"] == 2, "what came meanwhile")
    assert worker.status() == "2 results from 2 messages"
    assert len(games(store)) == 2
    store.close()


def test_two_tables_of_one_name_are_noticed(
    speaking: Callable[..., Tables],
    store: Store,
    begin: Callable[..., Worker],
    caplog: pytest.LogCaptureFixture,
) -> None:
    worker = begin()
    work([worker], lambda: worker.connection.up, "its connection")
    one, other = Table("t1"), Table("t1").restart()
    both = [speaking(one, name="one"), speaking(other, name="other")]
    for number in range(1, 6):
        for tables in both:
            tables.tables[0].ends(("Ann", number), game=f"{tables.edge._client_id}-{number}")
            tables.say()
            work([worker], lambda: worker.counts["heard"] >= len(games(store)), "both")
    work([worker], lambda: len(games(store)) == 10, "all games")

    said = [record.message for record in caplog.records]
    assert sum("two tables seem to be called t1" in line for line in said) == 1


def test_what_has_come_is_written_down_at_the_end(
    speaking: Callable[..., Tables], store: Store, begin: Callable[..., Worker]
) -> None:
    speaking(Table("attic").play())
    worker = begin()
    wait_until(lambda: not worker._inbox.empty(), "a message")

    worker.stop()

    assert games(store) == {"attic-0"}
