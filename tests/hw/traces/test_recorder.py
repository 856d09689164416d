import io
from pathlib import Path
from typing import Any

import pytest
from mcap.reader import make_reader

from engine.events import HumanInput
from hw.source import item_time_s, play
from hw.traces.recorder import CannotRecord, Recorder, write_truth
from hw.traces.recording import Recording
from tests.hw.traces.test_recording import CALIBRATION, evening


def test_the_file_is_indexed_mcap_with_json_schemas(tmp_path: Path) -> None:
    path = tmp_path / "evening.mcap"
    with Recorder.create(path, CALIBRATION) as recorder:
        recorder.write([*evening(5.0), HumanInput(5.0, "roll", {"value": 3})])

    with path.open("rb") as stream:
        reader = make_reader(stream)
        summary = reader.get_summary()
        names = {record.name for record in reader.iter_metadata()}
    assert summary is not None
    assert {channel.topic for channel in summary.channels.values()} >= {"scale", "imu", "input"}
    assert {schema.encoding for schema in summary.schemas.values()} == {"jsonschema"}
    assert "table" in names
    assert all(chunk.compression == "zstd" for chunk in summary.chunk_indexes)
    assert max(chunk.uncompressed_size for chunk in summary.chunk_indexes) < 80_000


def test_what_was_recorded_before_a_crash_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "evening.mcap"
    recorder = Recorder.create(path, CALIBRATION)
    for item in evening(30.0):
        recorder.write([item])

    recording = Recording.open(path)
    last_s = max(item_time_s(item) for item in play(recording))
    assert last_s > 26.0
    assert "cut off" in recording.notices[0]
    recording.close()
    recorder.close()


def test_a_folder_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "no" / "evening.mcap"
    with pytest.raises(CannotRecord, match="check the folder") as refused:
        Recorder.create(path, CALIBRATION)
    assert refused.value.trouble.code == "recording_no_file"
    assert refused.value.trouble.args["path"] == str(path)


def test_a_full_disk_is_told_in_one_sentence() -> None:
    class FullDisk(io.BytesIO):
        full = False

        def write(self, data: Any) -> int:
            if self.full:
                raise OSError(28, "No space left on device")
            return super().write(data)

    disk = FullDisk()
    recorder = Recorder(disk, CALIBRATION)
    disk.full = True
    with pytest.raises(
        CannotRecord, match="No space left on device; check the free space"
    ) as refused:
        recorder.write(evening(10.0))
    assert refused.value.trouble.code == "recording_stopped"
    assert refused.value.trouble.args == {"error": "No space left on device"}


def test_truth_is_one_json_object_a_line(tmp_path: Path) -> None:
    path = tmp_path / "game.truth.jsonl"
    write_truth(path, [{"t": 1.0, "type": "place"}, {"t": 2.0, "type": "cleared"}])

    assert path.read_text().splitlines() == [
        '{"t":1.0,"type":"place"}',
        '{"t":2.0,"type":"cleared"}',
    ]
