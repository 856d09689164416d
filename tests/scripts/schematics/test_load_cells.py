"""What load cells tell: against a simulated one, and which are recommended."""

import numpy as np
import pytest

from scripts.schematics import geometry
from scripts.schematics.load_cells import CAPACITIES_KG, NOISE_COUNTS, capacity, page

BUILD = geometry.load()


def test_three_grams_on_five_kilograms_are_what_a_bridge_and_a_converter_make_of_them() -> None:
    """1 mV/V of 4.3 V at 5 kg; the converter's range is half of 4.3 V over 128."""
    volts = 3 / 5000 * 4.3e-3
    counts = volts / (0.5 * 4.3 / 128) * 2**23

    assert capacity(BUILD, 5.0).piece_counts == pytest.approx(counts)
    assert counts == pytest.approx(1288, abs=1)


def test_the_noise_of_two_rests_is_that_of_simulated_conversions() -> None:
    rng = np.random.default_rng(1)
    told = capacity(BUILD, 1.0)
    per_gram = told.piece_counts / BUILD.measures.piece.mass_mean_g
    places = np.array(BUILD.design.load_cell_positions_mm)
    rests = rng.normal(0, NOISE_COUNTS[1] / per_gram, (4000, 2, 4, 24)).mean(axis=3)
    steps = rests[:, 1] - rests[:, 0]

    assert steps.sum(axis=1).std() == pytest.approx(told.weight_noise_g[1], rel=0.05)
    assert (steps @ places[:, 0]).std() == pytest.approx(told.moment_noise_gmm[1], rel=0.05)


@pytest.mark.parametrize("capacity_kg", CAPACITIES_KG)
def test_noise_limits_no_capacity(capacity_kg: float) -> None:
    told = capacity(BUILD, capacity_kg)

    assert told.weight_noise_g[1] < BUILD.measures.piece.mass_mean_g / 5


def test_the_page_has_a_row_for_each_capacity() -> None:
    for capacity_kg in CAPACITIES_KG:
        assert f"| {capacity_kg:g} kg |" in page(BUILD)
