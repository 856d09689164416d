"""The pseudo-terminal as pyserial sees it, and what a wrong speed makes of bytes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import serial

from firmware_bridge.errors import PortUnavailable
from firmware_bridge.framing import Frame, FrameReader, encode_frame
from firmware_bridge.messages import Ping, Pong
from lab.avr.simavr import heard_at
from lab.avr.table import LabTable
from lab.avr.wires import MemoryWire, TerminalWire
from tests.controller.conftest import wait_until

HELLO = b"\x54\x4f\x50\x50"[::-1]
"""FIRMWARE_ID as it is sent."""


def carried(table: LabTable, wire: MemoryWire | TerminalWire, slices: int = 60) -> None:
    for _ in range(slices):
        table.pass_time()
        wire.carry()


@pytest.fixture
def table(elf: Path) -> LabTable:
    return LabTable(elf)


@pytest.fixture
def terminal(table: LabTable) -> Iterator[TerminalWire]:
    wire = TerminalWire(table.avr)
    yield wire
    wire.unplug()


def heard_until(port: Any, enough: Callable[[bytes], bool]) -> bytes:
    """What comes out of a terminal; the kernel carries it, and takes its time."""
    heard = bytearray()

    def come() -> bool:
        heard.extend(port.read(4096))
        return enough(bytes(heard))

    wait_until(come, "enough from the terminal")
    return bytes(heard)


def test_pyserial_opens_the_terminal_and_hears_the_firmware_at_its_speed(
    table: LabTable, terminal: TerminalWire
) -> None:
    port = terminal.open("")
    carried(table, terminal)

    assert HELLO in heard_until(port, lambda said: HELLO in said)
    port.close()


def test_a_host_that_opens_it_at_another_speed_hears_nonsense(
    table: LabTable, terminal: TerminalWire
) -> None:
    with serial.Serial(terminal.name, 115_200, timeout=0.1) as port:
        carried(table, terminal)
        assert HELLO not in heard_until(port, lambda said: len(said) > 20)


def test_a_terminal_that_was_pulled_out_is_gone_and_comes_back_under_a_name(
    table: LabTable, terminal: TerminalWire
) -> None:
    port = terminal.open("")
    terminal.unplug()
    terminal.carry()
    with pytest.raises((serial.SerialException, OSError)):
        port.read(1) or port.read(1)
    with pytest.raises(PortUnavailable):
        terminal.open("")
    terminal.plug_in()
    again = terminal.open("")
    carried(table, terminal)
    heard = heard_until(again, lambda said: HELLO in said)
    again.close()

    assert HELLO in heard


def test_the_wire_in_memory_does_the_same(table: LabTable) -> None:
    wire = MemoryWire(table.avr)
    port = wire.open("x")
    carried(table, wire)
    assert HELLO in port.read(port.in_waiting)
    wire.unplug()
    with pytest.raises(OSError, match="no data"):
        port.read(1)
    with pytest.raises(PortUnavailable, match="x is not there"):
        wire.open("x")


def test_a_crowd_on_the_wire_is_answered_until_the_line_is_full(table: LabTable) -> None:
    wire = MemoryWire(table.avr)
    port = wire.open("x")
    carried(table, wire)
    port.read(port.in_waiting)
    wire.crowd = encode_frame(Frame(Ping(7), 0, 0)) * 4
    carried(table, wire)
    reader = FrameReader()
    reader.receive_data(port.read(port.in_waiting))
    pongs = iter(reader.next_frame, None)

    assert sum(frame is not None and frame.message == Pong(7) for frame in pongs) > 20
    assert reader.tally.bad == 0


@pytest.mark.parametrize(("spoken", "heard"), [(250_000, 250_000), (115_200, 117_647)])
def test_two_per_cent_between_two_clocks_do_no_harm(spoken: float, heard: float) -> None:
    assert heard_at(b"abc", spoken, heard) == b"abc"
    assert heard_at(b"abc", 250_000, 115_200) != b"abc"
