"""Serves the page on which a phone beside the table shows instructions and takes answers.

It needs no broker and no running table. Everybody in the network may watch; to press a button, a
phone needs the key at the end of the printed address, which is also in the QR code. The key stands
after the `#`, which browsers never send by themselves.
"""

import contextlib
import hmac
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from typing import Self, TextIO

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from controller.common.errors import BadInput
from pages.app import REFUSALS, SecurityHeaders
from pages.connection_limits import ConnectionLimiter, Entrance, LimiterMiddleware, places
from pages.files import FILES, PageFiles
from pages.guard import RequestRefused, parse_body
from pages.hosts import HostCheck, HostNames
from pages.phone.invite import address_for_phones, qr_in_terminal
from pages.prompts.prompts import Prompts

EVERYWHERE = "0.0.0.0"  # noqa: S104 - a phone is another machine; asked for with --phone
PHONE_PORT = 8095

KEY_CHARACTERS = "23456789abcdefghjkmnpqrstuvwxyz"
KEY_LENGTH = 8
"""31^8: a thousand tries a second for a quarter of an hour have a chance of one in a million. So
wrong tries need not be counted, and nobody can lock others out."""

BACKLOG = 64
"""Connections that wait to be accepted."""

SHUTDOWN_S = 5.0
LINGER_S = 10.0
"""How long the last prompt waits for a phone that has watched."""
OTHERS_S = 0.6
"""Then for a second phone; pages look every 0.4 s."""


class ButtonPress(msgspec.Struct):
    """What a page sends: the button, and the number of the prompt that it shows."""

    key: str
    number: int
    button: str


def drawn_key() -> str:
    """A key that nobody can foresee, without characters that look like others."""
    return "".join(secrets.choice(KEY_CHARACTERS) for _ in range(KEY_LENGTH))


def application(prompts: Prompts, key: str) -> ASGIApp:
    """Routes: `/` the page, `/prompt` what is asked for, `POST /press` the answer."""

    async def page(_request: Request) -> Response:
        return FileResponse(FILES["prompts.html"], media_type="text/html; charset=utf-8")

    async def prompt(_request: Request) -> Response:
        return Response(msgspec.json.encode(prompts.fetched()), media_type="application/json")

    async def press(request: Request) -> Response:
        _pressed(prompts, key, await parse_body(request, ButtonPress))
        return JSONResponse({"ok": True})

    routes = [
        Route("/", page),
        Route("/prompt", prompt),
        Route("/press", press, methods=["POST"]),
        Mount("/static", PageFiles()),
    ]
    app = Starlette(routes=routes, exception_handlers=REFUSALS)
    return SecurityHeaders(HostCheck(app, HostNames.of_this_machine()))


def _pressed(prompts: Prompts, key: str, press: ButtonPress) -> None:
    if not hmac.compare_digest(press.key.encode(), key.encode()):
        raise RequestRefused(403, "wrong-key", "open the whole address that stands on the terminal")
    if not prompts.press(press.number, press.button):
        text = "it has gone on meanwhile; look again, and press if you still mean it"
        raise RequestRefused(409, "gone", text)


class PromptServer:
    """Serves the prompts from a thread of its own; phones need the host `EVERYWHERE`.

    Whoever has `key` may press; `url` holds it, as it stands on the terminal.

    Raises:
        BadInput: the port is taken.
    """

    def __init__(self, prompts: Prompts, host: str = "127.0.0.1", port: int = 0) -> None:
        try:
            listening = socket.create_server((host, port))
        except OSError as problem:
            raise BadInput(f"--phone: port {port}: {problem.strerror}; free it first") from None
        door = ConnectionLimiter(places())
        self._socket = Entrance(listening, door)
        self._prompts, self.key = prompts, drawn_key()
        self.port = int(self._socket.getsockname()[1])
        self.url = f"http://{address_for_phones('', host, self.port)}/#{self.key}"
        config = uvicorn.Config(
            LimiterMiddleware(application(prompts, self.key), door, lambda _scope: False),
            log_level="error",
            access_log=False,
            ws="none",
            backlog=BACKLOG,
            callback_notify=self._tidy,
            timeout_notify=1,
            lifespan="off",
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="prompts", daemon=True)

    def __enter__(self) -> Self:
        """Begin to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, once a phone that has watched has fetched the last prompt."""
        if self._prompts.watched and self._prompts.now.last:
            self._prompts.farewell.wait(LINGER_S)
            time.sleep(OTHERS_S)
        self._server.should_exit = True
        self._thread.join(SHUTDOWN_S)
        self._socket.close()

    async def _tidy(self) -> None:
        self._socket.send_idle_away()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])


@contextlib.contextmanager
def on_phones(
    prompts: Prompts, out: TextIO, host: str = EVERYWHERE, port: int = PHONE_PORT
) -> Iterator[None]:
    """Serve prompts to phones in this network, and say where; the page says how it ended.

    Raises:
        BadInput: the port is taken.
    """
    with PromptServer(prompts, host, port) as server:
        print(f"On a phone in this network: {server.url}", file=out, flush=True)
        if out.isatty():
            qr_in_terminal(server.url, out)
        try:
            yield
        except BaseException as problem:
            prompts.end(str(problem) or "Stopped at the terminal.")
            raise
        prompts.end("That was all. Thank you.")
