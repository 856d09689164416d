"""The short game that every table plays after its scenario."""

from random import Random

from lab.bench.drawn_game import NAMES, drawn_game


def test_a_drawn_game_has_a_row_a_stack_a_topple_and_undo() -> None:
    for seed in range(20):
        said = list(drawn_game(Random(seed)))
        verbs = [verb for verb, _ in said]
        assert verbs[0] == "start"
        assert {"place", "topple", "undo", "redo", "cleared"} <= set(verbs)
        cells = [data["cell"] for verb, data in said if verb == "place"]
        assert len(set(cells)) == 5
        assert max(map(cells.count, cells)) >= 4


def test_it_is_played_by_two_to_four_of_all_names() -> None:
    starts = [next(drawn_game(Random(seed)))[1] for seed in range(300)]
    names = [[player["name"] for player in start["players"]] for start in starts]

    assert {name for players in names for name in players} == set(NAMES)
    assert {len(players) for players in names} == {2, 3, 4}
