"""The dimensions of the drawings, from which a calibration starts before anything is measured."""

from engine.tabletop import Piece
from hw.calibration import Calibration, ImuCalibration, ScaleCalibration
from hw.drivers.one_cell import one_cell

PLAIN_GAIN = 1000.0
"""Any; the wizard measures it. About half of a 1 kg cell at 1 mV/V."""


def drawn_starter(drawn: Calibration | None = None) -> Calibration:
    """A starter table of these lengths, the drawings' when left out, before it is measured."""
    drawn = drawn or drawn_table()
    return one_cell(drawn, PLAIN_GAIN, 0.0, drawn.scale.rate_hz)


def drawn_table() -> Calibration:
    """Lengths as in `schematics/mechanics.yaml`; guesses for everything that is measured."""
    return Calibration(
        cell_pitch_mm=32.0,
        level_step_mm=12.0,
        centre_height_mm=5.8,
        piece=Piece(diameter_mm=22.0, height_mm=9.0, mass_mean_g=3.0, mass_std_g=0.09),
        scale=ScaleCalibration(
            positions_mm=((-70.0, -70.0), (70.0, -70.0), (70.0, 70.0), (-70.0, 70.0)),
            counts_per_gram=(PLAIN_GAIN,) * 4,
            tare_counts=(0.0,) * 4,
        ),
        imu=ImuCalibration(
            accel_bias_g=(0.0, 0.0, 0.0),
            gyro_bias_dps=(0.0, 0.0, 0.0),
            rotation=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            position_mm=(30.0, 0.0, -12.5),
        ),
        empty_moment_gmm=(0.0, 0.0, -4030.0),
        empty_mass_g=181.0,
    )
