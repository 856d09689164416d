"""Target lab: the real firmware reads simulated chips that measure the tower of a case.

The firmware is built once with avr-gcc; if the compiler or the simulator is missing, the message
names the package.
"""

import atexit
import random
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from controller.common.errors import BadTarget
from controller.workshop import firmware
from engine.tabletop import load_cell
from firmware_bridge.framing import Frame, encode_frame
from firmware_bridge.messages import Ping
from hw.calibration import Calibration
from hw.source import SampleSource
from lab.avr.played import LabSource
from lab.avr.simavr import LabError, find_library
from lab.avr.table import RATES_HZ, Begun, LabTable
from lab.bench.boards import Board
from lab.bench.scenario import Scenario, Target
from lab.bench.steps import Line


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


@dataclass(frozen=True, slots=True)
class Lab:
    """The firmware of this project; a `boards.BoardTarget`."""

    name: str = "lab"
    like: Target = "lab"
    known: Mapping[str, str] = field(default_factory=dict)

    def left_out(self, _scenario: Scenario) -> str:
        """Nothing but what scenarios themselves say."""
        return ""

    def need(self) -> None:
        """Compiler and simulator.

        Raises:
            BadTarget: one of them is not installed.
        """
        if find_library() is None:
            raise BadTarget("target lab: libsimavr is missing; apt-get install libsimavr2")
        built()

    def board(self, tower: SampleSource, calibration: Calibration, case_id: str) -> Board:
        """Chips, firmware and serial line; the case decides when counters of the MCU wrap."""
        begun = Begun.drawn(case_id)
        try:
            return LabBoard(LabSource(tower, calibration, built(), begun=begun))
        except LabError as error:
            raise BadTarget(f"target lab: {error}") from error


@dataclass(frozen=True, slots=True)
class LabBoard:
    """The firmware, running; a `boards.Board`."""

    source: LabSource

    @property
    def rates_hz(self) -> Mapping[str, float]:
        """Those of the simulated chips, and what `imu.c` sets."""
        cells = {f"scale.{cell}_hz": rate_hz for cell, rate_hz in enumerate(RATES_HZ)}
        return {**cells, "imu_hz": 200.0}

    def counters(self) -> dict[str, float]:
        """Frames, and the rules of the data sheets."""
        links = (*self.source.earlier_links, self.source.link_health())
        return {
            "lost_frames": float(sum(health.lost_on_line for health in links)),
            "bad_frames": float(sum(health.bad_crc + health.bad_form for health in links)),
            "pin_violations": float(len(self.source.table.violations)),
            "disordered": float(sum(health.disordered for health in links)),
            "misreported": float(len(self.source.table.witness.faults)),
        }

    def disturb(self, line: Line, seed: int) -> None:
        """On the wire, or at the reset pin."""
        disturb(self.source, line, seed)

    def handle_chip(self, order: str) -> None:
        """At a chip's plug or its wires."""
        handle_chip(self.source.table, order)


def disturb(lab: Any, line: Line, seed: int) -> None:
    """Disturb the serial line or the microcontroller of what has a `wire` and a `table`."""
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


def handle_chip(table: LabTable, order: str) -> None:
    """Unplug a chip, short its data wire, lower its supply; see `steps.ChipWords`."""
    deed, _, number = order.removesuffix(" imu").partition(" cell ")
    chip: Any = table.cells[load_cell(number)] if number else table.imu
    match deed:
        case "unplug":
            chip.unplug()
        case "plug":
            chip.plug()
        case "brown out":
            chip.brown_out()
        case "slow" | "quick":
            table.twi.stretch_us = STRETCH_US if deed == "slow" else 0
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
