import pytest

from controller.workshop.diagnose.core.identity import misplaced, swap_of_each
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, figures

TARES = CALIBRATION.scale.tare_counts


def at(cell: int, counts: float) -> str:
    factor = CALIBRATION.scale.counts_per_gram[cell]
    read = figures(mean_counts=counts, load_g=(counts - TARES[cell]) / factor)
    found = misplaced(CALIBRATION, cell, read)
    return found.kind if found else ""


@pytest.mark.parametrize(
    ("counts", "kind"),
    [
        (TARES[2], ""),
        (TARES[2] + 24_000, ""),
        (TARES[2] + 60_000, "far_from_tare"),
        (-TARES[2] + 3_000, "wires_swapped"),
        (-1_200, "cell_unplugged"),
        (TARES[2] / 2, "wrong_gain"),
        (TARES[2] * 2, "wrong_gain"),
    ],
)
def test_the_count_of_an_empty_table_tells_what_happened(counts: float, kind: str) -> None:
    assert at(2, counts) == kind


def test_cells_that_read_each_others_tare_are_exchanged() -> None:
    order = (0, 3, 2, 1)
    cells = [figures(mean_counts=TARES[n], load_g=(TARES[n] - TARES[k]) / 1000)
             for k, n in enumerate(order)]  # fmt: skip

    found = swap_of_each(CALIBRATION, cells)

    assert sorted(found) == [1, 3]
    assert found[1] is found[3]
    assert "Load cells C1 and C3 are exchanged" in found[1].sentence
    assert {found[1].sensor, *found[1].also} == {"scale.1", "scale.3"}
    assert swap_of_each(CALIBRATION, [figures(mean_counts=tare) for tare in TARES]) == {}
