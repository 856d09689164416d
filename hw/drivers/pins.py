"""The pins of the Raspberry Pi, by BCM number; the defaults are those of the drawings.

One definition for the configuration (`[source.pi]`) and for the drivers.
"""

from collections import Counter
from typing import Annotated

import msgspec
from msgspec import Meta

Pin = Annotated[int, Meta(ge=0, le=27)]
"""A BCM number of the 40-pin header; 0 (an identification pin) means: not fitted."""
NOT_FITTED = 0

Cells = Annotated[tuple[Pin, ...], Meta(min_length=1, max_length=4)]
"""Four, or one on a starter table, which then has no inertial sensor either."""

I2C_1 = (2, 3)
I2C_BUS = "the I2C bus"

PANEL = ("lights", "pass_button", "undo_button", "bumped_button", "buzzer")
"""What a table has whose sensors are elsewhere, if it has anything here."""

OF_PANEL = frozenset({"panel", "button", "light", "buzzer", "tilt_switch"})
"""Sensors, up to the first point, of which reports come when their pins cannot be had."""


class Pins(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The wiring of a table.

    Attributes:
        hx711_data: DOUT of the four amplifiers, load cells C0 to C3; of one on a starter table.
        hx711_clock: PD_SCK of the four; each has its own, so that one slow pulse resets one chip.
        i2c_bus: number of the bus; 1 is on GPIO2 (SDA) and GPIO3 (SCL).
        imu_address: 0x68, or 0x69 when the sensor's AD0 is high.
        tilt_switch: to ground when it closes.
        pass_button: pass, and next: the board is clear, another game.
        undo_button: takes the last thing back.
        bumped_button: who bumped the table: each press names the next player.
        buzzer: an active one. 18 is also the Pi's hardware pulse output.
        lights: one for each seat, in seating order.
    """

    hx711_data: Cells = (5, 6, 13, 19)
    hx711_clock: Cells = (12, 16, 20, 21)
    i2c_bus: Annotated[int, Meta(ge=0, le=31)] = 1
    imu_address: Annotated[int, Meta(ge=0x68, le=0x69)] = 0x68
    tilt_switch: Pin = 17
    pass_button: Pin = 22
    undo_button: Pin = 23
    bumped_button: Pin = 24
    buzzer: Pin = 18
    lights: Annotated[tuple[Pin, ...], Meta(max_length=4)] = (25, 26, 27, 4)

    @property
    def problem(self) -> str:
        """What cannot be wired like this, in words; empty when all can.

        >>> Pins(buzzer=17).problem
        'GPIO17 is used by tilt_switch and buzzer; each needs a pin of its own'
        """
        counts = {len(pins) for _, pins in self._cells()}
        if counts not in ({1}, {4}):
            return "hx711_data and hx711_clock must hold four pins each, or one on a starter table"
        missing = [name for name, pins in self._cells() if NOT_FITTED in pins]
        if missing:
            return f"{missing[0]} holds 0; every load cell must be wired"
        return _taken_twice(self.used)

    @property
    def of_panel(self) -> "Pins":
        """The buttons, lights and buzzer alone, for a table whose sensors are elsewhere."""
        return msgspec.structs.replace(self, tilt_switch=NOT_FITTED)

    @property
    def panel_problem(self) -> str:
        """As `problem`, of buttons, lights and buzzer alone."""
        return _taken_twice(self.used_by_panel)

    @property
    def starter(self) -> bool:
        """Whether this is a starter: one load cell and a tilt switch, no inertial sensor."""
        return len(self.hx711_data) == 1

    @property
    def used_by_panel(self) -> list[tuple[int, str]]:
        """As `used`, of buttons, lights and buzzer alone."""
        return [used for used in self.used if used[1].startswith(PANEL)]

    def _cells(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        return ("hx711_data", self.hx711_data), ("hx711_clock", self.hx711_clock)

    @property
    def used(self) -> list[tuple[int, str]]:
        """Each pin with the key that names it, or what it is for."""
        groups = [*self._cells(), ("lights", self.lights)]
        used = [
            (pin, f"{name}[{place}]") for name, pins in groups for place, pin in enumerate(pins)
        ]
        single = ("tilt_switch", "pass_button", "undo_button", "bumped_button", "buzzer")
        used += [(getattr(self, name), name) for name in single]
        if self.i2c_bus == 1 and not self.starter:
            used += [(pin, I2C_BUS) for pin in I2C_1]
        return [(pin, name) for pin, name in used if pin != NOT_FITTED]


def _taken_twice(used: list[tuple[int, str]]) -> str:
    for pin, count in Counter(pin for pin, _ in used).items():
        if count > 1:
            names = " and ".join(name for number, name in used if number == pin)
            return f"GPIO{pin} is used by {names}; each needs a pin of its own"
    return ""
