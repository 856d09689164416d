"""Checks of a request before its content is used.

A page of somebody else, open in a browser that has joined, must not act here; nor may a form, a
link or a huge body. The cookie is `SameSite=Strict` already; these checks hold by themselves.
"""

import asyncio
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from engine.errors import UNREADABLE
from engine.plainly import plainly
from pages.connection_limits import household, is_here

LARGEST_BODY_BYTES = 4096
"""The longest honest request starts a game with four names and all house rules."""

BODY_WITHIN_S = 5.0
"""Phones send such a body in one packet; who dribbles it only holds a place."""

HERE = ""
"""Whoever asks from this machine: its screen, or anybody behind a proxy; limited in all only."""

Wanted = TypeVar("Wanted", bound=msgspec.Struct)


class RequestRefused(Exception):  # noqa: N818 - turned away at the door; not a fault of ours
    """A request that goes no further, with its HTTP status and more fields of the answer.

    The code is for the page, which has words of its own; the message is for everybody else.
    """

    def __init__(self, status: int, code: str, message: str, **extra: object) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.extra = extra


def check_same_site(headers: Mapping[str, str]) -> None:
    """Refuse what a page of another origin sent.

    Browsers put `Origin` on every POST, and scripts cannot change it. `Sec-Fetch-Site` comes
    with it where the page is served over HTTPS or from this machine.

    Raises:
        RequestRefused: from elsewhere, or without a word about where from.
    """
    foreign = RequestRefused(403, "cross-site", "requests from other pages are refused")
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise foreign
    # The scheme is not compared: a proxy may speak HTTPS for us.
    scheme, _, origin = headers.get("origin", "").lower().partition("://")
    if scheme not in ("http", "https") or not origin or origin != headers.get("host", "").lower():
        raise foreign
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RequestRefused(415, "bad-json", "send application/json")


async def parse_body(request: Request, kind: type[Wanted]) -> Wanted:
    """The body of a POST, once it has passed all checks.

    Raises:
        RequestRefused: cross-site, too large, too slow, or not what is wanted.
    """
    check_same_site(request.headers)
    try:
        body = await asyncio.wait_for(_body(request), BODY_WITHIN_S)
        return msgspec.json.decode(body, type=kind)
    except (TimeoutError, ClientDisconnect):
        raise RequestRefused(408, "too-slow", "the request did not arrive in time") from None
    except UNREADABLE as error:
        raise RequestRefused(
            400, "bad-json", f"this request cannot be read: {plainly(error)}"
        ) from None


async def _body(request: Request) -> bytes:
    got = bytearray()
    async for chunk in request.stream():
        got += chunk
        if len(got) > LARGEST_BODY_BYTES:
            raise RequestRefused(
                413, "too-large", f"a request has at most {LARGEST_BODY_BYTES} bytes"
            )
    return bytes(got)


def client_of(request: Request) -> str:
    """Whose wrong tries and streams count together: see `pages.connection_limits.household`."""
    return household(request.client.host if request.client else "")


def payer_of(request: Request) -> str:
    """Whose costs count together: an address, or `HERE`."""
    here = request.client is not None and is_here(request.client.host)
    return HERE if here else client_of(request)
