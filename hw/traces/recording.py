"""Replay of a trace: an MCAP file as a `SampleSource`.

The file is read chunk by chunk, so an evening of eight hours needs no more memory than a
minute. Samples that stand a little out of order in the file (a live recorder writes blocks of
one sensor after the other) are sorted; `HOLD_S` says how far.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec
import numpy as np

from engine.errors import UNREADABLE
from engine.events import HumanInput
from engine.plainly import plainly
from engine.samples import Floats, Ints, SensorReport, SwitchSample
from hw.blocks import Event, ItemQueue
from hw.calibration import Calibration, parse_calibration
from hw.errors import BadCalibration, BadTrace
from hw.source import Item, TableSource
from hw.traces.mcap_stream import McapStream, Payloads
from hw.traces.trace_format import (
    IMU,
    INPUT,
    NS_PER_S,
    ORIGIN_METADATA,
    REPORT,
    SCALE,
    TABLE_KEY,
    TABLE_METADATA,
    TILT_SWITCH,
    ImuMessage,
    ReportMessage,
    ScaleMessage,
    SwitchMessage,
)

HOLD_S = 2.0
"""How far samples may stand out of order. A live recorder writes blocks of a fraction of a
second; two seconds leave room for a stalled serial link. What comes later still is left out."""

LONGEST_S = 48 * 3600.0
"""No recording lasts longer. A time beyond it is a damaged number or a wall clock's; who played up
to it second by second would never end."""

Message = TypeVar("Message")


class Recording(TableSource):
    """One trace, played as its owner polls it."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        """Read the metadata of a seekable stream, which is then the recording's to close.

        Raises:
            BadTrace: no MCAP file, an empty one, or one without a usable `table` record.
        """
        self.name = name
        self._stream = stream
        self._mcap = McapStream(stream, name)
        metadata = self._mcap.metadata()
        super().__init__(
            _calibration(name, metadata, cut_off=self._mcap.cut_off),
            simulated=metadata.get(ORIGIN_METADATA, {}).get("simulated") == "true",
        )
        self._batches = self._mcap.batches()
        self._waiting = ItemQueue()
        self._read_to_s = 0.0
        self._given_to_s = -1.0
        self._left_out = self._impossible = 0
        self._exhausted = False

    @classmethod
    def open(cls, path: Path | str) -> "Recording":
        """Open a trace file.

        Raises:
            BadTrace: the file cannot be opened or is not a usable trace.
        """
        try:
            stream = Path(path).open("rb")  # noqa: SIM115 - the recording closes it
        except OSError as problem:
            raise BadTrace(f"{path} cannot be opened: {problem.strerror}; check the path") from None
        try:
            return cls(stream, str(path))
        except BaseException:
            stream.close()
            raise

    @property
    def ended(self) -> bool:
        """True once every sample has been given."""
        return self._exhausted and not self._waiting

    @property
    def notices(self) -> tuple[str, ...]:
        """What the owner should know about the file; complete once the recording has ended."""
        notes = []
        if self._mcap.cut_off and self._exhausted:
            notes.append(
                f"recording is cut off after {self._read_to_s:.1f} s; replayed up to there"
            )
        if self._mcap.damaged_chunks:
            notes.append(
                f"{self._mcap.damaged_chunks} part(s) of the recording are damaged and left out; "
                "check the disk or SD card it was recorded on"
            )
        if self._left_out:
            notes.append(
                f"{self._left_out} message(s) stand more than {HOLD_S:g} s out of order "
                "and are left out"
            )
        if self._impossible:
            notes.append(
                f"{self._impossible} message(s) have a time after {LONGEST_S / 3600:g} hours and "
                "are left out; a recording counts from 0"
            )
        return tuple(notes)

    def poll(self, until_s: float) -> list[Item]:
        """Everything recorded up to table time `until_s` that was not given before.

        Raises:
            BadTrace: a message cannot be decoded; the message says which and when.
        """
        self._read(until_s + HOLD_S)
        items = self._waiting.take(until_s)
        self._given_to_s = max(self._given_to_s, until_s)
        return items

    def close(self) -> None:
        """Close the file; nothing more can come."""
        self._exhausted = True
        self._waiting.clear()
        self._stream.close()

    def _read(self, until_s: float) -> None:
        while not self._exhausted and self._read_to_s < until_s:
            batch = next(self._batches, None)
            if batch is None:
                self._exhausted = True
            else:
                self._take(batch)

    def _take(self, batch: Payloads) -> None:
        if SCALE in batch:
            self._take_scale(*batch[SCALE])
        if IMU in batch:
            self._take_imu(*batch[IMU])
        events = [event for event in self._decode_events(batch) if self._in_time(event.t_s)]
        self._waiting.put_events(events)
        self._read_to_s = max([self._read_to_s, *(event.t_s for event in events)])

    def _take_scale(self, log_times: list[int], payloads: list[bytes]) -> None:
        messages = self._decode(SCALE, ScaleMessage, log_times, payloads)
        t_s, order = self._times(log_times)
        raw = _counts((message.raw for message in messages), len(messages), 4)
        trusted = None
        if any(message.trusted for message in messages):
            trusted = np.array([message.trusted or (True,) * 4 for message in messages])[order]
        self._waiting.scale.put(self.calibration.scale_samples(t_s, raw[order], trusted))

    def _take_imu(self, log_times: list[int], payloads: list[bytes]) -> None:
        messages = self._decode(IMU, ImuMessage, log_times, payloads)
        t_s, order = self._times(log_times)
        raw = _counts((message.accel + message.gyro for message in messages), len(messages), 6)
        self._waiting.imu.put(self.calibration.imu_samples(t_s, raw[order]))

    def _times(self, log_times: list[int]) -> tuple[Floats, Any]:
        """Table times in order, and the order; without what comes hopelessly late."""
        t_s = np.array(log_times, dtype=np.uint64) / NS_PER_S
        order = np.argsort(t_s, kind="stable")
        possible = order[t_s[order] <= LONGEST_S]
        self._impossible += len(order) - len(possible)
        order = possible[t_s[possible] > self._given_to_s]
        self._left_out += len(possible) - len(order)
        if len(order):
            self._read_to_s = max(self._read_to_s, float(t_s[order[-1]]))
        return t_s[order], order

    def _in_time(self, t_s: float) -> bool:
        late, impossible = t_s <= self._given_to_s, t_s > LONGEST_S
        self._left_out += late
        self._impossible += impossible
        return not (late or impossible)

    def _decode_events(self, batch: Payloads) -> Iterator[Event]:
        for log_time, data in self._paired(batch, INPUT, dict[str, Any]):
            verb = data.pop("type", None)
            if not isinstance(verb, str):
                raise BadTrace(
                    f"{self.name}: the {INPUT} message at {log_time / NS_PER_S:.3f} s has no type"
                )
            yield HumanInput(log_time / NS_PER_S, verb, data)
        for log_time, edge in self._paired(batch, TILT_SWITCH, SwitchMessage):
            yield SwitchSample(log_time / NS_PER_S, edge.closed)
        for log_time, said in self._paired(batch, REPORT, ReportMessage):
            yield SensorReport(
                log_time / NS_PER_S, said.sensor, said.ok, said.reason, said.code, said.args
            )

    def _paired(
        self, batch: Payloads, channel: str, kind: type[Message]
    ) -> Iterator[tuple[int, Message]]:
        log_times, payloads = batch.get(channel, ([], []))
        return zip(log_times, self._decode(channel, kind, log_times, payloads), strict=True)

    def _decode(
        self, channel: str, kind: type[Message], log_times: list[int], payloads: list[bytes]
    ) -> list[Message]:
        """All messages of a channel at once: one JSON array is five times faster than each."""
        try:
            messages = msgspec.json.decode(b"[" + b",".join(payloads) + b"]", type=list[kind])  # type: ignore[valid-type]
        except UNREADABLE:
            messages = []
        if len(messages) == len(payloads):
            return messages
        return self._decode_each(channel, kind, log_times, payloads)

    def _decode_each(
        self, channel: str, kind: type[Message], log_times: list[int], payloads: list[bytes]
    ) -> list[Message]:
        """Slow path that finds the message at fault."""
        messages = []
        for log_time, payload in zip(log_times, payloads, strict=True):
            try:
                messages.append(msgspec.json.decode(payload, type=kind))
            except UNREADABLE as problem:
                raise BadTrace(
                    f"{self.name}: the {channel} message at {log_time / NS_PER_S:.3f} s "
                    f"cannot be read: {plainly(problem)}"
                ) from problem
        return messages


def _counts(rows: Iterable[tuple[int, ...]], count: int, columns: int) -> Ints:
    """Rows of counts as an array; a third quicker than `np.array`."""
    flat: Ints = np.fromiter(chain.from_iterable(rows), np.int32, count * columns)
    return flat.reshape(count, columns)


def _calibration(name: str, metadata: dict[str, dict[str, str]], *, cut_off: bool) -> Calibration:
    text = metadata.get(TABLE_METADATA, {}).get(TABLE_KEY)
    if text is None:
        reason = "it is cut off before it" if cut_off else "is this another program's MCAP file?"
        raise BadTrace(f"{name} has no metadata record named {TABLE_METADATA!r}; {reason}")
    try:
        return parse_calibration(text)
    except BadCalibration as problem:
        raise BadTrace(f"{name}: {problem}") from problem
