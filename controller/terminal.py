"""The terminal of a process that has more than one thread to speak with.

`print` writes a line and its end one after the other, and another thread's line may come between:
a table in CI told its PIN on the line of the scoreboard's address, and nobody could read it.
"""

import sys


def say(line: str) -> None:
    """A line on the terminal at once and whole, whichever thread says it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
