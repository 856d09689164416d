"""The port itself, with unmodified pyserial on a pseudo-terminal and the fake board behind it."""

import contextlib
import errno
import fcntl
import os
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import serial

from firmware_bridge.errors import BridgeError, PortUnavailable
from firmware_bridge.events import Arrived, CommandFailed, Connected, Event
from firmware_bridge.link import (
    BAUD,
    CFLAG,
    REOPEN_EVERY_S,
    TCGETS2,
    TERMIOS2,
    Port,
    SerialLink,
    open_port,
)
from firmware_bridge.messages import Imu, ResetCell
from firmware_bridge.ports import PortSearch
from firmware_bridge.troubles import NOT_THERE
from lab.chips.fake_mcu import FakeMcu


class Board:
    """The fake board behind a pseudo-terminal, and a clock that both sides go by."""

    def __init__(self) -> None:
        self.mcu = FakeMcu(buffer_bytes=4000)
        self.plug_in()

    def plug_in(self) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.name = os.ttyname(slave)
        os.close(slave)

    def unplug(self) -> None:
        os.close(self._master)

    def now_s(self) -> float:
        return self.mcu.now_us * 1e-6

    def step(self, seconds: float = 0.005) -> None:
        self.mcu.advance(self.mcu.now_us + seconds * 1e6)
        os.write(self._master, self.mcu.data_to_send())
        # Nothing may have been written, or nobody has opened the other end yet.
        with contextlib.suppress(OSError):
            self.mcu.receive_data(os.read(self._master, 4096))


@pytest.fixture
def board() -> Iterator[Board]:
    made = Board()
    yield made
    # The test may have pulled the plug itself.
    with contextlib.suppress(OSError):
        made.unplug()


def run(link: SerialLink, board: Board, steps: int) -> list[Event]:
    events = []
    for _ in range(steps):
        board.step()
        events += link.poll()
    return events


def imu_count(events: list[Event]) -> int:
    return sum(isinstance(e, Arrived) and isinstance(e.frame.message, Imu) for e in events)


def test_through_a_real_port_samples_come_without_loss(board: Board) -> None:
    link = SerialLink(board.name, board.now_s)
    events = run(link, board, 600)
    link.close()

    assert isinstance(events[0], Connected)
    assert imu_count(events) > 350
    assert link.connection.losses.total == 0
    assert link.connection.tally.bad == 0


def test_the_port_is_ours_alone(board: Board) -> None:
    link = SerialLink(board.name, board.now_s)
    link.poll()
    with pytest.raises(PortUnavailable, match="in use by another program"):
        open_port(board.name)
    link.close()
    open_port(board.name).close()


def test_a_port_with_lock_in_its_name_is_not_taken_for_one_in_use(tmp_path: Path) -> None:
    folder = tmp_path / "lock"
    folder.mkdir()

    with pytest.raises(PortUnavailable, match="cannot be opened"):
        open_port(str(folder))


def test_an_unplugged_board_is_an_outage_in_words_and_comes_back(board: Board) -> None:
    name = "table"
    link = SerialLink(name, board.now_s, opener=lambda _: open_port(board.name))
    run(link, board, 100)
    number = link.connection.command(ResetCell(0, 1))
    board.unplug()
    gone = link.poll()
    assert link.outage
    assert link.outage.code == "mcu_gone"
    failed = [event for event in gone if isinstance(event, CommandFailed)]
    assert [event.command.command_id for event in failed] == [number]

    board.plug_in()
    board.mcu.reset()
    board.mcu.advance(board.mcu.now_us + REOPEN_EVERY_S * 1e6)
    events = run(link, board, 400)
    link.close()

    assert any(isinstance(event, Connected) for event in events)
    assert imu_count(events) > 100


@pytest.mark.parametrize(("away_s", "is_asked"), [(2.0, True), (7.0, False)])
def test_a_loose_plug_is_asked_at_once_and_whatever_is_plugged_in_later_must_greet(
    board: Board, printer: "Printer", away_s: float, is_asked: bool
) -> None:
    ports = iter((board.name, printer.name))
    link = SerialLink("table", board.now_s, opener=lambda _: open_port(next(ports)))
    run(link, board, 300)
    board.unplug()
    link.poll()
    board.mcu.advance(board.mcu.now_us + away_s * 1e6)
    for _ in range(3):
        link.poll()
    link.close()

    assert bool(printer.received) == is_asked


def test_a_missing_port_is_tried_once_a_second_and_never_raises() -> None:
    tried, now_s = [], 0.0

    def opener(name: str) -> serial.Serial:
        tried.append(name)
        raise PortUnavailable(NOT_THERE(port=name))

    link = SerialLink("nowhere", lambda: now_s, opener=opener)
    for step in range(50):
        now_s = step * 0.1
        assert link.poll() == []

    assert len(tried) == 5
    link.close()
    assert link.outage == NOT_THERE(port="nowhere")


def test_a_name_that_is_not_there_is_told_with_what_to_check(tmp_path: Path) -> None:
    with pytest.raises(PortUnavailable, match="Check the USB plug") as caught:
        open_port(str(tmp_path / "ttyUSB0"))
    assert isinstance(caught.value, BridgeError)
    assert isinstance(caught.value, OSError)


def test_a_file_that_is_no_serial_port_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a port")
    with pytest.raises(PortUnavailable, match="cannot be opened"):
        open_port(str(file))


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, "Add the user to the group dialout"),
        (errno.EPERM, "Restart the service"),
        (errno.EIO, "cannot be opened"),
    ],
)
def test_a_port_that_is_refused_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refused(*_arguments: object, **_named: object) -> None:
        raise serial.SerialException(number, os.strerror(number))

    monkeypatch.setattr(serial, "Serial", refused)

    with pytest.raises(PortUnavailable, match=words):
        open_port("/dev/ttyUSB0")


HOLDER = """
import os, sys, time
os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
print(flush=True)
time.sleep(600)
"""


def test_a_port_that_another_program_reads_is_left_to_it_and_the_program_is_named(
    board: Board,
) -> None:
    """Without a lock, as most programs do it: opening once more would succeed."""
    command = [sys.executable, "-c", HOLDER, board.name]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        with pytest.raises(PortUnavailable, match="is in use by python") as caught:
            open_port(board.name)
        program.kill()

    assert f"(process {program.pid})" in str(caught.value)
    assert caught.value.trouble.code == "mcu_held"
    open_port(board.name).close()


def test_closing_a_port_leaves_dtr_up_and_the_rate_is_still_ours(board: Board) -> None:
    keeper = os.open(board.name, os.O_RDWR | os.O_NOCTTY)
    settings = termios.tcgetattr(keeper)
    settings[2] |= termios.HUPCL  # as the ports of USB adapters have it
    termios.tcsetattr(keeper, termios.TCSANOW, settings)
    open_port(board.name).close()
    kept = TERMIOS2.unpack(fcntl.ioctl(keeper, TCGETS2, bytes(TERMIOS2.size)))
    os.close(keeper)

    assert not kept[CFLAG] & termios.HUPCL
    assert kept[-1] == BAUD


class Printer:
    """Some other device: it never greets, and notes whatever is sent to it."""

    def __init__(self, says: bytes = b"") -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.name, self._says = os.ttyname(self._slave), says

    def speak(self) -> None:
        os.write(self._master, self._says)

    @property
    def received(self) -> bytes:
        try:
            return os.read(self._master, 4096)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self._master)
        os.close(self._slave)


@pytest.fixture
def printer() -> Iterator[Printer]:
    made = Printer(b"ok T:21.4 /0.0\r\n\0\0start\0")
    yield made
    made.close()


def plugged(folder: Path, *devices: Board | Printer) -> Path:
    """Names as of sockets, in this order."""
    folder.mkdir(exist_ok=True)
    for socket, device in enumerate(devices):
        (folder / f"usb-0:1.{socket}:1.0").symlink_to(device.name)
    return folder


def test_a_device_that_does_not_greet_is_not_sent_a_byte(board: Board, printer: Printer) -> None:
    """Whether it is the configured one or one that was tried."""
    named = SerialLink(printer.name, board.now_s)
    for _ in range(2000):
        board.step()
        printer.speak()
        named.poll()
    named.close()

    assert named.connection.tally.bytes > 10_000
    assert printer.received == b""


def test_the_board_is_found_beside_a_printer_which_is_not_sent_a_byte_and_remembered(
    board: Board, printer: Printer, tmp_path: Path
) -> None:
    folder, memory = plugged(tmp_path / "by-path", printer, board), tmp_path / "table.json.port"
    link = SerialLink("", board.now_s, search=PortSearch([folder], memory))
    events = run(link, board, 1200)
    link.close()
    again = SerialLink("", board.now_s, search=PortSearch([folder], memory))
    at_once = run(again, board, 300)
    again.close()

    assert isinstance(events[0], Connected)
    assert imu_count(events) > 300
    assert memory.read_text() == f"{folder}/usb-0:1.1:1.0\n"
    assert isinstance(at_once[0], Connected)
    assert printer.received == b""


def test_a_board_that_is_not_reset_by_opening_is_known_by_its_heartbeat(board: Board) -> None:
    link = SerialLink(board.name, board.now_s)
    run(link, board, 300)
    boot = link.connection.hello
    link.close()
    again = SerialLink(board.name, board.now_s)
    events = run(again, board, 400)
    again.close()

    assert isinstance(events[0], Connected)
    assert boot is not None
    assert again.connection.hello == boot


def test_devices_of_which_none_greets_are_told_and_opened_more_and_more_seldom(
    board: Board, printer: Printer, tmp_path: Path
) -> None:
    folder, opened = plugged(tmp_path / "by-path", printer), []

    def opener(name: str) -> Port:
        opened.append(round(board.now_s()))
        return open_port(name)

    link = SerialLink("", board.now_s, opener, PortSearch([folder]))
    events = run(link, board, 20_000)
    link.close()

    assert events == []
    assert len(opened) == 4
    pauses = [later - earlier for earlier, later in pairwise(opened)]
    assert pauses == pytest.approx([14, 24, 44], abs=1)
    assert printer.received == b""
