"""Targets that go through detection: what a parser accepts must not stop the table behind it.

A calibration that was read converts the counts of a short game, with a load cell that dies in it;
a recording that was read is replayed as the live table would have decided it.
"""

import io
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from mcap.writer import CompressionType, Writer

from controller.table.pipeline import Pipeline
from engine.detect.detector import Detector
from engine.events import HumanInput, TableEvent
from engine.samples import ImuSamples, ScaleSamples
from hw.calibration import Calibration, calibration_json, parse_calibration
from hw.errors import BadCalibration, BadTrace
from hw.source import Item, play
from hw.traces.recording import Recording
from hw.traces.trace_format import IMU, INPUT, SCALE, TABLE_KEY, TABLE_METADATA
from lab.mock import MockTable, living_parameters
from lab.twin.faults import FaultKind
from tests.fuzz import files
from tests.fuzz.files import refusal
from tests.fuzz.running import Target

PLAYERS = [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]


@cache
def evening() -> tuple[Item, ...]:
    """A game of two pieces, a push and a load cell that dies."""
    table = MockTable(living_parameters(), seed=3)
    items: list[Item] = []
    table.wait(1.0)
    table.say("start", players=PLAYERS, first=0)
    for cell, value in (("c4", 2), ("a1", 5)):
        table.say("roll", value=value)
        table.place(cell=cell)
        table.wait(1.2)
    table.break_sensor(FaultKind.DEAD_CELL, cell=1)
    table.wait(0.6)
    table.say("roll", value=1)
    table.place(cell="c3")
    table.bump()
    table.wait(1.0)
    items += table.take()
    return tuple(items)


def converted(calibration: Calibration) -> list[Item]:
    """The samples of the game as this calibration reads its counts."""
    made: list[Item] = []
    for item in evening():
        if isinstance(item, ScaleSamples):
            made.append(calibration.scale_samples(item.t_s, item.raw, item.valid))
        elif isinstance(item, ImuSamples):
            made.append(calibration.imu_samples(item.t_s, item.raw))
        else:
            made.append(item)
    return made


def through(calibration: Calibration, items: list[Item]) -> str:
    """What a table makes of it."""
    pipeline = Pipeline(Detector(calibration.tabletop()))
    kinds: set[str] = set()
    for item in items:
        outputs = pipeline.say(item) if isinstance(item, HumanInput) else pipeline.feed(item)
        kinds |= {type(out.cause).__name__ for out in outputs if isinstance(out.cause, TableEvent)}
    return " ".join(sorted(kinds))


def calibration() -> Callable[[bytes], str]:
    """A calibration, and what it makes of the game."""

    def judge(data: bytes) -> str:
        try:
            found = parse_calibration(data)
        except BadCalibration as bad:
            return refusal(bad)
        return through(found, converted(found))

    return judge


def trace() -> Callable[[bytes], str]:
    """A recording, given as lines of its messages, and what replaying it comes to."""

    def judge(data: bytes) -> str:
        try:
            recording = Recording(io.BytesIO(written(data)), "fuzz.mcap")
            items = list(play(recording))
        except BadTrace as bad:
            return refusal(bad)
        recording.close()
        return through(recording.calibration, items)

    return judge


def written(data: bytes) -> bytes:
    """A recording of the lines that can be read; the first one is its calibration."""
    table, *lines = data.split(b"\n")
    stream = io.BytesIO()
    writer = Writer(stream, compression=CompressionType.NONE)
    writer.start()
    writer.add_metadata(TABLE_METADATA, {TABLE_KEY: table.decode("utf-8", "replace")})
    schema = writer.register_schema("any", "jsonschema", b"{}")
    channels = {
        topic: writer.register_channel(topic, "json", schema) for topic in (SCALE, IMU, INPUT)
    }
    for line in lines:
        try:
            at_ns, topic, message = json.loads(line)
            channel, text = channels[topic], json.dumps(message).encode()
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(at_ns, int) and 0 <= at_ns < 2**63:
            writer.add_message(channel, at_ns, text, at_ns)
    writer.finish()
    return stream.getvalue()


@cache
def traces() -> list[bytes]:
    """The game, at a third of its rates, so that a run sees more of them."""
    lines = [calibration_json(living_parameters().calibration)]
    for item in evening():
        if isinstance(item, ScaleSamples):
            lines += _lines(item, SCALE, [{"raw": row} for row in item.raw.tolist()])
        elif isinstance(item, ImuSamples):
            rows = item.raw.tolist()
            lines += _lines(item, IMU, [{"accel": row[:3], "gyro": row[3:]} for row in rows])
        elif isinstance(item, HumanInput):
            lines.append(_line(item.t_s, INPUT, {"type": item.type, **item.data}))
    return ["\n".join(lines).encode()]


def _lines(item: ScaleSamples | ImuSamples, topic: str, messages: list[Any]) -> list[str]:
    timed = zip(item.t_s.tolist(), messages, strict=True)
    return [_line(t_s, topic, message) for t_s, message in timed][::3]


def _line(t_s: float, topic: str, message: Any) -> str:
    return json.dumps([round(t_s * 1e9), topic, message])


TARGETS = (
    Target("seen-calibration", "calibrations, through detection", calibration,
           files.calibrations, (), 0.2),
    Target("seen-trace", "recordings (MCAP), through detection", trace, traces, (), 0.05),
)  # fmt: skip
