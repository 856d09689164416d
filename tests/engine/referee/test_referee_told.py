"""What is ruled in games in which much goes wrong."""

from itertools import zip_longest

import msgspec

from tests.engine.referee.told import WRITTEN, told


def test_games_in_which_much_goes_wrong_are_ruled_as_it_is_written_down() -> None:
    before = [msgspec.json.decode(line) for line in WRITTEN.read_bytes().splitlines()]
    for number, (line, was) in enumerate(zip_longest(told(), before), 1):
        assert line == was, (
            f"line {number} of {WRITTEN.name}. If that is meant: "
            "python -m tests.engine.referee.told, and look at the difference"
        )
