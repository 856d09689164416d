"""What a run on the emulated Pi has measured and seen, for people to read."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Report:
    """Lines in a file, written as soon as they are known.

    Args:
        file: Markdown; begun anew.
        title: its first line.
    """

    def __init__(self, file: Path, title: str) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {title}\n\n")

    def say(self, line: str) -> None:
        with self._file.open("a") as out:
            out.write(f"{line}\n")

    def quote(self, lines: Iterable[str]) -> None:
        """What a program said."""
        self.say("\n".join(f"      {line}" for line in lines) + "\n")

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """How long it took on this machine; no time of a Pi."""
        began_s = time.monotonic()
        yield
        self.say(f"* {what}: {time.monotonic() - began_s:.0f} s here")
