"""Access rights to a file, computed from its owner, groups and mode.

`os.access` would answer for the user who runs the doctor, often root. What matters is what the
service's user may do.
"""

import grp
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

READ, WRITE, ENTER = 4, 2, 1
"""Bits of a mode, for one of owner, group and others."""


@dataclass(frozen=True, slots=True)
class UnixUser:
    """A user of this computer with the groups it is in."""

    name: str
    uid: int
    gids: frozenset[int]

    def may(self, wanted: int, path: Path) -> bool:
        """Whether the mode of an existing file grants it `wanted` (bits of `READ` ...)."""
        if self.uid == 0:
            return True
        about = path.stat()
        shift = 6 if about.st_uid == self.uid else 3 if about.st_gid in self.gids else 0
        return (about.st_mode >> shift) & wanted == wanted


def myself() -> UnixUser:
    """Who runs the doctor."""
    return UnixUser(_name(os.geteuid()), os.geteuid(), frozenset((os.getegid(), *os.getgroups())))


def person(name: str) -> UnixUser | None:
    """A user by name, if there is such a one."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    gids = os.getgrouplist(name, entry.pw_gid)
    return UnixUser(name, entry.pw_uid, frozenset(gids))


def owner(path: Path) -> str:
    """Name of a file's owner."""
    return _name(path.stat().st_uid)


def group(path: Path) -> str:
    """Name of a file's group."""
    gid = path.stat().st_gid
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def group_with_access(path: Path) -> str:
    """Name of the group whose members may read and write a file; empty if none but root's may."""
    about = path.stat()
    wanted = READ | WRITE
    return group(path) if about.st_gid != 0 and about.st_mode >> 3 & wanted == wanted else ""


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
