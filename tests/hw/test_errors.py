import pytest

from hw.errors import BadCalibration, BadTrace, BadTwin, HardwareError
from hw.traces.recorder import CannotRecord


@pytest.mark.parametrize("kind", [BadTrace, BadCalibration, BadTwin])
def test_bad_input_is_a_hardware_error_and_a_value_error(kind: type[Exception]) -> None:
    assert issubclass(kind, HardwareError)
    assert issubclass(kind, ValueError)


def test_a_disk_that_fails_is_an_os_error() -> None:
    assert issubclass(CannotRecord, HardwareError)
    assert issubclass(CannotRecord, OSError)


def test_a_bad_calibration_knows_its_key() -> None:
    assert BadCalibration("words", "scale.rate_hz").key == "scale.rate_hz"
