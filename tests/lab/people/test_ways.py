"""People of every way play on: rounds end, boards come clear, truth and game stay together."""

from collections import Counter
from random import Random
from typing import get_args

import pytest

from lab.people.simulation import SimulatedEvening
from lab.people.ways import (
    USUAL,
    WAYS,
    WayName,
    Ways,
    drawn,
    drawn_names,
    together,
    ways_of,
)

EACH = [name for name in WAYS if name != "usual"]


@pytest.mark.slow
@pytest.mark.parametrize("name", EACH)
def test_people_of_every_way_play_rounds_and_clear_the_board(name: str) -> None:
    evening = SimulatedEvening.begin(11, "normal", ways=WAYS[name], target=40)
    while evening.tower.now_s < 70:
        evening.poll(evening.tower.now_s + 1.0)
    kinds = Counter(entry["type"] for entry in evening.truth())

    assert kinds["place"] > 6
    state = evening.people.state
    assert state is not None
    on_board = sum(map(len, state.board))
    # Between a fall and the clearing the game knows of pieces that lie beside the board.
    if evening.tower.topple is None:
        assert abs(on_board - evening.tower.pieces.count) <= 1


def test_lively_people_do_a_little_of_everything() -> None:
    same_as_usual = [
        name
        for name in Ways.__struct_fields__
        if getattr(WAYS["lively"], name) == getattr(USUAL, name)
    ]

    of_others = [
        *("late_bumps", "agrees_to_stop", "names_rolls", "misread_rolls", "unheard_rolls"),
        *("wrong_colours", "awaits_call", "errs", "watches"),
    ]
    assert same_as_usual == of_others


def test_every_way_can_be_named_in_a_file() -> None:
    assert set(get_args(WayName)) == set(WAYS)
    assert {name: ways_of(name, 1) for name in get_args(WayName)} == WAYS


def test_ways_put_together_keep_each_others_habits_and_the_later_one_counts() -> None:
    both = ways_of(("things", "leaving"), 1)

    assert (both.things, both.leftovers) == (WAYS["things"].things, 1.0)
    assert ways_of(("leaving", "things"), 1).leftovers == 0.5
    assert ways_of(Ways(slides=0.5), 1) == Ways(slides=0.5)


def test_people_drawn_by_a_seed_have_the_ways_whose_names_it_draws() -> None:
    for seed in range(20):
        names = drawn_names(Random(seed))
        assert ways_of("drawn", seed) == together(names) == drawn(Random(seed))
        assert 2 <= len(set(names)) <= 4


def test_people_drawn_for_a_table_have_several_ways_and_differ_from_table_to_table() -> None:
    tables = [drawn(Random(seed)) for seed in range(20)]

    assert len(set(tables)) > 15
    assert drawn(Random(3)) == tables[3]
    assert USUAL not in tables
    assert sum(ways in WAYS.values() for ways in tables) < 3  # one way may hide another
