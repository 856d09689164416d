"""Reads MCAP from front to back, as fast as Python allows, and as far as a damaged file goes.

The `mcap` package makes one object per message and gives up on a file that was cut off. Here
the records of a chunk are walked with `struct`, and only two numbers and the payload of each
message are kept; a chunk that was cut in the middle is decompressed as far as it reaches.
Record layout: https://mcap.dev/spec.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import BinaryIO

import lz4.frame  # type: ignore[import-untyped]  # the package has no types
import zstandard

from hw.errors import BadTrace

MAGIC = b"\x89MCAP0\r\n"
FOOTER, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END = 0x02, 0x04, 0x05, 0x06, 0x0C, 0x0F
RECORD_MAX_BYTES = 256 * 2**20
"""A longer record than this is damage, not data: our chunks hold 64 KiB, common ones 1-4 MiB."""
CHUNK_MAX_BYTES = 64 * 2**20
"""What a chunk may unpack to: a kilobyte of a compressed file can stand for a gigabyte."""
LOOSE_MESSAGES_PER_BATCH = 4096

_RECORD = Struct("<BQ")
_MESSAGE = Struct("<BQHIQQ")
_CHUNK_HEAD = Struct("<QQQI")
_U16 = Struct("<H")
_U32 = Struct("<I")
_U64 = Struct("<Q")

_DAMAGE = (StructError, zstandard.ZstdError, RuntimeError, EOFError, IndexError)
"""What the decompressors raise on bytes that are not theirs."""

Payloads = dict[str, tuple[list[int], list[bytes]]]
"""Messages by topic: log times in nanoseconds, and payloads."""


@dataclass(slots=True)
class McapStream:
    """The records of one MCAP file, which has a name for messages.

    `cut_off`: it ends before its footer. Damaged chunks, whose checksum is wrong, are left out.
    """

    stream: BinaryIO
    name: str
    cut_off: bool = False
    damaged_chunks: int = 0
    _topics: dict[int, str] = field(default_factory=dict)

    def metadata(self) -> dict[str, dict[str, str]]:
        """All metadata records by name, wherever they stand; chunks are stepped over.

        Raises:
            BadTrace: the file is empty or no MCAP file.
        """
        found: dict[str, dict[str, str]] = {}
        for opcode, length in self._headers():
            if opcode == METADATA:
                content = self.stream.read(length)
                if len(content) == length:
                    found |= _metadata(content)
            else:
                self.stream.seek(length, 1)
        return found

    def batches(self) -> Iterator[Payloads]:
        """Messages, chunk by chunk, in file order."""
        loose = bytearray()
        for opcode, length in self._headers():
            content = self.stream.read(length)
            self.cut_off = self.cut_off or len(content) < length
            if opcode == CHUNK:
                yield self._messages(self._chunk_records(content, whole=len(content) == length))
            elif opcode in (CHANNEL, MESSAGE) and len(content) == length:
                loose += _RECORD.pack(opcode, length) + content
                if len(loose) > LOOSE_MESSAGES_PER_BATCH * _MESSAGE.size:
                    yield self._messages(bytes(loose))
                    loose.clear()
        if loose:
            yield self._messages(bytes(loose))

    def _headers(self) -> Iterator[tuple[int, int]]:
        """Opcode and length of each record, the stream standing at its content."""
        self.stream.seek(0)
        self._check_magic(self.stream.read(len(MAGIC)))
        while True:
            head = self.stream.read(_RECORD.size)
            opcode, length = _RECORD.unpack(head) if len(head) == _RECORD.size else (0, 0)
            if opcode in (FOOTER, DATA_END) and length < RECORD_MAX_BYTES:
                if opcode == FOOTER:
                    return
            elif opcode == 0 or length > RECORD_MAX_BYTES:
                self.cut_off = True
                return
            yield opcode, length

    def _check_magic(self, magic: bytes) -> None:
        if not magic:
            raise BadTrace(f"{self.name} is empty; was the recording stopped before it began?")
        if magic != MAGIC:
            raise BadTrace(
                f"{self.name} is not a trace: it does not begin like an MCAP file; "
                "check that this is the .mcap file and that it was copied in binary mode"
            )

    def _chunk_records(self, content: bytes, *, whole: bool) -> bytes:
        """The records inside a chunk; empty when it is damaged."""
        checksum = 0
        try:
            _, _, size, checksum = _CHUNK_HEAD.unpack_from(content)
            compression, at = _text(content, _CHUNK_HEAD.size)
            records = _decompress(compression, content[at + _U64.size :], size, whole=whole)
        except _DAMAGE:
            records = b""
        except UnknownCompression as unknown:
            raise BadTrace(
                f"{self.name}: a chunk is compressed with {unknown}; only zstd and lz4 can be read"
            ) from None
        sound = records and not (whole and checksum and zlib.crc32(records) != checksum)
        if whole and not sound:
            self.damaged_chunks += 1
        return records if sound else b""

    def _messages(self, records: bytes) -> Payloads:
        """Walk the records of a chunk. The hot loop of a replay: about 0.5 us a message."""
        by_channel: defaultdict[int, tuple[list[int], list[bytes]]] = defaultdict(lambda: ([], []))
        at, end = 0, len(records)
        last_message = end - _MESSAGE.size
        unpack = _MESSAGE.unpack_from
        while at <= last_message:
            opcode, length, channel, _, log_time, _ = unpack(records, at)
            start = at
            at += 9 + length
            if at > end:
                break
            if opcode == MESSAGE:
                times, payloads = by_channel[channel]
                times.append(log_time)
                payloads.append(records[start + 31 : at])
            elif opcode == CHANNEL:
                self._note_channel(records[start + 9 : at])
        return {self._topics.get(channel, ""): found for channel, found in by_channel.items()}

    def _note_channel(self, content: bytes) -> None:
        try:
            topic, _ = _text(content, 4)
            self._topics[_U16.unpack_from(content)[0]] = topic
        except StructError:
            pass  # Cut short: its messages have no topic then, and are nobody's.


class UnknownCompression(Exception):  # noqa: N818 - turned into `BadTrace` with the file's name
    """A chunk is packed in a way that is not known."""


def _decompress(compression: str, data: bytes, size: int, *, whole: bool) -> bytes:
    if compression == "zstd":
        return _from_zstd(data, size, whole=whole)
    if compression == "lz4":
        unpacked = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=CHUNK_MAX_BYTES)
        return bytes(unpacked)
    if compression == "":
        return data
    raise UnknownCompression(repr(compression[:20]))


def _from_zstd(data: bytes, size: int, *, whole: bool) -> bytes:
    """Up to `CHUNK_MAX_BYTES`, whatever the frame promises; what there is when it was cut."""
    if not whole:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            return reader.read(CHUNK_MAX_BYTES)
    promised = zstandard.get_frame_parameters(data).content_size
    if max(size, promised if promised != zstandard.CONTENTSIZE_UNKNOWN else 0) > CHUNK_MAX_BYTES:
        raise zstandard.ZstdError("more than a chunk holds")
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=size)


def _metadata(content: bytes) -> dict[str, dict[str, str]]:
    """One record by its name; nothing when its lengths do not fit."""
    try:
        name, at = _text(content, 0)
        return {name: _text_map(content, at)}
    except StructError:
        return {}


def _text(content: bytes, at: int) -> tuple[str, int]:
    """A length-prefixed string, and where it ends."""
    start = at + _U32.size
    end = start + _U32.unpack_from(content, at)[0]
    return content[start:end].decode("utf-8", "replace"), end


def _text_map(content: bytes, at: int) -> dict[str, str]:
    end = at + _U32.size + _U32.unpack_from(content, at)[0]
    found: dict[str, str] = {}
    at += _U32.size
    while at < end:
        key, at = _text(content, at)
        found[key], at = _text(content, at)
    return found
