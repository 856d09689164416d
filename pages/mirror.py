"""The state of a display: all tables, as of their last messages.

Pure: messages and the time go in, documents for browsers come out. A lost broker or a silent table
never changes the score, only the notices beside it. One rule keeps the display in step: a `state`
with a new `boot` or `game` is always taken, any other only if its revision is not older than the
one shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from controller.mqtt.client import MAX_PAYLOAD_BYTES, ConnectionStatus, Message
from controller.mqtt.topics import BASE, OFFLINE, ONLINE, SensorTrouble, TableStatus
from controller.table.film import Film
from engine.errors import UNREADABLE
from engine.results import Results
from engine.scoreboard import EventPayload, Scoreboard

FILTERS = tuple(
    f"{BASE}/+/{row}"
    for row in ("availability", "status", "state", "event", "health", "trace", "film", "results")
)
"""All that a scoreboard subscribes to."""

STALE_AFTER_S = 90.0
"""A table repeats its health well within this time, even when nobody plays."""

MOST_TABLES = 256
"""More than a convention has; a broken publisher must not fill the memory."""

MOST_SUSPICIONS = 16
"""Open at one table; nothing falls in more ways at once."""

NOT_CONNECTED = ConnectionStatus(up=False, text="not connected yet")

Notice = Literal["no_broker", "unknown", "offline", "stale", "init", "stopping", "degraded",
                 "simulated"]  # fmt: skip
"""What a display says beside the score; the worst first."""


class Suspicion(msgspec.Struct, frozen=True):
    """What a table says of one in `event`.

    Attributes:
        until_s: when the mirror ceases to believe it; not the table's word.
    """

    id: int
    probability: Annotated[float, Meta(ge=0, le=1)]
    valid_s: Annotated[float, Meta(gt=0, le=60)]
    until_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TableMirror:
    """The last of each message of one table.

    Attributes:
        suspicions: those that have not ended, the newest last.
        film: of the last topple that the sensors saw.
        results: how the last games ended.
        online: None until the table or its last will was heard.
        heard_s: time of the last message that was not retained; before the first, the time of
            the first message at all.
    """

    table: str
    heard_s: float
    online: bool | None = None
    status: TableStatus | None = None
    state: Scoreboard | None = None
    health: Mapping[str, Any] | None = None
    suspicions: tuple[Suspicion, ...] = ()
    film: Film | None = None
    results: Results | None = None


class TableView(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a browser gets: one table, whole.

    Attributes:
        notices: what to say beside the score, the worst first.
        broker: one line about the connection to the broker.
        troubles: what to check at the table.
        suspected: probability that pieces are just falling; left out while nobody thinks so.
        film: number of the event that there is a film of; left out while this round has none.
        league: whether these pages have one.
        visit: whether anybody may sit down at it in a browser (`/t/<table>/try`).
    """

    table: str
    notices: tuple[Notice, ...]
    broker: str
    troubles: tuple[SensorTrouble, ...]
    board: Scoreboard | None
    suspected: float | None = None
    film: int | None = None
    league: bool = False
    visit: bool = False


class HealthView(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the table's health page gets.

    Attributes:
        health: the payload of `health`, with figures that this version may not know.
        support: whether this process can give a support bundle of the table.
    """

    table: str
    notices: tuple[Notice, ...]
    broker: str
    troubles: tuple[SensorTrouble, ...]
    health: Mapping[str, Any] | None
    support: bool = False


class TableLine(msgspec.Struct, frozen=True):
    """One table in the list of tables."""

    table: str
    notices: tuple[Notice, ...]
    kind: str | None
    phase: str
    round: int
    turn: str | None
    players: tuple[tuple[str, int | None, tuple[str, ...], str], ...]
    winners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mirror:
    """All tables of one broker."""

    tables: Mapping[str, TableMirror] = field(default_factory=dict)
    broker: ConnectionStatus = NOT_CONNECTED

    def updated(self, message: Message, now_s: float) -> "Mirror":
        """The mirror after a message; the same one when the message cannot be used."""
        name, row, _ = message.at
        if not row or len(message.payload) > MAX_PAYLOAD_BYTES:
            return self
        before = self.tables.get(name)
        if before is None and len(self.tables) >= MOST_TABLES:
            return self
        after = _heard(before or TableMirror(name, now_s), row, message, now_s)
        if after is None or (before is None and not message.payload):
            return self
        if not message.retained:
            after = replace(after, heard_s=now_s)
        return replace(self, tables=_without_forgotten({**self.tables, name: after}))

    def connected(self, broker: ConnectionStatus) -> "Mirror":
        """The mirror after the connection to the broker changed.

        A new connection tells again which tables are online; until then nobody knows: the
        broker may have been away for hours, and the table with it.
        """
        tables = self.tables
        if broker.up and not self.broker.up:
            tables = {name: replace(mirror, online=None) for name, mirror in tables.items()}
        return replace(self, broker=broker, tables=tables)

    def view(
        self, table: str, now_s: float, *, league: bool = False, visit: bool = False
    ) -> TableView:
        """What to show of one table, known or not."""
        mirror = self.tables.get(table)
        status = mirror.status if mirror else None
        return TableView(
            table=table,
            notices=self.notices(table, now_s),
            broker=self.broker.text,
            troubles=status.troubles if status else (),
            board=mirror.state if mirror else None,
            suspected=_suspected(mirror, now_s) if mirror else None,
            film=film.seq if (film := self.film(table)) and _of_this_round(film, mirror) else None,
            league=league,
            visit=visit,
        )

    def film(self, table: str) -> Film | None:
        """The film of the last topple of the game that is shown."""
        mirror = self.tables.get(table)
        if mirror is None or mirror.film is None or mirror.state is None:
            return None
        return mirror.film if mirror.film.game == mirror.state.game else None

    def results(self, table: str) -> Results | None:
        """How the last games of a table ended; None before the first."""
        mirror = self.tables.get(table)
        return mirror.results if mirror else None

    def health(self, table: str, now_s: float, *, support: bool = False) -> HealthView:
        """What to show of the health of one table, known or not."""
        mirror = self.tables.get(table)
        status = mirror.status if mirror else None
        return HealthView(
            table=table,
            notices=self.notices(table, now_s),
            broker=self.broker.text,
            troubles=status.troubles if status else (),
            health=mirror.health if mirror else None,
            support=support,
        )

    def lines(self, now_s: float) -> tuple[TableLine, ...]:
        """The list of tables, by name."""
        return tuple(self._line(self.tables[name], now_s) for name in sorted(self.tables))

    def notices(self, table: str, now_s: float) -> tuple[Notice, ...]:
        """What is to be said beside the score of `table`."""
        mirror = self.tables.get(table)
        found: list[Notice] = []
        if not self.broker.up:
            found.append("no_broker")
        if mirror is None or mirror.online is None:
            found.append("unknown")
        elif not mirror.online:
            found.append("offline")
        elif self.broker.up and now_s - mirror.heard_s > STALE_AFTER_S:
            found.append("stale")
        return (*found, *(_said_of_itself(mirror) if mirror else ()))

    def _line(self, mirror: TableMirror, now_s: float) -> TableLine:
        board = mirror.state
        notices = self.notices(mirror.table, now_s)
        if board is None:
            return TableLine(mirror.table, notices, None, "idle", 0, None, (), ())
        return TableLine(
            mirror.table,
            notices,
            board.kind,
            board.phase,
            board.round,
            board.turn.player if board.turn else None,
            tuple((p.name, p.score, p.colours, p.mark) for p in board.players),
            board.winners,
        )


def _said_of_itself(mirror: TableMirror) -> tuple[Notice, ...]:
    """What a table says of itself: a phase that is worth a notice, and that it is simulated."""
    found: list[Notice] = []
    if mirror.status is not None and mirror.online and mirror.status.phase != "ready":
        found.append(mirror.status.phase)
    if (mirror.state is not None and mirror.state.simulated) or (
        mirror.status is not None and mirror.status.simulated
    ):
        found.append("simulated")
    return tuple(found)


def _heard(mirror: TableMirror, row: str, message: Message, now_s: float) -> TableMirror | None:  # noqa: PLR0911 - one case for each topic
    """One table after one message; None when it cannot be used."""
    payload = message.payload
    try:
        match row:
            case "availability":
                return replace(mirror, online={ONLINE: True, OFFLINE: False}.get(payload))
            case "status":
                status = msgspec.json.decode(payload, type=TableStatus) if payload else None
                return replace(mirror, status=status)
            case "state":
                return _with_state(mirror, payload)
            case "health":
                health = msgspec.json.decode(payload, type=dict[str, Any]) if payload else None
                return replace(mirror, health=health)
            case "event":
                return None if message.retained else _with_event(mirror, payload, now_s)
            case "film":
                film = msgspec.json.decode(payload, type=Film) if payload else None
                return replace(mirror, film=film)
            case "results":
                results = msgspec.json.decode(payload, type=Results) if payload else None
                return replace(mirror, results=results)
            case "trace":
                return mirror
            case _:
                return None
    except UNREADABLE:
        # Somebody else's message on our topic, or a table newer than this display.
        return None


def _with_state(mirror: TableMirror, payload: bytes) -> TableMirror | None:
    if not payload:
        return replace(mirror, state=None)
    new = msgspec.json.decode(payload, type=Scoreboard)
    if new.table != mirror.table or not supersedes(new, mirror.state):
        return None
    # They became a topple, or the round ended otherwise; of another game nobody knows.
    goes_on = _same_game(new, mirror.state) and new.phase not in ("idle", "clear", "over")
    return replace(mirror, state=new, suspicions=mirror.suspicions if goes_on else ())


def _with_event(mirror: TableMirror, payload: bytes, now_s: float) -> TableMirror:
    """Only a suspicion and its end count: all else is in the state that follows."""
    told = msgspec.json.decode(payload, type=EventPayload)
    if told.type not in ("suspected", "dismissed") or not _same_game(told, mirror.state):
        return mirror
    others = tuple(one for one in mirror.suspicions if one.id != told.data.get("id"))
    if told.type == "dismissed":
        return replace(mirror, suspicions=others)
    new = msgspec.convert(told.data, type=Suspicion)
    new = msgspec.structs.replace(new, until_s=now_s + new.valid_s)
    return replace(mirror, suspicions=(*others, new)[-MOST_SUSPICIONS:])


def _of_this_round(film: Film, mirror: TableMirror | None) -> bool:
    """Whether what fell is still what people talk of: until pieces of another round stand."""
    state = mirror.state if mirror else None
    return state is not None and (film.round in (0, state.round) or not state.board)


def _suspected(mirror: TableMirror, now_s: float) -> float | None:
    believed = [one.probability for one in mirror.suspicions if now_s < one.until_s]
    return max(believed, default=None)


def supersedes(new: Scoreboard, shown: Scoreboard | None) -> bool:
    """Whether a state that arrived may replace the one shown.

    `rev` never goes back within a game, so an older one is an echo of the past.
    """
    if shown is None or not _same_game(new, shown):
        return True
    return (new.rev, new.seq) >= (shown.rev, shown.seq)


def _same_game(new: Scoreboard | EventPayload, shown: Scoreboard | None) -> bool:
    return shown is not None and (new.boot, new.game) == (shown.boot, shown.game)


def _without_forgotten(tables: Mapping[str, TableMirror]) -> dict[str, TableMirror]:
    """A table whose retained topics were cleared (`table forget`) is no table any more."""
    return {
        name: mirror
        for name, mirror in tables.items()
        if (mirror.online, mirror.status, mirror.state, mirror.film) != (None,) * 4
    }
