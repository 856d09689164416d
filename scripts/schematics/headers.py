"""The pins of the two processors: where they are, and which are spoken for."""

from collections.abc import Mapping

PI_HEADER: Mapping[str, tuple[int, ...]] = {
    "3V3": (1, 17),
    "5V": (2, 4),
    "GND": (6, 9, 14, 20, 25, 30, 34, 39),
    "GPIO2": (3,), "GPIO3": (5,), "GPIO4": (7,), "GPIO5": (29,), "GPIO6": (31,),
    "GPIO7": (26,), "GPIO8": (24,), "GPIO9": (21,), "GPIO10": (19,), "GPIO11": (23,),
    "GPIO12": (32,), "GPIO13": (33,), "GPIO14": (8,), "GPIO15": (10,), "GPIO16": (36,),
    "GPIO17": (11,), "GPIO18": (12,), "GPIO19": (35,), "GPIO20": (38,), "GPIO21": (40,),
    "GPIO22": (15,), "GPIO23": (16,), "GPIO24": (18,), "GPIO25": (22,), "GPIO26": (37,),
    "GPIO27": (13,), "GPIO0": (27,), "GPIO1": (28,),
}  # fmt: skip
"""Raspberry Pi, 40 pin header: contacts of each pin (Raspberry Pi documentation, GPIO)."""

NANO_PORTS: Mapping[str, tuple[str, int]] = {
    **{f"D{n}": ("D", n) for n in range(8)},
    **{f"D{n}": ("B", n - 8) for n in range(8, 14)},
    **{f"A{n}": ("C", n) for n in range(6)},
}
"""Arduino Nano: port and bit of each digital pin (Arduino Nano pinout)."""

NANO_OTHER = ("5V", "3V3", "GND", "VIN", "RESET", "AREF", "A6", "A7", "USB")

RESERVED: Mapping[str, str] = {
    "pi.GPIO0": "it reads the EEPROM of boards on the header at power-up",
    "pi.GPIO1": "it reads the EEPROM of boards on the header at power-up",
    "pi.GPIO14": "it is the serial console, which prints at start",
    "pi.GPIO15": "it is the serial console, which prints at start",
    "nano.D0": "it receives from the Pi (USB)",
    "nano.D1": "it sends to the Pi (USB)",
    "nano.D13": "the bootloader blinks its LED on it",
    "nano.A1": "it is the probe of topple-table first-light",
    "nano.A6": "it is an analogue input only",
    "nano.A7": "it is an analogue input only",
    "nano.RESET": "it restarts the Nano",
    "nano.AREF": "it is the reference of the converter",
    "nano.VIN": "the Nano is fed by USB",
}
"""Pins that a plan may not use, and why."""

I2C_ONLY: Mapping[str, str] = {
    "pi.GPIO2": "SDA",
    "pi.GPIO3": "SCL",
    "nano.A4": "SDA",
    "nano.A5": "SCL",
}
"""The one signal each of these may carry: the Pi's have pull-ups of 1.8 kohm on board, the
Nano's are those of its two-wire block."""

SHARED = {"3V3", "5V", "GND"}
"""Supplies: as many wires as one likes."""


def exists(pin: str) -> bool:
    """Whether a processor has a pin: `pi.GPIO5`, `nano.D4`, `pi.USB`."""
    processor, _, name = pin.partition(".")
    if processor == "pi":
        return name in PI_HEADER or name == "USB"
    return processor == "nano" and (name in NANO_PORTS or name in NANO_OTHER)


def contacts(pi_pin: str) -> str:
    """Contacts of a pin on the Pi's header in words; of the many grounds the first.

    >>> contacts("GPIO5"), contacts("3V3"), contacts("GND")
    ('29', '1 or 17', '6, 9 ...')
    """
    numbers = [str(number) for number in PI_HEADER.get(pi_pin, ())]
    return " or ".join(numbers) if len(numbers) < 3 else ", ".join(numbers[:2]) + " ..."
