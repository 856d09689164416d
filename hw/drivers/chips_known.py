"""The inertial chips that a Pi's bus may hold; one with other registers takes a line here."""

from collections.abc import Sequence

from hw.drivers.inertial_chip import Bus, InertialChip
from hw.drivers.mpu6050 import Mpu6050

KNOWN: tuple[type[InertialChip], ...] = (Mpu6050,)
"""The last one tries a chip that nobody knows as well."""


def chips_on(bus: Bus, address: int = 0x68, *, name: str = "I2C bus 1") -> tuple[InertialChip, ...]:
    """Every chip that may be at an address, 0x68, or 0x69 when AD0 is high; nothing is sent yet."""
    return tuple(kind(bus, address, name=name) for kind in KNOWN)


def present(chips: Sequence[InertialChip]) -> InertialChip:
    """The chip that is there, by its answer.

    Raises:
        BadSensor: nobody answers, or somebody who is no inertial sensor.
    """
    for chip in chips:
        if chip.identify() in chip.answers:
            return chip
    return chips[-1]
