"""What the rig asks for: on the terminal, and on a page for the phone that lies beside the table.

The page is one file, needs no broker, and can do one thing: say that the deed is done. A tap on an
old prompt is nobody's wish any more, so each prompt has a number.
"""

import socket
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TextIO

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from controller.errors import BadInput
from controller.web.invite import address_for_phones

_PAGE = Path(__file__).parent / "prompts.html"

SHUTDOWN_S = 5.0


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request.

    Attributes:
        number: counts up; 0 before the first.
        words: what to do.
        progress: how far the scenario is.
        seen: what the table made of the last deed.
    """

    number: int = 0
    words: str = "It begins in a moment."
    progress: str = ""
    seen: str = ""

    def document(self) -> dict[str, int | str]:
        """As the page fetches it."""
        return {
            "number": self.number,
            "words": self.words,
            "progress": self.progress,
            "seen": self.seen,
        }


class Prompts:
    """Asks a person; whoever waits looks at `done`.

    Args:
        out: where the words go; standard output when left out.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out
        self._now = Prompt()
        self._done = 0

    @property
    def now(self) -> Prompt:
        """What is asked for."""
        return self._now

    @property
    def done(self) -> bool:
        """Whether the person has said that the present deed is done."""
        return self._done == self._now.number > 0

    def ask(self, words: str, progress: str = "") -> None:
        """Ask for something."""
        self._now = Prompt(self._now.number + 1, words, progress, self._now.seen)
        print(f"[{progress}] {words}" if progress else words, file=self._out, flush=True)

    def tell(self, seen: str) -> None:
        """Say what the table saw."""
        self._now = Prompt(self._now.number, self._now.words, self._now.progress, seen)
        print(f"    seen: {seen}", file=self._out, flush=True)

    def confirm(self, number: int) -> bool:
        """The person says that a deed is done; false for an old one."""
        if number == self._now.number:
            self._done = number
        return number == self._now.number


def application(prompts: Prompts) -> Starlette:
    """Routes: `/` the page, `/prompt` what is asked for, `POST /done` the answer."""

    async def page(_request: Request) -> Response:
        return HTMLResponse(_PAGE.read_text(encoding="utf-8"))

    async def prompt(_request: Request) -> Response:
        return JSONResponse(prompts.now.document(), headers={"cache-control": "no-store"})

    async def done(request: Request) -> Response:
        word = request.query_params.get("number", "")
        taken = word.isdecimal() and prompts.confirm(int(word))
        return JSONResponse({"ok": taken}, status_code=200 if taken else 409)

    routes = [Route("/", page), Route("/prompt", prompt), Route("/done", done, methods=["POST"])]
    return Starlette(routes=routes)


class PromptServer:
    """Serves the prompts from a thread of its own.

    Args:
        prompts: what is asked for.
        host: address to serve on; phones need `0.0.0.0`.
        port: 0 for any that is free.

    Raises:
        BadInput: the port is taken.
    """

    def __init__(self, prompts: Prompts, host: str = "127.0.0.1", port: int = 0) -> None:
        try:
            self._socket = socket.create_server((host, port))
        except OSError as problem:
            raise BadInput(f"--phone: port {port}: {problem.strerror}; name another") from None
        self.port = int(self._socket.getsockname()[1])
        self.url = f"http://{address_for_phones('', host, self.port)}/"
        config = uvicorn.Config(
            application(prompts), log_level="warning", access_log=False, lifespan="off"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="prompts", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(SHUTDOWN_S)
        self._socket.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])
