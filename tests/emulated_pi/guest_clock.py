"""The clock of an emulated machine, by which all goes that is simulated beside it.

QEMU counts the machine's instructions (`PACE`), and each takes the same time of its clock. So a
busy computer makes a second of that clock longer, and changes nothing that happens in it.
"""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PACE = ("-icount", "shift=1,sleep=on")
"""Two nanoseconds an instruction: the four processors carry out as many together as one core of a
Pi Zero 2 W. When all are idle, the clock goes as fast as the time of day, and no faster."""

SYSTEM_TIMER = 0x3F003004
"""Microseconds since power-on, the low 32 bits (BCM2835 ARM Peripherals, 12.1, CLO; on this
processor peripherals begin at 0x3f000000)."""

LOOK_AT_TIMER = f"xp /1wx {SYSTEM_TIMER:#x}"
LOOK_S = 0.01


class GuestClock:
    """Stands still while there is no power, and goes on from there.

    Args:
        plug: where QEMU waits for commands (`-qmp`).
    """

    def __init__(self, plug: Path) -> None:
        self._plug = plug
        self._lock = threading.RLock()
        self._line: socket.socket | None = None
        self._timer_us, self._now_us = 0, 0

    def start(self, must_run: Callable[[], None]) -> None:
        """Begin with the machine.

        Args:
            must_run: raises when the machine has ended.
        """
        line = socket.socket(socket.AF_UNIX)
        while line.connect_ex(str(self._plug)):
            must_run()
            time.sleep(LOOK_S)
        with self._lock:
            self._line, self._answers = line, line.makefile("r")
            self._answers.readline()
            self._ask("qmp_capabilities")
            self._timer_us = 0

    def stop(self) -> None:
        """The machine has lost its power."""
        with self._lock:
            if self._line is not None:
                self._answers.close()
                self._line.close()
                self._line = None
                self._plug.unlink(missing_ok=True)

    @property
    def now_s(self) -> float:
        """How long the machine has had power, over all its starts."""
        with self._lock:
            said = self._ask("human-monitor-command", **{"command-line": LOOK_AT_TIMER})
            if said is not None:
                timer_us = int(said.partition(":")[2], 16)
                # It wraps after 71 minutes.
                self._now_us += (timer_us - self._timer_us) % 2**32
                self._timer_us = timer_us
            return self._now_us * 1e-6

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """While this lasts, the machine and its clock stand still."""
        self._ask("stop")
        try:
            yield
        finally:
            self._ask("cont")

    def _ask(self, command: str, **arguments: str) -> Any:
        """A command for QEMU itself; None without power, or when it is lost at this moment.

        Raises:
            RuntimeError: QEMU refuses it.
        """
        with self._lock, contextlib.suppress(ConnectionError):
            if self._line is None:
                return None
            order = {"execute": command, "arguments": arguments}
            self._line.sendall(json.dumps(order).encode())
            while line := self._answers.readline():
                said = json.loads(line)
                if "error" in said:
                    raise RuntimeError(f"{command}: {said['error']['desc']}")
                if "return" in said:
                    return said["return"]
        return None
