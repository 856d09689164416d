"""Requests of phones to the scoreboard's server: join, take a seat, act.

The security is in who may see the PIN. It is shown on the table's own screen, which proves itself
by a token (`pages.scoreboard.screen`), on phones that have joined already, and on the terminal. A
phone that opens the watch page does not see it. A server without phones (`phones="off"`) cannot
send commands.
"""

import math
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.common import config
from controller.mqtt.topics import is_table_id
from controller.table.commands import CORRECTIONS, FORGET, HINTS, RECORD, VIEW, Reply
from engine.referee import VERBS
from engine.scoreboard import Scoreboard
from pages.costly import CostlyWork
from pages.guard import RequestRefused, client_of, parse_body, payer_of
from pages.mirror import Mirror
from pages.phone.commander import BusyError, Commander
from pages.phone.invite import address_for_phones, join_url, qr_code, reachable
from pages.phone.pin import PinDesk
from pages.phone.profiles import MOST_PROFILES, ProfileBook
from pages.phone.sessions import LASTS_S, SeatTakenError, Session, Sessions, TooManyPhonesError

Shown = config.Phones
"""Where the PIN stands: on the own screen and the terminal, on the terminal alone (strangers see
the screen), or nowhere since phones may not act here."""

COOKIE = "topple_phone"
_FROM_PHONES = (VIEW, CORRECTIONS, HINTS, RECORD, FORGET, *VERBS)
SILENT = ("no_broker", "unknown", "offline", "stale")
"""What is wrong when nobody can tell whether a command would arrive."""

SILENT_WORDS = {
    "no_broker": "the scoreboard has lost its broker; check that it runs",
    "unknown": "nothing has been heard from this table yet; is it running?",
    "offline": "the table is offline; switch it on",
    "stale": "the table has been silent for a while; is it still running?",
}


class Join(msgspec.Struct, frozen=True):
    """Somebody typed the PIN."""

    pin: str


class Sit(msgspec.Struct, frozen=True):
    """Somebody says who they are; None speaks for the whole table."""

    player: str | None = None


class Give(msgspec.Struct, frozen=True):
    """Whether the phone that asks for this one's seat gets it."""

    give: bool


class EmptyBody(msgspec.Struct, frozen=True):
    """A request without data."""


class ShownDocument(msgspec.Struct, frozen=True):
    """The document that was on the screen when the button was pressed."""

    boot: str
    game: str | None
    rev: int


class Stay(msgspec.Struct, frozen=True):
    """Whether the seat's player is to have a profile."""

    stay: bool


class Act(msgspec.Struct, frozen=True):
    """A command, as a page sends it. The server adds the sender, not the page."""

    verb: str
    id: str
    seen: ShownDocument | None = None
    data: dict[str, Any] = {}


@dataclass(slots=True)
class TableAccess:
    """The way in to one table."""

    desk: PinDesk
    sessions: Sessions = field(default_factory=Sessions)
    told: str = ""


Handler = Callable[[Request, str], Awaitable[Response]]


class Phones:
    """The phones of all tables of one scoreboard.

    Args:
        mirror: gives what the scoreboard knows.
        commander: sends commands; None with `shown="off"`.
        shown: where the PIN stands.
        bound: host and port of the pages.
        announce: told a table and its PIN whenever there is a new one, for the terminal.
        own: whether a request comes from the own screen.
        profiles: of the players who stay.
        refused: told a table and its reply to what a phone asked of it in vain.
        clock: a steady clock, in seconds.
    """

    def __init__(
        self,
        mirror: Callable[[], Mirror],
        commander: Commander | None,
        *,
        shown: Shown = "screen",
        bound: tuple[str, int] = ("127.0.0.1", 8080),
        announce: Callable[[str, str], None] = lambda _table, _pin: None,
        own: Callable[[Request], bool] = lambda _request: False,
        profiles: ProfileBook | None = None,
        refused: Callable[[str, Reply], None] = lambda _table, _reply: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._mirror = mirror
        self._commander = commander
        self._shown = shown
        self._bound = bound
        self._announce = announce
        self._own = own
        self._profiles = profiles or ProfileBook()
        self._refused = refused
        self._clock = clock
        self._doors: dict[str, TableAccess] = {}

    @classmethod
    def none(cls) -> "Phones":
        """Those of a display."""
        return cls(Mirror, None, shown="off")

    def meet(self, tables: Iterable[str]) -> None:
        """Open a door for each new table; announce new and renewed PINs."""
        if self._commander is None:
            return
        for table in tables:
            now_s = self._clock()
            door = self._doors.setdefault(table, TableAccess(PinDesk(now_s)))
            pin = door.desk.pin(now_s)
            if pin != door.told:
                door.told = pin
                self._announce(table, pin)

    def routes(self, work: CostlyWork) -> list[Route]:
        """Everything under `/t/<table>/play` but the page itself."""
        gets: dict[str, Handler] = {
            "me": self._me,
            "invite": self._invite,
            "invite.svg": partial(self._qr, work),
            "profiles": self._who_stays,
        }
        posts = {"join": self._join, "leave": self._leave, "seat": self._sit, "give": self._give,
                 "do": self._do, "profile": self._stay, "renew": self._renew_pin}  # fmt: skip
        return [
            Route(f"/t/{{table}}/play/{name}", _at_table(handler), methods=[method])
            for method, handlers in (("GET", gets), ("POST", posts))
            for name, handler in handlers.items()
        ]

    def joined(self, request: Request, table: str) -> bool:
        """Whether a phone asks that has joined at this table."""
        door = self._doors.get(table)
        token = request.cookies.get(COOKIE)
        return door is not None and door.sessions.find(token, self._clock()) is not None

    def seated(self, table: str, within_s: float) -> tuple[str, ...]:
        """Players whose phone was heard of within so long. May be asked from any thread."""
        door = self._doors.get(table)
        return door.sessions.awake(self._clock(), within_s) if door else ()

    # --- looking ------------------------------------------------------------------------------

    async def _me(self, request: Request, table: str) -> Response:
        door = self._doors.get(table)
        session = door and door.sessions.find(request.cookies.get(COOKIE), self._clock())
        return _json(
            {
                "phones": self._commander is not None,
                "known": door is not None,
                "joined": session is not None,
                "own": self._own(request),
                "seat": (seat := self._seat(session, table) if session else None),
                "for_all": bool(session and session.for_all),
                "stays": seat is not None and self._profiles.stays(seat),
                "taken": door.sessions.taken() if door and session else (),
                **(self._claims(request, door, session) if door and session else {}),
            }
        )

    def _claims(self, request: Request, door: TableAccess, session: Session) -> dict[str, Any]:
        """What seats are asked for: this phone's, or by it; and the one it has lost."""
        token, now_s = request.cookies.get(COOKIE, ""), self._clock()
        return {
            "claimed": door.sessions.claimed(token, now_s),
            "claims": door.sessions.claims(token, now_s),
            "lost": session.lost,
        }

    async def _invite(self, request: Request, table: str) -> Response:
        door, pin = self._invitation(request, table)
        if door is None:
            return _json({"phones": self._commander is not None, "pin": None})
        address = address_for_phones(request.headers.get("host", ""), *self._bound)
        return _json(
            {
                "phones": True,
                "pin": pin,
                "url": join_url(address, table),
                "reachable": reachable(address),
                "screen": self._on_the_screen(request),
                "joined": len(door.sessions),
            }
        )

    async def _qr(self, work: CostlyWork, request: Request, table: str) -> Response:
        door, pin = self._invitation(request, table)
        if door is None:
            raise RequestRefused(403, "no-pin", "the QR code is on the big screen")
        address = address_for_phones(request.headers.get("host", ""), *self._bound)
        url = f"{join_url(address, table)}#{pin}"
        drawn = await work.made(partial(qr_code, url), payer_of(request), keep_as=url)
        return Response(drawn, media_type="image/svg+xml")

    async def _who_stays(self, request: Request, table: str) -> Response:
        # Names and records are for those at the table.
        allowed = self.joined(request, table) or self._on_the_screen(request)
        return _json({"profiles": self._profiles.shown() if allowed else ()})

    def _invitation(self, request: Request, table: str) -> tuple[TableAccess | None, str]:
        """The door and its PIN, for those who may see it."""
        door = self._doors.get(table)
        if door is None:
            return None, ""
        if not (self.joined(request, table) or self._on_the_screen(request)):
            return None, ""
        return door, door.desk.pin(self._clock())

    def _on_the_screen(self, request: Request) -> bool:
        return self._shown == "screen" and self._own(request)

    # --- doing --------------------------------------------------------------------------------

    async def _join(self, request: Request, table: str) -> Response:
        door = self._door(table)
        given = await parse_body(request, Join)
        now_s = self._clock()
        verdict = door.desk.attempt("".join(given.pin.split())[:64], client_of(request), now_s)
        self.meet([table])
        if not verdict.welcome:
            wait_s = math.ceil(verdict.wait_s)
            if wait_s:
                text = f"too many wrong PINs; wait {wait_s} s"
                raise RequestRefused(429, "wait", text, wait_s=wait_s)
            left = verdict.tries_left
            raise RequestRefused(
                403, "wrong-pin", f"this is not the PIN; {left} tries left", left=left
            )
        door.sessions.close(request.cookies.get(COOKIE))
        answer = _json({"ok": True})
        _give_cookie(answer, request, table, self._opened(door, request, now_s))
        return answer

    def _opened(self, door: TableAccess, request: Request, now_s: float) -> str:
        try:
            return door.sessions.open(now_s, payer_of(request))
        except TooManyPhonesError:
            text = (
                "too many phones have joined; leave with one, or make a new PIN on the big screen"
            )
            raise RequestRefused(503, "full-house", text) from None

    async def _leave(self, request: Request, table: str) -> Response:
        door = self._door(table)
        await parse_body(request, EmptyBody)
        door.sessions.close(request.cookies.get(COOKIE))
        answer = _json({"ok": True})
        answer.delete_cookie(COOKIE, path=f"/t/{table}")
        return answer

    async def _sit(self, request: Request, table: str) -> Response:
        door = self._door(table)
        wanted = (await parse_body(request, Sit)).player
        token, _ = self._joined(request, door)
        if wanted is not None and wanted not in self._names(table):
            raise RequestRefused(404, "unknown-player", f"{wanted} does not play in this game")
        try:
            taken_over = door.sessions.sit(token, wanted, self._clock())
        except SeatTakenError:
            text = f"another phone has {wanted}'s seat; it is asked now whether to give it"
            raise RequestRefused(409, "seat-taken", text) from None
        return _json({"ok": True, "seat": wanted, "taken_over": taken_over})

    async def _give(self, request: Request, table: str) -> Response:
        """Whether another phone gets the seat of this one, which it asked for."""
        door = self._door(table)
        answer = await parse_body(request, Give)
        token, _ = self._joined(request, door)
        door.sessions.give(token, self._clock(), yes=answer.give)
        return _json({"ok": True})

    async def _stay(self, request: Request, table: str) -> Response:
        """A profile for the player of this phone's seat, or none any more, and nothing of it."""
        wanted = await parse_body(request, Stay)
        _, session = self._joined(request, self._door(table))
        player = self._seat(session, table)
        if player is None:
            raise RequestRefused(403, "no-seat", "take your seat first")
        if not wanted.stay:
            self._profiles.leave(player)
        elif not self._profiles.stay(player, self._mirror().results(table)):
            raise RequestRefused(409, "full", f"there are {MOST_PROFILES} profiles already")
        return _json({"ok": True})

    async def _do(self, request: Request, table: str) -> Response:
        door = self._door(table)
        act = await parse_body(request, Act)
        token, session = self._joined(request, door)
        if not door.sessions.admits_act(token, self._clock()):
            raise RequestRefused(503, "busy", "too much from this phone at once; try again soon")
        player = self._seat(session, table)
        board = self._board(table)
        if act.verb not in _FROM_PHONES or not 8 <= len(act.id) <= 40:
            raise RequestRefused(400, "unknown-verb", f"the table knows no {act.verb!r}")
        if act.verb == VIEW:
            if player is None:
                raise RequestRefused(403, "no-seat", "take your seat to see your hand")
            rev = None
        else:
            # A recording is no part of the game, nor are those before it; to look harms nobody.
            rev = None if act.verb in (CORRECTIONS, RECORD, FORGET) else _rev_of(act.seen, board)
        reply = await self._asked(table, act, f"{session.name}-{act.id}", player, rev)
        if not reply.ok and act.verb not in (VIEW, CORRECTIONS):
            self._refused(table, reply)
        return _json(reply)

    async def _asked(
        self, table: str, act: Act, key: str, player: str | None, rev: int | None
    ) -> Reply:
        if self._commander is None:
            raise _no_phones()
        try:
            reply = await self._commander.ask(
                table, act.verb, key=key, player=player, rev=rev, data=act.data
            )
        except BusyError:
            raise RequestRefused(503, "busy", "too many commands at once; try again") from None
        if reply is None:
            text = (
                "the table did not answer. Is it running, and may this scoreboard send commands "
                "(user controller at the broker)?"
            )
            raise RequestRefused(504, "no-answer", text)
        return reply

    async def _renew_pin(self, request: Request, table: str) -> Response:
        """A new PIN, and everybody has to join again: for the big screen only."""
        door = self._door(table)
        await parse_body(request, EmptyBody)
        if not self._on_the_screen(request):
            raise RequestRefused(403, "no-pin", "a new PIN is made on the big screen")
        door.desk.renew(self._clock())
        door.sessions.close_all()
        self.meet([table])
        return _json({"ok": True})

    # --- small things -------------------------------------------------------------------------

    def _door(self, table: str) -> TableAccess:
        if self._commander is None:
            raise _no_phones()
        if table not in self._doors:
            raise RequestRefused(404, "unknown", SILENT_WORDS["unknown"])
        return self._doors[table]

    def _joined(self, request: Request, door: TableAccess) -> tuple[str, Session]:
        token = request.cookies.get(COOKIE, "")
        session = door.sessions.find(token, self._clock())
        if session is None:
            raise RequestRefused(401, "not-joined", "join first: the PIN is on the big screen")
        return token, session

    def _seat(self, session: Session, table: str) -> str | None:
        """The session's player, if that is one of this game's."""
        return session.player if session.player in self._names(table) else None

    def _names(self, table: str) -> tuple[str, ...]:
        mirror = self._mirror().tables.get(table)
        board = mirror.state if mirror else None
        return tuple(player.name for player in board.players) if board else ()

    def _board(self, table: str) -> Scoreboard:
        """The document to act on, while it can be trusted to be the newest."""
        view = self._mirror().view(table, self._clock())
        silent = next((notice for notice in view.notices if notice in SILENT), None)
        if silent is not None or view.board is None:
            code = silent or "unknown"
            raise RequestRefused(503, code, SILENT_WORDS[code])
        return view.board


def _rev_of(seen: ShownDocument | None, board: Scoreboard) -> int:
    """The revision that was looked at, if it is of this game and this run of the table."""
    if seen is None:
        raise RequestRefused(400, "bad-json", "say which document was seen")
    if (seen.boot, seen.game) != (board.boot, board.game):
        text = "the game has gone on meanwhile; look again and press again"
        raise RequestRefused(409, "stale-rev", text)
    return seen.rev


def _no_phones() -> RequestRefused:
    return RequestRefused(403, "off", "this scoreboard only shows; it cannot act")


def _at_table(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return await handler(request, _table(request))

    return answer


def _table(request: Request) -> str:
    table = str(request.path_params["table"])
    if not is_table_id(table):
        raise RequestRefused(404, "unknown", SILENT_WORDS["unknown"])
    return table


def _give_cookie(answer: Response, request: Request, table: str, token: str) -> None:
    answer.set_cookie(
        COOKIE, token, path=f"/t/{table}", httponly=True, samesite="strict",
        max_age=int(LASTS_S), secure=request.url.scheme == "https",
    )  # fmt: skip


def _json(document: object, status: int = 200) -> Response:
    # Hands and PINs must not stay in a cache; the application's own header says no-cache.
    return Response(msgspec.json.encode(document), status, media_type="application/json")
