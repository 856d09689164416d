"""Reads from the kernel where a table's files lie; `controller/common/storage.py` judges it.

Only files of `/proc`, `/sys` and `/etc` are read, never the disk in question: a look costs about
a millisecond and does not wait for a stick that hangs.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from controller.common.storage import (
    Disk,
    Mount,
    fstab_points,
    judge,
    life_percent,
    mount_of,
    mounts,
    spare_state,
    together,
    unmounted,
    written_to,
)
from engine.trouble import Trouble

EVERY_S = 10.0
"""A card that turns read-only is told this soon."""

MOST_LOOPS = 4
"""Disks that are files on other disks, one on top of the other."""


class Places:
    """Where the named files of a table lie. `changing` names those that the table writes.

    `root` is a folder that stands for the computer's root, for its `/proc`, `/sys` and `/etc`.
    """

    def __init__(
        self, files: Mapping[str, Path], *, changing: frozenset[str], root: Path = Path("/")
    ) -> None:
        self._paths = {name: os.path.realpath(path) for name, path in files.items()}
        self._changing, self._root = changing, root
        self._looked_s = float("-inf")
        self._last: dict[str, Trouble] = {}

    def troubles(self) -> dict[str, Trouble]:
        """What is wrong now, by name of the file; of several with one trouble, the first."""
        found = self._mounts()
        expected = fstab_points(self._text("/etc/fstab"))
        judged = {name: self._judged(name, found, expected) for name in self._paths}
        return together({name: trouble for name, trouble in judged.items() if trouble})

    def watched(self, now_s: float) -> dict[str, Trouble]:
        """The same, looked at anew every `EVERY_S` of a steady clock."""
        if now_s - self._looked_s >= EVERY_S:
            self._looked_s, self._last = now_s, self.troubles()
        return self._last

    def point(self, name: str) -> str:
        """The folder where the file system of a file is mounted; empty where nobody knows."""
        mount = mount_of(self._paths[name], self._mounts())
        return "" if mount is None else mount.point

    def unmounted(self, name: str) -> str | None:
        """The folder on which a file belongs, if nothing is mounted there though it should be."""
        path, found = self._paths[name], self._mounts()
        mount = mount_of(path, found)
        expected = fstab_points(self._text("/etc/fstab"))
        return None if mount is None else unmounted(path, mount, expected)

    def _judged(
        self, name: str, found: tuple[Mount, ...], expected: tuple[str, ...]
    ) -> Trouble | None:
        path = self._paths[name]
        over, mount = mount_of(path, found), written_to(path, found)
        changes = name in self._changing
        for _ in range(MOST_LOOPS):
            if over is None or mount is None:
                break
            trouble = judge(path, mount, over, self._disk(mount), expected, changes=changes)
            if trouble is not None:
                return trouble
            file = self._text(f"/sys/dev/block/{mount.device}/loop/backing_file")
            mount = written_to(file, found) if file.startswith("/") else None
        return None

    def _mounts(self) -> tuple[Mount, ...]:
        return mounts(self._text("/proc/self/mountinfo"))

    def _disk(self, mount: Mount) -> Disk:
        here = self._path(f"/sys/dev/block/{mount.device}")
        # A file system over several disks has a number of its own, without a disk.
        real = not mount.device.startswith("0:") and here.parent.is_dir()
        if not here.exists():
            name = mount.source.rpartition("/")[2] or "-"
            here = self._path(f"/sys/class/block/{name}")
        errors = self._text(f"/sys/fs/{mount.kind}/{here.resolve().name}/errors_count")
        cards = list(_whole_disks(here))
        return Disk(
            present=here.exists() or not real,
            errors=int(errors) if errors.isdecimal() else 0,
            life_percent=max((life_percent(_read(c / "life_time")) for c in cards), default=0),
            spare=max((spare_state(_read(c / "pre_eol_info")) for c in cards), default=0),
        )

    def _path(self, name: str) -> Path:
        return self._root / name.lstrip("/")

    def _text(self, name: str) -> str:
        return _read(self._path(name))


def _whole_disks(block: Path) -> Iterator[Path]:
    """The `device` folders of a disk, or of the disk that it is a part of, or of those below."""
    below = sorted((block / "slaves").glob("*"))
    if below:
        for each in below:
            yield from _whole_disks(each.resolve())
    elif (block / "partition").exists():
        yield block.resolve().parent / "device"
    else:
        yield block / "device"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""
