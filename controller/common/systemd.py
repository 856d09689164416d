"""Telling systemd how we are: ready, alive, stopping (the protocol of sd_notify(3)).

A datagram to a socket whose name systemd puts into the environment; elsewhere nothing happens.
Who calls `alive` matters more than how: the loop that watches the tower, after each step, and no
timer of its own. A timer would go on saying so over a loop that hangs.
"""

import logging
import os
import socket
from collections.abc import Mapping

_log = logging.getLogger(__name__)

SOCKET, WATCHDOG = "NOTIFY_SOCKET", "WATCHDOG_USEC"
"""Environment variables that systemd sets: where to send, and how long silence may last."""


class Notifier:
    """The supervisor's ear, if there is one.

    Args:
        environment: of the process, where the supervisor left the two names.
    """

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
        """Whether somebody listens."""
        return bool(self._address)

    def ready(self, text: str) -> None:
        """The start is over; everything that waits for us may go on."""
        self._words = text
        self._send(f"READY=1\n{_status(text)}")

    def alive(self, now_s: float, text: str = "") -> None:
        """One more round of the loop is done.

        Args:
            now_s: on a steady clock.
            text: how it stands, one line, shown by `systemctl status`.
        """
        if text and text != self._words:
            self._words = text
            self._send(_status(text))
        if self._every_s and (self._due_s is None or now_s >= self._due_s):
            self._due_s = now_s + self._every_s
            self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The end has begun and is wanted."""
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
                _log.warning("systemd does not hear us on %s: %s", self._address, error)
            self._complained = True


def _status(text: str) -> str:
    r"""One line, whatever players call themselves: a second one would be an order to systemd.

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
