"""The build of the drawings from its sources, and the build of a table from its calibration."""

from dataclasses import replace
from pathlib import Path

import msgspec

from engine.tabletop import Tabletop
from hw.building import measures as measuring
from hw.building.design import designed
from hw.building.measures import Measures, PieceMeasures
from hw.building.mechanics import Mechanics, Parts
from scripts.schematics.plan import FOLDER, PlanError

MECHANICS_FILE = FOLDER / "mechanics.yaml"
MEASURES_FILE = FOLDER / "measures.toml"


def load(path: Path = MECHANICS_FILE, measures_file: Path = MEASURES_FILE) -> Mechanics:
    """The build of a file of parts for a file of measures.

    Raises:
        PlanError: the first cannot be read.
        BadMeasures: the second.
    """
    try:
        parts = msgspec.yaml.decode(path.read_text(encoding="utf-8"), type=Parts)
    except (OSError, msgspec.MsgspecError) as error:
        raise PlanError(f"{path.name}: {' '.join(str(error).split())}") from None
    measures = measuring.load(measures_file)
    return Mechanics(measures, designed(measures), parts)


def as_built(mechanics: Mechanics, tabletop: Tabletop) -> Mechanics:
    """The same build with the geometry of another table, as its calibration has it."""
    piece = tabletop.piece
    sink_mm = measuring.sink_under_a_piece_mm(tabletop, tabletop.empty_moment_gmm[2])
    board = msgspec.structs.replace(
        mechanics.measures.board,
        cell_pitch_mm=tabletop.cell_pitch_mm,
        level_step_mm=tabletop.level_step_mm,
        centre_height_mm=tabletop.centre_height_mm,
        mass_g=tabletop.empty_mass_g,
        corner_sinks_mm=round(sink_mm, 3),
    )
    measures = Measures(board, PieceMeasures(piece.diameter_mm, piece.height_mm, piece.mass_mean_g))
    follows = replace(
        designed(measures),
        load_cell_positions_mm=tabletop.load_cell_positions_mm,
        imu_position_mm=tabletop.imu_position_mm,
    )
    return Mechanics(measures, follows, mechanics.parts)
