"""Where files lie, as a computer's own files tell, and as the real kernel does."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.common.places import EVERY_S, Places
from tests.mounting import SMALL_DISK, in_a_mount

JOURNAL = "/var/lib/topple-table/table.journal"
ROOT_ON = "21 1 {device} / / rw - {kind} {source} rw\n"


class FakeRoot:
    """A folder that stands for the root of a computer."""

    def __init__(self, folder: Path, device: str, kind: str = "ext4", source: str = "x") -> None:
        self.folder = folder
        line = ROOT_ON.format(device=device, kind=kind, source=source)
        self.write("proc/self/mountinfo", line)
        (folder / "sys/dev/block").mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")

    def link(self, name: str, to: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / to).mkdir(parents=True, exist_ok=True)
        path.symlink_to(self.folder / to)

    def codes(self) -> list[str]:
        places = Places({"journal": Path(JOURNAL)}, changing=frozenset(), root=self.folder)
        return [trouble.code for trouble in places.troubles().values()]


CARD = "sys/devices/mmc0/mmcblk0"


def card(folder: Path, life_time: str, pre_eol_info: str) -> FakeRoot:
    """Its second partition is the root."""
    root = FakeRoot(folder, "179:2", source="/dev/root")
    root.link("sys/dev/block/179:2", f"{CARD}/mmcblk0p2")
    root.write(f"{CARD}/mmcblk0p2/partition", "2")
    root.write(f"{CARD}/device/life_time", life_time)
    root.write(f"{CARD}/device/pre_eol_info", pre_eol_info)
    return root


@pytest.mark.parametrize(
    ("life_time", "pre_eol_info", "codes"),
    [
        ("0x01 0x01", "0x01", []),
        ("0x02 0x09", "0x01", ["storage_worn"]),
        ("0x01 0x01", "0x03", ["storage_worn"]),
        ("", "", []),
        ("what is this", "\0\0", []),
    ],
)
def test_a_card_that_says_it_is_nearly_worn_is_believed(
    tmp_path: Path, life_time: str, pre_eol_info: str, codes: list[str]
) -> None:
    assert card(tmp_path, life_time, pre_eol_info).codes() == codes


def test_a_card_below_an_encrypted_disk_is_found(tmp_path: Path) -> None:
    root = FakeRoot(tmp_path, "253:0", source="/dev/mapper/games")
    root.link("sys/dev/block/253:0", "sys/devices/virtual/block/dm-0")
    root.link("sys/devices/virtual/block/dm-0/slaves/mmcblk0p2", f"{CARD}/mmcblk0p2")
    root.write(f"{CARD}/mmcblk0p2/partition", "2")
    root.write(f"{CARD}/device/life_time", "0x0b 0x01")

    assert root.codes() == ["storage_worn"]


def test_a_file_system_with_a_number_of_its_own_is_looked_up_by_its_disk(tmp_path: Path) -> None:
    root = FakeRoot(tmp_path, "0:31", kind="btrfs", source="/dev/mmcblk0p2")
    assert root.codes() == []
    root.link("sys/class/block/mmcblk0p2", f"{CARD}/mmcblk0p2")
    root.write(f"{CARD}/mmcblk0p2/partition", "2")
    root.write(f"{CARD}/device/life_time", "0x0a 0x0a")

    assert root.codes() == ["storage_worn"]


def test_errors_that_the_file_system_has_met_are_told(tmp_path: Path) -> None:
    root = card(tmp_path, "0x01 0x01", "0x01")
    root.write("sys/fs/ext4/mmcblk0p2/errors_count", "0")
    assert root.codes() == []
    root.write("sys/fs/ext4/mmcblk0p2/errors_count", "3")
    assert root.codes() == ["storage_failed"]


def test_a_stick_that_was_pulled_out_is_missed(tmp_path: Path) -> None:
    root = FakeRoot(tmp_path, "8:1", source="/dev/sda1")
    assert root.codes() == ["storage_unplugged"]
    root.link("sys/dev/block/8:1", "sys/devices/usb/sda/sda1")
    assert root.codes() == []


def test_where_the_kernel_tells_nothing_nothing_is_said(tmp_path: Path) -> None:
    places = Places({"journal": Path(JOURNAL)}, changing=frozenset(), root=tmp_path)
    assert places.troubles() == {}
    assert places.unmounted("journal") is None
    assert places.point("journal") == ""


def test_while_a_table_runs_it_is_looked_at_anew_every_ten_seconds(tmp_path: Path) -> None:
    root = card(tmp_path, "0x01 0x01", "0x01")
    places = Places({"journal": Path(JOURNAL)}, changing=frozenset(("journal",)), root=tmp_path)
    assert places.watched(100.0) == {}
    root.write("proc/self/mountinfo", "21 1 179:2 / / ro - ext4 /dev/root ro")

    assert places.watched(100.0 + EVERY_S - 1) == {}
    assert places.watched(100.0 + EVERY_S)["journal"].code == "storage_read_only"
    root.write("proc/self/mountinfo", "21 1 179:2 / / rw - ext4 /dev/root rw")
    assert places.watched(100.0 + 2 * EVERY_S) == {}


LOOK = """
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from controller.common.places import Places
places = Places({"journal": Path(sys.argv[1]) / "j"}, changing=frozenset(("journal",)))
for trouble in places.troubles().values():
    print(trouble.code, "in", trouble.args["point"])
"""


LAYERED = (
    'mkdir "$0.m"; mount -t tmpfs none "$0.m"; mkdir "$0.m/up" "$0.m/work" "$0.low"; '
    'mount -t overlay none -o "lowerdir=$0.low,upperdir=$0.m/up,workdir=$0.m/work" "$0"'
)


@pytest.fixture
def disk_path() -> Iterator[Path]:
    """A folder on a disk: pytest's own may lie in memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="topple-places-") as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("mounting", "told"),
    [
        ('mount -t tmpfs none "$0"', "storage_in_memory"),
        ('mount -t ramfs none "$0"', "storage_in_memory"),
        (LAYERED, "storage_layered"),
        ('mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"', "storage_read_only"),
    ],
    ids=["tmpfs", "ramfs", "overlay over tmpfs", "read-only"],
)
def test_the_real_kernel_is_understood(disk_path: Path, mounting: str, told: str) -> None:
    folder = disk_path / "a place"
    folder.mkdir()
    said = in_a_mount(f'{mounting}; "$1" -c "$2" "$0"', str(folder), sys.executable, LOOK)

    assert said == f"{told} in {folder}\n"


def test_a_real_disk_is_good_until_it_is_read_only_or_has_had_errors(disk_path: Path) -> None:
    folder = disk_path / "disk"
    folder.mkdir()
    look = '"$1" -c "$2" "$0"; echo; '
    script = (
        f"SIZE=8M; {SMALL_DISK}{look}"
        f'mount -o remount,ro "$0"; {look}mount -o remount,rw,errors=remount-ro "$0"; '
        f'echo 1 >/sys/fs/ext4/$(basename $(findmnt -no SOURCE "$0"))/trigger_fs_error; {look}'
        # A loop device outlasts the script if it is not let go of.
        'umount "$0"'
    )
    said = in_a_mount(script, str(folder), sys.executable, LOOK, disk=True)

    assert said.split("\n") == [
        "", f"storage_read_only in {folder}", "", f"storage_failed in {folder}", "", "",
    ]  # fmt: skip


def test_a_disk_in_a_file_in_memory_is_memory(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    script = (
        'mkdir "$0.m"; mount -t tmpfs none "$0.m"; truncate -s 8M "$0.m/img"; '
        'mkfs.ext4 -q "$0.m/img"; mount -o loop "$0.m/img" "$0"; "$1" -c "$2" "$0"; umount "$0"'
    )
    said = in_a_mount(script, str(folder), sys.executable, LOOK, disk=True)

    assert said == f"storage_in_memory in {folder}\n"


def test_a_stick_that_fstab_knows_is_missed_for_real(tmp_path: Path) -> None:
    folder = tmp_path / "stick"
    folder.mkdir()
    script = (
        'echo "LABEL=games $0 ext4 nofail 0 2" >"$0.fstab"; mount --bind "$0.fstab" /etc/fstab; '
        '"$1" -c "$2" "$0"; mount --bind "$0" "$0"; "$1" -c "$2" "$0"'
    )
    if not Path("/etc/fstab").exists():
        pytest.skip("this machine has no /etc/fstab that could be replaced")
    said = in_a_mount(script, str(folder), sys.executable, LOOK)

    assert said.splitlines()[0] == f"storage_not_mounted in {folder}"
    assert "storage_not_mounted" not in "".join(said.splitlines()[1:])
