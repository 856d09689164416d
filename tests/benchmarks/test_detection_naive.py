"""The baseline is simple and not silly: on a quiet table it sees what is plain to see."""

from typing import Any

import numpy as np
import pytest

from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples
from engine.tabletop import Tabletop
from hw.source import Item
from lab.twin.parameters import preset_parameters
from tests.benchmarks.detection_naive import naive_lines

TABLETOP: Tabletop = preset_parameters("calm").calibration.tabletop()
PIECE_G = TABLETOP.piece.mass_mean_g


def quiet_table(*steps: tuple[float, float, tuple[float, float]]) -> list[Item]:
    """Samples of a table that weighs and leans as the last (time, grams, lean) before says."""
    items: list[Item] = []
    t_s = np.arange(0.0, 12.0, 0.0125)
    which = np.searchsorted([begin for begin, _, _ in steps], t_s, side="right") - 1
    grams = np.array([steps[max(index, 0)][1] for index in which])
    lean = np.array([steps[max(index, 0)][2] for index in which])
    mass = np.repeat(grams[:, None] / 4, 4, axis=1)
    items.append(ScaleSamples(t_s, mass, mass.astype(np.int32), np.ones(mass.shape, bool)))
    accel = np.column_stack((lean, np.ones(len(t_s))))
    items.append(ImuSamples(t_s, accel, 0 * accel, np.zeros((len(t_s), 6), np.int32)))
    return items


def lean_of(x_cells: int, y_cells: int) -> tuple[float, float]:
    """How the empty board hangs with one piece so far from the middle."""
    moment = PIECE_G * TABLETOP.cell_pitch_mm / TABLETOP.empty_moment_gmm[2]
    return x_cells * moment, y_cells * moment


def seen(items: list[Item], *, dice: bool = True) -> list[tuple[str, Any]]:
    found = naive_lines(TABLETOP, items, dice=dice)
    return [(e["type"], e.get("cell", e.get("kind"))) for e in found if e["type"] != "summary"]


@pytest.mark.parametrize(("cell", "at"), [("c3", (0, 0)), ("e3", (2, 0)), ("b5", (-1, 2))])
def test_a_piece_on_a_quiet_board_is_found_where_it_lies(cell: str, at: tuple[int, int]) -> None:
    items = quiet_table((0.0, 0.0, (0.0, 0.0)), (5.0, PIECE_G, lean_of(*at)))

    assert seen(items) == [("placed", cell)]


def test_the_die_decides_between_neighbours() -> None:
    x, y = lean_of(2, 0)
    items = quiet_table((0.0, 0.0, (0.0, 0.0)), (5.0, PIECE_G, (x, 0.55 * lean_of(0, 1)[1] + y)))
    rolled = [HumanInput(1.0, "roll", {"value": 3}), *items]

    assert seen(rolled) == [("placed", "e3")]
    assert seen(rolled, dice=False) == [("placed", "e4")]


def test_lost_weight_is_a_topple_and_clearing_is_none() -> None:
    items = quiet_table(
        (0.0, 8 * PIECE_G, (0.0, 0.0)), (5.0, 2 * PIECE_G, (0.0, 0.0)), (8.0, 0.0, (0.0, 0.0))
    )

    assert seen(items) == [("toppled", "collapse")]
