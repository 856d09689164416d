"""A disk that is full, cannot be written, or a clock that is wrong: said in words, nothing lost."""

import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

from controller.journal.journal import Journal
from tests.controller.durability import checking
from tests.controller.durability.playing import JOURNAL, Table
from tests.controller.durability.yard import CRASHED, DONE, REFUSED, Order, Yard
from tests.mounting import SMALL_DISK, in_a_mount


@pytest.mark.slow
def test_full_from_any_call_on_it_ends_in_words_and_nothing_shown_is_lost(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    calls = a_yard.run(Order("play", str(folder), moves=40)).calls
    ends = []
    for at in range(2, calls, 1 if pytestconfig.getoption("--soak") else 29):
        shutil.rmtree(folder)
        folder.mkdir()
        ending = a_yard.run(Order("play", str(folder), moves=40, full_at=at))
        ends.append(ending.code)

        assert ending.code != CRASHED, ending.words
        if ending.code == REFUSED:
            assert "disk is full" in ending.words or "free space" in ending.words
        assert checking.broken(folder, checking.heard(folder)) == [], f"full from call {at}"
    assert ends.count(REFUSED) > len(ends) / 2


@pytest.mark.slow
def test_with_room_again_the_game_goes_on(a_yard: Yard, tmp_path: Path) -> None:
    assert a_yard.run(Order("play", str(tmp_path), moves=40, full_at=150)).code == REFUSED
    assert a_yard.run(Order("play", str(tmp_path), moves=40)).code == DONE
    assert checking.broken(tmp_path, checking.heard(tmp_path)) == []


ON_A_SMALL_DISK = """
import sys
from pathlib import Path
from controller.common.errors import JournalError
from tests.controller.durability.playing import Table
try:
    table = Table(Path(sys.argv[1]), 1, kept_games=50)
    table.play(5000)
except (JournalError, OSError) as error:
    print(type(error).__name__, error)
"""

OPEN = """
import sys
from controller.common.errors import JournalError
from controller.journal.journal import Journal
try:
    Journal(sys.argv[1])
except JournalError as error:
    print(error)
"""


@pytest.mark.slow
def test_on_a_disk_that_is_really_full_the_table_says_so_and_comes_back(tmp_path: Path) -> None:
    """SQLite, the copy and the kernel's own ENOSPC, on a disk of 1 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (
        'mount -t tmpfs -o size=1m tmpfs "$0"; mkdir "$0/t"; '
        '"$1" -c "$2" "$0/t" 2>&1 || true; cp -r "$0/t" "$3"'
    )
    said = in_a_mount(script, str(disk), sys.executable, ON_A_SMALL_DISK, str(tmp_path / "left"))

    assert "disk is full" in said or "No space left" in said
    assert "Traceback" not in said
    left = tmp_path / "left"
    assert len(checking.heard(left)) > 50
    with Journal(left / JOURNAL) as journal:
        state = journal.resume().state
    boards = [board for row, board in checking.heard(left) if row == "state"]
    assert state.rev >= boards[-1]["rev"]


IN_THE_RESERVE = """
import os, sys, threading, time
from functools import partial
from pathlib import Path
from controller.common.errors import JournalError
from controller.journal.journal import Journal
from controller.journal.room import Room
from hw.traces.folder import delete_oldest, recordings
from tests.controller.durability.playing import JOURNAL, Table

disk, greedy = Path(sys.argv[1]), sys.argv[2] == "greedy"
folder, passed_s = disk / "t", [0.0]

def fill():
    with (disk / "filler").open("ab", buffering=0) as filler:
        for size in (65536, 4096, 1):
            try:
                while filler.write(bytes(size)):
                    pass
            except OSError:
                pass

def never_enough():
    while True:
        fill()

for number in range(3):
    (folder / "recordings").mkdir(exist_ok=True)
    file = folder / f"recordings/evening-00000{number}-20260101-000000.mcap"
    file.write_bytes(os.urandom(100_000))
room = Room(folder / JOURNAL, spare=lambda: delete_oldest(folder / "recordings") is not None)
kind = partial(Journal, room=room, clock=lambda: time.monotonic() + passed_s[0])
table = Table(folder, 1, kept_games=50, kind=kind)
table.play(20)
print("before", table.journal.trouble)
fill()
if greedy:
    threading.Thread(target=never_enough, daemon=True).start()
moves = 0
try:
    for moves in range(int(sys.argv[3])):
        table.move()
        if moves == 200:
            print("recordings", len(recordings(folder / "recordings")))
            print("while", table.journal.trouble.code)
except (JournalError, OSError) as error:
    print(type(error).__name__, error)
print("moves", moves + 1)
if not greedy:
    (disk / "filler").unlink()
    passed_s[0] += 100.0
    table.move()
    print("after", table.journal.trouble)
if greedy:
    table.close()
    fill()
    again = Table(folder, 1)
    print("again", again.journal.trouble, again.notices)
    print("score", again.pipeline.state.rev >= table.live.board.rev)
os._exit(0)
"""


def full_disk(folder: Path, *words: str) -> dict[str, str]:
    """What the script above says; the table's files are in `left` then, as they lay on the disk."""
    disk, left = folder / "disk", folder / "left"
    disk.mkdir()
    script = (
        f'SIZE=48M; {SMALL_DISK} mkdir "$0/t"; : >"$0.shown"; ln -s "$0.shown" "$0/t/shown.log"; '
        '"$1" -c "$2" "$0" $4 2>&1; cp -rL "$0/t" "$3"; umount "$0"'
    )
    said = in_a_mount(
        script, str(disk), sys.executable, IN_THE_RESERVE, str(left), " ".join(words), disk=True
    )
    assert "Traceback" not in said, said
    return dict(line.split(" ", 1) for line in said.splitlines())


@pytest.mark.slow
def test_on_a_full_disk_a_long_evening_is_played_on_in_the_reserve_and_stored(
    tmp_path: Path,
) -> None:
    said = full_disk(tmp_path, "full", "2000")

    assert said["before"] == said["after"] == "None"
    assert said["while"] == "storage_full"
    assert said["recordings"] == "1"
    assert said["moves"] == "2000"
    assert checking.broken(tmp_path / "left", checking.heard(tmp_path / "left")) == []


@pytest.mark.slow
def test_beside_a_program_that_takes_all_room_nothing_shown_is_lost(tmp_path: Path) -> None:
    said = full_disk(tmp_path, "greedy", "2000")

    assert int(said["moves"]) > 200 or "disk is full" in said["JournalError"]
    assert said["score"] == "True"
    assert checking.broken(tmp_path / "left", checking.heard(tmp_path / "left")) == []


AFTER_AN_ERROR = """
import sys
from pathlib import Path
from controller.common.errors import JournalError
from tests.controller.durability.playing import Table
table = Table(Path(sys.argv[1]) / "t", 1)
table.play(20)
Path(sys.argv[2]).write_text("1")
try:
    table.play(100)
except JournalError as error:
    print(error)
"""


def test_a_disk_that_turns_read_only_after_an_error_ends_it_in_words_and_nothing_shown_is_lost(
    tmp_path: Path,
) -> None:
    disk, left = tmp_path / "disk", tmp_path / "left"
    disk.mkdir()
    script = (
        f'SIZE=16M; {SMALL_DISK} mount -o remount,errors=remount-ro "$0"; mkdir "$0/t"; '
        ': >"$0.shown"; ln -s "$0.shown" "$0/t/shown.log"; '
        'fail=/sys/fs/ext4/$(basename $(findmnt -no SOURCE "$0"))/trigger_fs_error; '
        '"$1" -c "$2" "$0" "$fail" 2>&1; "$1" -c "$4" "$0/t/$5" 2>&1; '
        'cp -rL "$0/t" "$3"; umount "$0"'
    )
    words = (str(disk), sys.executable, AFTER_AN_ERROR, str(left), OPEN, JOURNAL)
    said = in_a_mount(script, *words, disk=True)

    # Whether the kernel says so beforehand, or fails each write, is its version's choice.
    stopped, refused = (
        line for line in said.splitlines() if line.startswith(f"{disk}/t/{JOURNAL}:")
    )
    assert stopped.endswith("check the disk") or "check the path" in stopped
    assert refused.endswith("check the disk") or "it cannot be written; check its" in refused
    assert "Traceback" not in said
    assert checking.broken(left, checking.heard(left)) == []


def test_a_read_only_disk_is_named_and_left_alone(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    table = Table(disk, 1)
    table.play(5)
    table.close()
    script = 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; "$1" -c "$2" "$0/$3"'
    said = in_a_mount(script, str(disk), sys.executable, OPEN, JOURNAL)

    assert f"{JOURNAL}: " in said
    assert "it cannot be written; check its rights" in said
    assert "read-only" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("jump_s", [-1e9, 86400.0, 1e9])
def test_a_clock_that_jumps_changes_no_order(tmp_path: Path, jump_s: float) -> None:
    """Before the network has told the time a Raspberry Pi may be in any year."""
    times = iter([1e6 + (jump_s if at % 3 == 2 else 0.0) for at in range(10**6)])
    first = Table(tmp_path, 1, kind=partial(Journal, clock=times.__next__))
    first.play(60)
    first.close()
    again = Table(tmp_path, 1)

    assert again.pipeline.state == first.pipeline.state
    assert again.notices == ()
    again.close()
