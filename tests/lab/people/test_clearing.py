from functools import partial
from random import Random
from typing import Any

import pytest

from lab.people.clearing import Clearer
from lab.people.ways import Ways
from lab.twin.episodes import ToppleEpisode
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower


def cleared(ways: Ways, *, seed: int = 1) -> tuple[Tower, float]:
    """A tower with pieces on board and base after it was cleared, and how long that took."""
    tower = Tower(preset_parameters("calm"), seed)
    for at_s, cell in ((0.5, "c3"), (2.5, "c4"), (4.5, "c2"), (6.5, "b3"), (8.5, "d3")):
        tower.at(at_s, partial(tower.place, cell))
    tower.advance(11.0)
    tower.pieces.on_base += tower.pieces.lift("d3")
    tower.clearing = True
    for until_s in Clearer(tower, ways, Random(seed)).script():
        tower.advance(until_s)
    return tower, tower.now_s - 11.0


@pytest.mark.parametrize("way", ["fingers", "one_slow", "both_hands", "lift"])
def test_every_way_of_clearing_leaves_an_empty_board(way: Any) -> None:
    tower, _ = cleared(Ways(clearing=(way,)))

    assert tower.pieces.count == 0
    assert not tower.pieces.on_base
    assert not tower.carried
    assert tower.topple is None


def test_both_hands_are_quicker_than_one_slow_hand() -> None:
    _, quick_s = cleared(Ways(clearing=("both_hands",)))
    _, slow_s = cleared(Ways(clearing=("one_slow",)))

    assert quick_s < 0.6 * slow_s


def test_pieces_on_the_base_plate_stay_where_nobody_picks_them_up() -> None:
    tower, _ = cleared(Ways(leftovers=1.0))

    assert tower.pieces.count == 0
    assert len(tower.pieces.on_base) == 1


@pytest.mark.slow
def test_an_evening_of_many_ways_uses_them_all() -> None:
    ways = Ways(clearing=("fingers", "lift"))
    lifted = [
        any(entry["type"] == "lift_board" for entry in cleared(ways, seed=seed)[0].truth.entries)
        for seed in range(8)
    ]

    assert set(lifted) == {True, False}


def stared(stare_s: tuple[float, float]) -> tuple[Tower, ToppleEpisode]:
    """A tower whose only piece is knocked off, at the moment a hand would clear; and the fall."""
    tower = Tower(preset_parameters("calm"), 1)
    tower.at(0.5, partial(tower.place, "e3"))
    tower.advance(5.0)
    tower.knock_off("e3")
    topple = tower.topple
    assert topple is not None
    for until_s in Clearer(tower, Ways(stare_s=stare_s, catches=1.0), Random(1)).stare(topple):
        tower.advance(until_s)
    return tower, topple


def test_who_clears_at_once_does_not_wait_for_the_piece_to_lie_still() -> None:
    tower, topple = stared((0.0, 0.2))

    assert not topple.over
    assert tower.now_s - topple.t_s < 0.4


def test_who_stares_counts_from_the_end_of_the_fall() -> None:
    tower, topple = stared((10.0, 10.0))

    assert topple.over
    assert tower.now_s - topple.settled_s == pytest.approx(10.0, abs=0.1)
    assert tower.now_s - topple.t_s > 10.0


def test_a_hand_that_catches_what_falls_touches_the_board() -> None:
    tower, _ = stared((1.0, 1.0))

    assert "touch" in {entry["type"] for entry in tower.truth.entries}
