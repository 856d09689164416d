"""The web application: pages, scripts and streams. Only requests of phones change anything.

Everything comes from this machine, made of the files of the pages (`pages/files.py`) as they lie
there: each page with one script and one style (`pages/packed.py`). Names and words of players
travel as JSON and are set as text by the scripts; no page is ever put together from them.
"""

import logging
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.common.errors import ControllerError
from controller.mqtt.topics import is_table_id
from pages import game_pages
from pages.costly import CostlyWork
from pages.evening.keepsakes import Keepsakes
from pages.feed import Feed, TooManyBrowsersError
from pages.files import PageFiles
from pages.game.games import Games
from pages.guard import RequestRefused, payer_of
from pages.health.metrics import Metrics
from pages.hosts import HostCheck, HostNames
from pages.packed import PAGES, at, part
from pages.phone.play import Phones
from pages.scoreboard.screen import OwnScreen
from pages.sounds.callers import Callers

_log = logging.getLogger(__name__)

LIST = ""
"""Key of the list of tables in the feed; no table can have this id."""

Support = Callable[[str], Callable[[], bytes] | None]
"""What packs the support bundle (ZIP) of a table; None when this process has none of that table."""

League = Callable[[], bytes]
"""Gives the standings as JSON; in a thread of its own, since it reads a database."""


def no_support(_table: str) -> None:
    """The support of a display, which knows a table from its messages only."""


def health_key(table: str) -> str:
    """Key of a table's health in the feed."""
    return f"{table}/health"


SECURITY_HEADERS = {
    # Scripts, styles, pictures and streams from here and nowhere else; nothing written inline.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; frame-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

LISTENS = {**SECURITY_HEADERS, "permissions-policy": "camera=(), geolocation=(), microphone=(self)"}
"""Of the phones' page, which takes voice commands."""

UNLESS_TOLD = {
    # An updated table must not be shown by last year's script; what has its hash in its address
    # says itself how long it may be kept.
    "cache-control": "no-cache",
}


class SecurityHeaders:
    """Puts `SECURITY_HEADERS` on every answer, errors included, and what else it does not say."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                listens = message["status"] < 400 and scope.get("path", "").endswith("/play")
                _add_headers(message, LISTENS if listens else SECURITY_HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _add_headers(message: MutableMapping[str, Any], secure: Mapping[str, str]) -> None:
    given = [pair for pair in message["headers"] if pair[0].decode() not in SECURITY_HEADERS]
    names = {name.decode() for name, _ in given}
    added = {**secure} | {k: v for k, v in UNLESS_TOLD.items() if k not in names}
    ours = [(name.encode(), value.encode()) for name, value in added.items()]
    message["headers"] = [*given, *ours]


def application(
    feed: Feed,
    support: Support = no_support,
    *,
    phones: Phones | None = None,
    league: League | None = None,
    screen: OwnScreen | None = None,
    keepsakes: Keepsakes | None = None,
    games: Games | None = None,
    more: Sequence[Route] = (),
    names: HostNames | None = None,
    work: CostlyWork | None = None,
    metrics: Metrics | None = None,
    callers: Callers | None = None,
) -> ASGIApp:
    """The whole web application over one feed.

    Pages: `/` the list of tables, `/side-by-side` two of them on one screen, `/rules` of the
    games, `/sounds` of one's own and the caller's, with its packs under `/callers.json` and
    `/callers`, `/t/<table>` one scoreboard, `/t/<table>/overlay` the same for a
    broadcast, `/t/<table>/play` for phones, with what they ask under it, `/t/<table>/evening` the
    games of the evening, `/t/<table>/game` one of them move by move, `/t/<table>/past` all that
    are kept, `/t/<table>/health` how the table is. Streams (server-sent events): `/stream`,
    `/t/<table>/stream`, `/t/<table>/health/stream`. The documents of `keepsakes` and of `games`,
    `/t/<table>/support.zip` where the table runs in this process, `/league` with `/league.json`
    where there is one, `/metrics` for whoever knows their token, `/clock` to time the way to a
    screen, `/healthz` for the service manager, and `more`. Without `phones` it is a display;
    without `screen` no browser is the own screen.
    Requests for another host than `names` (this machine's) are refused. What costs more than
    reading is done by `work`.
    """
    phones = phones or Phones.none()
    work = work or CostlyWork()
    routes = [
        Route("/", _page("index.html", screen)),
        Route("/t/{table}", _page("table.html", screen)),
        Route("/t/{table}/overlay", _page("overlay.html", screen)),
        Route("/rules", _page("rules.html", screen)),
        Route("/sounds", _page("sounds.html", screen)),
        *(callers or Callers()).routes(work),
        Route("/side-by-side", _page("side_by_side.html", screen)),
        Route("/t/{table}/play", _page("play.html", screen)),
        *phones.routes(work),
        Route("/stream", _stream(feed, screen)),
        Route("/t/{table}/stream", _stream(feed, screen)),
        Route("/t/{table}/health", _page("health.html", screen)),
        Route("/t/{table}/health/stream", _stream(feed, screen, health_key)),
        Route("/t/{table}/evening", _page("evening.html", screen)),
        *(keepsakes or Keepsakes()).routes(work),
        Route("/t/{table}/game", _page("game.html", screen)),
        Route("/t/{table}/past", _page("past.html", screen)),
        *(games or Games()).routes(),
        Route("/t/{table}/support.zip", _support(support, phones, screen, work)),
        *_league(league, work),
        *(metrics.routes() if metrics else ()),
        *more,
        Route("/clock", _clock),
        Route("/healthz", _healthz(feed)),
        Route(at("{file}"), part),
        *game_pages.routes(),
        Mount("/static", PageFiles()),
    ]
    app = Starlette(routes=routes, exception_handlers=REFUSALS)
    return SecurityHeaders(HostCheck(app, names or HostNames.of_this_machine()))


async def _refused(_request: Request, refused: Any) -> Response:
    told = {"ok": False, "code": refused.code, "msg": str(refused), **refused.extra}
    return JSONResponse(told, refused.status)


async def _not_found(request: Request, _reason: Any) -> Response:
    # A script that asks for a file is told in a line; a person gets a page.
    if "text/html" not in request.headers.get("accept", ""):
        return _not_a_table() if not _known_shape(request) else Response("Not Found", 404)
    return await PAGES["not_found.html"].answer(request, 404)


REFUSALS: Mapping[Any, Any] = {RequestRefused: _refused, 404: _not_found}
"""How all our pages answer a refused request: its code, and words in English; and what is not."""


def _page(name: str, screen: OwnScreen | None = None) -> Any:
    async def page(request: Request) -> Response:
        if not _known_shape(request):
            return await _not_found(request, None)
        if screen is not None and (greeting := screen.greet(request)) is not None:
            return greeting
        return await PAGES[name].answer(request)

    return page


def _stream(feed: Feed, screen: OwnScreen | None, key_of: Callable[[str], str] = str) -> Any:
    async def stream(request: Request) -> Response:
        if not _known_shape(request):
            return _not_a_table()
        try:
            events = feed.watch(
                key_of(request.path_params.get("table", LIST)),
                who=payer_of(request),
                own=screen is not None and screen.proves(request),
            )
        except TooManyBrowsersError:
            text = "Too many displays are watching already. Close some and try again.\n"
            return Response(text, 503, {"retry-after": "30"}, "text/plain")
        # nginx and its kin would otherwise hold the events back.
        return StreamingResponse(
            events, headers={"x-accel-buffering": "no"}, media_type="text/event-stream"
        )

    return stream


def _healthz(feed: Feed) -> Any:
    async def healthz(_request: Request) -> Response:
        return JSONResponse({"ok": True, "watching": feed.watching})

    return healthz


def _support(support: Support, phones: Phones, screen: OwnScreen | None, work: CostlyWork) -> Any:
    async def bundle(request: Request) -> Response:
        if not _known_shape(request):
            return _not_a_table()
        table = request.path_params["table"]
        # It holds names, moves and settings, and packing it is work.
        if not (phones.joined(request, table) or (screen is not None and screen.proves(request))):
            text = "Join this table with its PIN first, or ask on its own screen.\n"
            return Response(text, 403, media_type="text/plain")
        pack = support(table)
        if pack is None:
            text = "This machine only shows the table. Ask the one that runs it.\n"
            return Response(text, 404, media_type="text/plain")
        name = f"topple-table-{table}-support.zip"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        found = await work.made(pack, payer_of(request))
        return Response(found, headers=headers, media_type="application/zip")

    return bundle


def _league(league: League | None, work: CostlyWork) -> list[Route]:
    if league is None:
        return []

    async def standings(request: Request) -> Response:
        try:
            found = await work.made(league, payer_of(request))
        except ControllerError as error:
            _log.warning("The league cannot be read: %s", error)
            return Response("The league cannot be read just now.\n", 503, media_type="text/plain")
        return Response(found, media_type="application/json")

    return [Route("/league", _page("league.html")), Route("/league.json", standings)]


async def _clock(_request: Request) -> Response:
    return JSONResponse({"unix_s": time.time()})


def _known_shape(request: Request) -> bool:
    table = request.path_params.get("table")
    return table is None or is_table_id(table)


def _not_a_table() -> Response:
    text = "No table can have this name: 1 to 32 lower-case letters, digits and hyphens.\n"
    return Response(text, 404, media_type="text/plain")
