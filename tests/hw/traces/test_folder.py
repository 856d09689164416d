"""Recordings in a folder: file after file, never beyond the bound, readable however they end."""

from pathlib import Path

import pytest

from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples
from hw.source import Item, play
from hw.traces.folder import FILES, MB, RecordingFolder, delete_oldest, recordings
from hw.traces.recorder import CannotRecord
from hw.traces.recording import Recording
from lab.mock import MockTable, living_parameters


class Disk:
    """A folder on a disk whose free space a test decides."""

    def __init__(self, folder: Path, bound_bytes: int = 2 * MB) -> None:
        self.folder, self.free_bytes = folder, 100 * MB
        self.table = MockTable(living_parameters())
        self.writer = RecordingFolder(
            folder,
            self.table.calibration,
            simulated=True,
            bound_bytes=bound_bytes,
            reserve_bytes=10 * MB,
            free_bytes=lambda _folder: self.free_bytes,
        )

    def play(self, seconds: float) -> list[Item]:
        items: list[Item] = []
        for _ in range(round(seconds)):
            came = self.table.poll(self.table.now_s + 1.0)
            self.writer.write(came)
            items += came
        return items

    @property
    def names(self) -> list[str]:
        return [path.name.rsplit("-", 2)[0] for path in recordings(self.folder)]

    @property
    def bytes(self) -> int:
        return sum(path.stat().st_size for path in recordings(self.folder))


def samples_in(path: Path) -> int:
    recording = Recording.open(path)
    items = list(play(recording))
    recording.close()
    return sum(len(item.t_s) for item in items if isinstance(item, ScaleSamples | ImuSamples))


def test_each_file_counts_from_zero_and_is_a_recording_by_itself(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "new")
    disk.play(3.0)
    disk.writer.close()
    disk.play(3.0)
    disk.writer.close()

    assert disk.names == ["evening-000001", "evening-000002"]
    for path in recordings(disk.folder):
        assert samples_in(path) > 600


def test_a_file_that_is_large_enough_ends_with_its_game(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    while disk.bytes < 1.2 * 2 * MB / FILES:
        disk.play(5.0)
    assert len(disk.names) == 1
    disk.writer.write([HumanInput(disk.table.now_s, "start", {})])
    disk.play(1.0)
    disk.writer.close()

    assert len(disk.names) == 2
    said = [
        i.t_s for i in play(Recording.open(recordings(tmp_path)[1])) if isinstance(i, HumanInput)
    ]
    assert said == [1.0]


def test_the_oldest_go_before_the_bound_is_passed(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    while disk.names[:1] < ["evening-000002"]:
        disk.play(10.0)
        assert disk.bytes <= 2 * MB
    assert len(disk.names) >= 2
    assert all(samples_in(path) > 1000 for path in recordings(tmp_path)[:-1])


def test_the_reserve_of_the_disk_is_left_alone(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.play(5.0)
    disk.writer.close()
    disk.free_bytes = 5 * MB

    with pytest.raises(CannotRecord, match="10 MB free; make room") as refused:
        disk.play(5.0)
    assert refused.value.trouble.code == "recording_disk_full"
    assert refused.value.trouble.args == {"folder": str(tmp_path), "mb": 10}
    assert disk.names == []  # it gave back what it had
    disk.free_bytes = 100 * MB
    disk.play(5.0)
    assert len(disk.names) == 1


def test_a_full_disk_gets_the_oldest_back_but_never_the_one_that_may_be_growing(
    tmp_path: Path,
) -> None:
    for number in (2, 10, 1):
        (tmp_path / f"evening-{number:06}-20260101-000000.mcap").touch()
    (tmp_path / "evening-000000.mcap").touch()
    gone = [delete_oldest(tmp_path) for _ in range(3)]

    assert [path and path.name.split("-")[1] for path in gone] == ["000001", "000002", None]
    assert len(recordings(tmp_path)) == 1
    assert (tmp_path / "evening-000000.mcap").exists()
    assert delete_oldest(tmp_path / "missing") is None


def test_what_is_not_ours_is_never_deleted(tmp_path: Path) -> None:
    kept = tmp_path / "evening-000000.mcap"
    kept.touch()
    disk = Disk(tmp_path)
    disk.free_bytes = 0

    with pytest.raises(CannotRecord):
        disk.play(1.0)
    assert kept.exists()


def test_a_file_that_was_cut_is_readable_and_the_next_run_begins_another(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.play(20.0)
    assert samples_in(recordings(tmp_path)[0]) > 3000  # nobody has closed it
    again = Disk(tmp_path)
    again.play(3.0)
    again.writer.close()

    assert again.names == ["evening-000001", "evening-000002"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(CannotRecord, match="check folder and disk") as refused:
        Disk(tmp_path / "file").play(1.0)
    assert refused.value.trouble.code == "recording_no_folder"
    assert refused.value.trouble.args["folder"] == str(tmp_path / "file")
