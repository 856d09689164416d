"""The mechanical build: figures against a second way to them, and builds that cannot be."""

from dataclasses import replace as replaced
from math import cos, radians, sin
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.building.design import sweep_mm
from lab.twin.parameters import preset_parameters
from scripts.schematics import geometry
from scripts.schematics.geometry import Mechanics
from scripts.schematics.plan import PlanError

BUILD = geometry.load()


def changed(part: str, **values: object) -> Mechanics:
    """The build with other values in its board, piece or design, or in one of its parts."""
    if part == "design":
        return replaced(BUILD, design=replaced(BUILD.design, **values))  # type: ignore[arg-type]
    if part == "piece":
        piece = msgspec.structs.replace(BUILD.measures.piece_measured, **values)
        return replaced(BUILD, measures=replaced(BUILD.measures, piece_measured=piece))
    new = msgspec.structs.replace(getattr(BUILD.parts, part), **values)
    return replaced(BUILD, parts=msgspec.structs.replace(BUILD.parts, **{part: new}))


def test_the_build_can_be_built() -> None:
    assert geometry.problems(BUILD) == []


def test_it_is_the_simulated_tower_but_for_the_place_of_the_sensor() -> None:
    twin = preset_parameters("normal")
    place = BUILD.design.imu_position_mm
    built = geometry.as_built(BUILD, replaced(twin.calibration.tabletop(), imu_position_mm=place))

    assert built.design == BUILD.design
    assert built.measures == BUILD.measures
    assert BUILD.design.tip_height_mm == twin.body.tip_height_mm
    assert BUILD.design.base_half_mm == twin.body.base_half_mm
    assert BUILD.design.stop_deg == pytest.approx(twin.body.stop_deg, abs=0.5)


def distance_to_stem(point: tuple[float, float], tilt_deg: float) -> float:
    """From a point of the board (x, z) to the stem's side, the stem tilted in the board's frame."""
    x, z = point
    axis = np.array([sin(radians(tilt_deg)), -cos(radians(tilt_deg))])
    off = np.array([x, z]) - np.dot([x, z], axis) * axis
    return float(np.hypot(*off)) - BUILD.design.stem_diameter_mm / 2


def test_at_the_stop_the_stem_touches_the_edge_of_the_chamber() -> None:
    edge = (BUILD.measures.cell_pitch_mm / 2 - BUILD.measures.board.wall_mm, BUILD.under_mm("d3"))

    assert distance_to_stem(edge, BUILD.design.stop_deg) == pytest.approx(0, abs=1e-6)
    assert distance_to_stem(edge, BUILD.design.stop_deg - 1) > 0


@given(st.floats(1, 40), st.floats(0, 60))
def test_what_is_outside_the_sweep_is_clear_of_the_stem(depth_mm: float, tilt: float) -> None:
    x = sweep_mm(depth_mm, BUILD.design.stem_diameter_mm, tilt) + 0.01

    assert distance_to_stem((x, -depth_mm), tilt) > 0


def test_a_sensor_on_the_axis_is_in_the_way_of_the_stem() -> None:
    said = geometry.problems(changed("design", imu_position_mm=(0.0, 0.0, -16.0)))

    assert len(said) == 1
    assert "in the way of the stem" in said[0]


@pytest.mark.parametrize(
    ("part", "values", "words"),
    [
        ("design", {"load_cell_positions_mm": ((-70, 0), (70, -70), (70, 70), (-70, 70))}, "axis"),
        ("load_cell", {"length_mm": 160.0}, "neighbours meet"),
        ("piece", {"diameter_mm": 31.0}, "do not fit their cells"),
        ("design", {"tip_height_mm": 110.0}, "make the stem longer"),
        ("cable", {"diameter_mm": 0.25}, "stiffens the board by 5.7 %"),
    ],
)
def test_what_cannot_be_is_said(part: str, values: dict[str, object], words: str) -> None:
    assert any(words in said for said in geometry.problems(changed(part, **values)))


def test_bars_do_not_cross() -> None:
    boxes = []
    for x, y in BUILD.design.load_cell_positions_mm:
        dx, dy = geometry.bar_direction((x, y))
        bar = BUILD.load_cell
        ends = [
            np.array([x + s * dx, y + s * dy]) for s in (-bar.end_mm, bar.length_mm - bar.end_mm)
        ]
        low, high = np.minimum(*ends) - bar.width_mm / 2, np.maximum(*ends) + bar.width_mm / 2
        boxes.append((low, high))

    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert (high < other_low).any() or (other_high < low).any()


def test_a_misspelt_measure_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(geometry.MECHANICS_FILE.read_text().replace("stem_wall_mm", "stem_wal_mm"))

    with pytest.raises(PlanError, match="stem_wal_mm"):
        geometry.load(path)
