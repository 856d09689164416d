"""Load cells that a process of their own reads: starts it, watches it, takes what it gives.

The process is started from scratch, so it shares neither threads nor locks with this one. It
opens the pins; what goes wrong there is raised here, as if it had happened here. One that dies or
hangs is a sentence (`problem`) and is started again. It ends with this process, however this one
ends, because its socket does.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import astuple, replace
from math import inf
from multiprocessing import Pipe

from engine.trouble import Trouble
from hw.drivers.cells import Cells, cell_names
from hw.drivers.cells_ring import CellsRing
from hw.drivers.hx711 import CellCopy, CellTally, Hx711Reading
from hw.errors import HardwareError, NoPins
from hw.troubles import CELLS_ENDED, CELLS_HANG, CELLS_KILLED, CELLS_UNOPENED

START_S = 60.0
"""A Pi Zero that starts a dozen services takes ten seconds to import Blinka."""
HANG_S = 2.0
"""A look takes a few milliseconds; a computer that swaps lets it wait longer."""
STALL_S = 0.1
"""More time than this between two looks is time in which nobody could do anything."""
RETRY_S = 0.5
UNOPENED_RETRY_S = 10.0
"""Each try starts a process, which takes a Pi Zero ten seconds of its processor."""
CLOSE_S = 2.0

REFUSED = (
    "The process that reads the load cells may not go before other programs ({why}): while this "
    "computer is busy it loses more readings. The installed service may; elsewhere allow it with "
    "ulimit -r 10."
)


class CellsApart:
    """A `CellGroup` in a process of its own.

    Attributes:
        cells: how each is.
        problem: what keeps all of them from being read; None when nothing does.
        refused: why the process may not go first, empty if it may.
        starts: processes so far.
    """

    def __init__(self, wanted: Cells, now: Callable[[], float]) -> None:
        """Start the process and wait until it has opened the cells.

        `now` is the clock of the readings: `time.perf_counter`, which all processes share.

        Raises:
            NoPins: as the process found it, if the cells are needed.
            MissingDriver: as the process found it.
        """
        self._wanted, self._now = wanted, now
        self.cells = tuple(CellCopy(name) for name in cell_names(wanted.count))
        self._before = self.cells
        self.problem: Trouble | None = None
        self._pins_refused: dict[int, Trouble] = {}
        self.refused = ""
        self.starts = self._lost_before = 0
        self._retry_s = inf
        self._start()
        try:
            # One that says nothing for so long is looked after as any that hangs.
            if self._parent.poll(START_S):
                self._hear_first()
        except (EOFError, ConnectionResetError):
            self.close()
            raise NoPins(
                "the process that reads the load cells ended at once; its last words are above"
            ) from None
        except BaseException:
            self.close()
            raise

    @property
    def lost(self) -> int:
        """Readings that nobody took in time, since the start."""
        return self._lost_before + self._ring.lost

    @property
    def notices(self) -> tuple[str, ...]:
        """What the owner should know from the beginning."""
        return (REFUSED.format(why=self.refused),) if self.refused else ()

    @property
    def process_id(self) -> int:
        """Of the process that reads now, or read last."""
        return self._process.pid

    def take(self) -> tuple[float, list[tuple[int, Hx711Reading]]]:
        """Readings that have come, each with its cell's number, and up to when they are all."""
        now_s = self._now()
        self._look_after(now_s)
        heard_s = self._ring.heard_s() if self._reading else now_s
        readings = self._ring.take()
        self.cells = tuple(self._look(number) for number in range(len(self.cells)))
        # Before its first look the process has nothing to tell.
        return max(heard_s, self._ready_s), readings

    def close(self) -> None:
        """End the process."""
        self._stop()
        self._ring.close()

    # --- the process ----------------------------------------------------------------------

    def _start(self) -> None:
        self._ring = CellsRing()
        self._parent, child = Pipe()
        self._reading, self._ready_s = False, -inf
        self._looked_s, self._sign_s, self._quiet_s = self._now(), -inf, 0.0
        self.starts += 1
        # As this process finds its modules, and not in the folder we happen to be in.
        path = os.pathsep.join(entry for entry in sys.path if entry)
        command = (sys.executable, "-P", "-m", "hw.drivers.cells_process")
        numbers = child.fileno(), self._ring.descriptor
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [*command, *(str(number) for number in numbers)],
            stdin=subprocess.DEVNULL,
            pass_fds=numbers,
            env={**os.environ, "PYTHONPATH": path},
        )
        child.close()
        self._parent.send(self._wanted)

    def _hear_first(self) -> None:
        try:
            self._hear()
        except NoPins as error:
            if self._wanted.needed:
                raise
            self._unopened(self._now(), error)

    def _hear(self) -> None:
        """What the process says when it has opened the cells, or could not; later of single ones.

        Raises:
            EOFError: it has ended.
            HardwareError: it could not.
        """
        answer = self._parent.recv()
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, tuple):
            number, trouble = answer
            self._pins_refused.pop(number, None)
            if trouble is not None:
                self._pins_refused[number] = trouble
            return
        self.refused, self.problem = answer, None
        self._reading, self._ready_s = True, self._now()

    def _stop(self) -> None:
        self._parent.close()
        try:
            # Long enough for its last words, too.
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _look(self, number: int) -> CellCopy:
        """How a cell is, with all that was counted since the start."""
        now, before = self.cells[number], self._before[number]
        told = self._ring.status(number, now.name)
        refused = self._pins_refused.get(number)
        if told is None:
            return replace(now, refused=refused)
        counts = zip(astuple(told.tally), astuple(before.tally), strict=True)
        return replace(told, tally=CellTally(*map(sum, counts)), refused=refused)

    # --- when it goes wrong -------------------------------------------------------------------

    def _look_after(self, now_s: float) -> None:
        if now_s >= self._retry_s:
            self._again()
        elif self._retry_s < inf:
            return
        elif self._parent.poll():
            self._listen(now_s)
        elif self._process.poll() is not None:
            self._gone(now_s, self._how_it_ended())
        elif self._quiet(now_s) > (HANG_S if self._reading else START_S):
            self._gone(now_s, CELLS_HANG())

    def _quiet(self, now_s: float) -> float:
        """How long it has given no sign of life, while this process could look."""
        sign_s = max(self._ring.heard_s(), self._ready_s)
        passed_s = min(now_s - self._looked_s, STALL_S)
        self._quiet_s = self._quiet_s + passed_s if sign_s == self._sign_s else 0.0
        self._looked_s, self._sign_s = now_s, sign_s
        return self._quiet_s

    def _listen(self, now_s: float) -> None:
        try:
            self._hear()
        except HardwareError as error:
            self._unopened(now_s, error)
        except (EOFError, ConnectionResetError):
            self._stop()
            self._gone(now_s, self._how_it_ended())

    def _how_it_ended(self) -> Trouble:
        code = self._process.returncode
        return CELLS_KILLED(n=-code) if code < 0 else CELLS_ENDED(n=code)

    def _unopened(self, now_s: float, error: HardwareError) -> None:
        self._gone(now_s, CELLS_UNOPENED(error=str(error)))
        self._retry_s = now_s + UNOPENED_RETRY_S

    def _gone(self, now_s: float, problem: Trouble) -> None:
        self.problem, self._reading = problem, False
        self._pins_refused.clear()
        self._stop()
        self._retry_s = now_s + RETRY_S

    def _again(self) -> None:
        self._retry_s = inf
        self._before = self.cells
        self._lost_before += self._ring.lost
        self._ring.close()
        self._start()
