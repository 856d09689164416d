"""The scoreboard process: an MQTT client and a web server, and nothing else.

A display only receives. With `phones` it also sends the commands of phones that have joined, and
receives the replies.

Threads: `mqtt` (and its network thread) receives, `scoreboard` runs the event loop of the web
server; messages are handed over with `call_soon_threadsafe`. The mirror belongs to the event loop.
"""

import asyncio
import contextlib
import errno
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec
import uvicorn
from starlette.requests import HTTPConnection
from starlette.routing import Route
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from controller.common.errors import ControllerError
from controller.common.shutdown import Stopping, stop_on_signals
from controller.common.systemd import Notifier
from controller.common.terminal import say
from controller.mqtt.client import BrokerAddress, BrokerPlace, ConnectionStatus, Message, Mqtt
from controller.mqtt.client_ids import fresh
from controller.mqtt.topics import Publication, reply_filter
from controller.table.commands import Reply
from controller.table.film import Film
from controller.table.trace import TracePoint
from engine.errors import UNREADABLE
from engine.results import Results
from engine.scoreboard import EventPayload
from pages.app import LIST, League, application, health_key
from pages.connection_limits import ConnectionLimiter, Entrance, LimiterMiddleware, places, quietly
from pages.evening.keepsakes import Keepsakes
from pages.feed import Feed
from pages.game.games import Games
from pages.guard import RequestRefused
from pages.health.metrics import Metrics
from pages.health.support import Documents, SupportDesk
from pages.hosts import HostNames
from pages.mirror import FILTERS, Mirror
from pages.phone.commander import BusyError, Commander
from pages.phone.invite import address_for_phones, join_url
from pages.phone.play import SILENT, Phones, Shown
from pages.phone.profiles import ProfileBook
from pages.scoreboard.screen import OwnScreen
from pages.sounds.callers import Callers

BACKLOG = 64
"""Connections that wait to be accepted, and that are accepted in one go."""

TICK_S = 1.0
"""How often to look for silent tables and for idle connections."""

PORTS_TO_TRY = 20
LAST_PORT = 65535


class WebUnavailableError(ControllerError):
    """The web server could not start; the message says why and what to do."""


class ScoreboardServer:
    """Shows the tables of a broker to browsers.

    Args:
        broker: where the tables publish, or what knows where that is now.
        host: address to serve on; `0.0.0.0` for the whole network.
        port: first port to try.
        quiet: leave it to somebody else in this process to say how the broker is.
        support: where the table runs in this process, its support bundles.
        phones: where the PIN stands by which phones join; `off` makes it a display that has
            nothing to send commands with.
        league: gives the standings as JSON, where a league is to be shown too.
        screen_file: where a page goes that leads the own screen here; see `OwnScreen`.
        alive: told once a second, by the loop that serves, what its steady clock says.
        profiles: file of the players who stay; without one they are forgotten at the end.
        visit: pages of a table at which anybody may sit down, with the table's id.
        names: hosts for which to answer beside this machine's own; see `pages.hosts`.
        metrics_token: who sends it may have the tables' figures; None for nobody.
        callers: folder of the owner's caller packs; see `pages.sounds.callers`.
    """

    def __init__(
        self,
        broker: BrokerAddress | BrokerPlace,
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        quiet: bool = False,
        support: SupportDesk | None = None,
        phones: Shown = "off",
        league: League | None = None,
        screen_file: Path | None = None,
        alive: Callable[[float], None] = lambda _now_s: None,
        profiles: Path | None = None,
        visit: tuple[str, Sequence[Route]] = ("", ()),
        names: tuple[str, ...] = (),
        metrics_token: str | None = None,
        callers: Path | None = None,
    ) -> None:
        self._support = support
        self._has_league = league is not None
        self._open_table = visit[0]
        self._host = host
        self._names = HostNames.of_this_machine((*names, host))
        self._alive = alive
        self._mirror = Mirror()
        self._feed = Feed(self._render)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._door = ConnectionLimiter(places())
        self._socket = Entrance(_listen(host, port), self._door)
        self.port = int(self._socket.getsockname()[1])
        self._screen = OwnScreen(self.url, self.port, screen_file)
        client = fresh("scoreboard")
        acts = phones != "off"
        self._commander = Commander(self._publish, client) if acts else None
        self._profiles = ProfileBook(profiles)
        self._phones = Phones(
            lambda: self._mirror,
            self._commander,
            shown=phones,
            bound=(host, self.port),
            announce=self._announce,
            own=self._screen.proves,
            profiles=self._profiles,
            refused=self._refused,
        )
        self._metrics = Metrics(metrics_token, lambda: self._mirror) if metrics_token else None
        self._callers = Callers(callers)
        self._server = uvicorn.Server(self._configured(league, visit[1]))
        self._mqtt = Mqtt(
            broker,
            client,
            subscriptions=(*FILTERS, reply_filter(client)) if acts else FILTERS,
            on_connection=self._on_connection,
            quiet=quiet,
        )
        self._mqtt.on_message(self._on_message)
        self._thread = threading.Thread(target=self._run, name="scoreboard", daemon=True)
        self._ready = threading.Event()

    @property
    def url(self) -> str:
        """Address of the list of tables, as a browser on this machine reaches it."""
        host = "127.0.0.1" if self._host in ("0.0.0.0", "::", "") else self._host  # noqa: S104
        return f"http://{host}:{self.port}/"

    def screen_url(self, table: str = "") -> str:
        """What to open on the own screen: the list of tables, or one of them."""
        return self._screen.address(f"t/{table}" if table else "")

    def seated(self, table: str, within_s: float) -> tuple[str, ...]:
        """Players whose phone was heard of within so long. May be asked from any thread."""
        return self._phones.seated(table, within_s)

    def _configured(self, league: League | None, more: Sequence[Route]) -> uvicorn.Config:
        pages = application(
            self._feed, self._bundle, phones=self._phones, league=league, screen=self._screen,
            keepsakes=Keepsakes(self._film, self._results, (self._host, self.port)),
            games=self._games(), more=more, names=self._names, metrics=self._metrics,
            callers=self._callers,
        )  # fmt: skip
        # A proxy's word on who asks counts for the pages, but a connection is a connection.
        # Its types are narrower than those of Starlette.
        marked: Any = ProxyHeadersMiddleware(cast("Any", pages))
        return uvicorn.Config(
            LimiterMiddleware(
                marked, self._door, lambda scope: self._screen.proves(HTTPConnection(scope))
            ),
            # Below that uvicorn notes each request that it does not understand.
            log_level="error",
            access_log=False,
            proxy_headers=False,
            ws="none",
            backlog=BACKLOG,
            timeout_graceful_shutdown=1,
            lifespan="off",
        )

    def _games(self) -> Games:
        def silent(table: str) -> bool:
            return bool({*self._mirror.notices(table, time.monotonic())} & {*SILENT})

        def results(table: str) -> Results | None:
            return self._mirror.results(table)

        def film(table: str) -> Film | None:
            return self._mirror.film(table)

        if self._commander is None:
            return Games(results=results)
        return Games(self._ask, results, silent, film)

    async def _ask(self, table: str, verb: str, key: str, data: dict[str, Any]) -> Reply | None:
        """Ask a table for what changes nothing."""
        if self._commander is None:
            return None
        try:
            return await self._commander.ask(table, verb, key=key, player=None, rev=None, data=data)
        except BusyError:
            raise RequestRefused(503, "busy", "too much is asked for at once; try again") from None

    def start(self) -> None:
        """Serve from a thread of its own; returns when pages can be fetched."""
        self._thread.start()
        self._ready.wait(10.0)

    def stop(self) -> None:
        """End the streams, the server and the connection."""
        self._mqtt.stop()
        if self._loop is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._shut)
        self._thread.join(timeout=5.0)

    def wait(self, stopping: Stopping) -> None:
        """Until `stopping` is set or the server ends by itself."""
        while self._thread.is_alive() and not stopping.wait(0.2):
            pass

    def _shut(self) -> None:
        self._feed.close()
        self._server.should_exit = True

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(quietly)
        self._mqtt.start()
        ticking = asyncio.create_task(self._tick(), name="tick")
        self._loop.call_soon(self._ready.set)
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            ticking.cancel()
            self._ready.set()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._phones.meet(self._mirror.tables)
            self._feed.refresh()
            self._socket.send_idle_away()
            self._alive(time.monotonic())

    def _on_message(self, message: Message) -> None:
        heard_unix_s = time.time()
        self._in_loop(lambda: self._hear(message, heard_unix_s))

    def _hear(self, message: Message, heard_unix_s: float) -> None:
        if self._commander is not None and self._commander.receive(message):
            return
        mirror = self._mirror.updated(message, time.monotonic())
        if message.at.row == "trace":
            # It changes no document but, once a second, its freshness.
            self._mirror = mirror
            self._pass_on(message, heard_unix_s)
        else:
            self._show(mirror)
            if message.at.row == "results" and (told := mirror.results(message.at.table)):
                self._profiles.hear(told)
            elif message.at.row == "event":
                self._refused_at_the_table(message)

    def _film(self, table: str) -> bytes | None:
        film = self._mirror.film(table)
        return None if film is None else msgspec.json.encode(film)

    def _results(self, table: str) -> bytes | None:
        results = self._mirror.results(table)
        return None if results is None else msgspec.json.encode(results)

    def _pass_on(self, message: Message, heard_unix_s: float) -> None:
        """Send a point of the trace to the browsers that watch; it is not kept."""
        if message.retained:
            return
        try:
            point = msgspec.json.decode(message.payload, type=TracePoint)
        except UNREADABLE:
            return
        document = msgspec.json.encode({"heard_s": round(heard_unix_s, 3), "point": point})
        self._feed.tell((message.at.table, health_key(message.at.table)), "trace", document)

    def _refused(self, table: str, reply: Reply) -> None:
        """Send to who watches why something was not done; its own words are for who asked."""
        told = {"code": reply.code, "reason": reply.reason}
        self._feed.tell((table,), "refused", msgspec.json.encode(told))

    def _refused_at_the_table(self, message: Message) -> None:
        """Pass on what its own buttons asked for in vain, as what a phone did."""
        try:
            told = msgspec.json.decode(message.payload, type=EventPayload)
        except UNREADABLE:
            return
        if told.type == "refused" and not message.retained:
            reason = str(told.data.get("reason"))
            self._refused(message.at.table, Reply(False, told.rev, code="illegal", reason=reason))

    def _publish(self, publication: Publication) -> None:
        self._mqtt.publish(publication)

    def _announce(self, table: str, pin: str) -> None:
        url = join_url(address_for_phones("", self._host, self.port), table)
        say(f"Phones:     {url}   PIN {pin[:3]} {pin[3:]}")

    def _on_connection(self, connection: ConnectionStatus) -> None:
        self._in_loop(lambda: self._show(self._mirror.connected(connection)))

    def _in_loop(self, work: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(work)

    def _show(self, mirror: Mirror) -> None:
        if mirror is not self._mirror:
            self._mirror = mirror
            self._phones.meet(mirror.tables)
            self._feed.refresh()

    def _render(self, key: str) -> bytes:
        now_s = time.monotonic()
        if key == LIST:
            broker = self._mirror.broker
            document = {
                "broker": broker.text,
                "up": broker.up,
                "tables": self._mirror.lines(now_s),
                "league": self._has_league,
            }
            return msgspec.json.encode(document)
        table, _, page = key.partition("/")
        if page:
            ours = self._support is not None and self._support.table == table
            return msgspec.json.encode(self._mirror.health(table, now_s, support=ours))
        view = self._mirror.view(
            table, now_s, league=self._has_league, visit=table == self._open_table
        )
        return msgspec.json.encode(view)

    def _bundle(self, table: str) -> Callable[[], bytes] | None:
        if self._support is None or self._support.table != table:
            return None
        mirror = self._mirror.tables.get(table)
        documents = Documents(
            status=mirror.status if mirror else None,
            state=mirror.state if mirror else None,
            health=mirror.health if mirror else None,
        )
        return partial(self._support.bundle, documents)


def serve(
    broker: BrokerAddress,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    phones: Shown = "off",
    league: League | None = None,
    screen_file: Path | None = None,
    profiles: Path | None = None,
    names: tuple[str, ...] = (),
    metrics_token: str | None = None,
    callers: Path | None = None,
) -> int:
    """Run a `ScoreboardServer` until it is interrupted (`topple-table scoreboard`).

    When the broker cannot be reached the pages are served all the same and say so.

    Returns:
        Exit code: 0 after an interrupt, 2 when the address cannot be served on.
    """
    supervisor = Notifier()
    try:
        server = ScoreboardServer(
            broker, host=host, port=port, phones=phones, league=league,
            screen_file=screen_file, profiles=profiles, alive=supervisor.alive, names=names,
            metrics_token=metrics_token, callers=callers,
        )  # fmt: skip
    except ControllerError as error:
        print(f"scoreboard: {error}")
        return 2
    stopping = Stopping()
    stop_on_signals(stopping)
    server.start()
    say(f"Scoreboard: {server.screen_url()}   (broker {broker})")
    if screen_file is not None:
        say(f"Own screen: file://{screen_file.absolute()}")
    supervisor.ready(f"Pages on {server.url}, broker {broker}")
    server.wait(stopping)
    supervisor.stopping()
    server.stop()
    return 0


def _listen(host: str, port: int) -> socket.socket:
    ports = [0] if port == 0 else range(port, port + PORTS_TO_TRY)
    text = "there is no such port"
    for candidate in ports:
        if candidate > LAST_PORT:
            break
        try:
            return socket.create_server((host, candidate), backlog=BACKLOG)
        except OSError as error:
            # Below zero are the resolver's numbers, in what create_server makes of them.
            if error.errno is not None and error.errno < 0:
                raise _no_address(host, port, "there is no such address") from None
            if error.errno == errno.EADDRNOTAVAIL:
                raise _no_address(host, port, "this machine has no such address") from None
            # Python adds the address, which the message has already.
            text = os.strerror(error.errno or errno.EADDRINUSE)
    raise WebUnavailableError(
        f"cannot serve pages on {host} port {port}: {text}. "
        "Name another port, or stop the program that uses it."
    )


def _no_address(host: str, port: int, text: str) -> WebUnavailableError:
    return WebUnavailableError(
        f"cannot serve pages on {host} port {port}: {text}. "
        "Use 127.0.0.1 for this machine only, 0.0.0.0 for the whole network."
    )
