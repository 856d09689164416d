"""The port itself, with unmodified pyserial on a pseudo-terminal and the fake board behind it."""

import contextlib
import errno
import os
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from firmware_bridge.errors import BridgeError, PortUnavailable
from firmware_bridge.events import Arrived, CommandFailed, Connected, Event
from firmware_bridge.link import REOPEN_EVERY_S, SerialLink, find_port, open_port
from firmware_bridge.messages import Imu, ResetCell
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
    events = run(link, board, 400)
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
    events = run(link, board, 200)
    link.close()

    assert any(isinstance(event, Connected) for event in events)
    assert imu_count(events) > 100


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


def test_the_only_device_is_found_by_its_lasting_name(tmp_path: Path) -> None:
    (tmp_path / "usb-1a86_USB_Serial-if00-port0").touch()

    assert find_port(tmp_path) == str(tmp_path / "usb-1a86_USB_Serial-if00-port0")


def test_none_or_several_devices_are_not_guessed_at(tmp_path: Path) -> None:
    with pytest.raises(PortUnavailable, match="charge-only cable"):
        find_port(tmp_path / "absent")
    (tmp_path / "usb-a").touch()
    (tmp_path / "usb-b").touch()
    with pytest.raises(PortUnavailable, match="2 serial devices"):
        find_port(tmp_path)
