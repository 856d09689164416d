"""Prints whole lines from several threads.

`print` writes a line and its end separately, so another thread's text can come between: in CI a
PIN was once printed on the same line as the scoreboard's address.
"""

import sys

from engine.games.checks import is_showable

_UNSEEN = "\N{REPLACEMENT CHARACTER}"


def say(line: str) -> None:
    """Print a whole line at once, from any thread.

    Characters that would command the terminal, or turn the line around, are shown as a mark: a
    journal of an older version may hold names with any.
    """
    plain = "".join(c if c in "\n\t" or is_showable(f".{c}") else _UNSEEN for c in line)
    sys.stdout.write(f"{plain}\n")
    sys.stdout.flush()
