"""A worker of the league: receives results and stores them, through all interruptions.

Theory of operation. The network thread puts messages into a bounded inbox; the caller's thread
takes what has come, reads it, and writes it down in one transaction. Nothing depends on a
message arriving exactly once: `results` is retained and holds a table's last games whole, so one
that was lost on the way (a worker killed with it, a full inbox) is in the next one, or in what
the broker says to whoever subscribes.

One worker subscribes plainly, and hears all that is retained at each connection. Several share
a subscription (`$share/<name>/...`): the broker gives each message to one of them, and by the
standard (MQTT 5, 4.8.2) nothing retained to anybody; Mosquitto 2.0.11 gives it all the same. So
they *sweep*: a second connection, subscribed plainly for a moment, at the start, when something
may have been lost, and every ten minutes. A broker that grants `$share` and delivers nothing to
it (`docs/mqtt.md`, Other brokers) is found out by the second sweep: the worker then says so and
subscribes plainly.
"""

import logging
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from controller.league.errors import DatabaseAway
from controller.league.result_messages import FILTER, Game, TableResults, read
from controller.league.store import Store
from controller.mqtt.client import BrokerAddress, ConnectionStatus, Message, Mqtt

_log = logging.getLogger(__name__)

INBOX_SIZE = 5_000
"""Messages of at most 64 kB, as a rule under 6; more wait at the broker or in the next sweep."""

BATCH = 100
"""Messages written down in one transaction."""

IDLE_S = 0.2
"""Longest wait for a message, so that the watchdog is fed and a stop is noticed."""

SWEEP_EVERY_S = 600.0
"""What a killed worker took with it is found this soon at the latest."""

SWEEP_QUIET_S = 2.0
"""A sweep is over when nothing retained has come for so long."""

SWEEP_LONGEST_S = 120.0
"""A broker that cannot be reached gives nothing to wait for."""

AGAIN_S = (1.0, 30.0)
"""Waits before a database that went away is tried again: the first, and the longest."""

MOST_COMPLAINED = 1000
"""Tables with malformed messages that are remembered, so that each is logged only once."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """Where and how a worker listens; no other program may use its client id.

    `share` is the name of the group that shares the work; empty for one that does all of it.
    """

    address: BrokerAddress
    client: str
    share: str = ""

    @property
    def subscription(self) -> str:
        """The filter it subscribes to."""
        return f"$share/{self.share}/{FILTER}" if self.share else FILTER


class Worker:
    """One worker. Use it from one thread: `start`, `step` again and again, `stop`.

    `told` is called with the games of each transaction, after it; `now` is wall time, UTC.
    """

    def __init__(
        self,
        hearing: Hearing,
        store: Store,
        *,
        told: Callable[[Sequence[tuple[str, Game]]], None] = lambda _games: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._hearing = hearing
        self._store = store
        self._told = told
        self._now = now
        self._inbox: queue.Queue[Message] = queue.Queue(INBOX_SIZE)
        self._waiting: list[TableResults] = []
        self._complained: set[tuple[str, str]] = set()
        self._stale: Counter[str] = Counter()
        self._overflowed = threading.Event()
        self._away = ""
        self._wait_s = AGAIN_S[0]
        self._again_s = float("-inf")
        self._sweep: _Sweep | None = None
        self._sweep_due_s = float("-inf")
        self._swept = 0
        self._games_before_sweep = 0
        self._share_delivers = False
        self._edge = self._listener()
        self.counts: Counter[str] = Counter()
        """`heard` messages, `games` written; `malformed`, `newer`, ... not understood."""

    def _listener(self) -> Mqtt:
        hearing = self._hearing
        edge = Mqtt(hearing.address, hearing.client, subscriptions=(hearing.subscription,))
        edge.on_message(self._heard_live)
        return edge

    def start(self) -> None:
        """Begin to listen; returns at once, whether or not a broker is there."""
        self._edge.start()

    def stop(self) -> None:
        """Stop listening, and write down what has come."""
        if self._sweep is not None:
            self._sweep.stop()
        self._edge.stop()
        while not self._inbox.empty() or self._waiting:
            if not self._write(self._take(0.0)):
                return

    @property
    def connection(self) -> ConnectionStatus:
        """How the connection to the broker is."""
        return self._edge.connection

    def status(self) -> str:
        """How it stands, one line."""
        counts = self.counts
        wrong = counts["malformed"] + counts["newer"] + counts["no_table"] + counts["too_large"]
        results, heard = _counted(counts["games"], "result"), _counted(counts["heard"], "message")
        parts = [f"{results} from {heard}"]
        parts += [f"{_counted(wrong, 'message')} not understood"] if wrong else []
        parts += [self._away] if self._away else []
        parts += [] if self.connection.up else [self.connection.text]
        return "; ".join(parts)

    def step(self, now_s: float, longest_s: float = IDLE_S) -> None:
        """Take what has arrived or arrives within `longest_s`, store it, start and end sweeps.

        Raises:
            DatabaseError: the database has become unusable.
        """
        if now_s >= self._again_s:
            documents = self._take(longest_s)
            if (documents or self._away) and not self._write(documents):
                self._again_s = now_s + self._wait_s
                self._wait_s = min(2 * self._wait_s, AGAIN_S[1])
        else:
            time.sleep(longest_s)
        if self._hearing.share:
            self._look_after_sweeps(now_s)

    def _heard_live(self, message: Message) -> None:
        """On the network thread, by the worker's own subscription."""
        self._share_delivers = True
        self._receive(message)

    def _receive(self, message: Message) -> None:
        """On a network thread."""
        try:
            self._inbox.put_nowait(message)
        except queue.Full:
            self.counts["put off"] += 1
            self._overflowed.set()

    def _take(self, longest_s: float) -> list[TableResults]:
        """The next batch, what could not be written before included."""
        documents, wait_s = self._waiting, 0.0 if self._waiting else longest_s
        while len(documents) < BATCH:
            try:
                message = self._inbox.get(timeout=wait_s) if wait_s else self._inbox.get_nowait()
            except queue.Empty:
                break
            wait_s = 0.0
            if (document := self._read(message)) is not None:
                documents.append(document)
        return documents

    def _read(self, message: Message) -> TableResults | None:
        self.counts["heard"] += 1
        if not message.payload:
            # A table that was taken away for good: its retained message was cleared.
            return None
        found = read(message.topic, message.payload, self._now(), retained=message.retained)
        if isinstance(found, TableResults):
            return found
        self.counts[found.why] += 1
        if (found.who, found.why) not in self._complained:
            if len(self._complained) < MOST_COMPLAINED:
                self._complained.add((found.who, found.why))
            _log.warning("%s", found.reason)
        return None

    def _write(self, documents: list[TableResults]) -> bool:
        """Store a batch; if the database is away, keep it for later and return False."""
        self._waiting = documents
        try:
            written = self._store.write(documents, self._now())
        except DatabaseAway as error:
            if not self._away:
                _log.warning("%s; trying again, nothing is lost", error)
            self._away = str(error)
            return False
        if self._away:
            _log.info("the database is back")
        self._away, self._wait_s, self._waiting = "", AGAIN_S[0], []
        self.counts["games"] += len(written.games)
        self._notice_doubles(written.stale)
        if written.games:
            self._told(written.games)
        return True

    def _notice_doubles(self, stale: Sequence[str]) -> None:
        """Two tables with one name speak in turns, so each is the earlier run of the other."""
        for table in stale:
            self._stale[table] += 1
            if self._stale[table] == SUSPICIOUS:
                _log.warning(
                    "two tables seem to be called %s; all games count, but give each its own "
                    "[table] id",
                    table,
                )

    def _look_after_sweeps(self, now_s: float) -> None:
        if self._overflowed.is_set() and self._inbox.empty():
            self._overflowed.clear()
            self._sweep_due_s = now_s
        if self._sweep is not None and self._sweep.over(now_s) and self._inbox.empty():
            self._sweep.stop()
            self._sweep = None
            self._swept += 1
            if self._share_is_silent():
                self._hear_all()
                return
        if self._sweep is None and now_s >= self._sweep_due_s:
            self._games_before_sweep = self.counts["games"]
            # Not all workers at once.
            self._sweep_due_s = now_s + SWEEP_EVERY_S * random.uniform(0.8, 1.2)
            self._sweep = _Sweep(self._hearing, self._receive, now_s)

    def _share_is_silent(self) -> bool:
        """Whether a later sweep brought what the shared subscription, silent so far, should have.

        In a group it may have gone to another worker who has not written it down yet. Then one
        hears everything in vain, which costs a little and loses nothing.
        """
        later = self._swept > 1 and self.connection.up
        brought = self.counts["games"] > self._games_before_sweep
        return later and brought and not self._share_delivers

    def _hear_all(self) -> None:
        _log.warning(
            "the broker at %s delivers nothing to the shared subscription of --share %s; only "
            "Mosquitto is known to. This worker hears all results by itself now: one is enough",
            self._hearing.address, self._hearing.share,
        )  # fmt: skip
        self._edge.stop()
        self._hearing = replace(self._hearing, share="")
        self._edge = self._listener()
        self._edge.start()


SUSPICIOUS = 3
"""An earlier run may be heard once or twice when workers overtake each other."""


class _Sweep:
    """A short second connection that reads the retained results of every table."""

    def __init__(self, hearing: Hearing, receive: Callable[[Message], None], now_s: float) -> None:
        self._receive = receive
        self._began_s = now_s
        self._heard = 0
        self._seen = -1
        self._quiet_since_s = now_s
        self._edge = Mqtt(
            hearing.address, f"{hearing.client}-sweep", subscriptions=(FILTER,), quiet=True
        )
        self._edge.on_message(self._arrived)
        self._edge.start()

    def _arrived(self, message: Message) -> None:
        self._heard += 1
        if message.retained:
            self._receive(message)

    def over(self, now_s: float) -> bool:
        """Whether it has received everything, or nothing can be received."""
        if self._heard != self._seen or not self._edge.connection.up:
            self._seen, self._quiet_since_s = self._heard, now_s
        quiet = now_s - self._quiet_since_s >= SWEEP_QUIET_S
        return quiet or now_s - self._began_s >= SWEEP_LONGEST_S

    def stop(self) -> None:
        """End the connection."""
        self._edge.stop()


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
