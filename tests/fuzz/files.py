"""Targets that are files or words of a command line: traces, configuration, calibration, bench."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from mcap.writer import CompressionType, Writer

from controller.common.config import parse
from controller.common.errors import BadConfig, BadInput
from controller.mqtt.client import broker_address
from controller.workshop.calibrate.command import reference_masses
from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples
from hw.calibration import calibration_json, parse_calibration
from hw.errors import BadCalibration, BadReferenceMass, BadTrace, BadTwin
from hw.source import item_time_s, play
from hw.traces.recorder import Recorder
from hw.traces.recording import Recording
from hw.traces.trace_format import IMU, INPUT, SCALE, TABLE_KEY, TABLE_METADATA, TILT_SWITCH
from lab.bench import scenario_files
from lab.bench.limits import limit_of
from lab.mock import quiet_parameters
from lab.twin.fault_words import parse_fault
from pages.sounds import caller_text
from tests.fuzz.running import Target

ROOT = Path(__file__).parents[2]
_QUOTED = re.compile(r"""(['"]).*\1""", re.DOTALL)
LONGEST_WORDS = 4000
"""Of a refusal: whoever sends a megabyte does not get it back."""


def refusal(error: Exception) -> str:
    """The words of a refusal, as an outcome: names and numbers do not make it another."""
    words = str(error)
    assert words
    assert len(words) < LONGEST_WORDS, f"{len(words)} characters of refusal"
    return "".join(letter for letter in words if letter.isalpha() or letter == " ")[:60]


# --- traces -----------------------------------------------------------------------------------


def trace() -> Callable[[bytes], str]:
    """Replayed as far as it goes, in order of time; or refused with words."""

    def judge(data: bytes) -> str:
        try:
            recording = Recording(io.BytesIO(data), "fuzz.mcap")
            count, kinds = _played(recording)
        except BadTrace as bad:
            return refusal(bad)
        notices = len(recording.notices)
        recording.close()
        return f"{min(count, 9)} {sorted(kinds)} {notices}"

    return judge


def _played(recording: Recording) -> tuple[int, set[str]]:
    latest: dict[type, float] = {}
    for item in play(recording):
        t_s = item_time_s(item)
        assert t_s >= latest.get(type(item), t_s), "out of order"
        latest[type(item)] = t_s
        if isinstance(item, ScaleSamples | ImuSamples):
            assert np.isfinite(item.t_s).all()
    return len(latest), {kind.__name__ for kind in latest}


def traces() -> list[bytes]:
    """Small traces, packed in every way, with and without check sums."""
    ways = (CompressionType.NONE, CompressionType.ZSTD, CompressionType.LZ4)
    loose = _trace(use_chunking=False)
    plain = [_trace(compression=way, enable_crcs=crcs) for way in ways for crcs in (False, True)]
    return [loose, *plain, _recorded()]


def _trace(**options: Any) -> bytes:
    stream = io.BytesIO()
    writer = Writer(stream, **options)
    writer.start()
    document = calibration_json(quiet_parameters().calibration)
    writer.add_metadata(TABLE_METADATA, {TABLE_KEY: document})
    schema = writer.register_schema("any", "jsonschema", b"{}")
    said = (
        (SCALE, {"raw": [1, 2, 3, 4]}),
        (IMU, {"accel": [0, 0, 16384], "gyro": [1, 2, 3]}),
        (TILT_SWITCH, {"closed": True}),
        (INPUT, {"type": "roll", "value": 4}),
    )
    channels = {topic: writer.register_channel(topic, "json", schema) for topic, _ in said}
    for number in range(8):
        topic, message = said[number % 4]
        at = 40_000_000 * number
        writer.add_message(channels[topic], at, json.dumps(message).encode(), at)
    writer.finish()
    return stream.getvalue()


def _recorded() -> bytes:
    stream = io.BytesIO()
    calibration = quiet_parameters().calibration
    t_s = np.arange(4) * 0.0125
    with patch.object(stream, "close"), Recorder(stream, calibration) as recorder:
        recorder.write([calibration.scale_samples(t_s, np.ones((4, 4))), HumanInput(0.5, "pass")])
    return stream.getvalue()


# --- texts ------------------------------------------------------------------------------------


def config() -> Callable[[bytes], str]:
    """A configuration, or one line that says what is wrong."""

    def judge(data: bytes) -> str:
        try:
            parse(data.decode("utf-8", "replace"))
        except BadConfig as bad:
            return refusal(bad)
        return "a configuration"

    return judge


def configs() -> list[bytes]:
    shipped = [ROOT / "deploy" / "topple-table.toml", *ROOT.glob("schematics/*/config.toml")]
    return [path.read_bytes() for path in sorted(shipped)]


def caller() -> Callable[[bytes], str]:
    """The text of a caller pack, or one line that says what is wrong."""

    def judge(data: bytes) -> str:
        try:
            caller_text.parse(data.decode("utf-8", "replace"))
        except ValueError as bad:
            return refusal(bad)
        return "a pack"

    return judge


def callers() -> list[bytes]:
    return [path.read_bytes() for path in sorted(ROOT.glob("pages/sounds/packs/*/caller.toml"))]


def calibration() -> Callable[[bytes], str]:
    """A calibration some table can have, or what is wrong with it."""

    def judge(data: bytes) -> str:
        try:
            found = parse_calibration(data)
        except BadCalibration as bad:
            return refusal(bad)
        assert parse_calibration(calibration_json(found)) == found
        return "a calibration"

    return judge


def calibrations() -> list[bytes]:
    return [calibration_json(quiet_parameters().calibration).encode()]


def scenario() -> Callable[[bytes], str]:
    """A scenario of the bench, or line and key of the mistake."""

    def judge(data: bytes) -> str:
        try:
            cases = scenario_files.read(data.decode("utf-8", "replace"), "fuzz", "fuzz.yaml")
        except BadInput as bad:
            return refusal(bad)
        assert len(cases) <= scenario_files.MOST_CASES * scenario_files.MOST_CASES
        return "a scenario"

    return judge


def scenarios() -> list[bytes]:
    """Those that are shipped, the short ones."""
    shipped = [path.read_bytes() for path in sorted(scenario_files.SHIPPED.glob("*.yaml"))]
    return [text for text in shipped if len(text) < 700][::3]


# --- words ------------------------------------------------------------------------------------


def words() -> Callable[[bytes], str]:
    """One word of a command line or configuration, read by everything that reads words."""

    def judge(data: bytes) -> str:
        text = data.decode("utf-8", "replace")
        return " | ".join(_read(parser, text) for parser in (_coin, parse_fault, broker_address))[
            :150
        ] + str(limit_of(text) is None)

    return judge


def _coin(text: str) -> object:
    return reference_masses([text], [])


def _read(parser: Callable[[str], object], text: str) -> str:
    try:
        parser(text)
    except (BadReferenceMass, BadTwin, BadInput) as bad:
        # What stands in quotation marks was sent, or is guessed from it.
        told = _QUOTED.sub("", str(bad).replace(text, ""))
        return "".join(filter(str.isalpha, told))[:20]
    return "understood"


def some_words() -> list[bytes]:
    """One of each kind."""
    return [b"4x2eur", b"100g", b"at most 1.2", b"at least 95 %", b"unplugged cell C1",
            b"drifting cell C0 by 0.1 g/s from 20 s", b"mqtt://ann:x@table.local:1884",
            b"[::1]:1883"]  # fmt: skip


TOML = (
    b"[source]",
    b"[[",
    b"'''",
    b'"""',
    b"inf",
    b"nan",
    b"0x",
    b"1979-05-27T07:32:00Z",
    b"a.b=1",
)
YAML = (b"- &a [*a, *a]\n", b"!!int ", b"!!timestamp ", b"? ", b"<<: ", b"|\n", b"%YAML 1.2\n---\n")

TARGETS = (
    Target("trace", "recordings (MCAP)", trace, traces, (b"\x89MCAP0\r\n", b"zstd", b"lz4"), 1.0),
    Target("config", "configuration (TOML)", config, configs, TOML, 1.0),
    Target("caller", "texts of caller packs (TOML)", caller, callers, TOML, 1.0),
    Target("calibration", "calibration files", calibration, calibrations, (), 1.0),
    Target("scenario", "scenarios of the bench (YAML)", scenario, scenarios, YAML, 0.2),
    Target("words", "coins, faults, limits, broker addresses", words, some_words, (), 1.0),
)  # fmt: skip
