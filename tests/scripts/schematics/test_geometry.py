"""The build from its sources, and from a calibration."""

from dataclasses import replace
from pathlib import Path

import pytest

from hw.building import design
from hw.building.mechanics import parts_drawn
from lab.twin.parameters import preset_parameters
from scripts.schematics import geometry
from scripts.schematics.plan import PlanError

BUILD = geometry.load()


def test_the_shipped_parts_are_those_of_the_source() -> None:
    assert parts_drawn() == BUILD.parts


def test_plates_needle_and_sensor_are_those_that_a_table_is_designed_for() -> None:
    from hw.building import placing, reach

    base, sensor = BUILD.base, BUILD.parts.sensor

    assert (base.plate_mm, base.gap_mm) == (design.PLATE_MM, design.GAP_MM)
    assert (BUILD.parts.flange.diameter_mm, BUILD.parts.flange.height_mm) == (
        design.FLANGE_MM, design.FLANGE_HIGH_MM
    )  # fmt: skip
    assert BUILD.pivot.needle_length_mm == reach.NEEDLE_MM
    assert (sensor.length_mm, sensor.width_mm, sensor.height_mm) == (
        placing.SENSOR_MM, placing.SENSOR_WIDE_MM, placing.SENSOR_HIGH_MM
    )  # fmt: skip
    assert (sensor.room_mm, sensor.mass_g) == (placing.POCKET_ROOM_MM, placing.SENSOR_G)


def test_it_is_the_simulated_tower_but_for_the_place_of_the_sensor() -> None:
    twin = preset_parameters("normal")
    place = BUILD.design.imu_position_mm
    built = geometry.as_built(BUILD, replace(twin.calibration.tabletop(), imu_position_mm=place))

    assert built.design == BUILD.design
    assert built.measures == BUILD.measures
    assert BUILD.design.tip_height_mm == twin.body.tip_height_mm
    assert BUILD.design.base_half_mm == twin.body.base_half_mm


def test_a_misspelt_measure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(geometry.MECHANICS_FILE.read_text().replace("stem_wall_mm", "stem_wal_mm"))

    with pytest.raises(PlanError, match="stem_wal_mm"):
        geometry.load(path)
