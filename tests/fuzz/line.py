"""Targets on the serial line: frames, the conversation, the samples made of them.

An input begins with a byte that says how it comes: even, as it stands on the line; odd, as frames
without check sum (a length byte before each), which get theirs here, so that lies with a good
check sum are told too.
"""

import pickle
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from math import isfinite

from cobs import cobs

from engine.samples import ImuSamples, ScaleSamples
from firmware_bridge.connection import Connection, ConversationState
from firmware_bridge.events import Event
from firmware_bridge.framing import (
    CRC_SIZE,
    CRC_START,
    LONGEST_ENCODED,
    Frame,
    FrameReader,
    encode_frame,
)
from firmware_bridge.messages import (
    FIRMWARE_ID,
    PROTOCOL_MINOR,
    SCHEMA_HASH,
    Hello,
    Identify,
    Message,
    Ping,
    Pong,
    ResetCell,
    SetGain,
    Start,
    Stop,
    Switch,
)
from firmware_bridge.troubles import CLOSED_HERE
from hw.serial.bridge import BridgeSource
from hw.serial.link_reader import LinkState
from hw.source import item_time_s
from lab.chips.fake_mcu import FakeMcu
from lab.mock import quiet_parameters
from tests.fuzz.running import Target

HELLO = Hello(FIRMWARE_ID, 1, PROTOCOL_MINOR, SCHEMA_HASH, 1, 8, 0x0203, 4)
GOOD = Frame(Switch(1), 9, 77)
MOST_OUTGOING = 4096
BITE = 61

PONGS = 6
"""So many answers tell the host the board's clock."""


def on_the_wire(data: bytes) -> bytes:
    """The bytes of the line that an input stands for."""
    if not data or data[0] % 2 == 0:
        return data[1:]
    out, at = bytearray(), 1
    while at < len(data):
        plain = data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
        out += cobs.encode(plain + crc_hqx(plain, CRC_START).to_bytes(CRC_SIZE, "big")) + b"\0"
    return bytes(out)


def pieces(wire: bytes) -> Iterator[bytes]:
    """As a port gives them."""
    for at in range(0, len(wire), BITE):
        yield wire[at : at + BITE]


def as_plain(frames: list[Frame]) -> bytes:
    """An odd input of these frames."""
    plain = [cobs.decode(encode_frame(frame)[:-1])[:-CRC_SIZE] for frame in frames]
    return b"\1" + b"".join(bytes([len(each)]) + bytes(each) for each in plain)


def from_the_board() -> list[bytes]:
    """What a board says in its first second, both ways round."""
    mcu = FakeMcu(buffer_bytes=4000)
    said = bytearray(mcu.data_to_send())
    for command in (Identify(), Start(1), Ping(7)):
        mcu.receive_data(encode_frame(Frame(command, 0, 0)))
    for tenth in range(1, 4):
        mcu.advance(tenth * 0.4e6)
        said += mcu.data_to_send()
    reader = FrameReader()
    reader.receive_data(bytes(said))
    frames = []
    while (frame := reader.next_frame()) is not None:
        frames.append(frame)
    some = [frames[at : at + 12] for at in range(0, len(frames), max(len(frames) // 6, 12))]
    return [b"\0" + bytes(said[:400]), *map(as_plain, some)]


def from_the_host() -> list[bytes]:
    """What the board is told."""
    told: list[Message] = [
        Identify(),
        Ping(3),
        Start(1),
        SetGain(2, 1, 26),
        ResetCell(3, 3),
        Stop(4),
    ]
    frames = [Frame(each, number, 0) for number, each in enumerate(told)]
    return [b"\0" + b"".join(map(encode_frame, frames)), as_plain(frames), as_plain(frames[2:4])]


# --- judges -----------------------------------------------------------------------------------


def frames() -> Callable[[bytes], str]:
    """Nothing raises, nothing grows, and what follows a zero is heard."""

    def judge(data: bytes) -> str:
        reader = FrameReader()
        for piece in pieces(on_the_wire(data)):
            reader.receive_data(piece)
            assert len(reader._pending) <= LONGEST_ENCODED + 1
        reader.receive_data(b"\0" + encode_frame(GOOD))
        heard = [reader.next_frame()]
        while heard[-1] is not None:
            heard.append(reader.next_frame())
        assert heard[-2] == GOOD, "a good frame after the noise was not heard"
        tally = reader.tally
        kinds = sorted({type(frame.message).__name__ for frame in heard if frame is not None})
        return f"{kinds} {min(tally.bad_crc, 2)} {min(tally.bad_form, 2)} {min(tally.unknown, 2)}"

    return judge


def conversation() -> Callable[[bytes], str]:
    """Whatever was said, a proper greeting brings the conversation about again."""

    def judge(data: bytes) -> str:
        connection, now_s = Connection(), 0.0
        connection.opened(now_s)
        connection.receive_data(b"\0" + encode_frame(Frame(HELLO, 0, 0)), now_s)
        seen: set[str] = set()
        for piece in pieces(on_the_wire(data)):
            now_s += 0.05
            connection.receive_data(piece, now_s)
            connection.tick(now_s)
            seen |= _drained(connection)
            assert len(connection.data_to_send()) < MOST_OUTGOING
        outcome = f"{connection.state} {sorted(seen)}"
        connection.closed(CLOSED_HERE())
        connection.opened(now_s)
        connection.receive_data(b"\0" + encode_frame(Frame(HELLO, 0, 0)), now_s + 0.1)
        assert connection.state is ConversationState.READY, "a good board was not greeted any more"
        _drained(connection)
        assert len(connection._commands) < 10
        return outcome

    return judge


def _drained(connection: Connection) -> set[str]:
    names = set()
    while (event := connection.next_event()) is not None:
        names.add(type(event).__name__)
    return names


class Lines:
    """A reader whose board greets, tells its clock, and then says what the input says."""

    def __init__(self) -> None:
        self.connection = Connection()
        self.now_s = 0.0
        self.state = LinkState(None)
        self.connection.opened(0.0)
        self.say(encode_frame(Frame(HELLO, 0, 0)))
        for number in range(PONGS):
            self.now_s += 0.1
            self.say(b"")
            told = FrameReader()
            told.receive_data(self.connection.data_to_send())
            while (frame := told.next_frame()) is not None:
                if isinstance(frame.message, Ping):
                    pong = Pong(frame.message.token)
                    self.say(encode_frame(Frame(pong, number + 1, round(self.now_s * 1e6))))

    def say(self, wire: bytes) -> None:
        self.connection.receive_data(wire, self.now_s)
        self.connection.tick(self.now_s)

    def read(self) -> list[Event]:
        events = []
        while (event := self.connection.next_event()) is not None:
            events.append(event)
        return events

    def close(self) -> None:
        """Nothing to give back."""


def samples() -> Callable[[bytes], str]:
    """What comes out of the source is in order of time, finite, and of now."""
    calibration = quiet_parameters().calibration
    # The first second is the same for all inputs: said once, and copied.
    greeted = pickle.dumps(Lines())

    def judge(data: bytes) -> str:
        line: Lines = pickle.loads(greeted)  # noqa: S301 - our own, of a moment ago
        source = BridgeSource(line, calibration, lambda: line.now_s, simulated=True)
        source.poll(line.now_s)
        seen: set[str] = set()
        latest: dict[type, float] = {}
        for piece in pieces(on_the_wire(data)):
            line.now_s += 0.05
            line.say(piece)
            for item in source.poll(line.now_s):
                t_s = item_time_s(item)
                assert isfinite(t_s), item
                assert t_s <= line.now_s, item
                assert t_s >= latest.get(type(item), t_s), item
                latest[type(item)] = t_s
                if isinstance(item, ScaleSamples | ImuSamples):
                    assert len(item.t_s) > 0
                seen.add(type(item).__name__)
        source.link_health()
        source.close()
        return f"{sorted(seen)} {len(source.notices)}"

    return judge


TARGETS = (
    Target("frames", "bytes of the serial line to frames", frames, from_the_board, share=1.0),
    Target("conversation", "frames to a conversation with the board", conversation,
           from_the_board, share=1.0),
    Target("samples", "frames to samples of a table", samples, from_the_board, share=0.3),
)  # fmt: skip
