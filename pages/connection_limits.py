"""Limits the connections to the pages: in total, for each address, and in time.

Each connection costs a file descriptor. If table and pages are one process, journal and broker need
descriptors too, and open connections of guests must never use them up. So there is a limit for all,
one for each address, and some places are reserved for this machine. Idle connections are closed.

`Entrance` is the listening socket, as an event loop uses it; `ConnectionLimiter` counts. All of it
belongs to that one loop.
"""

import contextlib
import errno
import ipaddress
import logging
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

_log = logging.getLogger(__name__)

MOST_CONNECTIONS = 600
"""Enough for `feed.MOST_BROWSERS` streams, and few enough that descriptors stay under 1024, which
is all that `select` of the MQTT client can watch."""

MOST_EACH = 64
"""Of one address: a browser takes seven; several people may stand behind one router."""

KEPT = 16
"""Of all, for this machine itself: two browsers."""

ENOUGH_FILES = 4096

IDLE_S = 10.0
"""Between connecting and a whole request, or between two. Browsers ask at once."""

UNHEARD_MS = 60_000
"""A phone that leaves the network does not close its connections. A connection ends when something
is not acknowledged for this long; the system's default is a quarter of an hour."""

TOLD_EVERY_S = 60.0
"""A line in the log about whom we have sent away, at most so often."""

_AT_ONCE = 64
"""Turned away before the loop may do something else."""

_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"retry-after: 30\r\nconnection: close\r\n\r\n"
    b"Too many connections are open already. Close some pages and try again.\n"
)

Peer = tuple[str, int]


def places() -> int:
    """How many connections this process can hold and still have descriptors for all else.

    Raises the soft limit of open files where that is allowed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = ENOUGH_FILES if hard == resource.RLIM_INFINITY else min(ENOUGH_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
            soft = enough
    return connections_for(ENOUGH_FILES if soft == resource.RLIM_INFINITY else soft)


def connections_for(files: int) -> int:
    """Of so many open files three eighths, and never fewer than 24, are for the rest of us.

    >>> connections_for(4096), connections_for(1024), connections_for(256)
    (600, 600, 160)
    """
    return max(KEPT + 1, min(MOST_CONNECTIONS, files * 5 // 8, files - 24))


def household(host: str) -> str:
    """What counts as one address; for IPv6 the 64-bit network, since a device chooses in it freely.

    >>> household("::ffff:192.168.1.7"), household("fe80::1%eth0"), household("tower")
    ('192.168.1.7', 'fe80::/64', 'tower')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def is_here(host: str) -> bool:
    """Whether this machine itself connects: its own screen, or a proxy for others."""
    return household(host) in ("127.0.0.1", "::1")


@dataclass(slots=True)
class Visitor:
    """One connection.

    Attributes:
        since_s: when it was last left without a request.
        asks: requests being answered; two while the first, whose answer the browser has, still
            closes its file and the next has come.
        kept: it has one of the places kept for this machine.
    """

    household: str
    since_s: float
    kept: bool = False
    asks: int = 0


class ConnectionLimiter:
    """Counts the connections, at most so many in all, by a steady clock."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._visitors: dict[Peer, Visitor] = {}
        self._each: Counter[str] = Counter()
        self._turned, self._told_s = 0, float("-inf")

    def __len__(self) -> int:
        return len(self._visitors)

    def enter(self, peer: Peer) -> bool:
        """Let a new connection in, or not."""
        here, who = is_here(peer[0]), household(peer[0])
        full = len(self._visitors) >= self._most - KEPT
        if (full and not here) or len(self._visitors) >= self._most:
            self._turn_away(f"{len(self._visitors)} are open", who)
            return False
        if not here and self._each[who] >= MOST_EACH:
            self._turn_away(f"{MOST_EACH} of this address are open", who)
            return False
        self.leave(peer)  # who broke off may come back by the same port before we see it
        self._visitors[peer] = Visitor(who, self._clock(), kept=full)
        self._each[who] += 1
        return True

    def leave(self, peer: Peer) -> None:
        """It is closed."""
        visitor = self._visitors.pop(peer, None)
        if visitor is not None:
            self._each[visitor.household] -= 1
            self._each += Counter()  # forgets those that have none left

    @contextlib.contextmanager
    def answering(self, peer: Peer) -> Iterator[Visitor]:
        """A whole request has come; its answer has gone when the block ends."""
        visitor = self._visitors.get(peer) or Visitor("", self._clock())
        visitor.asks += 1
        try:
            yield visitor
        finally:
            visitor.asks -= 1
            visitor.since_s = self._clock()

    def idle(self) -> list[Peer]:
        """Those who have asked for nothing for too long."""
        until_s = self._clock() - IDLE_S
        return [p for p, v in self._visitors.items() if not v.asks and v.since_s <= until_s]

    def exhausted(self, text: str) -> None:
        """No descriptor was left for who wanted to connect."""
        self._tell("nobody can connect for a second (%s)", text)

    def _turn_away(self, why: str, who: str) -> None:
        self._turned += 1
        if self._tell("%d connections turned away, the last of %s (%s)", self._turned, who, why):
            self._turned = 0

    def _tell(self, text: str, *values: object) -> bool:
        now_s = self._clock()
        if now_s - self._told_s < TOLD_EVERY_S:
            return False
        self._told_s = now_s
        _log.warning(f"Pages: {text}", *values)
        return True


class WatchedConnection(socket.socket):
    """A connection that says when it is closed."""

    def __init__(self, raw: socket.socket, closed: Callable[[], None]) -> None:
        super().__init__(raw.family, raw.type, raw.proto, fileno=raw.detach())
        self._tell_closed = closed

    def close(self) -> None:
        """Close it; more than once does no harm."""
        super().close()
        self._tell_closed()


class Entrance(socket.socket):
    """A listening socket whose `accept` gives only the connections that the door allows.

    It takes over `raw`, which listens already.
    """

    def __init__(self, raw: socket.socket, door: ConnectionLimiter) -> None:
        super().__init__(raw.family, raw.type, raw.proto, fileno=raw.detach())
        self._door = door
        self._inside: dict[Peer, WatchedConnection] = {}
        self._exhausted = False

    def accept(self) -> tuple[socket.socket, Any]:
        """The next one who may come in.

        Raises:
            BlockingIOError: there is none just now.
            OSError: no file descriptor is left; once, so that the event loop pauses.
        """
        for _ in range(_AT_ONCE):
            raw, address = self._accepted()
            peer = (str(address[0]), int(address[1]))
            if self._door.enter(peer):
                return self._let_in(raw, peer), address
            _turn_away(raw)
        raise BlockingIOError

    def send_idle_away(self) -> None:
        """Close idle connections; call it about every second."""
        for peer in self._door.idle():
            # The event loop sees the end and closes it.
            with contextlib.suppress(OSError):
                self._inside[peer].shutdown(socket.SHUT_RDWR)

    def _accepted(self) -> tuple[socket.socket, Any]:
        try:
            found = super().accept()
        except OSError as error:
            if error.errno not in _EXHAUSTED:
                raise
            self._exhausted = not self._exhausted
            if self._exhausted:
                self._door.exhausted(error.strerror or str(error))
                raise
            # asyncio pauses for a second after the first, but would still finish its round, with
            # a trace in the log for each try.
            raise BlockingIOError from None
        self._exhausted = False
        return found

    def _let_in(self, raw: socket.socket, peer: Peer) -> WatchedConnection:
        def closed() -> None:
            if self._inside.get(peer) is connection:
                del self._inside[peer]
                self._door.leave(peer)

        connection = WatchedConnection(raw, closed)
        self._inside[peer] = connection
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNHEARD_MS)
        return connection


def _turn_away(raw: socket.socket) -> None:
    with contextlib.suppress(OSError):
        raw.setblocking(False)
        raw.send(_FULL)
    raw.close()


class LimiterMiddleware:
    """Reports requests to the connection limiter, and reserves places for the table's own screen.

    Args:
        app: what is behind.
        door: counts.
        own: whether a request proves to come from the own screen. Connecting from this machine
            is enough for a kept place, but not for an answer: a proxy may speak for anybody.
    """

    def __init__(self, app: ASGIApp, door: ConnectionLimiter, own: Callable[[Scope], bool]) -> None:
        self._app, self._door, self._own = app, door, own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        client = scope.get("client")
        if scope["type"] != "http" or client is None:
            await self._app(scope, receive, send)
            return
        with self._door.answering((client[0], client[1])) as visitor:
            if visitor.kept and not self._own(scope):
                await _full(send)
            else:
                await self._app(scope, receive, send)


async def _full(send: Send) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"retry-after", b"30"),
               (b"connection", b"close")]  # fmt: skip
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": _FULL.partition(b"\r\n\r\n")[2]})


def quietly(loop: Any, context: dict[str, Any]) -> None:
    """Exception handler of a loop with an `Entrance`, which has said so already."""
    found = context.get("exception")
    if not (isinstance(found, OSError) and found.errno in _EXHAUSTED):
        loop.default_exception_handler(context)
