"""The pins of the two processors are all there, and each is there once."""

from scripts.schematics.headers import (
    NANO_PORTS,
    PI_HEADER,
    contacts,
    exists,
)


def test_the_header_has_forty_contacts() -> None:
    numbers = sorted(number for pins in PI_HEADER.values() for number in pins)

    assert numbers == list(range(1, 41))
    assert contacts("GPIO5") == "29"


def test_each_bit_of_the_nano_is_one_pin() -> None:
    assert len(set(NANO_PORTS.values())) == len(NANO_PORTS) == 20


def test_pins_that_are_not_there_are_known_to_be_absent() -> None:
    assert not any(exists(pin) for pin in ("pi.GPIO28", "nano.D14", "nano.A8", "esp.D1"))
