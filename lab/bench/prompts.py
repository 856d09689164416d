"""Shows the rig's instructions on the terminal and on the phone beside the table."""

from dataclasses import replace
from typing import TextIO

from pages.prompts.prompts import Button, Prompt, Prompts

DONE = "done"


class SpokenPrompts(Prompts):
    """Asks a person on the terminal and the phone; `done` says whether they have answered.

    Args:
        out: where the words go; standard output when left out.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__()
        self._out = out

    @property
    def done(self) -> bool:
        """Whether the person has confirmed the present request."""
        return self.pressed == DONE

    def ask(self, text: str, progress: str = "") -> None:
        """Ask for something."""
        self.put(Prompt(text, progress, seen=self.now.seen, buttons=(Button(DONE, "Done"),)))
        print(f"[{progress}] {text}" if progress else text, file=self._out, flush=True)

    def tell(self, seen: str) -> None:
        """Say what the table saw."""
        self.amend(replace(self.now, seen=seen))
        print(f"    seen: {seen}", file=self._out, flush=True)
