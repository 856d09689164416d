import numpy as np
import pytest

from hw.calibration import calibration_json, parse_calibration
from hw.errors import BadTwin
from lab.twin.drawing import draw
from lab.twin.parameters import PRESETS, Preset, preset_parameters


@pytest.mark.parametrize("preset", PRESETS)
def test_every_table_drawn_has_a_calibration_that_can_be_written_down(preset: Preset) -> None:
    for seed in range(20):
        table = draw(
            np.random.default_rng(seed), preset, spread=2.0, turned_imu=True, inverted_cells=True
        )
        assert parse_calibration(calibration_json(table.calibration)) == table.calibration


def test_a_wider_spread_draws_wider() -> None:
    def moments(spread: float) -> np.ndarray:
        rng = np.random.default_rng(1)
        tables = [draw(rng, "normal", spread=spread) for _ in range(40)]
        return np.array([table.body.empty_moment_gmm[2] for table in tables])

    assert moments(0.0).std() < moments(1.0).std() < moments(2.0).std()


def test_calibration_errors_are_small_but_there() -> None:
    rng = np.random.default_rng(2)
    tables = [draw(rng, "normal") for _ in range(40)]

    errors = [t.calibration.empty_moment_gmm[2] / t.body.empty_moment_gmm[2] - 1 for t in tables]
    assert 0.002 < np.std(errors) < 0.02
    turned = [np.asarray(t.calibration.imu.rotation) @ np.asarray(t.imu.rotation).T for t in tables]
    angles = [np.degrees(np.arccos(np.clip((np.trace(r) - 1) / 2, -1, 1))) for r in turned]
    assert 0.01 < np.median(angles) < 0.3


def test_turned_sensors_and_inverted_cells_come_when_asked_for() -> None:
    rng = np.random.default_rng(3)
    tables = [draw(rng, "calm", turned_imu=True, inverted_cells=True) for _ in range(30)]

    upright = [abs(np.asarray(table.imu.rotation)[2, 2]) > 0.9 for table in tables]
    assert 0 < sum(upright) < 30
    assert any(min(table.scale.counts_per_gram) < 0 for table in tables)


def test_cells_from_a_drawer_have_gains_of_their_own_which_the_owner_knows() -> None:
    table = draw(np.random.default_rng(3), "calm", spread=0.0, unlike_cells=True)
    gains = np.asarray(table.scale.counts_per_gram)

    assert 1.1 < gains.max() / gains.min() < 2.0
    assert np.allclose(table.calibration.scale.counts_per_gram, gains, atol=1e-3)


def test_rough_pivots_stick_more_than_calm_ones() -> None:
    bands = [preset_parameters(preset).body.friction_band_deg for preset in PRESETS]

    assert bands == sorted(bands)


@pytest.mark.parametrize(("preset", "spread"), [("wild", 1.0), ("calm", 9.0), ("calm", -1.0)])
def test_impossible_wishes_are_refused(preset: Preset, spread: float) -> None:
    with pytest.raises(BadTwin, match="must be"):
        draw(np.random.default_rng(1), preset, spread=spread)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_owner_of_the_plain_table_knows_it_exactly(preset: Preset) -> None:
    table = preset_parameters(preset)

    assert table.calibration.empty_moment_gmm == table.body.empty_moment_gmm
    assert table.calibration.scale.counts_per_gram == table.scale.counts_per_gram
    assert table.calibration.imu.rotation == table.imu.rotation
    assert table.calibration.tabletop().cell_pitch_mm == table.cell_pitch_mm
