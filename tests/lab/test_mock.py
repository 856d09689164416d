import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples
from lab.mock import MockTable


def mass_g(items: list) -> np.ndarray:
    return np.concatenate([item.mass_g for item in items if isinstance(item, ScaleSamples)])


def accel_g(items: list) -> np.ndarray:
    return np.concatenate([item.accel_g for item in items if isinstance(item, ImuSamples)])


def test_an_untouched_table_weighs_nothing_and_lies_level() -> None:
    table = MockTable()
    table.wait(1.0)
    items = table.take()

    assert np.abs(mass_g(items)).max() < 0.01
    assert np.abs(accel_g(items) - [0, 0, 1]).max() < 1e-3


@pytest.mark.parametrize("cell", ["c3", "e3", "a1", "b5"])
def test_a_placed_piece_shows_its_weight_and_tilts_the_board_by_its_moment(cell: str) -> None:
    table = MockTable()
    table.place(grams=3.0, cell=cell)
    table.settle()
    items = table.take()

    sx, sy, sz = table.tower.board.mass.moment_gmm
    assert mass_g(items)[-20:].sum(axis=1).mean() == pytest.approx(3.0, abs=0.01)
    rest = accel_g(items)[-20:].mean(axis=0)
    assert np.degrees(rest[:2] / rest[2]) == pytest.approx(np.degrees([sx / sz, sy / sz]), abs=0.05)


def test_the_centre_of_pressure_moves_only_for_a_piece_on_the_base() -> None:
    table = MockTable()
    table.place(grams=3.0, cell="e5")
    table.settle()
    on_board = mass_g(table.take())[-20:].mean(axis=0)
    piece = table.tower.pieces.lift("e5")[0]
    piece.x_mm, piece.y_mm = 70.0, 70.0
    table.tower.pieces.on_base.append(piece)
    table.tower._reload()
    table.settle()
    on_base = mass_g(table.take())[-20:].mean(axis=0)

    assert np.ptp(on_board) < 0.05
    assert on_base.sum() == pytest.approx(3.0, abs=0.02)
    assert on_base[2] - on_base[0] > 2.0


def test_a_piece_taken_back_leaves_nothing() -> None:
    table = MockTable()
    table.put_back(3.0, "c4")
    table.settle()

    assert abs(mass_g(table.take())[-20:].sum(axis=1).mean()) < 0.02


def test_the_board_can_be_clamped_at_a_tilt() -> None:
    table = MockTable()
    table.tilt_to(5.0, -2.0)
    table.wait(0.5)
    rest = accel_g(table.take())[-1]

    assert np.degrees(np.arctan2(rest[:2], rest[2])) == pytest.approx([-5.0, 2.0], abs=0.02)
    table.let_swing()
    table.wait(1.0)
    assert np.ptp(accel_g(table.take())[:, 0]) > 0.05


def test_disturbances_shake_but_leave_the_weight_as_it_was() -> None:
    table = MockTable()
    table.place(grams=3.0, cell="c3")
    for act in (table.tap, table.bump, table.lean, lambda: table.touch("d2")):
        act()
        table.wait(1.0)
    table.settle()

    weights = mass_g(table.take()).sum(axis=1)
    assert np.abs(weights - 3.0).max() > 5.0
    assert weights[-20:].mean() == pytest.approx(3.0, abs=0.02)


def test_knocked_off_pieces_are_gone_or_lie_somewhere() -> None:
    table = MockTable()
    for _ in range(3):
        table.place(grams=3.0, cell="e3")
        table.wait(1.0)
    table.knock_off("e3", 2)
    table.wait(2.0)
    table.settle()

    pieces = table.tower.pieces
    assert len(pieces.stacks["e3"]) <= 3
    left_g = 3.0 * (pieces.count + len(pieces.on_base))
    assert mass_g(table.take())[-20:].sum(axis=1).mean() == pytest.approx(left_g, abs=0.05)
