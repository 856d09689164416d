"""Target lab: the real firmware reads simulated chips that measure the tower of a case.

The firmware is built once with avr-gcc; if the compiler or the simulator is missing, the message
names the package.
"""

import atexit
import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from controller.bench.steps import Line
from controller.bench.targets import Played
from controller.common.errors import BadTarget
from controller.service import firmware
from engine.tabletop import load_cell
from firmware_bridge.framing import Frame, encode_frame
from firmware_bridge.messages import Ping
from hw.sim.lab.played import LabSource
from hw.sim.lab.simavr import LabError, find_library
from hw.sim.lab.table import Begun


def need_lab() -> None:
    """Report at once what is missing.

    Raises:
        BadTarget: the simulator or the compiler is not installed.
    """
    if find_library() is None:
        raise BadTarget("target lab: libsimavr is missing; apt-get install libsimavr2")
    built()


@cache
def built() -> Path:
    """The firmware, built once in this process.

    Raises:
        BadTarget: it cannot be built.
    """
    # A folder of its own: another version of the sources may be built beside this one.
    folder = tempfile.TemporaryDirectory(prefix="topple-bench-firmware-")
    atexit.register(folder.cleanup)
    try:
        return firmware.build(Path(folder.name)).elf
    except Exception as error:
        raise BadTarget(f"target lab: {error}") from error


PINGS = encode_frame(Frame(Ping(0), 0, 0)) * 4
"""Each time bytes are moved: as much as the line carries, and more answers than it can."""

STRETCH_US = 430
"""An inertial sensor this slow answers just within the firmware's patience (0.5 ms a step)."""


def on_firmware(played: Played, case_id: str) -> Played:
    """The same tower behind chips, firmware and serial line.

    Args:
        played: the tower.
        case_id: decides when the counters of the microcontroller wrap, and how its clock goes.

    Raises:
        BadTarget: the lab is not installed.
    """
    try:
        begun = Begun.drawn(case_id)
        lab = LabSource(played.source, played.calibration, built(), begun=begun)
    except LabError as error:
        raise BadTarget(f"target lab: {error}") from error
    return replace(played, source=lab, lab=lab)


def disturb(lab: Any, line: Line, seed: int) -> None:
    """Disturb the serial line or the microcontroller."""
    wire = lab.wire
    match line.what:
        case "garbage":
            wire.damage = bytes(range(1, 200)) + b"\0\x05\x01\x02\0"
        case "unplug":
            wire.unplug()
        case "plug":
            wire.plug_in()
        case "reset":
            lab.table.avr.reset()
        case "hang":
            lab.table.hang()
        case "crowd":
            wire.crowd = PINGS
        case "ok":
            wire.spoil, wire.crowd = bytes, b""
        case kind:
            wire.spoil = spoiler(kind, line.rate, seed)


def handle_chip(lab: Any, order: str) -> None:
    """Unplug a chip, short its data wire, lower its supply; see `steps.ChipWords`."""
    deed, _, number = order.removesuffix(" imu").partition(" cell ")
    chip = lab.table.cells[load_cell(number)] if number else lab.table.imu
    match deed:
        case "unplug":
            chip.unplug()
        case "plug":
            chip.plug()
        case "brown out":
            chip.brown_out()
        case "slow" | "quick":
            lab.table.twi.stretch_us = STRETCH_US if deed == "slow" else 0
        case _:
            chip.shorted = deed == "short"


def spoiler(kind: str, rate: float, seed: int) -> Callable[[bytes], bytes]:
    """How a bad line changes bytes.

    Args:
        kind: `flip` a bit, `drop` or `duplicate` a byte.
        rate: how often in a thousand bytes.
        seed: of the chance.
    """
    chance = random.Random(seed)

    def spoil(data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            if chance.random() >= rate / 1000:
                out.append(byte)
            elif kind == "flip":
                out.append(byte ^ 1 << chance.randrange(8))
            elif kind == "duplicate":
                out += bytes((byte, byte))
        return bytes(out)

    return spoil
