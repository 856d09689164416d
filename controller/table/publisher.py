"""Publishes the table's messages, and remembers the retained ones.

The newest of every retained document is kept here, so that each new connection to the broker
begins with all of them (`birth`). Events go out at once and in order; the state that contains
them follows, at most twenty times a second, and before the answer to the command that made it.
While nothing new happens it is said again now and then (`REPEATS_S`).
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar

from controller.mqtt import homeassistant, topics
from controller.mqtt.client import BrokerAddress, BrokerPlace, Mqtt, Wire
from controller.mqtt.client_ids import fresh
from controller.mqtt.topics import Publication, TableStatus
from controller.table.commands import Answered
from controller.table.pipeline import Output
from engine.events import HumanInput
from engine.public_events import RefusedEvent
from engine.results import Results
from engine.scoreboard import Scoreboard, event
from engine.summary import summary

STATE_EVERY_S = 0.05
"""The whole state is published at most twenty times a second, except before the answer to a
command; events are never held back."""

REPEATS_S = (5.0, 300.0)
"""A state that nothing follows is said again: after the first of these, then after twice as long
each time, up to the second. A broker keeps so and so much for a slow reader and drops what does
not fit, which is always the newest. However slow somebody reads, here it comes again."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of the table in this run; `boot` is new at each start."""

    table: str
    boot: str
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Home:
    """Home Assistant, if there is one: not enabled takes the table away if it was there.

    `prefix` is that of its discovery topics, `pages` the address of the table's pages, if known.
    """

    enabled: bool = True
    prefix: str = "homeassistant"
    pages: str = ""


Edge = TypeVar("Edge", bound=Mqtt)


def edge_of(
    kind: type[Edge],
    table: str,
    broker: BrokerAddress | BrokerPlace,
    *,
    birth: Callable[[], Iterable[Publication]],
    home: Home | None = None,
    client: str = "",
) -> Edge:
    """The connection of a table to a broker: what it hears, and what is said when it vanishes.

    Each new connection begins with `birth`; with Home Assistant its birth message is heard too. The
    client id is one for this run when left out.
    """
    return kind(
        broker,
        client or fresh(f"table-{table}"),
        subscriptions=_hears(table, home),
        will=topics.availability(table, online=False),
        birth=birth,
        rival=f"no other table on this broker is called {table} too ([table] id)",
    )


def _hears(table: str, home: Home | None) -> tuple[str, ...]:
    """The topics a table subscribes to; with Home Assistant also its birth message."""
    found = topics.heard_by(table)
    if home is None or not home.enabled:
        return found
    return (*found, homeassistant.status_topic(home.prefix))


class Announcer:
    """Publishes the table, and remembers what is retained for the next connection.

    Without a `home` Home Assistant is left alone.
    """

    def __init__(self, wire: Wire, identity: Identity, home: Home | None = None) -> None:
        self._wire = wire
        self._me = identity
        self._home = home
        self._names: tuple[str, ...] = ()
        self._retained: dict[str, Publication] = {}
        self._lock = threading.Lock()
        self._state_due = False
        self._state_sent_s = float("-inf")
        self._repeat_after_s = REPEATS_S[0]
        self._repeat_due_s = float("inf")
        self._state_is_new = False

    def birth(self) -> list[Publication]:
        """What a new connection begins with, `online` last. Called on the network thread."""
        online = topics.topic(self._me.table, "availability")
        with self._lock:
            said = [*self._retained.values(), *self._introduction()]
        # Who hears `online` may rely on all the rest; the sort keeps the order of that.
        return sorted(said, key=lambda publication: publication.topic == online)

    @property
    def dropped(self) -> int:
        """Number of messages that are lost for good."""
        return self._wire.dropped

    @property
    def too_large(self) -> dict[str, int]:
        """Retained messages that no broker takes: row (or topic) -> bytes."""
        begin = topics.topic(self._me.table, "state").removesuffix("state")
        return {name.removeprefix(begin): size for name, size in self._wire.too_large.items()}

    def again(self) -> None:
        """Send all retained messages again, for a client that has just started."""
        for publication in self.birth():
            self._wire.publish(publication)

    def _introduction(self) -> tuple[Publication, ...]:
        """The table, for Home Assistant."""
        me, home = self._me, self._home
        if home is None:
            return ()
        if not home.enabled:
            return (homeassistant.removal(home.prefix, me.table),)
        said = homeassistant.introduction(
            home.prefix, me.table, self._names,
            sw=software(), simulated=me.simulated, pages=home.pages,
        )  # fmt: skip
        return (said,)

    def farewell(self) -> list[Publication]:
        """The last words."""
        return [topics.availability(self._me.table, online=False)]

    def online(self) -> None:
        """From now on the table is there."""
        self._say(topics.availability(self._me.table, online=True))

    def status(self, status: TableStatus) -> None:
        """How the table is."""
        self._say(topics.status(self._me.table, status))

    def health(self, health: object) -> None:
        """How the sensors are."""
        self._say(topics.health(self._me.table, health))

    def results(self, document: Results) -> None:
        """How the last games ended."""
        self._say(topics.results(document))

    def trace(self, point: object) -> None:
        """Weight and tilt just now: for drawing, and for nobody who comes later."""
        self._wire.publish(topics.trace(self._me.table, point))

    def film(self, document: object) -> None:
        """How the board hung when pieces fell, the last time."""
        self._say(topics.film(self._me.table, document))

    def events(self, output: Output) -> None:
        """What happened, in order; the state that contains it follows with `state`."""
        for outcome in output.outcomes:
            payload = event(outcome, output.state, table=self._me.table, boot=self._me.boot)
            self._wire.publish(topics.event(self._me.table, payload))

    def refused(self, output: Output) -> None:
        """What was asked for at the table itself in vain, if it was; a command has its reply."""
        said, why = output.cause, output.refused
        if why is not None and isinstance(said, HumanInput):
            told = RefusedEvent(seq=output.state.seq, t_s=said.t_s, verb=said.type, reason=why.code)
            self.events(replace(output, outcomes=(told,)))

    def state(self, board: Scoreboard) -> None:
        """The newest state; sent by the next `flush`."""
        self._keep(topics.state(board))
        self._keep(topics.summary(self._me.table, summary(board)))
        self._state_due = True
        names = tuple(player.name for player in board.players)
        if names != self._names:
            self._names = names
            for publication in self._introduction():
                self._wire.publish(publication)

    def flush(self, now_s: float) -> None:
        """Send the state when one is due and the last is long ago, or it is time to repeat."""
        if now_s - self._state_sent_s >= STATE_EVERY_S:
            self._state_sent_s = now_s if self._state_due else self._state_sent_s
            self.flush_now()
        if self._state_is_new:
            self._state_is_new, self._repeat_after_s = False, REPEATS_S[0]
            self._repeat_due_s = now_s + self._repeat_after_s
        elif now_s >= self._repeat_due_s:
            self._send_state()
            self._repeat_after_s = min(2 * self._repeat_after_s, REPEATS_S[1])
            self._repeat_due_s = now_s + self._repeat_after_s

    def flush_now(self) -> None:
        """Send the state when one is due, however soon after the last."""
        if self._state_due:
            self._state_due, self._state_is_new = False, True
            self._send_state()

    def _send_state(self) -> None:
        for row in ("state", "summary"):
            self._wire.publish(self._retained[topics.topic(self._me.table, row)])

    def reply(self, answered: Answered) -> None:
        """The answer to a command, if anybody can be answered.

        It never comes before the state it speaks of: who is told that revision 18 is there must
        not find revision 17 and press on it.
        """
        if answered.outputs:
            self.flush_now()
        if answered.client is not None:
            self._wire.publish(topics.reply(self._me.table, answered.client, answered.reply))

    def _keep(self, publication: Publication) -> None:
        with self._lock:
            self._retained[publication.topic] = publication

    def _say(self, publication: Publication) -> None:
        self._keep(publication)
        self._wire.publish(publication)


@cache
def software() -> str:
    """Version of this software, as installed. Read once: it does not change while we run."""
    try:
        return version("topple-table")
    except PackageNotFoundError:
        return "not installed"
