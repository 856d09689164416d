import pytest

from hw.errors import BadTwin
from lab.twin.parameters import PRESETS, Preset, check_preset, preset_parameters


@pytest.mark.parametrize("preset", PRESETS)
def test_the_owner_of_the_plain_table_knows_it_exactly(preset: Preset) -> None:
    table = preset_parameters(preset)

    assert table.calibration.empty_moment_gmm == table.body.empty_moment_gmm
    assert table.calibration.scale.counts_per_gram == table.scale.counts_per_gram
    assert table.calibration.imu.rotation == table.imu.rotation
    assert table.calibration.tabletop().cell_pitch_mm == table.cell_pitch_mm


def test_an_unknown_preset_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadTwin, match="'wild'; it must be one of calm, normal, rough"):
        check_preset("wild")
