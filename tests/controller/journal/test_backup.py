"""The copy: read back up to a torn line, refused when it was damaged, never in the way."""

from pathlib import Path

import pytest

from controller.journal.backup import Backup, last_number, read
from controller.journal.entries import Entry, GameLog, GameRow, game_with_checksum, with_checksum


def game(first: int) -> GameRow:
    return game_with_checksum(GameRow(first, f"g{first}", 1, 2, 3, 4))


def game_log(first: int, count: int) -> GameLog:
    row = game(first)
    entries: list[Entry] = []
    for number in range(first, first + count):
        before = entries[-1].seal if entries else row.seal
        entries.append(
            with_checksum(Entry(number, "HumanInput", 1.5, '{"a":"ü\\n"}', "[]"), before)
        )
    return GameLog(row, tuple(entries))


def kept(tmp_path: Path, *game_logs: GameLog) -> Backup:
    copy = Backup(tmp_path / "table.journal")
    for each in game_logs:
        for entry in each.entries:
            copy.add(entry, each.game if entry.entry == each.game.first_entry else None)
    return copy


def newest_path(copy: Backup) -> Path:
    path = copy.newest_path()
    assert path is not None
    return path


def test_what_was_added_is_there_for_others_and_the_games_join_up(tmp_path: Path) -> None:
    copy = kept(tmp_path, game_log(1, 3), game_log(4, 2))

    assert read(newest_path(copy)) == copy.newest() == game_log(4, 2)
    assert copy.run() == [game_log(1, 3), game_log(4, 2)]
    assert copy.unflushed
    copy.sync()
    assert not copy.unflushed


def test_cut_anywhere_it_is_read_up_to_the_last_whole_line(tmp_path: Path) -> None:
    copy = kept(tmp_path, game_log(1, 4))
    path = newest_path(copy)
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        lines = whole[:end].count(b"\n")
        found = read(path)

        assert found is not None
        assert found.entries == game_log(1, 4).entries[: max(0, lines - 1)]


def test_a_flipped_bit_before_the_last_line_is_noticed(tmp_path: Path) -> None:
    copy = kept(tmp_path, game_log(1, 3))
    path = newest_path(copy)
    whole = path.read_bytes()
    for at in range(whole[:-1].rindex(b"\n")):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])

        assert read(path) is None, f"byte {at}"
        assert last_number(path) == 3


@pytest.mark.parametrize("junk", [b"\xf4", b"\x00", b'"', b"\\u", b"[" * 5000 + b"\n"])
@pytest.mark.parametrize("line", [0, 1, -1])
def test_junk_within_a_line_is_damage_and_no_crash(tmp_path: Path, junk: bytes, line: int) -> None:
    copy = kept(tmp_path, game_log(1, 3))
    path = newest_path(copy)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = junk if junk[:1] == b"[" else lines[line].replace(b'"', b'"' + junk, 1)
    path.write_bytes(b"".join(lines))
    found = read(path)

    assert found is None or found.entries == game_log(1, 3).entries[:2]
    assert last_number(path) in (2, 3)


def test_a_run_ends_where_a_game_is_missing_or_damaged(tmp_path: Path) -> None:
    copy = kept(tmp_path, game_log(1, 3), game_log(4, 2), game_log(6, 2))
    (copy.folder / "00000004.jsonl").write_bytes(b"junk\nand more\n")

    assert copy.run() == [game_log(6, 2)]


def test_old_games_make_room(tmp_path: Path) -> None:
    copy = kept(tmp_path, *(game_log(first, 1) for first in range(1, 8)))
    copy.remove_all_but(3)

    assert [path.name for path in sorted(copy.folder.iterdir())] == [
        "00000005.jsonl", "00000006.jsonl", "00000007.jsonl",
    ]  # fmt: skip


def test_beginning_mends_a_torn_file_and_goes_on(tmp_path: Path) -> None:
    copy = kept(tmp_path, game_log(1, 2))
    path = newest_path(copy)
    path.write_bytes(path.read_bytes()[:-7])
    copy.begin(game_log(1, 2))
    copy.add(game_log(1, 3).entries[2], None)

    assert copy.newest() == game_log(1, 3)


def test_a_copy_that_cannot_be_written_is_told_once_a_game_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "table.journal.d").write_text("a file where the folder should be")
    copy = kept(tmp_path, game_log(1, 3))

    assert len(caplog.records) == 1
    assert "no copy of this game is kept" in caplog.text
    assert copy.newest() is None
    assert not copy.unflushed


def test_a_link_in_place_of_a_game_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    first, second = game_log(1, 3), game_log(4, 2)
    notes.write_text("buy dice")
    copy = kept(tmp_path, first)
    copy.close()

    # One game begins where a link lies, and one goes on there, of which all is in what it leads to.
    (copy.folder / "00000004.jsonl").symlink_to(notes)
    copy.add(second.entries[0], second.game)
    copy.close()
    elsewhere = newest_path(copy).rename(tmp_path / "elsewhere")
    before = elsewhere.read_bytes()
    (copy.folder / "00000004.jsonl").symlink_to(elsewhere)
    copy.begin(GameLog(second.game, second.entries[:1]))
    copy.add(second.entries[1], None)

    assert copy.newest() == second
    assert (notes.read_text(), elsewhere.read_bytes()) == ("buy dice", before)
