"""Judges whether the place of a file keeps what is written there. Pure.

The kernel's own texts go in (`/proc/self/mountinfo`, `/etc/fstab`, files of `/sys`), a trouble
comes out. `controller/common/places.py` reads them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from controller.common.troubles import (
    STORAGE_FAILED,
    STORAGE_IN_MEMORY,
    STORAGE_LAYERED,
    STORAGE_NOT_MOUNTED,
    STORAGE_READ_ONLY,
    STORAGE_UNPLUGGED,
    STORAGE_WORN,
)
from engine.trouble import Trouble

IN_MEMORY = frozenset(("tmpfs", "ramfs", "rootfs", "devtmpfs"))
MEMORY_DISKS = ("/dev/zram", "/dev/ram")
"""Disks that are memory, whatever file system they hold."""

LAYERED = frozenset(("overlay", "aufs", "unionfs"))

MOST_LAYERS = 8
"""Layers over layers that are followed; nobody has so many."""

FAILED = frozenset(("emergency_ro", "shutdown"))
"""What file systems add to their options after an error (ext4 since Linux 6.15)."""

WORN_PERCENT = 90
"""A card tells its use in steps of ten; in the last but one it is still time to copy it."""

SPARE_NORMAL = 1
"""Of `pre_eol_info`: 2 has used up 80 % of the spare blocks, 3 has 90 % (JEDEC JESD84-B51)."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of `/proc/self/mountinfo`.

    Attributes:
        number, parent: of the mount, and of that on which it stands.
        device: `major:minor`; major 0 has no disk of its own.
        point: folder where it is mounted.
        kind: of file system.
        source: what is mounted there, mostly a disk's name.
        options: of this mount. super_options: of the file system behind it.
    """

    number: str
    parent: str
    device: str
    point: str
    kind: str
    source: str
    options: frozenset[str]
    super_options: tuple[str, ...]

    @property
    def upper(self) -> str | None:
        """The folder that takes what is written to a layered file system, as its maker saw it."""
        found = (each.removeprefix("upperdir=") for each in self.super_options)
        return next((name for name in found if name.startswith("/")), None)


@dataclass(frozen=True, slots=True)
class Disk:
    """What the kernel says of the disk under a file system.

    Attributes:
        present: false when it was pulled out while mounted.
        errors: that the file system has met since it was last checked.
        life_percent: used of the card's life, in steps of ten; 0 where it does not say.
        spare: how far its spare blocks are used up, see `SPARE_NORMAL`; 0 where it does not say.
    """

    present: bool = True
    errors: int = 0
    life_percent: int = 0
    spare: int = 0


HEALTHY = Disk()


def mounts(text: str) -> tuple[Mount, ...]:
    r"""The lines of `/proc/self/mountinfo`, without unreadable ones.

    >>> mounts(r"36 25 8:1 / /media/my\040stick rw,noatime shared:1 - ext4 /dev/sda1 ro,x")[0].point
    '/media/my stick'
    """
    return tuple(filter(None, map(_mount, text.splitlines())))


def _mount(line: str) -> Mount | None:
    left, _, right = line.partition(" - ")
    head, tail = left.split(), right.split()
    if len(head) < 6 or len(tail) < 2:
        return None
    number, parent, device, _root, point, options = head[:6]
    more = tail[2] if len(tail) > 2 else ""
    return Mount(
        number, parent, device, _plain(point), tail[0], _plain(tail[1]),
        frozenset(options.split(",")), tuple(_plain(more).split(",")),
    )  # fmt: skip


def fstab_points(text: str) -> tuple[str, ...]:
    """Folders on which `/etc/fstab` wants something mounted, but for the root."""
    rows = (line.split() for line in text.splitlines() if not line.lstrip().startswith("#"))
    points = (_plain(row[1]).rstrip("/") for row in rows if len(row) > 2)
    return tuple(point for point in points if point.startswith("/"))


def _plain(text: str) -> str:
    """A name in which spaces and the like stand as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)


def holds(point: str, path: str) -> bool:
    """Whether a path lies in the folder `point`, or is it."""
    return path == point or path.startswith(point.rstrip("/") + "/")


def mount_of(path: str, found: Sequence[Mount]) -> Mount | None:
    """The mount on which an absolute path without links lies.

    The way down from the root is walked as the kernel does it, since a later mount may hide those
    below its folder.
    """
    numbers = {each.number for each in found}
    here: Mount | None = None
    roots = [each for each in found if each.parent not in numbers or each.parent == each.number]
    onward = [each for each in roots if holds(each.point, path)]
    for _ in found:
        if not onward:
            break
        here = min(onward, key=lambda each: len(each.point))
        parent = here.number
        onward = [e for e in found if e.parent == parent != e.number and holds(e.point, path)]
    return here


def written_to(path: str, found: Sequence[Mount]) -> Mount | None:
    """The mount that takes what is written to a path: that of the uppermost layer.

    A layered mount itself where its layers cannot be seen from here.
    """
    mount = mount_of(path, found)
    for _ in range(MOST_LAYERS):
        if mount is None or mount.kind not in LAYERED or mount.upper is None:
            break
        below = mount_of(mount.upper, found)
        if below is None or below == mount:
            break
        mount = below
    return mount


def life_percent(text: str) -> int:
    """The larger of the two figures in `life_time`, such as `0x01 0x0a`; 0 when it says nothing.

    >>> life_percent("0x01 0x0a"), life_percent("0x00 0x00"), life_percent("0x0b 0x01")
    (100, 0, 110)
    """
    return max((10 * _number(word) for word in text.split()), default=0)


def spare_state(text: str) -> int:
    """The figure in `pre_eol_info`; 0 when it says nothing.

    >>> spare_state("0x02"), spare_state("")
    (2, 0)
    """
    return _number(text)


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        return 0


def judge(
    path: str,
    mount: Mount,
    over: Mount,
    disk: Disk = HEALTHY,
    expected: Iterable[str] = (),
    *,
    changes: bool,
) -> Trouble | None:
    """What is wrong with the place of a file; None when it keeps what is written there.

    Args:
        path: of the file, without links.
        mount: takes what is written.
        over: where the file is seen; the same but for layers.
        disk: under `mount`.
        expected: folders that should be mounts (`fstab_points`).
        changes: whether the table writes the file. Where it does not, a file system that was made
            read-only on purpose is a good place.
    """
    missing = unmounted(path, over, expected)
    if missing:
        return STORAGE_NOT_MOUNTED(path=path, point=missing)
    if _in_memory(mount):
        kind = STORAGE_LAYERED if over.kind in LAYERED else STORAGE_IN_MEMORY
        return kind(path=path, point=over.point, kind=mount.kind)
    if mount.kind in LAYERED:
        return STORAGE_LAYERED(path=path, point=over.point, kind=mount.kind)
    return _of_disk(path, mount, over, disk, changes=changes)


def unmounted(path: str, over: Mount, expected: Iterable[str]) -> str | None:
    """The folder in which a path lies, if it should be a mount and is none."""
    found = [point for point in expected if holds(point, path) and not holds(point, over.point)]
    return max(found, key=len, default=None)


def _in_memory(mount: Mount) -> bool:
    return mount.kind in IN_MEMORY or mount.source.startswith(MEMORY_DISKS)


def _of_disk(path: str, mount: Mount, over: Mount, disk: Disk, *, changes: bool) -> Trouble | None:
    if not disk.present:
        return STORAGE_UNPLUGGED(path=path, point=mount.point)
    if disk.errors or FAILED & {*mount.super_options}:
        return STORAGE_FAILED(path=path, point=mount.point)
    if changes and ("ro" in mount.super_options or "ro" in over.options):
        return STORAGE_READ_ONLY(path=path, point=over.point)
    if disk.spare > SPARE_NORMAL or disk.life_percent >= WORN_PERCENT:
        return STORAGE_WORN(path=path, point=mount.point)
    return None


def together(found: Mapping[str, Trouble]) -> dict[str, Trouble]:
    """One trouble for all files that have the same one at the same place; the first names it."""
    names: dict[tuple[object, ...], list[str]] = {}
    for name, trouble in found.items():
        rest = {key: value for key, value in trouble.args.items() if key != "path"}
        names.setdefault((trouble.code, *rest.items()), []).append(name)
    return {same[0]: _of_all([found[name] for name in same]) for same in names.values()}


def _of_all(same: Sequence[Trouble]) -> Trouble:
    paths = dict.fromkeys(str(each.args["path"]) for each in same)
    return replace(same[0], args={**same[0].args, "path": ", ".join(paths)})
