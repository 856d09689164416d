from pathlib import Path

import msgspec

from hw.calibrating.design import drawn_table

ROOT = Path(__file__).parents[3]


def test_the_start_is_the_table_of_the_drawings() -> None:
    table = msgspec.yaml.decode((ROOT / "schematics" / "mechanics.yaml").read_bytes())["table"]
    start = drawn_table()

    assert start.cell_pitch_mm == table["cell_pitch_mm"]
    assert start.level_step_mm == table["level_step_mm"]
    assert start.centre_height_mm == table["centre_height_mm"]
    assert [list(place) for place in start.scale.positions_mm] == table["load_cell_positions_mm"]
    assert list(start.imu.position_mm) == table["imu_position_mm"]
    assert start.empty_mass_g == table["empty_mass_g"]
    assert start.empty_moment_gmm[2] == table["empty_moment_z_gmm"]
