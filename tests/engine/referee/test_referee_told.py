"""What is ruled in games in which much goes wrong."""

from itertools import zip_longest

from tests.engine.referee.told import GAMES, READ, STEPS, told, written

MEANT = "If that is meant: make golden, and look at the difference"


def test_games_in_which_much_goes_wrong_are_ruled_as_it_is_written_down() -> None:
    *now, sums = told()
    *before, sums_before = written()

    for number, (line, was) in enumerate(zip_longest(now, before), 1):
        assert line == was, f"line {number} of told.txt. {MEANT}"
    for each, was in zip_longest(sums.split(), sums_before.split()):
        assert each == was, f"game.ruling:checksum at the end of told.txt. {MEANT}"


def test_what_is_written_down_has_every_ruling() -> None:
    *lines, sums = written()

    assert len(lines) == READ * (STEPS + 1)
    assert len(sums.split()) == GAMES * (STEPS + 1)
