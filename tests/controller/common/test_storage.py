"""Which places keep what is written there, by the kernel's own texts."""

from dataclasses import replace

import pytest

from controller.common.storage import (
    HEALTHY,
    Disk,
    Mount,
    fstab_points,
    judge,
    mount_of,
    mounts,
    together,
    written_to,
)
from controller.common.troubles import STORAGE_IN_MEMORY, STORAGE_WORN
from engine.trouble import Trouble

JOURNAL = "/var/lib/topple-table/table.journal"

PLAIN = """\
21 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
22 21 0:5 / /dev rw,relatime - devtmpfs udev rw
23 21 0:25 / /run rw,nosuid - tmpfs tmpfs rw,size=189756k
24 21 179:1 / /boot/firmware rw,relatime shared:5 - vfat /dev/mmcblk0p1 rw,errors=remount-ro
"""

RASPI_CONFIG = """\
21 1 0:20 / / rw,noatime shared:1 - overlay overlayroot rw,lowerdir=/media/root-ro,\
upperdir=/media/root-rw/overlay,workdir=/media/root-rw/overlay-workdir/_
22 21 179:2 / /media/root-ro ro,relatime shared:2 - ext4 /dev/mmcblk0p2 ro
23 21 0:21 / /media/root-rw rw,relatime shared:3 - tmpfs tmpfs-root rw
"""
"""Raspberry Pi OS 12 and later: the layer's memory is mounted where it can be seen."""

OLD_RASPI_CONFIG = """\
21 1 0:20 / / rw,noatime shared:1 - overlay overlay rw,lowerdir=/lower,upperdir=/upper/data,\
workdir=/upper/work
"""
"""Raspberry Pi OS 11: lower and upper layer stayed behind in the initial file system."""

LAYER_ON_A_STICK = """\
21 1 0:20 / / rw shared:1 - overlay overlay rw,lowerdir=/ro,upperdir=/rw/data,workdir=/rw/work
22 21 179:2 / /ro ro - ext4 /dev/mmcblk0p2 ro
23 21 8:1 / /rw rw - ext4 /dev/sda1 rw
"""

CONTAINER = """\
700 600 0:58 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A,\
upperdir=/var/lib/docker/overlay2/b/diff,workdir=/var/lib/docker/overlay2/b/work
"""


def judged(
    text: str, path: str = JOURNAL, disk: Disk = HEALTHY, fstab: str = "", *, changes: bool = True
) -> Trouble | None:
    found = mounts(text)
    over, mount = mount_of(path, found), written_to(path, found)
    assert over is not None
    assert mount is not None
    return judge(path, mount, over, disk, fstab_points(fstab), changes=changes)


def code(trouble: Trouble | None) -> str:
    return "" if trouble is None else trouble.code


def with_mount(line: str) -> str:
    return f"{PLAIN}{line}\n"


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (PLAIN, JOURNAL, ""),
        (PLAIN, "/run/table.journal", "storage_in_memory"),
        (PLAIN, "/dev/table.journal", "storage_in_memory"),
        (PLAIN, "/running/table.journal", ""),
        (with_mount("30 21 0:40 / /var/lib rw - ramfs none rw"), JOURNAL, "storage_in_memory"),
        (with_mount("30 21 251:0 / /var/lib rw - ext4 /dev/zram1 rw"), JOURNAL,
         "storage_in_memory"),
        (RASPI_CONFIG, JOURNAL, "storage_layered"),
        (OLD_RASPI_CONFIG, JOURNAL, "storage_layered"),
        (CONTAINER, JOURNAL, "storage_layered"),
        (LAYER_ON_A_STICK, JOURNAL, ""),
        (RASPI_CONFIG + "24 21 8:1 / /var/lib/topple-table rw - ext4 /dev/sda1 rw", JOURNAL, ""),
        (with_mount("30 21 0:50 / /var/lib rw - nfs4 nas:/games rw"), JOURNAL, ""),
    ],
    ids=[
        "a card", "tmpfs", "devtmpfs", "a name that only begins alike", "ramfs", "zram",
        "raspi-config", "raspi-config of old", "container", "layer on a stick",
        "stick over a read-only root", "another computer's disk",
    ],
)  # fmt: skip
def test_memory_and_layers_over_it_do_not_outlast_the_power(
    text: str, path: str, expected: str
) -> None:
    assert code(judged(text, path)) == expected


def test_what_is_said_names_file_place_and_kind_and_what_to_switch() -> None:
    layered = judged(RASPI_CONFIG)
    assert layered is not None
    assert layered.args == {"path": JOURNAL, "point": "/", "kind": "tmpfs"}
    assert "raspi-config" in layered.sentence
    in_memory = judged(PLAIN, "/run/t/j")
    assert in_memory is not None
    assert "/run/t/j lies in memory (tmpfs on /run)" in in_memory.sentence


READ_ONLY = PLAIN.replace("/dev/mmcblk0p2 rw", "/dev/mmcblk0p2 ro")
BOUND_READ_ONLY = with_mount("30 21 179:2 /var /var ro - ext4 /dev/mmcblk0p2 rw")
EMERGENCY = PLAIN.replace("/dev/mmcblk0p2 rw", "/dev/mmcblk0p2 rw,emergency_ro")


@pytest.mark.parametrize(
    ("text", "disk", "of_journal", "of_calibration"),
    [
        (READ_ONLY, Disk(), "storage_read_only", ""),
        (BOUND_READ_ONLY, Disk(), "storage_read_only", ""),
        (READ_ONLY, Disk(errors=2), "storage_failed", "storage_failed"),
        (EMERGENCY, Disk(), "storage_failed", "storage_failed"),
        (PLAIN, Disk(errors=1), "storage_failed", "storage_failed"),
        (PLAIN, Disk(present=False), "storage_unplugged", "storage_unplugged"),
        (PLAIN, Disk(life_percent=90), "storage_worn", "storage_worn"),
        (PLAIN, Disk(spare=2), "storage_worn", "storage_worn"),
        (PLAIN, Disk(life_percent=80, spare=1), "", ""),
    ],
)
def test_a_disk_that_is_not_what_it_was_is_named(
    text: str, disk: Disk, of_journal: str, of_calibration: str
) -> None:
    """Read-only on purpose is the best place for what is only read."""
    assert code(judged(text, disk=disk)) == of_journal
    assert code(judged(text, disk=disk, changes=False)) == of_calibration


STICK = "31 21 8:1 / /media/stick rw - ext4 /dev/sda1 rw\n"
FSTAB = """\
# /media is not meant
PARTUUID=1-02 / ext4 defaults,noatime 0 1
LABEL=games /media/stick/ ext4 nofail 0 2
UUID=ab /media/my\\040disk ext4 nofail 0 2
/swap none swap sw 0 0
proc
"""


@pytest.mark.parametrize(
    ("text", "path", "point"),
    [
        (PLAIN, "/media/stick/table.journal", "/media/stick"),
        (PLAIN, "/media/my disk/deep/table.journal", "/media/my disk"),
        (PLAIN + STICK, "/media/stick/table.journal", None),
        (PLAIN, JOURNAL, None),
        (PLAIN, "/media/stick2/table.journal", None),
    ],
)
def test_a_stick_that_belongs_there_and_is_not_mounted_is_named(
    text: str, path: str, point: str | None
) -> None:
    found = judged(text, path, fstab=FSTAB)
    assert (found.args["point"] if found else None) == point
    assert code(found) == ("storage_not_mounted" if point else "")


def test_the_mount_is_the_one_on_top() -> None:
    """A later mount hides what was mounted below its folder, and one at the same folder."""
    text = PLAIN + (
        "30 21 8:1 / /srv/a/b rw - ext4 /dev/sda1 rw\n"
        "31 21 8:2 / /srv/a rw - ext4 /dev/sdb1 rw\n"
        "32 31 0:9 / /srv/a rw - tmpfs tmpfs rw\n"
        "not a mount at all\n"
    )
    found = mount_of("/srv/a/b/c", mounts(text))
    assert found is not None
    assert found.number == "32"
    assert mount_of("/srv/a", mounts("")) is None


def test_no_text_of_a_kernel_runs_for_ever() -> None:
    circle = "1 1 0:1 / / rw - overlay o rw,upperdir=/a\n2 1 0:2 / /a rw - overlay o upperdir=/\n"
    ring = "1 2 8:1 / / rw - ext4 /dev/a rw\n2 1 8:1 / / rw - ext4 /dev/a rw\n"
    assert written_to("/a/b", mounts(circle)) is not None
    assert mount_of("/a/b", mounts(ring)) is None


def test_files_with_one_trouble_at_one_place_share_a_sentence() -> None:
    here = STORAGE_IN_MEMORY(path="/j", point="/", kind="tmpfs")
    there = STORAGE_IN_MEMORY(path="/c", point="/", kind="tmpfs")
    worn = STORAGE_WORN(path="/k", point="/")

    found = together({"journal": here, "calibration": worn, "config": there})

    shared = replace(here, args={**here.args, "path": "/j, /c"})
    assert found == {"journal": shared, "calibration": worn}


def test_a_mount_without_options_of_its_file_system_is_read() -> None:
    (found,) = mounts("1 0 0:1 / /x\\134y rw - tmpfs tmpfs")
    assert found == Mount("1", "0", "0:1", "/x\\y", "tmpfs", "tmpfs", frozenset({"rw"}), ("",))
