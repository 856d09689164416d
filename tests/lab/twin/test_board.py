import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tabletop import STANDARD_GRAVITY_MM_S2
from lab.twin.board import HandContact, PivotedBoard, Pulse, level_axes, mass_state
from lab.twin.parameters import BodyParameters

SLIPPERY = BodyParameters(friction_band_deg=0.0)


def moved(board: PivotedBoard, seconds: float, **forces: list) -> np.ndarray:
    rows: list = []
    steps = round(seconds * 1000)
    board.run(0.0, steps, forces.get("contacts", []), forces.get("pulses", []), None, rows)
    return np.array(rows)


def tilts_deg(rows: np.ndarray) -> np.ndarray:
    return np.degrees(np.arctan2(rows[:, :2], rows[:, 2:3]))


def board_with(
    body: BodyParameters, *loads: tuple[float, tuple[float, float, float]]
) -> PivotedBoard:
    board = PivotedBoard(body, mass_state(body, (0.0, 0.0), []))
    board.load(mass_state(body, (0.0, 0.0), loads))
    return board


def test_at_rest_gravity_is_parallel_to_the_moment_of_mass() -> None:
    board = board_with(SLIPPERY, (3.0, (64.0, -32.0, -20.0)))

    rows = moved(board, 30.0)

    sx, sy, sz = board.mass.moment_gmm
    expected = np.degrees(np.arctan2([-sx, -sy], [-sz, -sz]))
    assert np.allclose(tilts_deg(rows)[-1], expected, atol=0.01)


def test_it_swings_with_the_period_of_a_physical_pendulum() -> None:
    board = board_with(SLIPPERY, (0.5, (64.0, 0.0, 0.0)))

    rate = moved(board, 4.0)[:, 4]

    crossings = np.flatnonzero(np.diff(np.sign(rate[10:])))
    inertia = board.mass.inertia[1, 1]
    period_s = 2 * np.pi * np.sqrt(inertia / (-board.mass.moment_gmm[2] * STANDARD_GRAVITY_MM_S2))
    assert 2 * np.diff(crossings).mean() / 1000 == pytest.approx(period_s, rel=0.01)
    assert period_s == pytest.approx(0.72, abs=0.02)


def test_without_friction_or_damping_a_swing_keeps_its_height() -> None:
    body = BodyParameters(friction_band_deg=0.0, damping_ratio=0.0)
    tilt = np.abs(tilts_deg(moved(board_with(body, (3.0, (64.0, 0.0, 0.0))), 20.0))[:, 0])

    assert tilt[-1500:].max() == pytest.approx(tilt[:1500].max(), rel=0.02)


@given(st.floats(0.05, 0.6), st.floats(-60, 60), st.floats(-60, 60))
def test_it_comes_to_rest_within_the_friction_band(band_deg: float, x: float, y: float) -> None:
    body = BodyParameters(friction_band_deg=band_deg, damping_ratio=0.08)
    board = board_with(body, (3.0, (x, y, -10.0)))

    rows = moved(board, 6.0)

    sx, sy, sz = board.mass.moment_gmm
    off = tilts_deg(rows)[-1] - np.degrees(np.arctan2([-sx, -sy], [-sz, -sz]))
    assert np.hypot(*board.rate[:2]) < 1e-6
    assert np.hypot(*off) <= band_deg * 1.05 + 0.01


def test_a_load_too_small_to_beat_friction_moves_nothing() -> None:
    body = BodyParameters(friction_band_deg=0.5)
    rows = moved(board_with(body, (0.3, (64.0, 0.0, 0.0))), 1.0)

    assert np.ptp(tilts_deg(rows)[:, 0]) == 0.0


def test_a_knock_gives_the_board_its_impulse() -> None:
    board = PivotedBoard(SLIPPERY, mass_state(SLIPPERY, (0.0, 0.0), []))
    pulse = Pulse((60.0, 0.0, 0.0), 0.0, 0.02, 3000.0)

    rows = moved(board, 0.021, pulses=[pulse])

    gained = 60.0 * 3000.0 / board.mass.inertia[1, 1]
    assert board.rate[1] == pytest.approx(gained, rel=0.06)
    assert rows[:, 9].sum() * 0.001 == pytest.approx(3000.0, rel=0.01)


def test_a_pressing_hand_pushes_the_board_down_and_is_noticed() -> None:
    board = PivotedBoard(SLIPPERY, mass_state(SLIPPERY, (0.0, 0.0), []))
    hand = HandContact((0.0, 0.0, 5.0), 0.0, 5.0, ((0.0, -1.0), (0.1, 1.0), (0.5, 1.0)), 2e5, 800.0)

    rows = moved(board, 0.4, contacts=[hand])

    assert hand.first_touch_s == pytest.approx(0.05, abs=0.002)
    assert rows[-1, 9] == pytest.approx(2e5, rel=0.01)


def test_the_board_stops_at_the_base() -> None:
    board = PivotedBoard(SLIPPERY, mass_state(SLIPPERY, (0.0, 0.0), []))
    board.rate = (0.0, 12.0, 0.0)

    rows = moved(board, 3.0)

    assert np.degrees(np.arccos(rows[:, 2])).max() < SLIPPERY.stop_deg + 2


def test_a_clamped_board_does_not_move() -> None:
    board = board_with(SLIPPERY, (3.0, (64.0, 0.0, 0.0)))
    board.clamped = True

    assert np.ptp(moved(board, 0.5)[:, :9], axis=0).max() == 0.0


@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_level_axes_are_level_and_square(x: float, y: float) -> None:
    up = np.array([x, y, 1.0]) / np.sqrt(x * x + y * y + 1)
    east, north = (np.array(axis) for axis in level_axes(*up))

    frame = np.stack([east, north, up])
    assert np.allclose(frame @ frame.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(frame) == pytest.approx(1.0)
