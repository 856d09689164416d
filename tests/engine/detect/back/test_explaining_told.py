"""What is believed of many rests, down to the unlikely accounts."""

from itertools import zip_longest

import msgspec
import pytest

from tests.engine.detect.told import WRITTEN, Line, told

TOLERANCE = 0.011
"""The odds are written down with two digits."""


def apart(line: Line) -> tuple[list[str], list[float]]:
    """Words and numbers of a line."""
    flat = [each for part in line for each in (part if isinstance(part, list) else [part])]
    words = [each for each in flat if isinstance(each, str)]
    return words, [each for each in flat if not isinstance(each, str)]


def test_every_rest_is_believed_to_be_what_is_written_down() -> None:
    before: list[Line] = [msgspec.json.decode(line) for line in WRITTEN.read_bytes().splitlines()]
    nothing: Line = []
    for line, was in zip_longest(told(), before, fillvalue=nothing):
        words, odds = apart(line)
        words_before, odds_before = apart(was)
        same = words == words_before and odds == pytest.approx(odds_before, abs=TOLERANCE)
        assert same, (
            f"{line} was {was}. If that is meant: python -m tests.engine.detect.told, "
            "and look at the difference"
        )
