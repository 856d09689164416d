"""Writes a trace: a recorder that can run beside a live table for a whole evening.

Memory is bounded by one chunk (64 KiB, about two seconds of samples), which is also what a
power cut can cost: each finished chunk goes to the operating system at once.
"""

from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec
from mcap.writer import CompressionType, Writer

from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples, SensorReport, SwitchSample
from engine.trouble import Trouble
from hw.calibration import COUNTS_MAX, COUNTS_MIN, Calibration, calibration_json
from hw.errors import HardwareError
from hw.source import Item
from hw.traces.trace_format import (
    CHANNELS,
    IMU,
    INPUT,
    NS_PER_S,
    ORIGIN_METADATA,
    REPORT,
    SCALE,
    SCHEMAS,
    TABLE_KEY,
    TABLE_METADATA,
    TILT_SWITCH,
    ImuMessage,
    ReportMessage,
    ScaleMessage,
    SwitchMessage,
)
from hw.troubles import RECORDING_NO_FILE, RECORDING_NOT_CLOSED, RECORDING_STOPPED

CHUNK_BYTES = 64 * 1024
"""Measured: at 300 messages a second the first data reaches the disk after 2.1 s; with the
package's default of 1 MiB after 33 s."""


_Message = tuple[int, str, object]
"""Log time in nanoseconds, channel, content."""


class CannotRecord(HardwareError, OSError):  # noqa: N818
    """The recording cannot be written (no such folder, disk full).

    Attributes:
        trouble: why, and what to check.
    """

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.sentence)
        self.trouble = trouble


class Recorder:
    """Records the items of one source in the trace format."""

    def __init__(
        self, stream: BinaryIO, calibration: Calibration, *, simulated: bool = False
    ) -> None:
        """Begin a trace on a writable stream, which is then the recorder's to close."""
        self._stream = stream
        self._encode = msgspec.json.Encoder().encode
        self._sequence = dict.fromkeys(CHANNELS, 0)
        self._writer = Writer(stream, chunk_size=CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile="", library="topple-table")
        origin = {"simulated": "true" if simulated else "false"}
        self._writer.add_metadata(TABLE_METADATA, {TABLE_KEY: calibration_json(calibration)})
        self._writer.add_metadata(ORIGIN_METADATA, origin)
        self._channels = {name: self._register(name) for name in CHANNELS}
        stream.flush()

    @classmethod
    def create(
        cls, path: Path | str, calibration: Calibration, *, simulated: bool = False
    ) -> "Recorder":
        """Begin a trace file; an existing file of that name is replaced.

        Raises:
            CannotRecord: the file cannot be made.
        """
        try:
            stream = Path(path).open("wb")  # noqa: SIM115 - the recorder closes it
        except OSError as problem:
            raise CannotRecord(
                RECORDING_NO_FILE(path=str(path), error=problem.strerror or "")
            ) from problem
        return cls(stream, calibration, simulated=simulated)

    def write(self, items: Iterable[Item]) -> None:
        """Append items; call it with what `poll` gave.

        Blocks of different sensors overlap; their messages go to the file in order of time.

        Raises:
            CannotRecord: the disk is full or gone. The file is good up to the last chunk.
        """
        try:
            messages = [message for item in items for message in self._messages(item)]
            messages.sort(key=itemgetter(0))
            for log_time, channel, message in messages:
                self._append(log_time, channel, message)
            self._stream.flush()
        except OSError as problem:
            raise CannotRecord(RECORDING_STOPPED(error=problem.strerror or "")) from problem

    def close(self) -> None:
        """Write the index and close the file."""
        try:
            self._writer.finish()  # type: ignore[no-untyped-call]
            self._stream.close()
        except OSError as problem:
            raise CannotRecord(RECORDING_NOT_CLOSED(error=problem.strerror or "")) from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _register(self, name: str) -> int:
        schema = self._writer.register_schema(name, "jsonschema", self._encode(SCHEMAS[name]))
        return self._writer.register_channel(name, "json", schema)

    def _messages(self, item: Item) -> list[_Message]:
        match item:
            case ScaleSamples():
                return _scale_messages(item)
            case ImuSamples():
                rows = zip(item.t_s.tolist(), item.raw.tolist(), strict=True)
                return [
                    _message(IMU, t_s, ImuMessage(tuple(raw[:3]), tuple(raw[3:])))
                    for t_s, raw in rows
                ]
            case SwitchSample():
                return [_message(TILT_SWITCH, item.t_s, SwitchMessage(item.closed))]
            case SensorReport():
                said = ReportMessage(item.sensor, item.ok, item.reason, item.code, dict(item.args))
                return [_message(REPORT, item.t_s, said)]
            case HumanInput():
                return [_message(INPUT, item.t_s, {"type": item.type, **item.data})]

    def _append(self, log_time: int, channel: str, message: object) -> None:
        self._writer.add_message(
            self._channels[channel],
            log_time,
            self._encode(message),
            log_time,
            self._sequence[channel],
        )
        self._sequence[channel] = (self._sequence[channel] + 1) & 0xFFFFFFFF


def _message(channel: str, t_s: float, message: object) -> _Message:
    return max(0, round(t_s * NS_PER_S)), channel, message


def _scale_messages(block: ScaleSamples) -> list[_Message]:
    in_range = (block.raw < COUNTS_MAX) & (block.raw > COUNTS_MIN)
    doubts = (block.valid != in_range).any(axis=1).tolist()
    trusted = block.valid.tolist()
    rows = enumerate(zip(block.t_s.tolist(), block.raw.tolist(), strict=True))
    return [
        _message(SCALE, t_s, ScaleMessage(tuple(raw), tuple(trusted[k]) if doubts[k] else None))
        for k, (t_s, raw) in rows
    ]


def write_truth(path: Path | str, entries: Iterable[Mapping[str, Any]]) -> None:
    """Write what really happened beside a trace, one JSON object a line (`NAME.truth.jsonl`)."""
    lines = b"".join(msgspec.json.encode(entry, enc_hook=float) + b"\n" for entry in entries)
    Path(path).write_bytes(lines)
