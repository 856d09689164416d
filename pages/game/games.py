"""Finished games for the pages, asked of the table: moves, films, all as one file, and the past.

Whoever may see the scoreboard may see this: there is nothing in it that was not shown there. What
a table has told of a game is kept until the game is another one, so that people who open a page
cost the table one question.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import Any
from zlib import crc32

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from controller.mqtt.topics import is_table_id
from controller.table.commands import FILM, MOVES, PAST, Reply
from controller.table.film import Film
from controller.table.game_moves import GameMoves, unpacked
from engine.errors import UNREADABLE
from engine.games.checks import LONGEST_ID
from engine.results import GameResult, Results
from pages.bundle import inlined, inlined_together
from pages.costly import CostlyWork
from pages.files import FILES
from pages.guard import RequestRefused, payer_of
from pages.packed import served

BETWEEN_EVENINGS = timedelta(hours=6)
"""As in evening_facts.js."""

Ask = Callable[[str, str, str, dict[str, Any]], Awaitable[Reply | None]]
"""Asks a table: its id, the verb, a fresh id of the command, its data."""


async def _nobody(_table: str, _verb: str, _key: str, _data: dict[str, Any]) -> Reply | None:
    raise RequestRefused(
        404, "only-shows", "this machine only shows tables; ask the one where phones may act"
    )


@dataclass(frozen=True, slots=True)
class Games:
    """The finished games of the tables of a scoreboard.

    Attributes:
        ask: asks a table; answers that it cannot, where no phones may act.
        results: how the last games of a table ended.
        silent: whether a table cannot be reached now.
        film: the newest film of a table, which comes some seconds after the end of a game.
        work: of its own, since it waits for tables: QR codes must not wait with it.
    """

    ask: Ask = _nobody
    results: Callable[[str], Results | None] = lambda _table: None
    silent: Callable[[str], bool] = lambda _table: False
    film: Callable[[str], Film | None] = lambda _table: None
    work: CostlyWork = field(default_factory=CostlyWork)

    def routes(self) -> list[Route]:
        """All but the page itself, which is a file."""
        return [
            Route("/t/{table}/game.json", self._game),
            Route("/t/{table}/game/film.json", self._film),
            Route("/t/{table}/game.html", self._kept),
            Route("/t/{table}/evening.html", self._kept_evening),
            Route("/t/{table}/past.json", self._past),
        ]

    async def _game(self, request: Request) -> Response:
        table, game = self._named(request)
        told = await self._told(table, game, payer_of(request))
        return Response(told, media_type="application/json")

    async def _film(self, request: Request) -> Response:
        table, game = self._named(request)
        seq = request.query_params.get("seq", "")
        if not seq.isdecimal() or len(seq) > LONGEST_ID:
            raise RequestRefused(400, "bad-request", "say which fall: seq=31")
        told = await self._fall(table, game, int(seq), payer_of(request))
        return Response(told, media_type="application/json")

    async def _kept(self, request: Request) -> Response:
        """The page of a game as one file: the same template, scripts and styles."""
        table, game = self._named(request)
        payer = payer_of(request)
        told = await self._whole(table, game, payer)
        document = msgspec.json.encode({**told, "table": table})
        page = await self.work.made(partial(_page, document), payer)
        return _file(page, f"topple-{table}-{told['moves']['result']['ended'][:10]}.html")

    async def _kept_evening(self, request: Request) -> Response:
        """The page of the evening with those of its games, as one file.

        A game of which the table keeps no moves is told of there, and cannot be opened.
        """
        table = request.path_params["table"]
        games = self._evening(table) if is_table_id(table) else []
        if not games:
            raise RequestRefused(404, "no-game", "no game has ended at this table yet")
        payer, each = payer_of(request), {}
        for game in games:
            try:
                each[game.game] = await self._whole(table, game.game, payer)
            except RequestRefused as refused:
                if refused.code != "not-kept":
                    raise
        document = msgspec.json.encode({"table": table, "games": games, "each": each})
        page = await self.work.made(partial(_evening_page, document), payer)
        return _file(page, f"topple-{table}-{games[0].ended[:10]}-evening.html")

    async def _whole(self, table: str, game: str, payer: str) -> dict[str, Any]:
        """Moves and films of a game."""
        told = msgspec.json.decode(await self._told(table, game, payer))
        films = {str(seq): msgspec.Raw(await self._fall(table, game, seq, payer))
                 for seq in told["films"]}  # fmt: skip
        return {**told, "told": films}

    def _evening(self, table: str) -> list[GameResult]:
        """The games of the evening that ended last, the oldest first, as its page tells them."""
        games = self._ended(table)
        ends = [datetime.fromisoformat(game.ended) for game in games]
        first = len(games) - 1
        while first > 0 and ends[first] - ends[first - 1] < BETWEEN_EVENINGS:
            first -= 1
        return games[max(first, 0) :]

    async def _past(self, request: Request) -> Response:
        """How all games ended that the table keeps; asked anew when its last results change."""
        table = request.path_params["table"]
        if not is_table_id(table):
            raise RequestRefused(404, "no-table", "no table can have this name")
        results = self.results(table)
        name = f"{table} past {crc32(msgspec.json.encode(results))}" if results else ""

        async def ask() -> bytes:
            reply = await self._reply(table, PAST, {})
            try:
                games = msgspec.json.decode(unpacked(reply.past), type=tuple[GameResult, ...])
            except (ValueError, *UNREADABLE):
                raise _unreadable() from None
            return msgspec.json.encode({"games": games})

        told = await self.work.awaited(ask, payer_of(request), keep_as=name)
        return Response(told, media_type="application/json")

    def _named(self, request: Request) -> tuple[str, str]:
        """Table and game of a request; without a word of which, the last one."""
        table = request.path_params["table"]
        if not is_table_id(table):
            raise RequestRefused(404, "no-table", "no table can have this name")
        games = self._ended(table)
        game = request.query_params.get("id") or (games[-1].game if games else "")
        if not 0 < len(game) <= LONGEST_ID:
            raise RequestRefused(404, "no-game", "no game has ended at this table yet")
        return table, game

    def _ended(self, table: str) -> list[GameResult]:
        found = self.results(table)
        return [game for game in found.games if game.over] if found else []

    async def _told(self, table: str, game: str, payer: str) -> bytes:
        """The moves of a game and which films there are, as JSON."""
        known = next((one for one in self._ended(table) if one.game == game), None)
        film = self.film(table)
        filmed = film.seq if film is not None and film.game == game else ""
        name = f"{table} {known.rev} {filmed} {game}" if known else ""

        async def ask() -> bytes:
            reply = await self._reply(table, MOVES, {"game": game})
            try:
                moves = msgspec.json.decode(unpacked(reply.moves), type=GameMoves)
            except (ValueError, *UNREADABLE):
                raise _unreadable() from None
            return msgspec.json.encode({"moves": moves, "films": reply.films})

        return await self.work.awaited(ask, payer, keep_as=name)

    async def _fall(self, table: str, game: str, seq: int, payer: str) -> bytes:
        async def ask() -> bytes:
            reply = await self._reply(table, FILM, {"game": game, "seq": seq})
            try:
                return msgspec.json.encode(msgspec.convert(reply.film, type=Film))
            except UNREADABLE:
                raise _unreadable() from None

        return await self.work.awaited(ask, payer, keep_as=f"{table} film {seq} {game}")

    async def _reply(self, table: str, verb: str, data: dict[str, Any]) -> Reply:
        if self.silent(table):
            raise RequestRefused(503, "silent", "the table cannot be reached; is it on?")
        reply = await self.ask(table, verb, token_hex(8), data)
        if reply is None:
            raise RequestRefused(503, "silent", "the table gave no answer; is it on?")
        if not reply.ok:
            raise RequestRefused(404, "not-kept", reply.msg)
        return reply


def _unreadable() -> RequestRefused:
    return RequestRefused(
        502, "newer-table", "the table said what this page cannot read; update this machine"
    )


def _file(page: bytes, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(page, headers=headers, media_type="text/html; charset=utf-8")


def _evening_page(document: bytes) -> bytes:
    pages = {name: FILES[f"{name}.html"].read_text() for name in ("evening", "game")}
    return inlined_together(pages, served, document).encode()


def _page(document: bytes) -> bytes:
    return inlined(FILES["game.html"].read_text(), served, document).encode()
