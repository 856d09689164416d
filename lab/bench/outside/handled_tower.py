"""A simulated tower that a bench moves from outside: the other end of `--hands unix:PATH`.

`topple-table run` has it with `source.kind = "twin"` and `source.moved_by = "PATH"`. Without that
setting no table opens such a socket, and only a simulated one can.
"""

import contextlib
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

import msgspec

from controller.common.errors import BadInput, ControllerError
from engine.errors import UNREADABLE
from hw.errors import HardwareError
from hw.source import Item
from lab.bench.actions import ACTS
from lab.bench.habits import Habits
from lab.bench.outside.deeds import HAND_VERBS, DeedAnswer, DeedLine, shifted
from lab.bench.world import quietened
from lab.people.ways import USUAL
from lab.twin.fault_words import parse_fault
from lab.twin.parameters import Preset, preset_parameters
from lab.twin.source import OverTower
from lab.twin.tower import Tower

CAN = (*(verb for verb in HAND_VERBS if verb != "broker"), "truth")

LONGEST_LINE_BYTES = 4096


class LineSocket:
    """One client at a time, a line at a time, and nobody ever waits.

    Only the user of this process may connect.

    Raises:
        BadInput: the socket cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._text = path, b""
        self._client: socket.socket | None = None
        try:
            path.unlink(missing_ok=True)
            self._door = socket.socket(socket.AF_UNIX)
            before = os.umask(0o177)
            try:
                self._door.bind(str(path))
            finally:
                os.umask(before)
        except OSError as problem:
            raise BadInput(f"source.moved_by {path}: {problem.strerror or problem}") from None
        self._door.listen(1)
        self._door.setblocking(False)

    def line(self) -> bytes | None:
        """The next line, if there is a whole one."""
        if self._client is None:
            try:
                self._client, _ = self._door.accept()
            except BlockingIOError:
                return None
            self._client.setblocking(False)
            self._text = b""
        with contextlib.suppress(BlockingIOError):
            self._read(self._client)
        line, end, rest = self._text.partition(b"\n")
        if not end:
            return None
        self._text = rest
        return line

    def _read(self, client: socket.socket) -> None:
        try:
            come = client.recv(LONGEST_LINE_BYTES)
        except ConnectionError:
            come = b""
        if not come or len(self._text) > LONGEST_LINE_BYTES:
            client.close()
            self._client = None
        self._text += come

    def say(self, answer: DeedAnswer) -> None:
        """Answer, unless nobody is there any more."""
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.sendall(msgspec.json.encode(answer) + b"\n")

    def close(self) -> None:
        """Nobody may connect any more."""
        for each in (self._client, self._door):
            if each is not None:
                each.close()
        self._path.unlink(missing_ok=True)


class NobodyInTurn:
    """A table as hands see it that are told each colour: no game is known."""

    running = False


class HandledTower(OverTower):
    """A `SampleSource` whose tower does what lines say.

    Args:
        tower: simulated.
        seed: decides what hands leave to chance.
        line: gives the next line of the bench, or None.
        say: takes the answer.

    Attributes:
        played, table, habits: as steps want them of a `Stage`.
        ahead_s: how far the tower is ahead of what the table hears of it, where simulated chips
            stand between them.
    """

    ahead_s = 0.0

    def __init__(
        self,
        tower: Tower,
        seed: int,
        line: Callable[[], bytes | None],
        say: Callable[[DeedAnswer], None],
    ) -> None:
        super().__init__(tower)
        self._line, self._say = line, say
        self.played, self.table = self, NobodyInTurn()
        self.habits = Habits(tower, USUAL, seed)
        self._deed: Iterator[float] | None = None
        self._wake_s = inf
        self._begun_s = 0.0

    @property
    def now_s(self) -> float:
        """Table time, for the steps."""
        return self.tower.now_s

    def poll(self, until_s: float) -> list[Item]:
        """Let the tower go on, and its hands."""
        while not self.tower.reached(until_s):
            self._hear()
            wake_s = max(self._wake_s, self.tower.now_s + 0.001)
            self.tower.advance(min(until_s, wake_s))
            if self._deed is not None and self.tower.now_s >= self._wake_s - 1e-9:
                self._go_on(self._deed)
        return self.tower.collect(until_s)

    def _hear(self) -> None:
        if self._deed is not None or (line := self._line()) is None:
            return
        try:
            asked = msgspec.json.decode(line, type=DeedLine)
        except UNREADABLE as problem:
            self._say(DeedAnswer(ok=False, why=f"no line of the bench: {problem}"))
            return
        if asked.can:
            self._say(DeedAnswer(ok=True, can=CAN))
        elif asked.truth:
            self._say(DeedAnswer(ok=True, truth=tuple(self._truth())))
        elif asked.verb in CAN:
            self._begun_s = self.tower.now_s
            stage: Any = self
            self._go_on(ACTS[asked.verb](stage, getattr(asked, asked.verb)))
        else:
            self._say(DeedAnswer(ok=False, why=f"{asked.verb or 'that'} is nothing for hands"))

    def _go_on(self, deed: Iterator[float]) -> None:
        self._deed = deed
        try:
            self._wake_s = next(deed, inf)
            answer = DeedAnswer(ok=True, released_ago_s=self._released_ago_s())
        except (HardwareError, ControllerError) as problem:
            self._wake_s, answer = inf, DeedAnswer(ok=False, why=str(problem))
        if self._wake_s == inf:
            self._deed = None
            self._say(answer)

    def _released_ago_s(self) -> float | None:
        places = (e["t_release"] for e in self.tower.truth.in_order() if e["type"] == "place")
        released_s = max(places, default=-inf)
        ago_s = self.tower.now_s - self.ahead_s - released_s
        return ago_s if released_s >= self._begun_s else None

    def _truth(self) -> list[dict[str, Any]]:
        now_s = self.tower.now_s - self.ahead_s
        return [shifted(entry, -now_s) for entry in self.tower.truth.in_order()]


class SocketTower(HandledTower):
    """The same, at a socket of its own."""

    def __init__(self, tower: Tower, seed: int, line: LineSocket) -> None:
        super().__init__(tower, seed, line.line, line.say)
        self._socket = line

    def close(self) -> None:
        """And nobody may ask any more."""
        super().close()
        self._socket.close()


def moved_tower(path: str, seed: int, preset: Preset, *, faults: Sequence[str] = ()) -> SocketTower:
    """The simulated tower of a configured table, moved by whoever connects to a socket.

    Args:
        path: of the socket.
        seed: decides what is left to chance.
        preset: how good the pivot is and how careful the hands are; `calm` is as quiet as the
            table of most scenarios.
        faults: in words.

    Raises:
        BadTwin: no such fault.
        BadInput: the socket cannot be made.
    """
    orders = [parse_fault(order) for order in faults]
    parameters = preset_parameters(preset)
    chosen = quietened(parameters) if preset == "calm" else parameters
    return SocketTower(Tower(chosen, seed, orders), seed, LineSocket(Path(path)))
