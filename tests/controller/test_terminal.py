import io
import sys

import pytest

from controller.terminal import say


class Paper(io.StringIO):
    """Remembers what was written at a time: what another thread cannot come between."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[str] = []
        self.flushed = 0

    def write(self, text: str) -> int:
        self.writes.append(text)
        return super().write(text)

    def flush(self) -> None:
        self.flushed = len(self.writes)
        super().flush()


def test_a_line_and_its_end_are_written_at_once_and_flushed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paper = Paper()
    monkeypatch.setattr(sys, "stdout", paper)

    say("Phones:     PIN 123 456")
    say("Table attic.")

    assert paper.writes == ["Phones:     PIN 123 456\n", "Table attic.\n"]
    assert paper.flushed == 2
