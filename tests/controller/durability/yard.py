"""Where tables are killed: one warm process that makes children, which play until they die.

    python -m tests.controller.durability.yard      (with LD_PRELOAD=plug.so)

Orders come as JSON lines, each answered by one. Starting Python and its libraries takes longer
than all a test wants to see, so it is done once; each child is a fork and opens its own files.
"""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.controller.conftest import PATIENCE_S

ROOT = Path(__file__).parents[3]
SOURCE = Path(__file__).with_name("plug.c")
WORDS, DONE, REFUSED, CRASHED = "words", 0, 1, 3
"""File that a child leaves when it ends with words, and its exit codes."""


@dataclass(frozen=True)
class Order:
    """What one child does, and how it ends.

    Attributes:
        scene: name of a function of `scenes`.
        folder: what it works on, and what the plug watches.
        kill_at: call that is its last; 0 for none. torn: after half of it.
        full_at: call from which on the disk is full; 0 for none.
        after_s: killed from outside after so long; None for not.
        log: where the plug writes what it saw; empty for nowhere.
    """

    scene: str
    folder: str
    seed: int = 1
    moves: int = 30
    kill_at: int = 0
    torn: bool = False
    full_at: int = 0
    after_s: float | None = None
    log: str = ""


@dataclass(frozen=True)
class Ending:
    """How a child ended: `killed`, or its exit code; `calls` it made if it came to its end."""

    killed: bool
    code: int
    calls: int
    words: str


class Yard:
    """The warm process, seen from the test."""

    def __init__(self, plug: Path) -> None:
        environment = {**os.environ, "LD_PRELOAD": str(plug), "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.controller.durability.yard"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=ROOT, text=True,
        )  # fmt: skip

    def run(self, order: Order) -> Ending:
        """Let a child carry out an order; returns when it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(order)) + "\n")
        self._process.stdin.flush()
        return Ending(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE_S)


def build(folder: Path) -> Path:
    """Compile the plug."""
    plug = folder / "plug.so"
    subprocess.run(
        ["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(plug), str(SOURCE),
         "-ldl", "-lpthread"],
        check=True,
    )  # fmt: skip
    return plug


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Yard]:
    """A yard for as long as the block lasts."""
    yard = Yard(build(folder))
    try:
        yield yard
    finally:
        yard.close()


# --- the warm process ------------------------------------------------------------------------


def _child(order: Order, plug: Any, pipe: int) -> None:
    from controller.common.errors import ControllerError
    from hw.errors import HardwareError
    from tests.controller.durability import scenes

    code = DONE
    plug.plug_arm(
        order.folder.encode(), order.log.encode(), order.kill_at, int(order.torn), order.full_at
    )
    try:
        getattr(scenes, order.scene)(Path(order.folder), order.seed, order.moves)
    except (ControllerError, HardwareError) as error:
        code, words = REFUSED, str(error)
    except BaseException:  # noqa: BLE001 - a crash is what the test wants to know of
        code, words = CRASHED, traceback.format_exc()
    else:
        words = ""
    os.write(pipe, json.dumps([plug.plug_calls(), words]).encode())
    os._exit(code)


def _carry_out(order: Order, plug: Any) -> Ending:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        _child(order, plug, theirs)
    os.close(theirs)
    if order.after_s is not None:
        time.sleep(order.after_s)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(ours, "rb") as pipe:
        left = pipe.read()
    _, status = os.waitpid(child, 0)
    calls, words = json.loads(left) if left else (0, "")
    return Ending(os.WIFSIGNALED(status), os.waitstatus_to_exitcode(status), calls, words)


def main() -> None:
    """Carry out orders until there are no more."""
    from tests.controller.durability import scenes

    scenes.warm_up()
    plug = ctypes.CDLL(None)
    plug.plug_calls.restype = ctypes.c_long
    plug.plug_arm.argtypes = [
        ctypes.c_char_p, ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_long,
    ]  # fmt: skip
    for line in sys.stdin:
        print(json.dumps(asdict(_carry_out(Order(**json.loads(line)), plug))), flush=True)


if __name__ == "__main__":
    main()
