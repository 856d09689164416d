"""What a run has found, put together, and what of it is worth a look."""

from pathlib import Path
from typing import Any

from tests.benchmarks.detection_figures import Miss, Tally
from tests.benchmarks.detection_games import Game, Replayed
from tests.benchmarks.detection_kinds import OTHER_PEOPLE
from tests.benchmarks.detection_results import NAIVE, NOW, Key, Results, film_strip


def miss(sort: str, kind: str, t_s: float = 1.0) -> Miss:
    game = Game("g", "twin", "calm", Path(), Path(), "made up", kind)
    return Miss(sort, t_s, "words", Replayed(game, [], [], 0.0, 60.0))


def some_results() -> Results:
    results = Results()
    for detector in (NOW, "abc1234", NAIVE):
        for kind, pieces in (("usual", 10), ("lively", 20), ("slow", 30), ("soft tablecloth", 5)):
            for preset in ("rough", "calm"):
                results.add(Key(detector, kind, preset, die=True), Tally(placements=pieces))
    return results


def test_tallies_are_put_together_by_kind_group_and_preset() -> None:
    results = some_results()

    def placements(**which: Any) -> int:
        found = results.of(NOW, **which)
        return -1 if found is None else found.placements

    assert placements() == 2 * 65
    assert placements(kind="slow") == 60
    assert placements(group=OTHER_PEOPLE, preset="calm") == 50
    assert placements(kind="nobody") == -1
    assert results.of(NOW, die=False) is None


def test_the_film_strip_shows_every_sort_of_miss_and_many_kinds_of_evenings() -> None:
    misses = [
        *((True, miss("missed", "lively", t_s)) for t_s in range(20)),
        (True, miss("missed", "slow")),
        (True, miss("topple unseen", "lively")),
        (True, miss("wrong cell, asked", "lively")),
        (False, miss("topple unseen", "usual")),
    ]
    strip = film_strip(misses, 10)

    assert len(strip) == 10
    assert [each.kind for each in strip].count("topple unseen") == 1
    assert [each.run.game.kind for each in strip[:2]] == ["lively", "slow"]
    assert "wrong cell, asked" not in {each.kind for each in strip}
