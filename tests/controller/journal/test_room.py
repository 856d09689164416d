"""Room for games on a disk that fills up: what is ours goes first, then the reserve, bit by bit."""

from pathlib import Path

import pytest

from controller.journal.journal import Journal
from controller.journal.room import ENOUGH_BYTES, MB, PIECE_BYTES, PLENTY_BYTES, Room
from tests.controller.journal.test_journal import evening, play

RESERVE = 4 * PIECE_BYTES


class Disk:
    """A disk of which a test says how much is free beside the reserve."""

    def __init__(self, folder: Path, free_bytes: int) -> None:
        self.journal, self.rest_bytes = folder / "j", free_bytes + RESERVE
        self.recordings = self.copies = 0

    def free_bytes(self, folder: Path) -> int:
        held = sum(path.stat().st_size for path in folder.glob(".j.reserve"))
        return self.rest_bytes - held

    def spare(self) -> bool:
        self.recordings -= 1
        return self.recordings >= 0

    def old_copies(self) -> bool:
        self.copies -= 1
        return self.copies >= 0

    def room(self) -> Room:
        room = Room(
            self.journal, spare=self.spare, reserve_bytes=RESERVE, free_bytes=self.free_bytes
        )
        room.begin()
        return room

    @property
    def held_bytes(self) -> int:
        return self.journal.with_name(".j.reserve").stat().st_size

    def fill(self) -> None:
        self.rest_bytes = self.held_bytes


def test_the_reserve_takes_real_room_and_only_where_there_is_plenty(tmp_path: Path) -> None:
    plenty = Disk(tmp_path, PLENTY_BYTES)
    assert plenty.room().trouble is None
    file = tmp_path / ".j.reserve"
    assert file.stat().st_blocks * 512 >= RESERVE
    file.unlink()

    hardly = Disk(tmp_path, PLENTY_BYTES - 1)
    trouble = hardly.room().trouble
    assert not file.exists()
    assert trouble is not None
    assert trouble.code == "storage_full"
    assert trouble.args == {"path": str(tmp_path / "j"), "mb": round(hardly.rest_bytes / MB, 1)}


def test_copies_go_first_then_recordings_then_the_reserve_in_pieces(tmp_path: Path) -> None:
    disk = Disk(tmp_path, PLENTY_BYTES)
    room = disk.room()
    disk.copies, disk.recordings = 1, 2
    went = []
    while room.make(disk.old_copies):
        went.append((max(disk.copies, 0), max(disk.recordings, 0), disk.held_bytes // PIECE_BYTES))

    assert went == [(0, 2, 4), (0, 1, 4), (0, 0, 4), (0, 0, 3), (0, 0, 2), (0, 0, 1), (0, 0, 0)]


def test_no_more_is_given_up_than_is_needed(tmp_path: Path) -> None:
    disk = Disk(tmp_path, PLENTY_BYTES)
    room = disk.room()
    room.ensure(disk.old_copies)
    assert disk.held_bytes == RESERVE
    disk.fill()
    room.ensure(disk.old_copies)

    assert disk.held_bytes == RESERVE - PIECE_BYTES
    assert disk.free_bytes(tmp_path) >= ENOUGH_BYTES
    trouble = room.trouble
    assert trouble is not None
    assert trouble.args["mb"] == round(RESERVE / MB, 1)


def test_an_empty_reserve_ends_it_and_the_disk_speaks_for_itself(tmp_path: Path) -> None:
    disk = Disk(tmp_path, PLENTY_BYTES)
    room = disk.room()
    for _ in range(4):
        disk.fill()
        room.ensure(disk.old_copies)
    disk.rest_bytes = 0
    room.ensure(disk.old_copies)

    assert disk.held_bytes == 0
    assert not room.make(disk.old_copies)


def test_the_reserve_is_filled_up_when_there_is_plenty_again_and_not_before(tmp_path: Path) -> None:
    disk = Disk(tmp_path, PLENTY_BYTES)
    room = disk.room()
    disk.fill()
    room.ensure(disk.old_copies)
    disk.rest_bytes = RESERVE + PLENTY_BYTES - 1
    room.refill()
    assert disk.held_bytes == RESERVE - PIECE_BYTES
    disk.rest_bytes += 1
    room.refill()

    assert disk.held_bytes == RESERVE
    assert room.trouble is None


def test_what_an_earlier_run_left_of_the_reserve_is_gone_on_with(tmp_path: Path) -> None:
    disk = Disk(tmp_path, PLENTY_BYTES)
    room = disk.room()
    disk.fill()
    room.ensure(disk.old_copies)
    disk.fill()
    again = disk.room()
    again.ensure(disk.old_copies)

    assert disk.held_bytes == RESERVE - 2 * PIECE_BYTES


def test_a_reserve_that_somebody_deleted_is_no_error(tmp_path: Path) -> None:
    disk = Disk(tmp_path, PLENTY_BYTES)
    room = disk.room()
    (tmp_path / ".j.reserve").unlink()

    assert room.make(disk.old_copies)
    assert not room.make(disk.old_copies)


def test_where_no_room_can_be_kept_it_is_logged_and_the_games_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".j.reserve").mkdir()
    disk = Disk(tmp_path, 10 * PLENTY_BYTES)
    room = Room(disk.journal, reserve_bytes=RESERVE, free_bytes=lambda _: 10 * PLENTY_BYTES)
    room.begin()

    assert "no room is kept" in caplog.text
    assert room.trouble is None


def test_a_folder_that_cannot_be_asked_gives_nothing_up(tmp_path: Path) -> None:
    room = Room(tmp_path / "missing" / "j", spare=lambda: pytest.fail("nothing is to be deleted"))
    room.begin()
    room.ensure(lambda: pytest.fail("nothing is to be deleted"))


def test_a_journal_makes_room_before_it_writes_and_takes_it_back_within_a_minute(
    tmp_path: Path,
) -> None:
    """Before, since the copy has no other chance: SQLite may have room where it has none."""
    disk, now_s = Disk(tmp_path, PLENTY_BYTES), [0.0]
    room = disk.room()
    with Journal(disk.journal, room=room, clock=lambda: now_s[0]) as journal:
        pipeline, items = evening()
        play(journal, pipeline, items[0])
        assert journal.trouble is None
        disk.fill()
        play(journal, pipeline, *items[1:3])
        assert disk.held_bytes == RESERVE - PIECE_BYTES
        assert journal.trouble is not None
        disk.rest_bytes = RESERVE + PLENTY_BYTES
        for now_s[0] in (1.0, 61.0):
            journal.tend()
        assert disk.held_bytes == RESERVE
        assert journal.trouble is None


def test_a_link_in_place_of_the_reserve_is_replaced_and_what_it_leads_to_stays(
    tmp_path: Path,
) -> None:
    disk, recording = Disk(tmp_path, PLENTY_BYTES), tmp_path / "evening.mcap"
    recording.write_bytes(bytes(RESERVE + 1))
    (tmp_path / ".j.reserve").symlink_to(recording)

    room = disk.room()
    disk.fill()
    room.ensure(disk.old_copies)

    assert disk.held_bytes < RESERVE
    assert recording.stat().st_size == RESERVE + 1
