"""Which programs hold a device open, by the links in `/proc/<pid>/fd`.

Only root sees the descriptors of other people's programs; whoever sees nothing says how to look.
"""

from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")

TERMINALS = "/dev/pts/"
"""Of each container its own, with numbers from 0 (the kernel's filesystems/devpts.rst)."""


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
        if Path(place).is_char_device() and not place.startswith(TERMINALS):
            return link.stat().st_rdev == Path(place).stat().st_rdev
        return link.samefile(place)
    except OSError:
        return False


def _named(process: Path) -> str:
    try:
        name = (process / "comm").read_text(errors="replace").strip()
    except OSError:
        name = "a program"
    return f"{name} (process {process.name})"
