"""A real HX711 at 11.65 SPS for ten minutes and from power-up: a table of it is well."""

import numpy as np
import pytest

from lab.chips.hx711 import SETTLING_CONVERSIONS
from tests.planted_tables import PATHS
from tests.recordings.signals import COFFEE_COUNTS_PER_GRAM, COFFEE_HZ, coffee
from tests.recordings.tables import RealCell, Said, diagnosed, live, recorded_table
from tests.soaked import soaked

pytestmark = pytest.mark.recordings_apart

REST_COUNTS = 30.0
"""Standard deviation, most of it within a few seconds (README of the recordings)."""
QUARTER_S = 150.0
COUNTED_HZ = 0.2
"""Conversions of ten seconds are counted: one more or less, and the last may be on its way."""


def real(begin: int, end: int | None = None, name: str = "steadystate") -> RealCell:
    return RealCell(coffee(name)[1][begin:end], COFFEE_HZ, COFFEE_COUNTS_PER_GRAM)


def quarters() -> list[RealCell]:
    """Four cells: the four quarters of the recording, which have nothing in common."""
    length = len(coffee("steadystate")[1]) // 4
    return [real(number * length, (number + 1) * length) for number in range(4)]


def expect_well(said: Said, cells: tuple[int, ...]) -> None:
    assert (said.troubles, said.events) == (set(), ())
    assert said.healths
    for health in said.healths:
        for number in cells:
            figures = health["sensors"][f"scale.{number}"]
            assert figures["rate_hz"] == pytest.approx(COFFEE_HZ, abs=COUNTED_HZ)
            assert figures["noise_counts"] == pytest.approx(REST_COUNTS, rel=0.5)
            assert abs(figures["drift_g_min"]) < 0.6
            assert figures["missed"] == figures["resets"] == figures["saturated"] == 0


def test_no_conversion_of_ten_minutes_lies_apart_from_its_neighbours() -> None:
    _, counts = coffee("steadystate")

    assert np.abs(np.diff(counts)).max() < 6 * REST_COUNTS
    assert counts.std() < 5 * REST_COUNTS


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("seconds", soaked((30.0, QUARTER_S - 2.0), but=(30.0,)))
def test_a_table_of_four_at_rest_is_well(path: str, seconds: float) -> None:
    expect_well(live(recorded_table(path, quarters()), seconds), (0, 1, 2, 3))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("seconds", soaked((22.0, QUARTER_S - 2.0), but=(22.0,)))
def test_nothing_is_found_in_any_ten_seconds_of_it(path: str, seconds: float) -> None:
    assert diagnosed(recorded_table(path, quarters()), seconds) == ()


@pytest.mark.slow
def test_a_table_of_four_that_get_their_power_together_is_well() -> None:
    """From the first conversion of each, which is off by as much as a real one's."""
    _, counts = coffee("startup")
    counts = np.concatenate((np.full(SETTLING_CONVERSIONS + 1, counts[0]), counts))
    cells = [RealCell(counts, COFFEE_HZ, COFFEE_COUNTS_PER_GRAM)] * 4
    said = live(recorded_table("pins", cells), 28.0)

    assert (said.troubles, said.events) == (set(), ())


@pytest.mark.soak
@pytest.mark.parametrize("number", range(4))
def test_one_of_them_beside_three_of_the_twin_is_well_for_ten_minutes(number: int) -> None:
    cells: list[RealCell | None] = [None] * 4
    cells[number] = real(0)
    said = live(recorded_table("pins", cells, seed=number), 600.0)

    expect_well(said, (number,))
