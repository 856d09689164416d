"""The address at which a phone joins the table, as text and as a QR code.

The PIN stands after the `#`, which browsers never send, so it is in no log and no referrer.
"""

import io
import socket
from typing import TextIO

import segno

from pages.hosts import is_this_machine, named_host

EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to


def address_for_phones(asked_host: str, bound_host: str, port: int) -> str:
    """Host and port under which a phone reaches these pages.

    The `Host` that was asked for is good for phones too, unless it is this machine's name for
    itself.
    """
    if named_host(asked_host) and not is_this_machine(asked_host):
        return asked_host
    host = _address_in_the_network() if bound_host in EVERYWHERE else bound_host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reachable(address: str) -> bool:
    """Whether other machines can reach it."""
    return not is_this_machine(address)


def join_url(address: str, table: str) -> str:
    """What people type.

    >>> join_url("192.168.1.7:8080", "attic")
    'http://192.168.1.7:8080/t/attic/play'
    """
    return f"http://{address}/t/{table}/play"


def evening_url(address: str, table: str) -> str:
    """Where to look back at the evening."""
    return f"http://{address}/t/{table}/evening"


def qr_code(url: str) -> bytes:
    """An address as an SVG drawing, dark on light as cameras want it."""
    out = io.BytesIO()
    # Error correction M: a television shows no stains, and fewer squares are read from farther.
    code = segno.make(url, error="m", micro=False)
    code.save(out, kind="svg", border=3, xmldecl=False, dark="#14101f", light="#fdf8ee",
              svgclass=None, lineclass=None, omitsize=True)  # fmt: skip
    return out.getvalue()


def qr_in_terminal(url: str, out: TextIO) -> None:
    """An address as a QR code, in characters."""
    segno.make(url, error="l", micro=False).terminal(out=out, border=2, compact=True)


def _address_in_the_network() -> str:
    """This machine's address on the way out. Nothing is sent: UDP only looks up the route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
