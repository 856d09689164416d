"""A bus that is not there, and an address that a driver of the kernel has."""

from pathlib import Path

import pytest

from hw.drivers.i2c_bus import LateBus
from hw.errors import BadSensor, NoPins
from hw.troubles import IMU_HELD


class Opened:
    """What is said to a bus that could be opened."""

    def __init__(self) -> None:
        self.said: list[object] = []
        self.opened = self.closed = 0
        self.there = True

    def __call__(self, _number: int) -> "Opened":
        if not self.there:
            raise NoPins("this machine has no I2C bus 1")
        self.opened += 1
        return self

    def i2c_rdwr(self, *messages: object) -> None:
        self.said += messages

    def close(self) -> None:
        self.closed += 1


def test_it_is_opened_once_when_it_is_there_and_not_before(tmp_path: Path) -> None:
    bus = Opened()
    late = LateBus(1, 0x68, bus, tmp_path)  # type: ignore[arg-type] # a bus of this test
    late.close()
    bus.there = False
    with pytest.raises(BadSensor, match="cannot be read; this machine has no I2C bus 1"):
        late.i2c_rdwr()
    bus.there = True
    for message in "ab":
        late.i2c_rdwr(message)  # type: ignore[arg-type] # as above
    late.close()

    assert (bus.opened, bus.said, bus.closed) == (1, ["a", "b"], 1)


def test_an_address_that_the_kernel_drives_is_not_written_to_and_its_driver_is_named(
    tmp_path: Path,
) -> None:
    """A clock has the same address; the kernel would let our bytes into its registers."""
    driver, device = tmp_path / "drivers" / "rtc-ds1307", tmp_path / "devices" / "1-0068"
    driver.mkdir(parents=True)
    device.mkdir(parents=True)
    (device / "driver").symlink_to(driver)
    bus = Opened()
    with pytest.raises(BadSensor) as told:
        LateBus(1, 0x68, bus, device.parent).i2c_rdwr()  # type: ignore[arg-type] # as above
    LateBus(1, 0x69, bus, device.parent).open()  # type: ignore[arg-type] # as above

    assert told.value.trouble == IMU_HELD(address="0x68", bus="I2C bus 1", driver="rtc-ds1307")
    assert "dtoverlay=" in str(told.value)
    assert (bus.opened, bus.said) == (1, [])
