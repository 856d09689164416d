"""Which serial device is the board: it greets, and until then nobody is sent a byte.

Adapters without a serial number share one name in `/dev/serial/by-id`, which then leads to any of
them; the names in `/dev/serial/by-path` are of sockets, one each. Our firmware says HELLO when it
starts and a heartbeat every second, so listening is enough to know it from a printer.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge import troubles
from firmware_bridge.errors import PortUnavailable
from firmware_bridge.troubles import LinkTrouble

BY_PATH = Path("/dev/serial/by-path")
BY_ID = Path("/dev/serial/by-id")
"""For a computer whose udev names no sockets."""
FOLDERS = (BY_PATH, BY_ID)

GREETING_S = 3.5
"""Opening may reset a Nano; its bootloader waits 2 s, and from then on it speaks every second."""

FAILED_AGAIN_S = 1.0
SILENT_AGAIN_S, SILENT_MOST_S = 10.0, 60.0
"""Somebody else's device is opened more and more seldom; a board that was just flashed is not
waited for much longer than a minute."""

MEMORY_BYTES = 4096
"""Longest path that Linux knows."""


def candidates(folders: Sequence[Path] = FOLDERS) -> list[str]:
    """Each serial device once, by the first of its lasting names."""
    named: dict[str, str] = {}
    for folder in folders:
        for name in sorted(folder.glob("*")) if folder.is_dir() else []:
            named.setdefault(str(name.resolve()), str(name))
    return list(named.values())


def find_port(folders: Sequence[Path] = FOLDERS) -> str:
    """The only serial device that is plugged in; for a board that cannot greet yet.

    Raises:
        PortUnavailable: there is none, or more than one and we will not guess.
    """
    names = candidates(folders)
    if len(names) == 1:
        return names[0]
    if not names:
        raise PortUnavailable(troubles.NONE(folder=str(folders[-1].parent)))
    raise PortUnavailable(troubles.SEVERAL(n=len(names), names=", ".join(names)))


@dataclass(frozen=True, slots=True)
class _Passed:
    """A device that was not the board, and when it may be asked again."""

    until_s: float
    trouble: LinkTrouble | None = None
    silences: int = 0


class PortSearch:
    """Which device to listen to next; the one that greeted last comes first."""

    def __init__(self, folders: Sequence[Path] = FOLDERS, memory: Path | None = None) -> None:
        """Search the folders.

        Args:
            folders: of lasting names; of two for one device the earlier folder's counts.
            memory: file that keeps the name of the board's port; None keeps it in this object.
        """
        self._folders, self._memory = tuple(folders), memory
        self._passed: dict[str, _Passed] = {}
        self.last = _read(memory)

    def choose(self, now_s: float) -> str:
        """The device to listen to now.

        Raises:
            PortUnavailable: there is none, or none is left for the moment.
        """
        names = candidates(self._folders)
        if not names:
            self._passed.clear()
            raise PortUnavailable(troubles.NONE(folder=str(self._folders[-1].parent)))
        self._passed = {name: each for name, each in self._passed.items() if name in names}
        left = [name for name in names if not self._waits(name, now_s)]
        if not left:
            raise PortUnavailable(self._trouble())
        return self.last if self.last in left else left[0]

    def greeted(self, name: str) -> None:
        """It is the board: remember it."""
        self._passed.pop(name, None)
        if name == self.last:
            return
        self.last = name
        if self._memory is not None:
            # Without it the board is found again, only later.
            with contextlib.suppress(OSError):
                self._memory.write_text(f"{name}\n", encoding="utf-8")

    def failed(self, name: str, trouble: LinkTrouble, now_s: float) -> None:
        """It could not be opened."""
        self._passed[name] = _Passed(now_s + FAILED_AGAIN_S, trouble)

    def silent(self, name: str, now_s: float) -> None:
        """It did not greet."""
        before = self._passed[name].silences if name in self._passed else 0
        pause_s = min(SILENT_AGAIN_S * 2**before, SILENT_MOST_S)
        self._passed[name] = _Passed(now_s + pause_s, silences=before + 1)

    def _waits(self, name: str, now_s: float) -> bool:
        passed = self._passed.get(name)
        return passed is not None and now_s < passed.until_s

    def _trouble(self) -> LinkTrouble:
        """One that cannot be opened may be the board; else none of them is."""
        unopened = [passed.trouble for passed in self._passed.values() if passed.trouble]
        return unopened[0] if unopened else troubles.NONE_GREETS(names=", ".join(self._passed))


def _read(memory: Path | None) -> str:
    if memory is None:
        return ""
    try:
        with memory.open("rb") as file:
            return file.read(MEMORY_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""
