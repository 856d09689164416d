"""What a disk may hold after the plug was pulled, worked out from the log of `plug.c`.

The rules are those a file system promises, and no more:

* What was written to a file is there once that file was flushed (`fsync`) afterwards.
* What was written since may be there or not, each block of 512 bytes for itself; a file that
  became longer may hold zeros, or end anywhere.
* A name that was made, changed or removed is so once its folder was flushed; since then it may be
  so or not, but in order: file systems keep a journal of names.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = 512


@dataclass(frozen=True, slots=True)
class Call:
    """One call that changed something: `other` is the new name of a renamed file."""

    what: str
    path: Path
    other: Path
    offset: int
    data: bytes


def calls(log: Path) -> list[Call]:
    """The log of a process, in order."""
    return list(_read(log.read_bytes()))


def _read(text: bytes) -> Iterator[Call]:
    at = 0
    while at < len(text):
        end = text.index(b"\n", at)
        what, path, other, offset, length = text[at:end].decode().split("\t")
        at = end + 1 + int(length)
        yield Call(what, Path(path), Path(other), int(offset), text[end + 1 : at])


@dataclass(slots=True)
class _File:
    """What is surely there, and what was done since."""

    safe: bytearray = field(default_factory=bytearray)
    since: list[Call] = field(default_factory=list)


class Disk:
    """A folder on a disk, told of one call after the other."""

    def __init__(self, begin: Path | None = None, root: Path | None = None) -> None:
        """Begin with nothing, or with what lies in `begin` and is to be called `root`."""
        self._safe: dict[Path, _File] = {}
        self._names: list[Call] = []
        self._made: dict[int, _File] = {}
        if begin is not None and root is not None:
            for file in begin.rglob("*"):
                if file.is_file():
                    name = root / file.relative_to(begin)
                    self._safe[name] = _File(bytearray(file.read_bytes()))
        self._files = dict(self._safe)

    def take(self, call: Call) -> None:
        """Let a call happen."""
        if call.what in ("create", "rename", "unlink"):
            self._name(call)
        elif call.what == "sync":
            self._sync(call.path)
        elif call.what in ("write", "truncate"):
            self._files[call.path].since.append(call)

    def _name(self, call: Call) -> None:
        self._names.append(call)
        if call.what == "create":
            self._made[id(call)] = _File()
        _apply_name(self._files, call, self._made)

    def _sync(self, path: Path) -> None:
        if path in self._files:
            file = self._files[path]
            for call in file.since:
                _write(file.safe, call)
            file.since.clear()
            return
        # A folder: its names, and all that must have happened before them.
        last = max((at for at, c in enumerate(self._names) if c.path.parent == path), default=-1)
        for call in self._names[: last + 1]:
            _apply_name(self._safe, call, self._made)
        del self._names[: last + 1]

    def pulled(self, chance: random.Random, keeps: float) -> dict[Path, bytes]:
        """What may be found.

        Args:
            chance: decides what nobody can know.
            keeps: how much of what was not flushed is there, 0 to 1.
        """
        names = dict(self._safe)
        for call in self._names[: round(len(self._names) * _share(chance, keeps))]:
            _apply_name(names, call, self._made)
        return {path: _found(file, chance, keeps) for path, file in names.items()}


def _share(chance: random.Random, keeps: float) -> float:
    return keeps if keeps in (0.0, 1.0) else chance.random()


def _apply_name(names: dict[Path, _File], call: Call, made: dict[int, _File]) -> None:
    if call.what == "create":
        names[call.path] = made[id(call)]
    elif call.what == "unlink":
        names.pop(call.path, None)
    elif call.path in names:
        names[call.other] = names.pop(call.path)


def _write(content: bytearray, call: Call) -> None:
    if call.what == "truncate":
        del content[call.offset :]
        content.extend(bytes(call.offset - len(content)))
        return
    end = call.offset + len(call.data)
    content.extend(bytes(max(0, end - len(content))))
    content[call.offset : end] = call.data


def _found(file: _File, chance: random.Random, keeps: float) -> bytes:
    content = bytearray(file.safe)
    for call in file.since:
        if call.what == "truncate":
            if chance.random() < keeps:
                _write(content, call)
            continue
        for part in _blocks(call):
            if chance.random() < keeps:
                _write(content, part)
    return bytes(content)


def _blocks(call: Call) -> Iterator[Call]:
    """A write in pieces that end where blocks of the disk end."""
    at = 0
    while at < len(call.data):
        step = BLOCK - (call.offset + at) % BLOCK
        part = call.data[at : at + step]
        yield Call("write", call.path, call.other, call.offset + at, part)
        at += step
