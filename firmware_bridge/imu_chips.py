"""The inertial chips that are sold as an MPU-6050, by their answer to WHO_AM_I.

The driver on a Pi, the host of the microcontroller and, by `firmware_bridge.render`, the firmware
go by this one table. What it says is taken from register maps; no real chip has confirmed it.
"""

from dataclasses import dataclass

from firmware_bridge.troubles import IMU_UNKNOWN_CHIP, IMU_VARIANT, LinkTrouble


@dataclass(frozen=True, slots=True)
class ImuChip:
    """One chip.

    Attributes:
        fifo_bytes: how much it holds.
        second_accel_filter: the accelerometer has a low-pass of its own (ACCEL_CONFIG_2).
        offset_c, lsb_per_c: of its thermometer: offset + count / lsb.
    """

    name: str
    fifo_bytes: int = 1024
    second_accel_filter: bool = False
    offset_c: float = 36.53
    lsb_per_c: float = 340.0

    def celsius(self, count: int) -> float:
        """Its temperature."""
        return round(self.offset_c + count / self.lsb_per_c, 1)


def _later(name: str, offset_c: float = 21.0, lsb_per_c: float = 333.87) -> ImuChip:
    return ImuChip(name, 512, second_accel_filter=True, offset_c=offset_c, lsb_per_c=lsb_per_c)


USUAL = 0x68
IMU_CHIPS = {
    USUAL: ImuChip("MPU-6050"),
    0x69: ImuChip("MPU-6050 clone"),
    0x72: ImuChip("MPU-6050 clone"),
    0x70: _later("MPU-6500"),
    0x71: _later("MPU-9250"),
    0x73: _later("MPU-9255"),
    0x75: _later("MPU-6515"),
    0x98: _later("ICM-20689 or clone", 25.0, 326.8),
    0x19: _later("MPU-6886", 25.0, 326.8),
}
"""All have the registers that are used, and the same ranges."""

UNKNOWN = _later("unknown chip")
"""The least FIFO; ACCEL_CONFIG_2 is a register without effect where a chip does not have it."""


def chip_of(who: int) -> ImuChip:
    """The chip with an answer; one that nobody knows is tried as a later one.

    >>> chip_of(0x70).name, chip_of(0xEA).name
    ('MPU-6500', 'unknown chip')
    """
    return IMU_CHIPS.get(who, UNKNOWN)


def remark(who: int) -> LinkTrouble | None:
    """What to tell the owner of a chip; nothing of the usual one, and of none (0).

    >>> remark(0x98).sentence
    'It says it is a ICM-20689 or clone (0x98); that one works too'
    """
    if who in IMU_CHIPS and who != USUAL:
        return IMU_VARIANT(name=IMU_CHIPS[who].name, who=f"0x{who:02X}")
    return unknown(who)


def unknown(who: int) -> LinkTrouble | None:
    """A warning about a chip that is not in the table."""
    if who == 0 or who in IMU_CHIPS:
        return None
    return IMU_UNKNOWN_CHIP(who=f"0x{who:02X}")
