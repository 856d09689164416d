"""Prints whole lines from several threads.

`print` writes a line and its end separately, so another thread's text can come between: in CI a
PIN was once printed on the same line as the scoreboard's address.
"""

import sys
from typing import TYPE_CHECKING, TextIO

from engine.games.checks import is_showable

if TYPE_CHECKING:
    from rich.console import Console

_UNSEEN = "\N{REPLACEMENT CHARACTER}"


def say(line: str) -> None:
    """Print a whole line at once, from any thread.

    Characters that would command the terminal, or turn the line around, are shown as a mark: a
    journal of an older version may hold names with any.
    """
    plain = "".join(c if c in "\n\t" or is_showable(f".{c}") else _UNSEEN for c in line)
    sys.stdout.write(f"{plain}\n")
    sys.stdout.flush()


def console_on(out: TextIO) -> "Console":
    """Where tables and frames are drawn: as wide as the terminal, or a file such as in a report."""
    # Only here: a running table draws none.
    from rich.console import Console  # noqa: PLC0415

    return Console(file=out, width=None if out.isatty() else 100, highlight=False)
