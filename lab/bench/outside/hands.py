"""Who moves the pieces: a program that speaks the lines of `deeds`, or people.

A hand is asked for one deed at a time and never waits: whoever asks looks again until there is an
answer, and hears the table meanwhile.
"""

import os
import queue
import shlex
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from controller.common.errors import BadInput, BadTarget, ControllerError
from controller.common.files import clipped
from engine.errors import UNREADABLE
from lab.bench.outside.deeds import HAND_VERBS, DeedAnswer, asked

UNIX = "unix:"
"""`--hands unix:PATH`: a socket, such as that of a simulated table."""

FIRST_ANSWER_S = 20.0
"""A program that was started has said by then what it can do."""


class HandGone(BadTarget):
    """The program that moves the pieces has ended, or answers no line of ours."""


class BegunAgain(ControllerError):  # noqa: N818
    """It went otherwise than it should: the case begins again from the empty board."""


class LeftOut(ControllerError):  # noqa: N818
    """Somebody does not want to do this, or cannot: the case is not judged. The words say why."""


class Hand(Protocol):
    """Whoever moves the pieces."""

    @property
    def can(self) -> frozenset[str]:
        """Steps it can be asked for; `truth` if it tells what really happened."""
        ...

    def ask(self, verb: str, value: Any, progress: str = "") -> None:
        """Ask for a step, or for the truth; `progress` says people how far the case is."""
        ...

    def answer(self, *, told: bool) -> DeedAnswer | None:
        """What it answers, or None as long as it does not. Returns at once.

        Args:
            told: whether the table has told anything of the board since the request.

        Raises:
            BegunAgain: the case must begin again.
            LeftOut: the deed will not be done.
            HandGone: there is nobody any more.
        """
        ...

    def tell(self, words: str) -> None:
        """Let it know what the table saw."""
        ...

    def close(self) -> None:
        """Nothing more is asked."""
        ...


class LineHand:
    """A program at the other end of two streams.

    Args:
        name: for words.
        said, heard: our side of the streams.
        end: ends the program.

    Raises:
        HandGone: it does not say what it can.
    """

    def __init__(
        self, name: str, said: IO[bytes], heard: IO[bytes], end: Callable[[], None]
    ) -> None:
        self._name, self._said, self._end = name, said, end
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(heard,), name="hand", daemon=True).start()
        self._send(asked("can", True))
        try:
            can = self._decoded(self._lines.get(timeout=FIRST_ANSWER_S)).can
            self.can = frozenset(can) & {*HAND_VERBS, "truth"}
        except (queue.Empty, HandGone) as problem:
            end()
            text = str(problem) or f"it said nothing in {FIRST_ANSWER_S:.0f} s"
            raise HandGone(f'--hands {name}: no answer to {{"can":true}} ({text})') from None

    def _read(self, heard: IO[bytes]) -> None:
        try:
            for line in heard:
                self._lines.put(line)
        except OSError:
            pass
        self._lines.put(b"")

    def _send(self, line: bytes) -> None:
        try:
            self._said.write(line + b"\n")
            self._said.flush()
        except OSError as problem:
            raise HandGone(f"--hands {self._name}: it has ended ({problem.strerror})") from None

    def ask(self, verb: str, value: Any, progress: str = "") -> None:  # noqa: ARG002
        """Write the line."""
        self._send(asked(verb, value))

    def answer(self, *, told: bool = False) -> DeedAnswer | None:  # noqa: ARG002
        """The next line, if there is one."""
        try:
            found = self._decoded(self._lines.get_nowait())
        except queue.Empty:
            return None
        if not found.ok:
            raise LeftOut(found.why or "the hand could not do it")
        return found

    def _decoded(self, line: bytes) -> DeedAnswer:
        if not line:
            raise HandGone(f"--hands {self._name}: it has ended")
        try:
            return msgspec.json.decode(line, type=DeedAnswer)
        except UNREADABLE as problem:
            shown = clipped(line.decode(errors="replace").strip())
            raise HandGone(f"--hands {self._name}: {shown!r} is no answer ({problem})") from None

    def tell(self, words: str) -> None:
        """Programs are told nothing."""

    def close(self) -> None:
        """End the program."""
        self._end()


def line_hand(text: str) -> LineHand:
    """The program that `--hands` names: a command, or `unix:PATH` of a socket.

    Raises:
        BadInput: it cannot be started, or nobody listens there.
        HandGone: it does not answer.
    """
    return _at_socket(text) if text.startswith(UNIX) else _started(text)


def _at_socket(text: str) -> LineHand:
    path = Path(text.removeprefix(UNIX))
    line = socket.socket(socket.AF_UNIX)
    try:
        line.connect(str(path))
    except OSError as problem:
        raise BadInput(
            f"--hands {text}: {problem.strerror}; start the table whose source.moved_by it is"
        ) from None

    def end() -> None:
        line.shutdown(socket.SHUT_RDWR)
        line.close()

    return LineHand(text, line.makefile("wb"), line.makefile("rb"), end)


def _started(text: str) -> LineHand:
    try:
        program = subprocess.Popen(  # noqa: S603 - whoever calls the bench names it
            shlex.split(text), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)
        )
    except (OSError, ValueError) as problem:
        raise BadInput(f"--hands {text}: {problem}; give a command, or {UNIX}PATH") from None

    def end() -> None:
        program.terminate()
        program.wait(FIRST_ANSWER_S)

    if program.stdin is None or program.stdout is None:
        raise BadInput(f"--hands {text}: it has no input or output")
    return LineHand(text, program.stdin, program.stdout, end)
