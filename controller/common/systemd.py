"""Telling systemd how we are: ready, alive, stopping (the protocol of sd_notify(3)).

Sends datagrams to a socket that systemd names in the environment; without one nothing happens.
`alive` must be called by the loop that watches the tower, after each step, and never by a timer: a
timer would report a hanging loop as alive.
"""

import logging
import os
import socket
from collections.abc import Mapping

_log = logging.getLogger(__name__)

SOCKET, WATCHDOG = "NOTIFY_SOCKET", "WATCHDOG_USEC"
"""Environment variables that systemd sets: where to send, and how long silence may last."""


class Notifier:
    """Reports to systemd, if it started us: it leaves two names in the environment."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get(SOCKET, "")
        self._every_s = _patience_s(environment.get(WATCHDOG, "")) / 4
        """Four times in the allowed silence, so that a late one or two do no harm."""
        self._due_s: float | None = None
        self._words = ""
        self._complained = False
        # Kept open: when no file descriptor is left, silence would end us as well.
        self._channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) if self._address else None
        if self._channel is not None:
            self._channel.setblocking(False)

    @property
    def heard(self) -> bool:
        """Whether systemd listens."""
        return bool(self._address)

    def ready(self, text: str) -> None:
        """Report that the start is complete."""
        self._words = text
        self._send(f"READY=1\n{_status(text)}")

    def alive(self, now_s: float, text: str = "") -> None:
        """Report that the loop has finished a step; the text is for `systemctl status`."""
        if text and text != self._words:
            self._words = text
            self._send(_status(text))
        if self._every_s and (self._due_s is None or now_s >= self._due_s):
            self._due_s = now_s + self._every_s
            self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Report that the process ends on purpose."""
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if self._channel is None:
            return
        # A name that begins with @ lives in the kernel, not in the file system.
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        try:
            self._channel.sendto(message.encode(), address)
        except OSError as error:
            # A supervisor that does not listen must not cost the game; one that is only busy
            # hears the next.
            if not self._complained:
                _log.warning("systemd does not answer on %s: %s", self._address, error)
            self._complained = True


def _status(text: str) -> str:
    r"""One line, also with odd player names: systemd would read a second one as a command.

    >>> _status("Ann\nMAINPID=1")
    'STATUS=Ann MAINPID=1'
    """
    return "STATUS=" + " ".join(text.split())


def _patience_s(microseconds: str) -> float:
    """Seconds from the variable; 0 when it holds no number.

    >>> _patience_s("20000000"), _patience_s("soon")
    (20.0, 0.0)
    """
    return int(microseconds) / 1e6 if microseconds.isdecimal() else 0.0
