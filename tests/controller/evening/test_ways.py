"""People of every way play on: rounds end, boards come clear, truth and game stay together."""

from collections import Counter
from random import Random

import pytest

from controller.evening.simulation import Evening
from controller.evening.ways import LIVELY, USUAL, WAYS, drawn

EACH = [name for name in WAYS if name != "usual"]


@pytest.mark.slow
@pytest.mark.parametrize("name", EACH)
def test_people_of_every_way_play_rounds_and_clear_the_board(name: str) -> None:
    evening = Evening.begin(11, "normal", ways=WAYS[name], target=40)
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
        name for name in USUAL.__dataclass_fields__ if getattr(LIVELY, name) == getattr(USUAL, name)
    ]

    assert same_as_usual == []


def test_people_drawn_for_a_table_have_several_ways_and_differ_from_table_to_table() -> None:
    tables = [drawn(Random(seed)) for seed in range(20)]

    assert len(set(tables)) > 15
    assert drawn(Random(3)) == tables[3]
    assert USUAL not in tables
    assert sum(ways in WAYS.values() for ways in tables) < 3  # one way may hide another
