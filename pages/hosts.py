"""The names under which these pages answer: a request for any other name goes no further.

A page of somebody else can point a name of its own at this machine (DNS rebinding). Its requests
then have `Origin` equal to `Host`, and a browser lets it read the answers. Such a name is never one
of ours: it cannot be an address, nor end in a domain that nobody can register.
"""

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

PRIVATE_DOMAINS = ("local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
"""What home networks append to a machine's name. The public DNS delegates none of these, but for
`fritz.box`, which belongs to the maker of the routers that use it."""

LONGEST_NAME = 80
"""Characters of a refused name that the refusal repeats."""


@dataclass(frozen=True, slots=True)
class HostNames:
    """Which hosts are this machine's.

    Attributes:
        machine: its host name without a domain, in lower case.
        more: further names, e.g. that of a proxy in front, in lower case.
    """

    machine: str
    more: frozenset[str] = frozenset()

    @classmethod
    def of_this_machine(cls, more: tuple[str, ...] = ()) -> "HostNames":
        """Those of this machine, and the `more` that its owner named."""
        named = frozenset(name.strip().lower().rstrip(".") for name in more)
        return cls(socket.gethostname().lower().partition(".")[0], named - {""})

    def includes(self, asked: str, reached: str = "") -> bool:
        """Whether a `Host` header names this machine.

        Args:
            asked: `host` or `host:port`.
            reached: the address of this machine at which the connection arrived.

        >>> names = HostNames("tower", frozenset({"topple.example"}))
        >>> [names.includes(host) for host in ("tower.local:8080", "10.0.0.7", "topple.example:80")]
        [True, True, True]
        >>> [names.includes(host) for host in ("tower.evil.example", "9.9.9.9", "tower:x")]
        [False, False, False]
        """
        name = named_host(asked)
        address = _address(name)
        if address is not None:
            return not address.is_global or address == _address(reached)
        return name in self.more or name == "localhost" or self._is_machine(name)

    def _is_machine(self, name: str) -> bool:
        label, _, domain = name.partition(".")
        # mDNS adds a number to a name that another machine has already.
        ours = re.fullmatch(rf"{re.escape(self.machine)}(-[0-9]{{1,3}})?", label) is not None
        return ours and (not domain or domain in PRIVATE_DOMAINS)


class HostCheck:
    """Answers requests for hosts of ours, and refuses all others."""

    def __init__(self, app: ASGIApp, names: HostNames) -> None:
        self.app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        asked = Headers(scope=scope).getlist("host")
        reached = (scope.get("server") or ("",))[0]
        if len(asked) == 1 and self._names.includes(asked[0], reached):
            await self.app(scope, receive, send)
            return
        await refusal(asked[0] if asked else "")(scope, receive, send)


def refusal(asked: str) -> PlainTextResponse:
    """What a request for a foreign name is told."""
    shown = "".join(c if c.isascii() and c.isprintable() else "?" for c in asked[:LONGEST_NAME])
    text = (
        f"These pages do not answer to the name {shown!r}: open them by this machine's name or "
        "address, or add the name (--name, or [web] names in the configuration).\n"
    )
    return PlainTextResponse(text, 421)


def is_this_machine(asked: str) -> bool:
    """Whether a `Host` header has this machine's name for itself.

    >>> is_this_machine("127.0.0.1:8080"), is_this_machine("[::1]"), is_this_machine("tower:80")
    (True, True, False)
    """
    name = named_host(asked)
    address = _address(name)
    return name == "localhost" or (address is not None and address.is_loopback)


def named_host(asked: str) -> str:
    """The host of a `Host` header in lower case; empty when it is no host with a port at most."""
    try:
        parts = urlsplit(f"//{asked}")
        port = parts.port
    except ValueError:
        return ""
    whole = parts.netloc == asked and "@" not in asked and (port is None or port > 0)
    return (parts.hostname or "").rstrip(".") if whole else ""


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
