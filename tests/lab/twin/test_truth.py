from typing import Any

import numpy as np
import pytest

from engine.tabletop import STANDARD_GRAVITY_MM_S2
from lab.twin.board import PivotedBoard, mass_state
from lab.twin.furniture import TableBump, TableLean
from lab.twin.parameters import preset_parameters
from lab.twin.truth import Blow, Span, span_of

PARAMETERS = preset_parameters("calm")
BODY = PARAMETERS.body


def seen(
    steps: int = 500,
    *,
    load: tuple | None = None,
    motions: Any = (),
    blows: Any = (),
    base: Any = (),
) -> Span:
    loads = [load] if load else []
    board = PivotedBoard(BODY, mass_state(BODY, (0.0, 0.0), loads))
    rows: list = []
    board.run(0.0, steps, [], [], None, rows)
    return span_of(PARAMETERS, 0.0, rows, board.states, motions, blows, base)


def test_an_empty_table_at_rest_weighs_nothing_over_the_tare() -> None:
    span = seen()

    assert np.abs(span.load).max() < 1e-6
    assert span.force_g[-1] == pytest.approx([0, 0, 1])


def test_a_piece_on_the_board_adds_its_weight_but_moves_no_pressure() -> None:
    span = seen(load=(3.0, (64.0, 32.0, -30.0)))

    assert span.load[-1] == pytest.approx([3.0, 0.0, 0.0], abs=1e-6)
    assert span.force_g[-1, 0] < -0.02


def test_a_piece_on_the_base_moves_the_centre_of_pressure() -> None:
    assert seen(base=[(3.0, 60.0, -40.0)]).load[-1] == pytest.approx([3.0, 180.0, -120.0])


def test_a_lifting_table_makes_everything_heavier() -> None:
    bump = TableBump(0.0, 1.0, 5.0, 0.5, (0.0, 0.0, 1.0))
    span = seen(motions=[bump])

    accelerated = bump.acceleration(span.t_s)[:, 2] / STANDARD_GRAVITY_MM_S2
    whole = BODY.base_mass_g + BODY.empty_mass_g
    assert span.load[:, 0] == pytest.approx(whole * accelerated, abs=0.01)
    assert span.force_g[:, 2] - 1 == pytest.approx(accelerated, abs=1e-6)


def test_leaning_shifts_the_pressure_by_height_times_weight() -> None:
    span = seen(1500, motions=[TableLean(0.0, 0.5, 10.0, (0.0, 1.0))])

    slope = np.radians(0.5)
    lever = BODY.empty_mass_g * BODY.tip_height_mm + BODY.base_mass_g * BODY.base_height_mm
    assert span.load[-1, 1] == pytest.approx(slope * lever, rel=0.01)
    assert abs(span.load[-1, 0]) < 0.01


def test_a_blow_gives_its_impulse() -> None:
    span = seen(blows=[Blow(0.1, 0.02, 0.3, 50.0, 0.0)])

    assert span.load[:, 0].sum() * 0.001 == pytest.approx(0.3, rel=0.01)
    assert span.load[:, 1].max() == pytest.approx(50 * span.load[:, 0].max())


def test_a_swing_pushes_the_tip_sideways_against_it() -> None:
    board = PivotedBoard(BODY, mass_state(BODY, (0.0, 0.0), []))
    board.load(mass_state(BODY, (0.0, 0.0), [(3.0, (64.0, 0.0, -20.0))]))
    rows: list = []
    board.run(0.0, 400, [], [], None, rows)
    span = span_of(PARAMETERS, 0.0, rows, board.states, (), (), ())

    spin_y = np.array(rows)[:, 7]
    moment = BODY.tip_height_mm * spin_y * -board.mass.moment_gmm[2] / STANDARD_GRAVITY_MM_S2
    assert np.corrcoef(span.load[:, 1], moment)[0, 1] > 0.99
    assert np.ptp(span.load[:, 1]) == pytest.approx(np.ptp(moment), rel=0.1)
