"""A disk that is full, cannot be written, or a clock that is wrong: said in words, nothing lost."""

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from controller.journal.journal import Journal
from tests.controller.conftest import PATIENCE_S
from tests.controller.durability import checking
from tests.controller.durability.playing import JOURNAL, Table
from tests.controller.durability.yard import CRASHED, DONE, REFUSED, ROOT, Order, Yard


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


UNSHARE = ("unshare", "--map-root-user", "--mount")


def in_a_mount(script: str, *words: str) -> str:
    """What a shell script prints that may mount disks of its own, which end with it."""
    if subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a disk of his own (unshare --map-root-user)")
    ran = subprocess.run(
        [*UNSHARE, "sh", "-ec", script, *words],
        capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


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
