"""Things beside the table that the guide's pictures show."""

from typing import Any

import pytest

from scripts.schematics import geometry

pytestmark = pytest.mark.slow


def test_every_part_that_a_picture_names_is_there(parts: list[Any]) -> None:
    from scripts.schematics.model.benchtop import benchtop
    from scripts.schematics.model.pictures import PICTURED

    around = {each.name for each in [*parts, *benchtop(geometry.load())]}

    for number, step in PICTURED.items():
        assert {*step.parts, *step.stands} <= around, number


def test_the_cable_begins_at_the_sensor_and_ends_at_the_stem(parts: list[Any]) -> None:
    from scripts.schematics.model.benchtop import benchtop

    m = geometry.load()
    cable = next(each.part for each in benchtop(m) if each.name == "cable").bounding_box()
    x, _y, z = m.design.imu_position_mm

    assert len(parts) > 40
    assert m.design.stem_diameter_mm / 2 + 0.5 >= cable.min.X
    assert x - 0.5 <= cable.max.X
    assert z > cable.min.Z
