"""The process that reads the load cells, so that nothing else takes turns with it.

A pulse to an HX711 must not last longer than 50 us, and the threads of one Python process make
each other wait for milliseconds. Here there is one thread, without garbage collection, which
goes before all ordinary programs where that is allowed. `hw.drivers.cells_apart` starts it and
hands it a socket and a `CellsRing`; it ends when the other end of the socket does.
"""

import ctypes
import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from typing import Any

from hw.drivers.cells import LOOK_S, Cells, OpenedCell
from hw.drivers.cells_ring import CellsRing
from hw.drivers.hx711 import CellCopy, read_in_turn
from hw.errors import HardwareError

PRIORITY = 10
"""Of 1 to 99: before every ordinary program, behind the kernel's own threads (50)."""

LOCK_WHAT_IS_THERE = 1
"""MCL_CURRENT. Not what comes later: past the limit that would be refused to us altogether."""


def main(socket: int, memory: int) -> None:
    """Open the cells that the socket tells, and read them until it closes."""
    for stop in (signal.SIGINT, signal.SIGTERM):
        # They are meant for the table, which closes the socket when it has done its part.
        signal.signal(stop, signal.SIG_IGN)
    with ExitStack() as stack, suppress(EOFError, BrokenPipeError, ConnectionResetError):
        parent: Connection[Any, Any] = Connection(socket)
        stack.callback(parent.close)
        ring = CellsRing(memory)
        stack.callback(ring.close)
        wanted: Cells = parent.recv()
        try:
            cells = wanted.open(stack, time.perf_counter)
        except HardwareError as error:
            parent.send(error)
            return
        parent.send(go_first())
        read(cells, ring, parent, time.perf_counter)


def read(
    cells: Sequence[OpenedCell], ring: CellsRing, parent: Connection, now: Callable[[], float]
) -> None:
    """Read until the parent says something, or is gone."""
    told: list[CellCopy | None] = [None] * len(cells)
    while not select.select([parent], [], [], LOOK_S)[0]:
        heard_s = now()
        for number, reading in read_in_turn(cells):
            ring.put(number, reading)
        for number, cell in enumerate(cells):
            status = cell.status
            if status != told[number]:
                ring.tell(number, status)
                _tell_refused(parent, number, told[number], status)
                told[number] = status
        ring.told_all(heard_s)


def _tell_refused(parent: Connection, number: int, before: CellCopy | None, now: CellCopy) -> None:
    """What the ring has no room for: why the pins of a cell cannot be had."""
    if now.refused != (None if before is None else before.refused):
        parent.send((number, now.refused))


def go_first() -> str:
    """Go before other programs, on one processor, all in memory; why not, if it is not allowed."""
    gc.collect()
    gc.freeze()
    gc.disable()
    # Where libraries may not make code at run time, ctypes may be refused.
    with suppress(OSError, MemoryError, ImportError, AttributeError):
        ctypes.CDLL(None).mlockall(LOCK_WHAT_IS_THERE)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    except OSError as error:
        return error.strerror or str(error)
    return ""


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
