"""The firmware's protocol code, compiled for this machine and driven from Python."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import firmware_bridge
from firmware_bridge.framing import Frame, FrameReader, encode_frame
from firmware_bridge.messages import (
    FIRMWARE_ID,
    PROTOCOL_MINOR,
    SCHEMA_HASH,
    Ack,
    CommandResult,
    Hello,
    Identify,
    Imu,
    Message,
    Ping,
    Pong,
    ResetCell,
    Scale,
    SetGain,
    Start,
    Status,
    Stop,
)

FIRMWARE = Path(firmware_bridge.__file__).parent / "firmware"
SANITIZE = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]


class CScale(ctypes.Structure):
    _fields_ = [("cell", ctypes.c_uint8), ("index", ctypes.c_uint8), ("count", ctypes.c_int32)]


class HostBoard:
    """The conversation of the firmware on a board made of variables."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.c = library
        self._reader = FrameReader()
        self.set("host_room", 4096)
        self.set("host_out_size", 0)
        self.set("host_now_us", 1234)
        self.c.conversation_begin()

    def get(self, name: str) -> int:
        return ctypes.c_uint32.in_dll(self.c, name).value

    def set(self, name: str, value: int) -> None:
        ctypes.c_uint32.in_dll(self.c, name).value = value

    def hear(self, data: bytes) -> None:
        for byte in data:
            self.c.conversation_receive(byte)

    def tell(self, message: Message) -> None:
        self.hear(encode_frame(Frame(message, 7, 0)))

    def said(self) -> list[Frame]:
        size = self.get("host_out_size")
        data = bytes((ctypes.c_uint8 * 4096).in_dll(self.c, "host_out"))[:size]
        self.set("host_out_size", 0)
        self._reader.receive_data(data)
        frames = []
        while (frame := self._reader.next_frame()) is not None:
            frames.append(frame)
        assert self._reader.tally.bad == 0
        return frames

    def say_scale(self, scale: Scale, flags: int = 0, t_us: int = 0) -> None:
        value = CScale(scale.cell, scale.index, scale.count)
        self.c.say_scale(ctypes.byref(value), flags, ctypes.c_uint32(t_us))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler on this machine: apt-get install gcc")
    made = tmp_path_factory.mktemp("firmware") / "protocol.so"
    sources = [FIRMWARE / "src" / "frame.c", FIRMWARE / "src" / "conversation.c"]
    sources.append(FIRMWARE / "host" / "board.c")
    subprocess.run(
        [compiler, "-std=c11", *WARNINGS, *SANITIZE, "-shared", "-fPIC", "-o", made, *sources],
        check=True,
    )
    return ctypes.CDLL(str(made))


@pytest.fixture
def board(library: ctypes.CDLL) -> HostBoard:
    made = HostBoard(library)
    made.said()
    return made


def test_the_crc_has_the_check_value_of_the_catalogue(library: ctypes.CDLL) -> None:
    library.crc16.restype = ctypes.c_uint16
    crc = 0xFFFF
    for byte in b"123456789":
        crc = library.crc16(crc, byte)

    assert crc == 0x29B1


def test_it_begins_with_hello(library: ctypes.CDLL) -> None:
    (frame,) = HostBoard(library).said()

    assert frame.message == Hello(FIRMWARE_ID, 1, PROTOCOL_MINOR, SCHEMA_HASH, 1, 8, 0x0203, 4)
    assert (frame.seq, frame.t_us) == (0, 1234)


@given(
    scale=st.builds(
        Scale, st.integers(0, 255), st.integers(0, 255), st.integers(-0x800000, 0x7FFFFF)
    ),
    flags=st.integers(0, 255),
    t_us=st.integers(0, 2**32 - 1),
)
def test_what_the_firmware_encodes_the_host_decodes(
    library: ctypes.CDLL, scale: Scale, flags: int, t_us: int
) -> None:
    board = HostBoard(library)
    board.tell(Start(1))
    board.said()
    board.say_scale(scale, flags, t_us)

    assert board.said() == [Frame(scale, 2, t_us, flags)]


def test_hello_after_a_reset_does_not_perish_with_the_frame_that_was_cut(
    library: ctypes.CDLL,
) -> None:
    board = HostBoard(library)
    board._reader.receive_data(encode_frame(Frame(Ping(3), 1, 2))[:7])
    frames = []
    size = board.get("host_out_size")
    board._reader.receive_data(bytes((ctypes.c_uint8 * 4096).in_dll(library, "host_out"))[:size])
    while (frame := board._reader.next_frame()) is not None:
        frames.append(type(frame.message))

    assert frames == [Hello]


def test_nothing_is_streamed_before_start_and_after_stop(board: HostBoard) -> None:
    board.say_scale(Scale(0, 1, 2))
    assert board.said() == []
    board.tell(Start(1))
    board.say_scale(Scale(0, 1, 2))
    board.tell(Stop(2))
    board.say_scale(Scale(0, 2, 2))

    assert [type(frame.message) for frame in board.said()] == [Ack, Scale, Ack]


@pytest.mark.parametrize(
    ("command", "result"),
    [
        (SetGain(9, 3, 25), CommandResult.DONE),
        (SetGain(9, 3, 27), CommandResult.DONE),
        (SetGain(9, 3, 24), CommandResult.BAD_VALUE),
        (SetGain(9, 3, 28), CommandResult.BAD_VALUE),
        (SetGain(9, 4, 25), CommandResult.BAD_VALUE),
        (ResetCell(9, 3), CommandResult.DONE),
        (ResetCell(9, 4), CommandResult.BAD_VALUE),
        (Start(9), CommandResult.DONE),
        (Stop(9), CommandResult.DONE),
    ],
)
def test_commands_are_acknowledged_with_their_result(
    board: HostBoard, command: Message, result: CommandResult
) -> None:
    board.tell(command)

    assert [frame.message for frame in board.said()] == [Ack(9, result)]


def test_a_repeated_command_is_answered_again_and_done_once(board: HostBoard) -> None:
    resets = (ctypes.c_uint32 * 4).in_dll(board.c, "host_resets")
    before = resets[2]
    for _ in range(3):
        board.tell(ResetCell(5, 2))
    assert [frame.message for frame in board.said()] == [Ack(5, 0)] * 3
    assert resets[2] == before + 1

    board.tell(Identify())
    board.tell(ResetCell(5, 2))
    assert resets[2] == before + 2


def test_identify_stops_streaming_and_says_hello(board: HostBoard) -> None:
    board.tell(Start(1))
    board.tell(Identify())
    board.say_scale(Scale(0, 1, 2))

    assert [type(frame.message) for frame in board.said()] == [Ack, Hello]


def test_ping_is_answered_with_its_token_and_the_time(board: HostBoard) -> None:
    board.set("host_now_us", 4_000_000_000)
    board.tell(Ping(77))
    (frame,) = board.said()

    assert (frame.message, frame.t_us) == (Pong(77), 4_000_000_000)


def test_a_frame_without_room_is_dropped_whole_and_takes_no_number(board: HostBoard) -> None:
    board.tell(Start(1))
    (ack,) = board.said()
    board.set("host_room", 20)
    for index in range(3):
        board.say_scale(Scale(0, index, 5))
    board.set("host_room", 4096)
    status = (ctypes.c_uint8 * 32)()
    board.c.say_status(status)
    frames = board.said()

    assert [frame.seq for frame in frames] == [ack.seq + 1, ack.seq + 2]
    message = frames[-1].message
    assert isinstance(message, Status)
    assert (message.tx_dropped, message.streaming) == (2, 1)


@given(st.binary(max_size=400))
def test_no_bytes_whatever_keep_it_from_the_next_frame(
    library: ctypes.CDLL, garbage: bytes
) -> None:
    board = HostBoard(library)
    board.hear(garbage + b"\0")
    board.said()
    board.tell(Ping(9))

    assert [frame.message for frame in board.said()] == [Pong(9)]


@given(st.binary(min_size=1, max_size=60))
def test_damage_is_counted_as_the_host_would_count_it(library: ctypes.CDLL, garbage: bytes) -> None:
    reader = FrameReader()
    reader.receive_data(garbage + b"\0")
    board = HostBoard(library)
    board.hear(garbage + b"\0")
    board.c.say_status((ctypes.c_uint8 * 32)())
    message = board.said()[-1].message

    assert isinstance(message, Status)
    assert message.rx_bad == reader.tally.bad + reader.tally.unknown


@pytest.mark.parametrize("message", [Imu(1, 2, 3, 4, 5, 6, 7, 8), Scale(1, 2, 3), Hello(*[1] * 8)])
def test_what_only_a_board_says_is_not_obeyed(board: HostBoard, message: Message) -> None:
    board.tell(message)

    assert board.said() == []


@given(st.integers(0, 2**40))
def test_the_clock_is_right_however_reading_and_overflow_meet(
    library: ctypes.CDLL, half_us: int
) -> None:
    """The interrupt counts an overflow up to half a timer round late."""
    library.host_ticks_us.restype = ctypes.c_uint32
    true_overflows, counter = divmod(half_us, 0x10000)
    expected = half_us // 2 % 2**32
    counted = ctypes.c_uint32(true_overflows)

    assert library.host_ticks_us(counted, counter, False) == expected
    if counter < 0x8000 and true_overflows:
        late = ctypes.c_uint32(true_overflows - 1)
        assert library.host_ticks_us(late, counter, True) == expected
    if counter >= 0x8000:
        # The flag rose after the counter was read.
        assert library.host_ticks_us(counted, counter, True) == expected
