"""Three games of different size, none of them made yet but the one that is assumed."""

from hw.building.measures import STANDARD, BoardMeasures, Measures, PieceMeasures

TRAVEL = Measures(
    BoardMeasures(cell_pitch_mm=20.0, level_step_mm=7.5, centre_height_mm=4.0, wall_mm=2.0),
    PieceMeasures(diameter_mm=14.0, height_mm=5.5, mass_g=1.1),
)
WOODEN = Measures(
    BoardMeasures(
        cell_pitch_mm=45.0,
        level_step_mm=16.0,
        centre_height_mm=8.0,
        wall_mm=7.0,
        density_g_cm3=0.65,
    ),
    PieceMeasures(diameter_mm=30.0, height_mm=13.0, mass_g=8.0),
)
GAMES = {"travel": TRAVEL, "standard": STANDARD, "wooden": WOODEN}
