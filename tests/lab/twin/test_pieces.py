import numpy as np
import pytest

from engine.tabletop import STANDARD_GRAVITY_MM_S2
from hw.errors import BadTwin
from lab.twin.parameters import preset_parameters
from lab.twin.pieces import Pieces, TwinPiece

AT_REST = (0.0, 0.0, -STANDARD_GRAVITY_MM_S2)


@pytest.fixture
def pieces() -> Pieces:
    return Pieces(preset_parameters("calm"), np.random.default_rng(1))


def put(pieces: Pieces, cell: str, dx_mm: float = 0.0, dy_mm: float = 0.0) -> TwinPiece:
    x_mm, y_mm = pieces.centre_mm(cell)
    piece = TwinPiece(pieces.count + 1, "red", 3.0, 0.34)
    pieces.put(piece, cell, x_mm + dx_mm, y_mm + dy_mm)
    return piece


def tilted(degrees: float, towards: tuple[float, float]) -> tuple[float, float, float]:
    x, y = towards
    slope = np.radians(degrees)
    push = STANDARD_GRAVITY_MM_S2 * np.sin(slope)
    return x * push, y * push, -STANDARD_GRAVITY_MM_S2 * np.cos(slope)


def let_slide(pieces: Pieces, push: tuple[float, float, float], seconds: float) -> list[TwinPiece]:
    fallen: list[TwinPiece] = []
    for step in range(round(seconds / 0.004)):
        fallen += pieces.step(step * 0.004, 0.004, push)
    return fallen


def land_all(pieces: Pieces) -> None:
    while pieces.flights:
        pieces.landed(max(flight.lands_s for flight in pieces.flights))


def test_the_board_is_highest_in_the_middle_and_stacks_grow(pieces: Pieces) -> None:
    assert pieces.floor_mm("c3") == 5.8
    assert pieces.floor_mm("a1") == pytest.approx(5.8 - 4 * 12.0)
    put(pieces, "a1")
    second = put(pieces, "a1")
    assert pieces.position(second)[2] == pytest.approx(5.8 - 48.0 + 13.5)
    assert pieces.top_mm("a1") == pytest.approx(5.8 - 48.0 + 18.0)


def test_there_are_only_25_cells(pieces: Pieces) -> None:
    with pytest.raises(BadTwin, match="f1"):
        pieces.centre_mm("f1")


def test_a_level_board_holds_its_pieces(pieces: Pieces) -> None:
    for cell in ("c3", "a1", "e4"):
        put(pieces, cell, 6.0, -6.0)

    assert let_slide(pieces, AT_REST, 1.0) == []
    assert pieces.drop_unsupported(1.0) == []
    assert pieces.count == 3


def test_a_piece_slides_down_when_the_slope_beats_its_friction(pieces: Pieces) -> None:
    piece = put(pieces, "e3")

    assert let_slide(pieces, tilted(15, (1, 0)), 0.5) == []
    assert piece.x_mm == pieces.centre_mm("e3")[0]
    fallen = let_slide(pieces, tilted(26, (1, 0)), 0.5)
    assert fallen == [piece]
    land_all(pieces)
    assert pieces.count == 0


def test_a_step_up_stops_a_sliding_piece(pieces: Pieces) -> None:
    piece = put(pieces, "e3")

    assert let_slide(pieces, tilted(26, (-1, 0)), 1.0) == []
    assert pieces.cell_at(piece.x_mm, piece.y_mm) == "e3"


def test_what_lies_on_a_falling_piece_falls_too(pieces: Pieces) -> None:
    below, above = put(pieces, "a3"), put(pieces, "a3")
    below.x_mm -= 17.0

    assert pieces.drop_unsupported(0.0) == [below, above]
    assert pieces.count == 0


def test_a_piece_set_down_beside_its_stack_falls_but_not_the_stack(pieces: Pieces) -> None:
    put(pieces, "c3")
    slipped = put(pieces, "c3", 11.0, 0.0)

    assert pieces.drop_unsupported(0.0) == [slipped]
    assert pieces.count == 1


def test_a_high_stack_tips_before_a_low_one(pieces: Pieces) -> None:
    for _ in range(6):
        put(pieces, "c3")
    put(pieces, "a1")
    put(pieces, "a1")

    fallen = pieces.tip_over(0.0, tilted(28, (1, 0)))

    assert 1 <= len(fallen) <= 5
    assert len(pieces.stacks["a1"]) == 2


def test_every_fallen_piece_ends_on_the_board_on_the_base_or_off_the_table(pieces: Pieces) -> None:
    for cell in ("b2", "c3", "d4", "a5", "e1"):
        for _ in range(3):
            put(pieces, cell)
    everything = list(pieces)
    fallen = let_slide(pieces, tilted(35, (0.6, 0.8)), 0.6)
    land_all(pieces)

    assert fallen
    for piece in everything:
        assert (piece.cell is not None) == any(piece in s for s in pieces.stacks.values())
    for stack in pieces.stacks.values():
        assert all(piece.cell is not None for piece in stack)
    half = pieces.parameters.body.base_half_mm
    assert all(abs(p.x_mm) < half and abs(p.y_mm) < half for p in pieces.on_base)


def test_lifting_takes_from_the_top(pieces: Pieces) -> None:
    first, second, third = (put(pieces, "c3") for _ in range(3))

    assert pieces.lift("c3", 2) == [second, third]
    assert list(pieces) == [first]
