from dataclasses import replace

import pytest

from hw.drivers.inertial_chip import Ranges, ranges_of
from hw.errors import BadCalibration
from lab.mock import quiet_parameters

CALIBRATION = quiet_parameters().calibration.imu


def test_full_scale_follows_the_calibration_and_must_be_one_of_the_chips() -> None:
    coarse = replace(CALIBRATION, accel_lsb_per_g=4100.0, gyro_lsb_per_dps=32.8)

    assert ranges_of(CALIBRATION) == Ranges(0, 0)
    assert ranges_of(coarse) == Ranges(2, 2)
    with pytest.raises(BadCalibration, match="accel_lsb_per_g is 10000; the chip has 16384"):
        ranges_of(replace(CALIBRATION, accel_lsb_per_g=10000.0))
