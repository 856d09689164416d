"""Patterns and orientations, a second way: with numpy's turns and flips."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.games.topominos.dots import DOTS, FULL, ORBITS, is_pattern, orbit, pattern_of, text_of

patterns = st.integers(0, FULL)


def numpy_orbit(text: str) -> set[str]:
    grid = np.array(list(text)).reshape(3, 3)
    faces = (grid, np.fliplr(grid))
    return {"".join(np.rot90(face, turns).ravel()) for face in faces for turns in range(4)}


@given(patterns)
def test_ways_to_lie_are_turns_and_flips(pattern: int) -> None:
    assert set(orbit(text_of(pattern))) == numpy_orbit(text_of(pattern))


@given(patterns)
def test_all_ways_of_a_piece_have_the_same_ways_and_the_same_dots(pattern: int) -> None:
    for way in ORBITS[pattern]:
        assert ORBITS[way] == ORBITS[pattern]
        assert DOTS[way] == DOTS[pattern]
    assert pattern in ORBITS[pattern]


@given(patterns)
def test_text_and_number_are_the_same_pattern(pattern: int) -> None:
    assert pattern_of(text_of(pattern)) == pattern
    assert text_of(pattern).count("1") == DOTS[pattern]


def test_there_are_102_different_pieces_by_burnside() -> None:
    # Fixed patterns of the eight symmetries: identity 2^9, two quarter turns 2^3 each,
    # half turn 2^5, four mirrors 2^6 each.
    assert len({ways[0] for ways in ORBITS}) == (2**9 + 2 * 2**3 + 2**5 + 4 * 2**6) // 8


def test_only_nine_zeros_and_ones_are_a_pattern() -> None:
    assert is_pattern("010101010")
    assert not any(map(is_pattern, ("01010101", "0101010102", "01010101x", 5, None, [1] * 9)))
