import io
import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType, IndexType, Writer

from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples, SensorReport, SwitchSample
from engine.troubles import CELL_NO_VALUES
from hw.calibration import calibration_json, parse_calibration
from hw.errors import BadTrace
from hw.source import Item, item_time_s, play
from hw.traces.recorder import Recorder
from hw.traces.recording import HOLD_S, Recording
from tests.hw.test_calibration import DOCUMENT

CALIBRATION = parse_calibration(json.dumps(DOCUMENT))


def scale_block(times: list[float]) -> ScaleSamples:
    raw = np.arange(4 * len(times)).reshape(-1, 4) + 100
    return CALIBRATION.scale_samples(np.array(times), raw)


def imu_block(times: list[float]) -> ImuSamples:
    raw = np.arange(6 * len(times)).reshape(-1, 6) - 3000
    return CALIBRATION.imu_samples(np.array(times), raw % 30000)


def recorded(items: list[Item], *, simulated: bool = False) -> bytes:
    stream = io.BytesIO()
    with patch.object(stream, "close"), Recorder(stream, CALIBRATION, simulated=simulated) as made:
        made.write(items)
    return stream.getvalue()


def replayed(data: bytes) -> tuple[list[Item], Recording]:
    recording = Recording(io.BytesIO(data), "evening.mcap")
    return list(play(recording)), recording


def evening(seconds: float = 30.0) -> list[Item]:
    items: list[Item] = []
    for start in np.arange(0, seconds, 0.1):
        items.append(scale_block([round(start + k * 0.0125 + 0.001, 4) for k in range(8)]))
        items.append(imu_block([round(start + k * 0.005 + 0.002, 4) for k in range(20)]))
    return items


def column(items: list[Item], kind: type, name: str) -> np.ndarray:
    return np.concatenate([getattr(item, name) for item in items if isinstance(item, kind)])


def hand_made(
    messages: list[tuple[str, float, bytes]], metadata: dict | None = None, **options: Any
) -> bytes:
    stream = io.BytesIO()
    writer = Writer(stream, **options)
    writer.start()
    if metadata is None:
        metadata = {"json": calibration_json(CALIBRATION)}
    if metadata:
        writer.add_metadata("table", metadata)
    schema = writer.register_schema("any", "jsonschema", b"{}")
    topics = {topic for topic, _, _ in messages}
    channels = {topic: writer.register_channel(topic, "json", schema) for topic in sorted(topics)}
    for topic, t_s, data in messages:
        writer.add_message(channels[topic], int(t_s * 1e9), data, int(t_s * 1e9))
    writer.finish()
    return stream.getvalue()


def test_what_was_recorded_is_replayed_sample_for_sample() -> None:
    items = evening()

    back, recording = replayed(recorded(items))

    for kind, names in (
        (ScaleSamples, ("t_s", "raw", "valid", "mass_g")),
        (ImuSamples, ("t_s", "raw")),
    ):
        for name in names:
            expected = column(items, kind, name)
            assert np.allclose(column(back, kind, name), expected, atol=1e-9)
    assert recording.ended
    assert recording.notices == ()
    assert recording.calibration == CALIBRATION


def test_inputs_switch_edges_and_reports_come_back_between_the_right_samples() -> None:
    said: list[Item] = [
        HumanInput(1.003, "start", {"players": [{"name": "Ann", "colours": ["red"]}], "first": 0}),
        SwitchSample(2.0, closed=True),
        SensorReport.of(3.0, "scale.2", CELL_NO_VALUES(n="C2")),
        SensorReport(3.5, "scale.2", ok=True),
        HumanInput(4.0, "roll", {"value": 5}),
    ]

    back, _ = replayed(recorded(sorted([*evening(6.0), *said], key=item_time_s)))

    marks = [index for index, item in enumerate(back) if item in said]
    assert [back[index] for index in marks] == said
    for index in marks:
        now = item_time_s(back[index])
        assert all(item_time_s(item) <= now for item in back[:index])
        first = [
            item.t_s if isinstance(item.t_s, float) else float(item.t_s[0]) for item in back[index:]
        ]
        assert min(first) >= now


def test_doubts_of_the_reader_survive_the_recording() -> None:
    trusted = np.array([[True, True, True, True], [True, False, True, True]])
    block = CALIBRATION.scale_samples(np.array([0.1, 0.2]), [[1, 2, 3, 4], [5, 6, 7, 8]], trusted)

    back, _ = replayed(recorded([block]))

    assert column(back, ScaleSamples, "valid").tolist() == trusted.tolist()


def test_it_says_whether_a_real_table_stood_behind_it() -> None:
    assert replayed(recorded(evening(1.0), simulated=True))[1].simulated
    assert not replayed(recorded(evening(1.0)))[1].simulated


@pytest.mark.parametrize("share", [0.2, 0.6, 0.97])
def test_a_cut_off_recording_replays_up_to_the_cut_and_says_so(share: float) -> None:
    data = recorded(evening(60.0))

    back, recording = replayed(data[: int(len(data) * share)])

    last_s = max(item_time_s(item) for item in back)
    assert last_s == pytest.approx(60.0 * share, abs=6.0)
    assert recording.notices == (
        f"recording is cut off after {last_s:.1f} s; replayed up to there",
    )


def test_a_cut_inside_a_big_chunk_still_gives_its_beginning() -> None:
    counts = np.random.default_rng(1).integers(-(2**23), 2**23, size=(24_000, 4)).tolist()
    scale = [("scale", k / 80, json.dumps({"raw": raw}).encode()) for k, raw in enumerate(counts)]
    # All of its 300 s in one chunk, and nothing after it.
    data = hand_made(scale, chunk_size=16 * 2**20, index_types=IndexType.NONE)

    back, recording = replayed(data[: int(len(data) * 0.6)])

    last_s = max(item_time_s(item) for item in back)
    assert 150.0 < last_s < 190.0
    assert "cut off" in recording.notices[0]


def test_a_damaged_chunk_is_left_out_and_told() -> None:
    data = bytearray(recorded(evening(60.0)))
    middle = len(data) // 2
    data[middle : middle + 40] = b"\x55" * 40

    back, recording = replayed(bytes(data))

    assert max(item_time_s(item) for item in back) > 59.0
    assert "damaged" in recording.notices[0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"this is a shopping list\n" * 20, "not a trace"),
        (hand_made([], {}), "no metadata record named 'table'"),
        (hand_made([], {"json": "{}"}), "table calibration"),
        (hand_made([], {"json": "no json"}), "table calibration"),
        (recorded([])[:40], "cut off"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_sentence(data: bytes, words: str) -> None:
    with pytest.raises(BadTrace, match=words) as refusal:
        Recording(io.BytesIO(data), "evening.mcap")

    assert "evening.mcap" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadTrace, match=r"nowhere\.mcap cannot be opened"):
        Recording.open(tmp_path / "nowhere.mcap")


@pytest.mark.parametrize(
    "payload",
    [
        b"{",
        b'{"raw":[1,2,3]}',
        b'{"raw":[1,2,3,"x"]}',
        b'{"raw":[1,2,3,4]},{"raw":[1,2,3,4]}',
        b'{"raw":[1,2,3,99999999999]}',
        b"\xff",
    ],
)
def test_a_message_that_cannot_be_read_is_named_with_its_time(payload: bytes) -> None:
    good = b'{"raw":[1,2,3,4]}'
    data = hand_made([("scale", 0.5, good), ("scale", 1.25, payload), ("scale", 1.5, good)])

    with pytest.raises(BadTrace, match=r"scale message at 1\.250 s"):
        replayed(data)


def test_an_input_without_a_verb_is_named_with_its_time() -> None:
    with pytest.raises(BadTrace, match=r"input message at 2\.000 s has no type"):
        replayed(hand_made([("input", 2.0, b'{"value":5}')]))


@pytest.mark.parametrize(
    "options",
    [
        {"compression": CompressionType.LZ4},
        {"compression": CompressionType.NONE},
        {"use_chunking": False},
    ],
)
def test_every_way_of_packing_messages_can_be_read(options: dict) -> None:
    messages = [("scale", t / 100, b'{"raw":[%d,2,3,4]}' % t) for t in range(1, 5000)]

    back, recording = replayed(hand_made(messages, **options))

    assert column(back, ScaleSamples, "raw")[:, 0].tolist() == list(range(1, 5000))
    assert recording.notices == ()


def test_messages_out_of_order_are_sorted_and_hopelessly_late_ones_left_out_and_told() -> None:
    times = [0.1, 0.3, 0.2, 5.0, 4.0, 20.0, 0.5]
    messages = [("scale", t, b'{"raw":[1,2,3,4]}') for t in times]
    chunk_a, chunk_b = messages[:-1], messages[-1:]
    data = hand_made([*chunk_a, *[("other", 30.0, b"{}")] * 1, *chunk_b], chunk_size=1)

    back, recording = replayed(data)

    assert column(back, ScaleSamples, "t_s").tolist() == [0.1, 0.2, 0.3, 4.0, 5.0, 20.0]
    assert recording.notices == (
        f"1 message(s) stand more than {HOLD_S:g} s out of order and are left out",
    )


def test_a_time_that_cannot_be_is_left_out_and_told_and_nobody_waits_for_it() -> None:
    data = hand_made([
        ("scale", 0.1, b'{"raw":[1,2,3,4]}'),
        ("tilt_switch", 1e9, b'{"closed":true}'),
        ("scale", 1e10, b'{"raw":[1,2,3,4]}'),
    ])  # fmt: skip
    items, recording = replayed(data)

    assert [item_time_s(item) for item in items] == [0.1]
    assert "2 message(s) have a time after 48 hours" in " ".join(recording.notices)


@pytest.mark.parametrize("payload", [b"[" * 5000, b'{"type":"roll","a":' + b"[" * 5000])
def test_a_message_nested_too_deeply_is_named(payload: bytes) -> None:
    with pytest.raises(BadTrace, match=r"input message at 0\.500 s"):
        replayed(hand_made([("input", 0.5, payload)]))


def test_messages_of_unknown_channels_are_passed_over() -> None:
    back, _ = replayed(hand_made([("weather", 1.0, b"rain"), ("scale", 1.0, b'{"raw":[1,2,3,4]}')]))

    assert len(back) == 1


@pytest.mark.slow
def test_a_recording_holds_what_its_index_says(rough_recording: Path) -> None:
    recording = Recording.open(rough_recording)
    count = sum(
        len(item.t_s) if isinstance(item, ScaleSamples | ImuSamples) else 1
        for item in play(recording)
    )
    with rough_recording.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    assert summary.statistics is not None
    assert count == summary.statistics.message_count
    assert recording.notices == ()
    recording.close()


@pytest.mark.slow
def test_a_recording_recorded_again_is_the_same_recording(
    rough_recording: Path, tmp_path: Path
) -> None:
    original = list(play(Recording.open(rough_recording), until_s=60.0))
    path = tmp_path / "again.mcap"
    with Recorder.create(path, CALIBRATION) as recorder:
        recorder.write(original)

    with path.open("rb") as ours, rough_recording.open("rb") as theirs:
        pairs = zip(
            sorted(make_reader(ours).iter_messages(), key=_order),
            sorted(make_reader(theirs).iter_messages(ending_before=60 * 10**9), key=_order),
            strict=False,
        )
        for (_, channel, message), (_, other, reference) in pairs:
            assert channel.topic == other.topic
            assert message.log_time == reference.log_time
            assert message.data == reference.data


def _order(found: tuple[Any, Any, Any]) -> tuple[str, int]:
    return found[1].topic, found[2].log_time
