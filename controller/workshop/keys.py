"""Single keys from a terminal, without waiting for Enter; none where there is no terminal."""

import os
import select
import termios
import tty
from typing import Any, Self, TextIO


class Keys:
    """Reads keys while it is open; the terminal is as before afterwards."""

    def __init__(self, stream: TextIO | None) -> None:
        """Listen to a stream if it is a terminal."""
        self._handle = stream.fileno() if stream is not None and stream.isatty() else None
        self._before: list[Any] | None = None

    def __enter__(self) -> Self:
        """Switch line mode off."""
        if self._handle is not None:
            self._before = termios.tcgetattr(self._handle)
            tty.setcbreak(self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        """Switch it on again."""
        if self._handle is not None and self._before is not None:
            termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)

    def pressed(self) -> str:
        """The key pressed last, or nothing."""
        if self._handle is None or not select.select([self._handle], [], [], 0)[0]:
            return ""
        return os.read(self._handle, 64).decode(errors="ignore")[-1:]
