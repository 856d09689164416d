from random import Random

import pytest

from lab.people.fidgeting import TEMPERS, THINGS, Fidgets
from lab.people.ways import USUAL, Ways
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower


def disturbed(ways: Ways, minutes: int) -> Tower:
    tower = Tower(preset_parameters("calm"), 5)
    fidgets = Fidgets(tower, TEMPERS["calm"], ways, Random(5), 2)
    while tower.now_s < 60 * minutes:
        tower.advance(fidgets.next_s)
        fidgets.act(clearing=False)
    return tower


def test_things_come_to_lie_beside_the_board_as_often_as_told() -> None:
    tower = disturbed(Ways(things=20.0), 1)
    laid = [e for e in tower.truth.entries if e.get("target") == "base"]

    assert 10 <= len(laid) <= 32
    low, high = min(w[0] for w, _ in THINGS.values()), max(w[1] for w, _ in THINGS.values())
    assert all(low <= entry["grams"] <= high for entry in laid)


@pytest.mark.slow
def test_nobody_lays_anything_down_who_does_not_usually() -> None:
    tower = disturbed(USUAL, 1)

    assert not [e for e in tower.truth.entries if e.get("target") in {"base", "walk"}]


def test_nothing_disturbs_while_everybody_clears() -> None:
    tower = Tower(preset_parameters("calm"), 5)
    fidgets = Fidgets(tower, TEMPERS["rough"], Ways(things=60.0), Random(5), 2)
    for _ in range(20):
        fidgets.act(clearing=True)

    assert tower.truth.entries == []
