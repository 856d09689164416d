"""Demonstrations as people start them: in a process of their own, ended by Ctrl-C."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.controller.conftest import PATIENCE_S

ROOT = Path(__file__).parents[3]


class Program:
    """A demonstration that runs.

    Attributes:
        told: the lines that were waited for.
    """

    def __init__(self, *command: str) -> None:
        self.told: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )  # fmt: skip

    def lines(self) -> Iterator[str]:
        """What it prints, as it comes."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.told.append(line)
            yield line

    def until(self, words: str) -> str:
        """The first line that holds these words."""
        return next(line for line in self.lines() if words in line)

    def interrupt(self) -> str:
        """End it by Ctrl-C; what it prints after the lines that were read."""
        self._process.send_signal(signal.SIGINT)
        return self._process.communicate(timeout=PATIENCE_S)[0]

    def kill_its(self, program: str) -> None:
        """Kill what it has started under that name."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                named = (folder / "comm").read_text().strip()
                if (parent, named) == (self._process.pid, program):
                    os.kill(int(folder.name), signal.SIGKILL)

    @property
    def returncode(self) -> int:
        return self._process.returncode


@contextlib.contextmanager
def running(call: str) -> Iterator[Program]:
    """A function of the lab's demonstrations, such as `demo.run(seed=5)`."""
    module = call.partition(".")[0]
    code = (
        "from controller.mqtt.client import BrokerAddress; import sys; "
        f"from lab.demo import {module}; sys.exit({call})"
    )
    program = Program("-c", code)
    try:
        yield program
    finally:
        rest = program.interrupt()
    assert program.returncode == 0, rest
    assert "Traceback" not in "".join(program.told) + rest
