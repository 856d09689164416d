"""The mark: one line in one block that says how far the game had come."""

import errno
import os
from pathlib import Path

import pytest

from controller.journal.entries import GameLog
from controller.journal.mark import LENGTH, Mark, MarkLine, this_boot
from tests.controller.journal.test_backup import game_log


def begun(tmp_path: Path, count: int = 3) -> Mark:
    mark = Mark(tmp_path / "table.journal")
    mark.begin(game_log(1, count))
    return mark


def test_it_says_where_it_began_and_that_the_table_runs(tmp_path: Path) -> None:
    line = begun(tmp_path).read()

    assert line == MarkLine(this_boot(), True, 3, 3, game_log(1, 3).checksum).checked()


def test_it_moves_with_each_entry_and_knows_which_the_disk_has(tmp_path: Path) -> None:
    mark = begun(tmp_path)
    mark.move(4, 44, sure=False)
    assert mark.unflushed
    found = mark.read()
    assert found is not None
    assert (found.entry, found.sure, found.seal) == (4, 3, 44)
    mark.all_sure()
    mark.sync()
    assert not mark.unflushed
    found = mark.read()

    assert found is not None
    assert (found.entry, found.sure, found.running) == (4, 4, True)


def test_stopped_in_order_it_says_so_and_waits_for_nothing(tmp_path: Path) -> None:
    mark = begun(tmp_path)
    mark.move(4, 44, sure=False)
    mark.close()
    found = mark.read()

    assert found is not None
    assert not found.running
    assert not mark.unflushed


def test_it_is_one_line_of_one_length_however_far_the_game_has_come(tmp_path: Path) -> None:
    mark = begun(tmp_path)
    for entry in (4, 10**15, 5):
        mark.move(entry, 2**32 - 1, sure=True)

        assert len(mark.path.read_bytes()) == LENGTH
        assert mark.path.read_bytes().count(b"\n") == 1


def test_any_flipped_bit_is_noticed(tmp_path: Path) -> None:
    mark = begun(tmp_path)
    whole = mark.path.read_bytes()
    for at in range(whole.rindex(b"}")):
        mark.path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])

        assert mark.read() is None, f"byte {at}"


def test_a_mark_that_cannot_be_written_is_told_in_the_log_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    mark = begun(tmp_path)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.pwrite", full)
    mark.move(4, 1, sure=True)
    mark.move(5, 1, sure=True)
    mark.all_sure()
    mark.sync()
    mark.close()

    assert [record.message for record in caplog.records] == [
        f"{mark.path}: no mark is kept (No space left on device)"
    ]
    assert not mark.unflushed


def test_where_no_mark_can_be_made_the_game_goes_on_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "table.journal.mark").mkdir()
    mark = Mark(tmp_path / "table.journal")
    mark.begin(GameLog())
    mark.move(1, 1, sure=True)
    mark.close()

    assert "no mark is kept" in caplog.text
    assert mark.read() is None


def test_a_mark_whose_flush_fails_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    mark = begun(tmp_path)
    mark.move(4, 44, sure=False)
    monkeypatch.setattr(os, "fsync", broken)
    mark.sync()
    mark.move(5, 55, sure=True)

    assert "no mark is kept (Input/output error)" in caplog.text
    assert not mark.unflushed
