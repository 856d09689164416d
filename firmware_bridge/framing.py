"""Frames on the wire: bytes to messages and back.

    frame = COBS( type u8, flags u8, seq u16, t_us u32, body, crc16 ) 0x00

Little-endian, except the CRC, which goes high byte first so that the CRC over a whole good frame
is zero. COBS removes every zero from the inside, so that after any damage the next zero is the
beginning of something whole. Pure: bytes come in, frames and tallies come out.
"""

import struct
from binascii import crc_hqx
from collections import deque
from dataclasses import dataclass, field, replace

from cobs import cobs

from firmware_bridge.errors import BadFrame, UnsendableMessage
from firmware_bridge.messages import (
    LONGEST_BODY,
    MESSAGES,
    Received,
    Unknown,
    decode_body,
    encode_body,
)

CRC_START = 0xFFFF
"""CRC-16/CCITT-FALSE; its check value over b"123456789" is 0x29B1."""

HEADER = struct.Struct("<BBHI")
CRC_SIZE = 2
SHORTEST = HEADER.size + CRC_SIZE

LONGEST_ENCODED = 2 * (SHORTEST + LONGEST_BODY)
"""Bytes between two zeros beyond which it cannot be a frame, newer firmware included."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A message with what travels around it.

    Attributes:
        seq: number of this frame, counted by its sender, modulo 65536.
        t_us: microseconds of the sender's clock, modulo 2**32; 0 in frames from the host.
        flags: meaning depends on the message (`ScaleFlag`); 0 where it has none.
    """

    message: Received
    seq: int
    t_us: int
    flags: int = 0


@dataclass(frozen=True, slots=True)
class ReceiveTally:
    """What the receiver made of the bytes so far.

    Attributes:
        bytes: all that came.
        frames: good frames.
        bad_crc: whole by COBS, but the check sum is wrong: bits were damaged.
        bad_form: no valid COBS, too short or too long: the beginning or end was lost.
        unknown: good frames of a type that is not in our table.
    """

    bytes: int = 0
    frames: int = 0
    bad_crc: int = 0
    bad_form: int = 0
    unknown: int = 0

    @property
    def bad(self) -> int:
        """Pieces thrown away because of damage."""
        return self.bad_crc + self.bad_form


def encode_frame(frame: Frame) -> bytes:
    """Bytes for the wire, closing zero included.

    Raises:
        UnsendableMessage: a value does not fit its field.
    """
    if isinstance(frame.message, Unknown):
        raise UnsendableMessage("code", f"type {frame.message.code:#04x} is not in our table")
    code = MESSAGES[type(frame.message)].code
    header = HEADER.pack(code, frame.flags, frame.seq & 0xFFFF, frame.t_us & 0xFFFFFFFF)
    plain = header + encode_body(frame.message)
    return bytes(cobs.encode(plain + crc_hqx(plain, CRC_START).to_bytes(CRC_SIZE, "big"))) + b"\0"


def decode_frame(encoded: bytes) -> Frame:
    """The frame between two zeros.

    Raises:
        BadFrame: with the first check that failed.
    """
    if len(encoded) > LONGEST_ENCODED:
        raise BadFrame("long", f"{len(encoded)} bytes without a zero")
    try:
        plain = bytes(cobs.decode(encoded))
    except cobs.DecodeError as error:
        raise BadFrame("cobs", f"{len(encoded)} bytes are no COBS: {error}") from None
    if len(plain) < SHORTEST:
        raise BadFrame("short", f"{len(plain)} bytes; the shortest frame has {SHORTEST}")
    if crc_hqx(plain, CRC_START) != 0:
        raise BadFrame("crc", f"check sum of a {len(plain)}-byte frame is wrong")
    code, flags, seq, t_us = HEADER.unpack_from(plain)
    return Frame(decode_body(code, plain[HEADER.size : -CRC_SIZE]), seq, t_us, flags)


@dataclass(slots=True)
class FrameReader:
    """Collects bytes in pieces of any size and gives whole frames.

    Attributes:
        tally: what was received so far.
    """

    tally: ReceiveTally = field(default_factory=ReceiveTally)
    _pending: bytearray = field(default_factory=bytearray)
    _frames: deque[Frame] = field(default_factory=deque)

    def receive_data(self, data: bytes) -> None:
        """Take what came; never raises, whatever it is."""
        self.tally = replace(self.tally, bytes=self.tally.bytes + len(data))
        *pieces, rest = data.split(b"\0")
        for piece in pieces:
            self._take(bytes(self._pending) + piece)
            self._pending.clear()
        self._pending += rest
        if len(self._pending) > LONGEST_ENCODED:
            # One byte too many is kept, so that its end is still known to be too long.
            del self._pending[LONGEST_ENCODED + 1 :]

    def next_frame(self) -> Frame | None:
        """The oldest frame not yet taken, or None when more bytes are needed."""
        return self._frames.popleft() if self._frames else None

    def forget_partial(self) -> None:
        """Drop an unfinished frame: the line was cut and what follows belongs to another one."""
        self._pending.clear()

    def _take(self, encoded: bytes) -> None:
        if not encoded:
            return  # zeros in a row are how a sender ends whatever came before
        try:
            frame = decode_frame(encoded)
        except BadFrame as bad:
            self._count("bad_crc" if bad.fault == "crc" else "bad_form")
        else:
            self._frames.append(frame)
            self._count("unknown" if isinstance(frame.message, Unknown) else "frames")

    def _count(self, column: str) -> None:
        self.tally = replace(self.tally, **{column: getattr(self.tally, column) + 1})
