"""Reads the faults of `diagnose --fault` and the configuration, such as `unplugged cell C1`.

A number without a unit at the end is the size of the fault.
"""

import re
from collections.abc import Collection

from engine.spelling import meant
from engine.tabletop import load_cell, load_cell_name
from hw.errors import BadTwin
from lab.twin.faults import FaultKind, InjectedFault

FAULT_WORDS: dict[str, tuple[FaultKind, float]] = {
    "unplugged": (FaultKind.DEAD_CELL, 1.0),
    "swapped wires": (FaultKind.SWAPPED_WIRES, 1.0),
    "swapped cells": (FaultKind.SWAPPED_CELLS, 1.0),
    "wrong rate": (FaultKind.WRONG_RATE, 8.0),
    "wrong gain": (FaultKind.WRONG_GAIN, 0.5),
    "noisy supply": (FaultKind.NOISY_SUPPLY, 4.0),
    "mains hum": (FaultKind.MAINS_HUM, 2.0),
    "noisy": (FaultKind.NOISY, 8.0),
    "drifting": (FaultKind.DRIFTING, 0.1),
    "saturated": (FaultKind.SATURATED, 1.0),
    "stuck": (FaultKind.STUCK, 1.0),
    "stuck dout": (FaultKind.DOUT_HIGH, 1.0),
    "stuck dout low": (FaultKind.DOUT_LOW, 1.0),
    "corrupt words": (FaultKind.GLITCHES, 0.05),
    "resetting": (FaultKind.CHIP_RESET, 1.0),
    "slow clock": (FaultKind.SLOW_CLOCK, 1.25),
    "no scale": (FaultKind.NO_SCALE, 1.0),
    "imu missing": (FaultKind.IMU_NACK, 1.0),
    "imu asleep": (FaultKind.IMU_DEAD, 1.0),
    "imu wrong scale": (FaultKind.IMU_WRONG_SCALE, 0.5),
    "imu upside down": (FaultKind.IMU_TURNED, 180.0),
    "imu turned": (FaultKind.IMU_TURNED, 90.0),
    "imu yawed": (FaultKind.IMU_YAWED, 90.0),
    "gyro bias": (FaultKind.GYRO_BIAS, 5.0),
    "switch closed": (FaultKind.SWITCH_CLOSED, 1.0),
    "loose usb": (FaultKind.LOOSE_USB, 30.0),
}
"""What people say, what breaks, and how badly when no size is given."""

_ORDER = re.compile(
    r"^(?P<words>[a-z ]+?)(?: cell (?P<cell>c?\d{1,3}))?(?: (?P<size>\d{1,9}(?:\.\d{1,9})?))?$"
)


def parse_fault(order: str, start_s: float = 0.0) -> InjectedFault:
    """The fault somebody ordered.

    Args:
        order: such as `unplugged cell C1`, `noisy cell C0 12` or `loose usb`.
        start_s: table time at which it strikes.

    Raises:
        BadTwin: no such fault, or no such cell.

    >>> fault = parse_fault("unplugged cell C1")
    >>> fault.kind.value, fault.cell
    ('dead_cell', 1)
    """
    words, cell, given = ordered(order, FAULT_WORDS)
    kind, usual = FAULT_WORDS[words]
    size = usual if given is None else given
    return InjectedFault(kind, start_s, cell=cell, size=size)


def ordered(order: str, known: Collection[str]) -> tuple[str, int, float | None]:
    """Words, cell and size of an order, such as `noisy cell C0 12`; the size only if it is given.

    Raises:
        BadTwin: no such fault among those known, or no such cell.

    >>> ordered("noisy cell C2 12", ["noisy"])
    ('noisy', 2, 12.0)
    """
    found = _ORDER.match(" ".join(order.lower().split()))
    words = found["words"] if found else ""
    if found is None or words not in known:
        near = meant(words or order, known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
        raise BadTwin(f"fault {order!r}: there is no such fault; {hint}")
    try:
        cell = load_cell(found["cell"] or load_cell_name(0))
    except ValueError:
        raise BadTwin(
            f"fault {order!r}: there is no load cell {found['cell'].upper()}; they are C0 to C3"
        ) from None
    return words, cell, float(found["size"]) if found["size"] else None
