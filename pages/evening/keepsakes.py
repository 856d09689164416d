"""What the pages show of what is over: the film of the last topple, the games of the evening.

Both are documents of the table as the mirror has them. The QR code leads a phone in the same
network to the evening, so that people can take its picture home.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.mqtt.topics import is_table_id
from pages.costly import CostlyWork
from pages.guard import payer_of
from pages.phone.invite import address_for_phones, evening_url, qr_code

NO_GAMES = b'{"games":[]}'


def _nothing(_table: str) -> bytes | None:
    return None


@dataclass(frozen=True, slots=True)
class Keepsakes:
    """Gives the film of a table's last topple and its last games, as JSON if there are any.

    `bound` are host and port of the pages.
    """

    film: Callable[[str], bytes | None] = _nothing
    results: Callable[[str], bytes | None] = _nothing
    bound: tuple[str, int] = ("127.0.0.1", 8080)

    def routes(self, work: CostlyWork) -> list[Route]:
        """The documents; the pages that show them are files like all others."""
        return [
            Route("/t/{table}/film.json", self._film),
            Route("/t/{table}/evening.json", self._evening),
            Route("/t/{table}/evening.svg", partial(self._qr, work)),
        ]

    async def _film(self, request: Request) -> Response:
        found = self.film(request.path_params["table"])
        if found is None:
            text = "Nothing has fallen in this game yet, as far as the sensors saw.\n"
            return Response(text, 404, media_type="text/plain")
        return Response(found, media_type="application/json")

    async def _evening(self, request: Request) -> Response:
        found = self.results(request.path_params["table"])
        return Response(found or NO_GAMES, media_type="application/json")

    async def _qr(self, work: CostlyWork, request: Request) -> Response:
        table = request.path_params["table"]
        if not is_table_id(table):
            return Response("No table can have this name.\n", 404, media_type="text/plain")
        address = address_for_phones(request.headers.get("host", ""), *self.bound)
        url = evening_url(address, table)
        drawn = await work.made(partial(qr_code, url), payer_of(request), keep_as=url)
        return Response(drawn, media_type="image/svg+xml")
