"""The firmware's `pins.h`, from the Nano's pins of the bridge variant.

The firmware reads all DOUT from one port in one go and finds a cell by shifting, so it can use
only pins that lie side by side on one port. Other plans are refused here.
"""

from scripts.schematics.headers import NANO_PORTS
from scripts.schematics.plan import ROOT, Plan, PlanError

PINS_H = ROOT / "firmware_bridge" / "firmware" / "src" / "pins.h"
VARIANT = "bridge"
CELLS = 4
PROBE = "A1"
"""No wire of a plan goes there (`headers.py`): somebody holds a loose one to what is to be
measured. Channels of the converter have the numbers of port C's bits."""

TEMPLATE = """\
/* Which pin does what, Arduino Nano (ATmega328P). Port bits, with the Nano's names.
   Made from schematics/pins.yaml by `make schematics`: change it there. */
#ifndef TOPPLE_PINS_H
#define TOPPLE_PINS_H

#include <avr/io.h>

/* DOUT of cells 0-3: {dout_names}, one port and one pin-change interrupt. */
#define DOUT_PIN PIN{dout_port}
#define DOUT_PULLUPS PORT{dout_port}
#define DOUT_BIT(cell) ((uint8_t)(1U << {dout_shift}))
#define DOUT_ALL 0x{dout_mask:02X}

/* PD_SCK of cells 0-3: {sck_names}. One clock each: chips on a shared clock lose conversions. */
#define SCK_PORT PORT{sck_port}
#define SCK_DDR DDR{sck_port}
#define SCK_BIT(cell) ((uint8_t)(1U << {sck_shift}))
#define SCK_ALL 0x{sck_mask:02X}

/* INT of the MPU-6050: {int_name}. */
#define IMU_INT_PIN PIN{int_port}
#define IMU_INT_BIT (1U << P{int_port}{int_bit})

/* Tilt switch to ground: {switch_name}, with pull-up. */
#define SWITCH_PIN PIN{switch_port}
#define SWITCH_PULLUPS PORT{switch_port}
#define SWITCH_BIT (1U << P{switch_port}{switch_bit})

/* Probe of topple-table first-light: {probe_name}, with pull-up; channel of the converter. */
#define PROBE_PULLUPS PORT{probe_port}
#define PROBE_BIT (1U << P{probe_port}{probe_bit})
#define PROBE_CHANNEL {probe_bit}

/* I2C: SDA is {sda_name}, SCL is {scl_name}. */
#define I2C_PIN PIN{sda_port}
#define I2C_PORT PORT{sda_port}
#define I2C_DDR DDR{sda_port}
#define SDA_BIT (1U << P{sda_port}{sda_bit})
#define SCL_BIT (1U << P{scl_port}{scl_bit})

#endif
"""


def header(plan: Plan) -> str:
    """The text of `pins.h`.

    Raises:
        PlanError: the firmware cannot use these pins.
    """
    pins = {wire.signal: wire.nano for wire in plan.variants[VARIANT].wires if wire.nano}
    facts: dict[str, str | int] = {}
    for short, signal in (
        ("int", "IMU_INT"), ("switch", "TILT"), ("sda", "SDA"), ("scl", "SCL")
    ):  # fmt: skip
        port, bit = NANO_PORTS[pins[signal]]
        facts |= {f"{short}_name": pins[signal], f"{short}_port": port, f"{short}_bit": bit}
    port, bit = NANO_PORTS[PROBE]
    facts |= {"probe_name": PROBE, "probe_port": port, "probe_bit": bit}
    for short in ("dout", "sck"):
        facts |= _row(short, [pins[f"{short.upper()}{cell}"] for cell in range(CELLS)])
    return TEMPLATE.format(**facts)


def _row(short: str, names: list[str]) -> dict[str, str | int]:
    """Four pins side by side on one port."""
    places = [NANO_PORTS[name] for name in names]
    port, first = places[0]
    if places != [(port, first + cell) for cell in range(CELLS)]:
        raise PlanError(
            f"{short.upper()} of cells 0-3 are {', '.join(names)}; the firmware needs them side "
            "by side on one port (D0-D7 or D8-D13)"
        )
    shift = f"({first} + (cell))" if first else "(cell)"
    text = f"{names[0]}-{names[-1]}"
    mask = 0b1111 << first
    return {f"{short}_{key}": value for key, value in
            (("names", text), ("port", port), ("shift", shift), ("mask", mask))}  # fmt: skip
