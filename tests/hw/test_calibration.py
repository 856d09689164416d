import copy
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.calibration import (
    COUNTS_MAX,
    COUNTS_MIN,
    Calibration,
    calibration_document,
    calibration_json,
    parse_calibration,
)
from hw.errors import BadCalibration
from lab.twin.drawing import draw
from lab.twin.parameters import PRESETS, Preset

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "geometry": {
        "units": "mm",
        "pivot": [0, 0, 0],
        "cell_pitch": 32.0,
        "level_step": 12.0,
        "centre_height": 5.8,
        "grid": 5,
        "files": "abcde = x -2..+2",
        "ranks": "1..5 = y -2..+2",
    },
    "piece": {"diameter": 22.0, "height": 9.0, "mass_mean_g": 3.0, "mass_std_g": 0.09},
    "scale": {
        "cell_positions_mm": [[-70, -70], [70, -70], [70, 70], [-70, 70]],
        "rate_hz": 80,
        "counts_per_gram": [1000.0, -500.0, 990.0, 1010.0],
        "tare_counts": [1000, -2000, 3000, 4000],
        "tare": "base with the empty board at rest",
    },
    "imu": {
        "rate_hz": 200,
        "accel_lsb_per_g": 16384,
        "gyro_lsb_per_dps": 131,
        "accel_bias_g": [0.01, -0.02, 0.03],
        "gyro_bias_dps": [1.0, 0.0, -2.0],
        "mounting_rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        "mounting_rotation_sense": "v_board = R * (v_imu - bias)",
        "position_mm": [1.0, 2.0, -17.0],
    },
    "board": {"empty_moment_gmm": [10.0, -5.0, -4000.0], "empty_mass_g": 180.0},
}


@pytest.fixture
def calibration() -> Calibration:
    return parse_calibration(json.dumps(DOCUMENT))


def changed(key: str, value: object) -> str:
    document = copy.deepcopy(DOCUMENT)
    section, entry = key.split(".")
    document[section][entry] = value
    return json.dumps(document)


def test_document_goes_round_without_loss(calibration: Calibration) -> None:
    assert json.loads(json.dumps(calibration_document(calibration))) == DOCUMENT
    assert json.loads(calibration_json(calibration)) == DOCUMENT
    assert parse_calibration(calibration_json(calibration)) == calibration


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_drawn_calibrations_go_round_without_loss(preset: Preset, seed: int) -> None:
    chance = np.random.default_rng(seed)
    own = draw(chance, preset, spread=2.0, turned_imu=True, inverted_cells=True).calibration

    assert parse_calibration(calibration_json(own)) == own


def test_grams_are_counts_over_tare_by_factor_and_a_negative_factor_turns_the_sign(
    calibration: Calibration,
) -> None:
    block = calibration.scale_samples([0.1], [[2000, -2500, 3000, 4000 + 2020]])

    assert block.mass_g[0].tolist() == pytest.approx([1.0, 1.0, 0.0, 2.0])
    assert block.valid.all()
    assert block.raw[0].tolist() == [2000, -2500, 3000, 6020]


@pytest.mark.parametrize("count", [COUNTS_MAX, COUNTS_MIN, 2**24, -(2**24)])
def test_saturated_counts_are_invalid_and_weigh_nothing(
    calibration: Calibration, count: int
) -> None:
    block = calibration.scale_samples([0.1], [[2000, count, 3000, 4000]])

    assert block.valid[0].tolist() == [True, False, True, True]
    assert np.isnan(block.mass_g[0, 1])


def test_counts_the_reader_distrusts_stay_invalid(calibration: Calibration) -> None:
    trusted = np.array([[True, True, False, True]])

    block = calibration.scale_samples([0.1], [[2000, 0, 3000, 4000]], trusted)

    assert block.valid[0].tolist() == [True, True, False, True]
    assert np.isnan(block.mass_g[0, 2])


def test_motion_is_turned_into_the_board_frame_after_the_bias(calibration: Calibration) -> None:
    raw = [[16384 + 0.01 * 16384, -0.02 * 16384, 0.03 * 16384, 131 * 91.0, 0, -2 * 131]]

    block = calibration.imu_samples([0.1], raw)

    assert block.accel_g[0].tolist() == pytest.approx([0.0, 1.0, 0.0], abs=1e-4)
    assert np.degrees(block.rate_rad_s[0]).tolist() == pytest.approx([0.0, 90.0, 0.0], abs=1e-2)


@given(st.lists(st.integers(COUNTS_MIN + 1, COUNTS_MAX - 1), min_size=4, max_size=4))
def test_every_count_in_range_can_be_told_back_from_its_grams(raw: list[int]) -> None:
    calibration = parse_calibration(json.dumps(DOCUMENT))
    block = calibration.scale_samples([0.0], [raw])

    back = block.mass_g * calibration.scale.counts_per_gram + calibration.scale.tare_counts
    assert np.rint(back[0]).astype(int).tolist() == raw


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("geometry.cell_pitch", 0, "geometry.cell_pitch"),
        ("geometry.units", "inch", "geometry.units"),
        ("geometry.units", "inch" * 9000, "geometry.units"),
        ("piece.mass_mean_g", -3, "piece.mass_mean_g"),
        ("scale.counts_per_gram", [1000, 0, 1000, 1000], "scale.counts_per_gram[1]"),
        ("scale.counts_per_gram", [1000, 1000, 1000], "scale.counts_per_gram"),
        ("scale.tare_counts", [0, 0, 0, 2**23], "scale.tare_counts[3]"),
        ("scale.rate_hz", 0, "scale.rate_hz"),
        ("imu.accel_bias_g", [0, 3, 0], "imu.accel_bias_g[1]"),
        ("imu.mounting_rotation", [[1, 0, 0], [0, 1, 0], [0, 0, -1]], "imu.mounting_rotation"),
        ("imu.mounting_rotation", [[1, 0, 0], [0, 1, 0], [0, 0, 0]], "imu.mounting_rotation"),
        ("board.empty_moment_gmm", [0, 0, 4000], "empty_moment_gmm"),
        ("board.empty_mass_g", 0, "board.empty_mass_g"),
    ],
)
def test_impossible_values_are_refused_by_name(key: str, value: object, named: str) -> None:
    with pytest.raises(BadCalibration) as refusal:
        parse_calibration(changed(key, value))

    assert named in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    ("positions", "named"),
    [
        ([[-70, -70], [-70, -70], [70, 70], [-70, 70]], "C0, C1 and C2"),
        ([[-70, -70], [70, -70], [70, 70], [70, 70]], "C0, C2 and C3"),
        ([[-70, -70], [0, 0], [70, 70], [-70, 70]], "C0, C1 and C2"),
        ([[-70, -70], [70, -70], [70, 70], [71, -70.5]], "C0, C1 and C3"),
        ([[0, -70], [0, 70], [0, 35], [0, 20]], "C0, C1 and C2"),
        ([[-4, -4], [4, -4], [4, 4], [-4, 4]], "C0, C1 and C2"),
    ],
)
def test_load_cells_that_cannot_stand_in_for_each_other_are_refused(
    positions: object, named: str
) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["scale"]["cell_positions_mm"] = positions

    with pytest.raises(BadCalibration, match=f"load cells {named} lie in one line") as refused:
        parse_calibration(json.dumps(document))
    assert refused.value.key == "scale.cell_positions_mm"


def test_load_cells_in_any_shape_that_stands_are_accepted() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["scale"]["cell_positions_mm"] = [[-90, 0], [0, -60], [90, 5], [0, 60]]

    assert parse_calibration(json.dumps(document)).scale.positions_mm[0] == (-90, 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it ends too early"),
        ("hello", "it is no JSON from character 1 on"),
        ("{}", "version is missing"),
        ("[]", "it must be a group of keys, and is a list"),
        (json.dumps({**DOCUMENT, "version": 2}), "version is 2; this program reads version 1"),
    ],
)
def test_a_document_that_is_none_is_refused_with_words(text: str, why: str) -> None:
    with pytest.raises(BadCalibration, match=f"table calibration: {why}"):
        parse_calibration(text)


def test_it_describes_the_table_for_the_engine(calibration: Calibration) -> None:
    table = calibration.tabletop()

    assert (table.cell_pitch_mm, table.level_step_mm, table.centre_height_mm) == (32.0, 12.0, 5.8)
    assert table.load_cell_positions_mm[2] == (70, 70)
    assert table.empty_moment_gmm == (10.0, -5.0, -4000.0)
