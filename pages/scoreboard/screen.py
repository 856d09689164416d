"""The scoreboard's own screen: the browser of the person who runs the pages. It may see the PIN.

The address 127.0.0.1 proves nothing, because requests through a proxy on this machine have it too.
The screen proves itself by a token that only this machine's owner can read: at the end of the
printed address, or in a file of mode 0600, which is a small page that leads to the scoreboard. The
address with the token gives the browser a cookie, and then shows without the token.

A token in a file is kept over restarts, so that a screen on the wall need not be opened again.
"""

import hmac
import os
import re
import secrets
import stat
from pathlib import Path

from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from controller.common.errors import ControllerError
from controller.common.files import read_text, write_whole

INSTALLED = Path("/run/topple-scoreboard/screen.html")
"""Where the installed pages have their file (deploy/systemd)."""

PARAMETER = "screen"
"""In the address: `http://127.0.0.1:8080/?screen=<token>`."""

LASTS_S = 400 * 24 * 3600
"""The longest that browsers keep a cookie. Without a file the token ends with the process."""

_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={url}">
<title>Topple Table</title>
<p><a href="{url}">Scoreboard</a></p>
"""
_TOKEN = re.compile(rf"[?]{PARAMETER}=([A-Za-z0-9_-]{{22}})\"")
_ADDRESS = re.compile(rf'url=(http://[^"]+[?]{PARAMETER}=[A-Za-z0-9_-]{{22}})"')
_MOST_BYTES = 4096


class ScreenFileError(ControllerError):
    """The file that leads the own screen here cannot be used; the message says why."""


class OwnScreen:
    """Recognises the table's own screen among all browsers.

    Args:
        url: address of the list of tables, as a browser on this machine reaches it.
        port: of the pages. Cookies know no ports, so it is part of the cookie's name.
        file: where the page that leads here goes; None for a new token at each start.

    Raises:
        ScreenFileError: the file cannot be written, or others can read it.
    """

    def __init__(self, url: str, port: int, file: Path | None = None) -> None:
        self._url = url
        self._cookie = f"topple_screen_{port}"
        self._kept = file is not None
        self._token = (file and _kept_in(file)) or secrets.token_urlsafe(16)
        if file is not None:
            _write(file, _PAGE.format(url=self._with_token("")))

    def address(self, path: str = "") -> str:
        """What to open on the own screen: with the token, unless that is in a file."""
        return self._url + path if self._kept else self._with_token(path)

    def proves(self, connection: HTTPConnection) -> bool:
        """Whether a request comes from the own screen."""
        given = connection.cookies.get(self._cookie, "")
        return self._is_token(given) or self._is_token(connection.query_params.get(PARAMETER, ""))

    def greet(self, request: Request) -> Response | None:
        """The answer to an address with a token: the same address without; None for others."""
        given = request.query_params.get(PARAMETER)
        if given is None:
            return None
        clean = request.url.remove_query_params(PARAMETER)
        # Relative: behind a proxy we do not know our own name.
        answer = RedirectResponse(f"{clean.path}?{clean.query}".rstrip("?"), status_code=303)
        if self._is_token(given):
            answer.set_cookie(
                self._cookie, given, httponly=True, samesite="strict",
                max_age=LASTS_S if self._kept else None, secure=request.url.scheme == "https",
            )  # fmt: skip
        return answer

    def _with_token(self, path: str) -> str:
        return f"{self._url}{path}?{PARAMETER}={self._token}"

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())


def address_in(file: Path) -> str:
    """What to open on the own screen, from the file that leads there.

    Raises:
        ScreenFileError: it cannot be read, or is something else.
    """
    try:
        found = _ADDRESS.search(read_text(file, _MOST_BYTES))
    except PermissionError:
        raise ScreenFileError(f"{file}: only its owner and root may read it; use sudo") from None
    except (OSError, UnicodeDecodeError) as error:
        text = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ScreenFileError(f"{file}: {text}; are the pages running on this machine?") from None
    if found is None:
        raise ScreenFileError(f"{file}: this file leads to no pages; start the pages again")
    return found[1]


def _kept_in(file: Path) -> str:
    """The token of the last start; empty when there is none, or others may have read it."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077 or found.st_uid != os.geteuid():
            return ""
        token = _TOKEN.search(read_text(file, _MOST_BYTES))
    except (OSError, UnicodeDecodeError):
        return ""
    return token[1] if token else ""


def _write(file: Path, page: str) -> None:
    try:
        write_whole(file, page.encode(), mode=0o600)
    except OSError as error:
        raise ScreenFileError(
            f"{file}: {error.strerror or error}; name a file for the own screen in a folder that "
            "this user can write"
        ) from None
