"""The page on which visitors play at the simulated table.

It may do no more than its buttons: take a seat, roll, place, pass, bump the table, begin anew, and
take back how the game ended. What the table makes of it goes the way of all games, and is on the
scoreboard beside the buttons.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lab.demo.visitors import Refusal, Visitors, Wish
from pages.costly import CostlyWork
from pages.guard import RequestRefused, parse_body, payer_of
from pages.packed import PackedPage, at
from pages.phone.invite import address_for_phones, qr_code, reachable

FOLDER = Path(__file__).parent / "page"
"""Its template, style and script; what these import is with the other pages."""

PAGE = PackedPage(
    FOLDER / "try.html", tuple((name, FOLDER / name) for name in ("try.css", "try.js"))
)

STATUS: dict[Refusal, int] = {"no-seat": 403, "not-now": 409, "not-there": 409}


class SeatChoice(msgspec.Struct, frozen=True):
    """Which seat."""

    player: str


class Leave(msgspec.Struct, frozen=True):
    """The token of a seat."""

    token: str


class Do(msgspec.Struct, frozen=True):
    """What a visitor wants to happen."""

    token: str
    verb: str
    cell: str = ""
    colour: str = ""


@dataclass(frozen=True, slots=True)
class TryPage:
    """The page and its requests.

    Attributes:
        table: id of the simulated table.
        visitors: the seats.
        bound: host and port of the pages, for the QR code by which a phone comes to this page.
        work: draws the code.
    """

    table: str
    visitors: Visitors
    bound: tuple[str, int] = ("127.0.0.1", 8080)
    work: CostlyWork = field(default_factory=CostlyWork)

    def routes(self) -> list[Route]:
        """Everything under `/t/<table>/try`, and the files of the page."""
        base = f"/t/{self.table}/try"
        posts = {"sit": self._sit, "leave": self._leave, "do": self._do}
        return [
            Route(base, PAGE.answer),
            *(Route(at(file), PAGE.part) for file in ("try.css", "try.js")),
            Route(f"{base}/state", self._state),
            Route(f"{base}/qr.svg", self._qr),
            *(
                Route(f"{base}/{name}", _answering(handler), methods=["POST"])
                for name, handler in posts.items()
            ),
        ]

    async def _state(self, request: Request) -> Response:
        visitors = self.visitors
        return _json(
            {
                "players": visitors.players,
                "you": visitors.player(request.headers.get("x-seat", "")),
                "taken": visitors.taken,
                "awaited": visitors.awaited,
                "counted": visitors.counted,
                "qr": reachable(self._address(request)),
            }
        )

    def _address(self, request: Request) -> str:
        return address_for_phones(request.headers.get("host", ""), *self.bound)

    async def _qr(self, request: Request) -> Response:
        url = f"http://{self._address(request)}/t/{self.table}/try"
        drawn = await self.work.made(partial(qr_code, url), payer_of(request), keep_as=url)
        return Response(drawn, media_type="image/svg+xml")

    async def _sit(self, request: Request) -> Response:
        player = (await parse_body(request, SeatChoice)).player
        token = self.visitors.sit(player)
        if token is None:
            raise RequestRefused(409, "seat-taken", "somebody sits there already")
        return _json({"ok": True, "token": token})

    async def _leave(self, request: Request) -> Response:
        self.visitors.leave((await parse_body(request, Leave)).token)
        return _json({"ok": True})

    async def _do(self, request: Request) -> Response:
        asked = await parse_body(request, Do)
        refusal = self._done(asked)
        if refusal is not None:
            raise RequestRefused(STATUS[refusal], refusal, "this cannot be done now")
        return _json({"ok": True})

    def _done(self, asked: Do) -> Refusal | None:
        match asked.verb:
            case "bump":
                return self.visitors.bump(asked.token)
            case "new":
                return self.visitors.start_anew(asked.token)
            case "undo":
                return self.visitors.take_back(asked.token)
            case "roll" | "pass" | "place" as verb:
                return self.visitors.ask(asked.token, Wish(verb, asked.cell, asked.colour))
            case _:
                return "not-now"


def _answering(
    handler: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except RequestRefused as refused:
            found = {"ok": False, "code": refused.code, "msg": str(refused)}
            return _json(found, refused.status)

    return answer


def _json(document: object, status: int = 200) -> Response:
    return Response(
        msgspec.json.encode(document), status,
        {"cache-control": "no-store"}, media_type="application/json",
    )  # fmt: skip
