"""Which programs hold a device open, by the links in `/proc/<pid>/fd`.

Only root sees the descriptors of other people's programs; whoever sees nothing says how to look.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")

PSEUDO_TERMINALS = range(136, 144)
"""Major numbers that each mounted devpts counts anew (Documentation/admin-guide/devices.txt)."""


def holder_of(device: str, proc: Path = PROC) -> str:
    """Name and number of another program that holds a device; empty if none is seen.

    `device` may be a link to it. `minicom (process 812)`.
    """
    place = str(Path(device).resolve())
    return next((_named(process) for process in _others(proc) if _holds(process, place)), "")


def _others(proc: Path) -> Iterator[Path]:
    numbers = [entry.name for entry in proc.iterdir()] if proc.is_dir() else []
    ours = (proc / "self").resolve().name
    yield from (proc / number for number in numbers if number.isdigit() and number != ours)


def _holds(process: Path, place: str) -> bool:
    try:
        links = list((process / "fd").iterdir())
    except OSError:
        return False  # it has ended, or is not for us to see
    return any(_target(link) == place and _same(link, place) for link in links)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def _same(link: Path, place: str) -> bool:
    """Whether it is the same device: a container may have another one of the same name."""
    try:
        theirs, ours = link.stat(), Path(place).stat()
    except OSError:
        return False
    if not stat.S_ISCHR(ours.st_mode) or os.major(ours.st_rdev) in PSEUDO_TERMINALS:
        return os.path.samestat(theirs, ours)
    return theirs.st_rdev == ours.st_rdev


def _named(process: Path) -> str:
    try:
        name = (process / "comm").read_text(errors="replace").strip()
    except OSError:
        name = "a program"
    return f"{name} (process {process.name})"
