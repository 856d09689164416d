import io
import sys

import pytest

from controller.common.terminal import say


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


def test_no_name_commands_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal of an older version may hold any."""
    paper = Paper()
    monkeypatch.setattr(sys, "stdout", paper)

    say("Resumed: \x1b]0;owned\x07Ann 3, \u202eBob 4\nZo\u00eb \u2685")

    mark = "\ufffd"
    assert paper.getvalue() == (
        f"Resumed: {mark}]0;owned{mark}Ann 3, {mark}Bob 4\nZo\u00eb \u2685\n"
    )
