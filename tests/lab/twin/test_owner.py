"""The simulated owner does what is asked, as people do it."""

import numpy as np
import pytest

from lab.twin.drawing import draw
from lab.twin.owner import CAREFUL, Owner, ruled
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower

PLAIN = preset_parameters("normal")


def owner_at(tower: Tower) -> Owner:
    return Owner(tower, np.random.default_rng(2), (34.0,), CAREFUL)


def test_a_weight_comes_to_lie_near_its_corner_and_goes_away() -> None:
    tower = Tower(PLAIN, 1)
    owner = owner_at(tower)

    owner.do("corner1")
    tower.advance(5.0)
    ((grams, x_mm, y_mm),) = tower._weights
    owner.do("off")
    tower.advance(9.0)

    assert grams == 34.0
    assert (x_mm, y_mm) == pytest.approx((70.0, -70.0), abs=20)
    assert (x_mm, y_mm) != (70.0, -70.0)
    assert tower._weights == []


def test_a_side_goes_down_and_comes_up_again() -> None:
    tower = Tower(PLAIN, 1)
    owner_at(tower).do("side0")

    tilts = []
    for tenth in range(1, 60):
        tower.advance(tenth / 10)
        tilts.append((tower.tilt_rad, tower.board.up[0]))

    widest, leaning = max(tilts)
    assert np.degrees(widest) > 6
    assert leaning < 0


def test_pieces_are_laid_and_taken_away() -> None:
    tower = Tower(PLAIN, 1)
    owner = owner_at(tower)
    owner.do("piece_e1")
    tower.advance(6.0)
    laid = tower.pieces.count
    owner.do("close")
    tower.advance(12.0)

    assert laid == 1
    assert tower.pieces.count == 0


def test_who_is_still_waited_for_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tower = Tower(PLAIN, 1)
    owner = owner_at(tower)
    done: list[str] = []
    monkeypatch.setattr(owner, "do", done.append)

    owner.attend("swing", 1.0, wrong=False)
    owner.attend("swing", 2.0, wrong=False)
    owner.attend("swing", 9.0, wrong=True)

    assert done == ["swing", "swing"]


def test_a_ruler_tells_lengths_and_nothing_else() -> None:
    table = draw(np.random.default_rng(4), "normal", turned_imu=True, inverted_cells=True)

    known = ruled(table)

    assert known.cell_pitch_mm == table.calibration.cell_pitch_mm
    assert known.scale.counts_per_gram == (1000.0,) * 4
    assert known.imu.rotation[0] == (1.0, 0.0, 0.0)
    assert known.empty_moment_gmm[2] != table.calibration.empty_moment_gmm[2]
