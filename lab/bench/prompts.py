"""Asks people at a table on the terminal and on the phone beside it, and has their answer."""

import threading
from dataclasses import replace
from typing import TextIO

from pages.prompts.prompts import Button, Prompt, Prompts

DONE, AGAIN, SKIP, DROPPED = "done", "again", "skip", "dropped"
"""What people can answer to a deed they are asked for."""

ANSWERS = (
    Button(DONE, "Done"),
    Button(AGAIN, "It went wrong: again from the empty board", sure="Begin this case again?"),
    Button(SKIP, "Skip this case", sure="Leave this case out?"),
    Button(DROPPED, "I dropped it; the board is as before"),
)


class SpokenPrompts(Prompts):
    """Asks people on the terminal and the phone.

    Args:
        out: where the words go; standard output when left out.

    Attributes:
        gone: set when nothing more can come from the terminal.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__()
        self._out = out
        self.gone = threading.Event()

    def ask(self, text: str, progress: str = "") -> None:
        """Ask for something."""
        self.put(Prompt(text, progress, seen=self.now.seen, buttons=ANSWERS))
        print(f"[{progress}] {text}" if progress else text, file=self._out, flush=True)

    def tell(self, seen: str) -> None:
        """Say what the table saw."""
        self.amend(replace(self.now, seen=seen))
        print(f"    seen: {seen}", file=self._out, flush=True)
