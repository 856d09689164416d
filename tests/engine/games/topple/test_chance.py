"""What chance decides in Topple."""

from collections.abc import Iterator

from engine.games.topple.chance import OUTCOMES
from engine.games.topple.player import choose_topple
from tests.engine.games.helpers import opened

PLAYERS = [{"name": name} for name in ("Ann", "Bob", "Cat")]


def luck(*numbers: float) -> Iterator[float]:
    yield from numbers


def test_the_die_has_six_sides_for_the_table_and_for_its_players() -> None:
    for number, value in ((0.0, 1), (0.5, 4), (0.999, 6)):
        drawn = OUTCOMES.completed(None, {"type": "roll"}, luck(number).__next__)
        assert drawn["value"] == value
        rolled = choose_topple(opened("topple", 1), luck(number).__next__)
        assert rolled == {"type": "roll", "value": value}


def test_the_highest_roll_begins_and_the_tied_ones_roll_again() -> None:
    numbers = luck(0.999, 0.0, 0.999, 0.0, 0.2)
    opened_by = OUTCOMES.completed(None, {"type": "start", "players": PLAYERS}, numbers.__next__)

    assert opened_by["first"] == "Cat"
    assert opened_by["rolloff"] == [{"Ann": 6, "Bob": 1, "Cat": 6}, {"Ann": 1, "Cat": 2}]


def test_who_has_rolled_or_was_named_needs_no_roll_off() -> None:
    for said in ({"first": "Bob"}, {"rolloff": [{"Ann": 1, "Bob": 2}]}):
        start = {"type": "start", "players": PLAYERS, **said}
        assert OUTCOMES.completed(None, start, luck().__next__) == start
