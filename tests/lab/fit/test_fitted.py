import json

import numpy as np
import pytest

from hw.errors import BadTwin
from lab.fit.estimates import Estimate, missing
from lab.fit.fitted import drawn_owner, read_table, table_file
from lab.twin.drawing import draw

TABLE = draw(np.random.default_rng(3), "rough")
FOUND = {
    each.name: each
    for each in (
        Estimate("friction_band_deg", 0.4, 0.3, 0.5, 20),
        Estimate("cell_noise_counts", 70.0, 60.0, 80.0, 20),
        Estimate("weight_drift_g_per_min", 0.1, -0.2, 0.4, 20),
        Estimate("contact_s_typical", 0.5, 0.4, 0.6, 20),
        Estimate("contact_s_spread", 0.4, 0.3, 0.5, 20),
        missing("seat_step_mm", 0, "clearings"),
    )
}


def test_a_fitted_table_becomes_a_twin() -> None:
    preset, twin = read_table(table_file(FOUND, TABLE.calibration), "table.json")

    assert preset == "rough"
    assert twin.body.friction_band_deg == 0.4
    assert twin.scale.noise_counts == (70.0,) * 4
    assert twin.manners.contact_s == pytest.approx((0.25, 0.75))
    assert twin.cell_pitch_mm == TABLE.calibration.cell_pitch_mm
    assert twin.calibration.empty_moment_gmm == TABLE.calibration.empty_moment_gmm


def test_a_drift_that_may_be_none_is_none() -> None:
    assert read_table(table_file(FOUND, TABLE.calibration), "")[1].scale.gain_drift == 0.0


def test_an_owner_measures_a_fitted_table_with_small_errors() -> None:
    _, twin = read_table(table_file(FOUND, TABLE.calibration), "")
    owned = drawn_owner(twin, np.random.default_rng(1))

    assert owned.body == twin.body
    assert owned.calibration != twin.calibration


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("body", {"friction_band_deg": 99.0}),
        ("body", {"empty_mass_g": 10.0}),
        ("imu", {"noise_memory": "much"}),
        ("calibration", {}),
        ("format", "another"),
    ],
)
def test_a_file_that_cannot_be_a_table_is_refused_in_words(part: str, value: object) -> None:
    file = json.loads(table_file(FOUND, TABLE.calibration))

    with pytest.raises(BadTwin, match=r"table\.json"):
        read_table(json.dumps(file | {part: value}).encode(), "table.json")


def test_what_is_no_json_is_refused_in_words() -> None:
    with pytest.raises(BadTwin, match="is no table"):
        read_table(b"\xff{", "table.json")
