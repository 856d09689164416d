"""The slicer against shapes whose layers can be told by hand."""

import itertools

import numpy as np
import pytest

from scripts.schematics.model.slicing import (
    BED_MM,
    LAYER_MM,
    OVER_AIR_MOST_MM2,
    STL_ROW,
    Triangles,
    odd_edges,
    problems,
    sliced,
    triangles_of,
)

FACES = ("0132", "4576", "0451", "2376", "0264", "1573")
"""Of a body with eight corners, of which number n has n's bits as x, y, z. Which way round does not
matter to rays."""


def body(corners: np.ndarray) -> Triangles:
    triangles = []
    for face in FACES:
        a, b, c, d = (int(n) for n in face)
        triangles += [(a, b, c), (a, c, d)]
    made: Triangles = np.array([[corners[n] for n in triangle] for triangle in triangles])
    return made


def box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Triangles:
    bits = itertools.product((0, 1), repeat=3)
    return body(np.array([(x[i], y[j], z[k]) for k, j, i in bits], dtype=float))


def leaning(by_mm: float, high_mm: float) -> Triangles:
    """A block of 20 x 10 mm whose top lies `by_mm` further along x."""
    made = box((0, 20), (0, 10), (0, high_mm))
    made[:, :, 0] += made[:, :, 2] / high_mm * by_mm
    return made


PILLAR = box((8, 12), (3, 7), (0, 10))
TABLE = np.concatenate([PILLAR, box((0, 20), (0, 10), (10, 12))])


def test_a_block_has_its_area_and_volume_and_nothing_against_it() -> None:
    found = sliced(box((0, 20), (0, 10), (0, 5)))

    assert found.first_layer_mm2 == pytest.approx(200, rel=0.01)
    assert found.volume_mm3 == pytest.approx(1000, rel=0.01)
    assert found.size_mm == (20, 10, 5)
    assert problems(found) == []


def test_what_begins_over_air_is_found_by_its_area() -> None:
    found = sliced(TABLE)

    # The top's underside without the pillar, and without a line around it.
    assert found.over_air_mm2 == pytest.approx(200 - 4.8 * 4.8, rel=0.03)
    assert "it needs support" in problems(found)[0]
    assert problems(sliced(TABLE * (1, 1, -1) + (0, 0, 12))) == []


@pytest.mark.parametrize(("degrees", "over_air"), [(0, False), (42, False), (55, True)])
def test_an_overhang_may_lean_by_45_degrees(degrees: float, *, over_air: bool) -> None:
    high = 10.0
    found = sliced(leaning(high * np.tan(np.radians(degrees)), high))

    assert (found.over_air_mm2 > OVER_AIR_MOST_MM2) is over_air


def test_a_wall_of_one_line_is_found_and_one_of_two_is_none() -> None:
    assert "thinner than 2 lines" in problems(sliced(box((0, 20), (0, 0.5), (0, 10))))[0]
    assert problems(sliced(box((0, 20), (0, 1.2), (0, 10)))) == []


def test_a_mesh_that_meets_itself_in_an_edge_is_found() -> None:
    one, other = box((0, 5), (0, 5), (0, 5)), box((5, 10), (5, 10), (0, 5))

    assert odd_edges(one) == 0
    assert odd_edges(np.concatenate([one, other])) == 1
    assert odd_edges(one[1:]) == 3


def test_a_part_longer_than_the_bed_is_found() -> None:
    said = problems(sliced(box((0, BED_MM + 1), (0, 5), (0, LAYER_MM))))

    assert said == ["it is 181 mm long, and the bed 180"]


def test_the_triangles_of_a_file_are_read() -> None:
    rows = np.zeros(len(PILLAR), STL_ROW)
    rows["corners"] = PILLAR
    stl = bytes(80) + np.uint32(len(PILLAR)).tobytes() + rows.tobytes()

    assert np.array_equal(triangles_of(stl), PILLAR)
