import pytest

from engine.detect.placing import Placing
from engine.detect.scene import Scene
from tests.engine.detect.tables import TABLETOP, weights


@pytest.mark.parametrize(
    ("grams", "one", "two"),
    [(3.0, True, False), (2.6, True, False), (6.1, False, True), (1.2, False, False),
     (4.5, False, False), (-3.0, False, False)],
)  # fmt: skip
def test_whole_pieces_are_told_from_hands_by_their_weight(
    grams: float, *, one: bool, two: bool
) -> None:
    scene = Scene(TABLETOP)
    for now in weights([0.0] * 6):
        scene.balance.update(now)
    scene.accept()
    for now in weights([grams * 3] + [grams] * 5, start_s=1.0):
        scene.balance.update(now)
    placing = Placing(scene)

    assert (placing.is_one_piece(), placing.is_two_pieces()) == (one, two)
