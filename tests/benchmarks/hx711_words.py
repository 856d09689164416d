"""Which share of the conversions arrives whole at a table that works; measured for `hx711.py`.

In real time: each access to a simulated pin asks the kernel and lets other threads run meanwhile.
The readers take turns in short blocks, so that a noisy computer is fair to all of them, and each
reads alone and beside a table in this process: detection, journal on disk, MQTT and pages.

Each count tells its conversion (`number_of`), so the chip's conversions can be counted from outside
its process, from the first whole data word of a block on. A count that cannot be what the chip had
to give then is silently wrong.
"""

import contextlib
import importlib.util
import multiprocessing
import os
import select
import socket
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from controller.app.run import connected, keep_going
from controller.app.wiring import pipeline
from controller.common.intervals import wilson
from controller.common.shutdown import Stopping
from controller.journal.journal import Journal
from controller.mqtt.client import BrokerAddress
from controller.table.publisher import Identity
from hw.drivers.cells import Cells, CellsHere, Driver
from hw.drivers.cells_apart import CellsApart
from hw.drivers.hx711 import CountFlag, Hx711Reading
from hw.drivers.scale import ScaleReader
from hw.drivers.sensor_thread import SensorThread
from lab.chips.hx711 import Hx711
from lab.chips.pins import ChipsOnPins, DataPin, RealTime, pins
from lab.mock import quiet_parameters
from pages.server import ScoreboardServer
from tests.benchmarks.hx711_drivers import (
    DRIVERS,
    RATE_HZ,
    WaitsForEverError,
    number_of,
    pins_of_a_peer,
    varied,
)
from tests.benchmarks.mqtt import Tape
from tests.benchmarks.pages import broker

RATES_HZ = (82.0, 78.5, 80.6, 93.4)
"""Four chips as they vary."""

MOST_HZ, MOST_MORE = 1.3 * max(RATES_HZ), 3
"""Conversions that a chip can have made between two data words: a power cycle brings the next one
forward a little."""

FIRST_NUMBERS = 10_000
"""The first data word of a block is of one of these conversions."""

SPEED = 2.0
"""Seconds of the game in a second: no better than a real table, which has its tilt sensor too."""

STREAMS = 4
PAUSE_S = 0.02
PATIENCE_S = 60.0
ALONE, BUSY = "alone", "beside a table"


class Word(NamedTuple):
    """What a reader gave.

    Attributes:
        t_s: when.
        said: the count; None when it was refused.
    """

    cell: int
    t_s: float
    said: int | None
    flags: CountFlag = CountFlag(0)


@dataclass(slots=True)
class Words:
    """What became of the conversions of the chips.

    Attributes:
        made: conversions since the first whole data word of a block, or the first if none was
            whole; after the last whole one they are counted by time.
        whole: right counts that arrived for them.
        refused: data words, or calls, that gave no count.
        stretched: those since PD_SCK was high for too long before all bits were out.
        power_cycles: commanded after a data word.
        wrong: counts that were given as good and were not what the chip had to give.
        overwritten: readings that nobody took in time.
    """

    made: int = 0
    whole: int = 0
    refused: int = 0
    stretched: int = 0
    power_cycles: int = 0
    wrong: int = 0
    overwritten: int = 0

    @property
    def unseen(self) -> int:
        """Conversions of which nothing arrived: the chip settled, or nobody looked."""
        return self.made - self.whole - self.refused - self.wrong

    def enter(self, words: Sequence[Word], rate_hz: float, end_s: float) -> None:
        """Count what one cell gave in one block, which ended at `end_s`."""
        last: tuple[int, float] | None = None
        since: list[Word] = []
        for word in words:
            number = None if word.said is None else number_of(word.said)
            if number is None or not _can_be(number, word.t_s, last):
                since.append(word)
                continue
            if last is None:
                # Whatever is refused at the start is settling.
                since = [begun for begun in since if begun.said is not None]
                self._enter_spoilt(since, len(since))
            else:
                self._enter_spoilt(since, number - last[0])
                self.whole += 1
            since, last = [], (number, word.t_s)
        from_s = last[1] if last else words[0].t_s if words else end_s
        self._enter_spoilt(since, max(len(since), int((end_s - from_s) * rate_hz)))

    def _enter_spoilt(self, words: Sequence[Word], made: int) -> None:
        self.made += made
        refused = [word for word in words if word.said is None]
        self.refused += len(refused)
        self.wrong += len(words) - len(refused)
        self.stretched += sum(CountFlag.STRETCHED in word.flags for word in refused)
        cycled = CountFlag.RESETTLES | CountFlag.NOT_HIGH
        self.power_cycles += sum(bool(word.flags & cycled) for word in refused)


def _can_be(number: int, t_s: float, last: tuple[int, float] | None) -> bool:
    if last is None:
        return 0 < number < FIRST_NUMBERS
    return 0 < number - last[0] <= MOST_MORE + MOST_HZ * (t_s - last[1])


# --- readers -------------------------------------------------------------------------------------


class Block(NamedTuple):
    """A reader at work.

    Attributes:
        words: what it has given; grows.
        turn: to be called now and then.
        overwritten: readings that nobody took in time.
    """

    words: list[Word]
    turn: Callable[[], object]
    overwritten: Callable[[], int] = lambda: 0


@dataclass(frozen=True, slots=True)
class Contender:
    """One line of the table."""

    title: str
    rates_hz: tuple[float, ...]
    opened: Callable[[], AbstractContextManager[Block]]


def _word(cell: int, reading: Hx711Reading) -> Word:
    return Word(cell, reading.t_s, reading.count if reading.valid else None, reading.flags)


@contextlib.contextmanager
def _as_a_table_reads(
    make: Callable[[Cells, Callable[[], float]], CellsHere | CellsApart],
    driver: Driver,
    go_first: bool = True,
) -> Iterator[Block]:
    """With its resampler in a `SensorThread`, as `hw.drivers.pi` does it."""
    group = make(Cells(ChipsOnPins(RATES_HZ, varied), driver=driver), time.perf_counter)
    if isinstance(group, CellsApart) and not go_first:
        os.sched_setscheduler(group.process_id, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(group.process_id, os.sched_getaffinity(0))
    words: list[Word] = []
    take = group.take

    def noted() -> tuple[float, list[tuple[int, Hx711Reading]]]:
        now_s, readings = take()
        words.extend(_word(cell, reading) for cell, reading in readings)
        return now_s, readings

    with patch.object(group, "take", noted):
        reader = ScaleReader(group, quiet_parameters().calibration)
        thread = SensorThread(reader, time.perf_counter)
        thread.start()
        try:
            yield Block(words, thread.take, lambda: group.lost)
        finally:
            thread.stop()


class _Stoppable:
    """A DOUT at which a reader can be made to give up."""

    def __init__(self, pin: DataPin) -> None:
        self._pin, self.stopped = pin, False

    @property
    def value(self) -> bool:
        if self.stopped:
            raise WaitsForEverError
        return self._pin.value


@contextlib.contextmanager
def _as_a_peer_reads(driver: str) -> Iterator[Block]:
    """A thread that asks one chip for one count after the other."""
    words: list[Word] = []
    with closing(RealTime()) as real:
        chip = Hx711("HX711", RATE_HZ, varied, seed=1)
        pin, clock = pins(chip, real)
        data: Any = _Stoppable(pin)
        with pins_of_a_peer(data, clock, real):
            read = DRIVERS[driver].make(data, clock, real)

        def keep_asking() -> None:
            with contextlib.suppress(WaitsForEverError):
                while True:
                    said = read()
                    good = isinstance(said, int) and not isinstance(said, bool)
                    words.append(Word(0, time.perf_counter(), said if good else None))

        thread = threading.Thread(target=keep_asking, daemon=True)
        thread.start()
        try:
            yield Block(words, lambda: None)
        finally:
            data.stopped = True
            thread.join(PATIENCE_S)


PEERS = ("shimmed", "hx711", "hx711-multi", "joy-it")
OURS = {
    "thread": Contender(
        "ours in a thread (before)", RATES_HZ, partial(_as_a_table_reads, CellsHere.opened, "own")
    ),
    "process": Contender(
        "ours in its own process (now)", RATES_HZ, partial(_as_a_table_reads, CellsApart, "own")
    ),
    "ordinary process": Contender(
        "the same, not allowed to go first",
        RATES_HZ,
        partial(_as_a_table_reads, CellsApart, "own", go_first=False),
    ),
    "adapter in a thread": Contender(
        "adafruit in our adapter, in a thread",
        RATES_HZ,
        partial(_as_a_table_reads, CellsHere.opened, "adafruit"),
    ),
    "adapter": Contender(
        "adafruit in our adapter, in its own process",
        RATES_HZ,
        partial(_as_a_table_reads, CellsApart, "adafruit"),
    ),
}


def contenders() -> tuple[dict[str, Contender], list[str]]:
    """Ours and the peers that are installed; and the names of those that are not."""
    found, missing = dict(OURS), []
    for name in PEERS:
        driver = DRIVERS[name]
        if importlib.util.find_spec(driver.module) is None:
            missing.append(f"{driver.title} skipped: pip install {driver.package}")
        else:
            found[name] = Contender(
                f"{driver.title}, in a thread", (RATE_HZ,), partial(_as_a_peer_reads, name)
            )
    return found, missing


# --- what else the table does --------------------------------------------------------------------


@contextlib.contextmanager
def beside_a_table(address: BrokerAddress, seconds: float) -> Iterator[None]:
    """A table that plays in threads of this process, and people of another one who look on."""
    stopping, ready = Stopping(), threading.Event()
    thread = threading.Thread(
        target=_play, args=(address, Tape(seconds * SPEED), stopping, ready), daemon=True
    )
    thread.start()
    if not ready.wait(PATIENCE_S):
        raise TimeoutError("the table beside the readers did not start")
    try:
        yield
    finally:
        stopping.set()
        thread.join(PATIENCE_S)


def _play(
    address: BrokerAddress, evening: Tape, stopping: Stopping, ready: threading.Event
) -> None:
    """All in one thread, since a journal is written by the one that opened it."""
    identity = Identity("bench", "b", simulated=True)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        journal = stack.enter_context(Journal(Path(folder) / "games"))
        table, _ = stack.enter_context(
            connected(
                evening, pipeline(evening.tabletop), journal, identity, address,
                listener=lambda _outcome, _board: None,
            )
        )  # fmt: skip
        server = ScoreboardServer(address, port=0, quiet=True)
        server.start()
        stack.callback(server.stop)
        stack.enter_context(_watched(server.port))
        ready.set()
        keep_going(table, stopping, speed=SPEED)


@contextlib.contextmanager
def _watched(port: int) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_watch, args=(port,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join(PATIENCE_S)


def _watch(port: int) -> None:
    """Event streams that are read as they come, and a page that is fetched each second."""
    streams = [socket.create_connection(("127.0.0.1", port)) for _ in range(STREAMS)]
    for stream in streams:
        stream.sendall(b"GET /t/bench/stream HTTP/1.1\r\nhost: a\r\n\r\n")
    fetched_s = time.monotonic()
    while streams:
        for stream in select.select(streams, [], [], 0.5)[0]:
            if not stream.recv(1 << 18):
                streams.remove(stream)
        if time.monotonic() - fetched_s > 1.0:
            fetched_s = time.monotonic()
            urllib.request.urlopen(f"http://127.0.0.1:{port}/t/bench").close()


# --- the run -------------------------------------------------------------------------------------


def measure_words(
    readers: dict[str, Contender], seconds: float, rounds: int = 3
) -> dict[tuple[str, str], Words]:
    """What became of the conversions, for each reader alone and beside a table.

    Args:
        readers: by name.
        seconds: of reading, of all readers together.
        rounds: how often each has its turn.
    """
    found = {(name, load): Words() for load in (ALONE, BUSY) for name in readers}
    block_s = seconds / (2 * rounds * len(readers))
    # Readers take their time to start, and the table is not to run out of samples meanwhile.
    longest_s = (block_s + 2.0) * len(readers)
    with broker() as (_, address):
        for _ in range(rounds):
            for load in (ALONE, BUSY):
                with ExitStack() as stack:
                    if load == BUSY:
                        stack.enter_context(beside_a_table(address, longest_s))
                    for name, reader in readers.items():
                        _read(reader, block_s, found[name, load])
    return found


def _read(reader: Contender, block_s: float, found: Words) -> None:
    with reader.opened() as block:
        end_s = time.monotonic() + block_s
        while time.monotonic() < end_s:
            time.sleep(PAUSE_S)
            block.turn()
        ended_s = time.perf_counter()
        found.overwritten += block.overwritten()
    for cell, rate_hz in enumerate(reader.rates_hz):
        found.enter([word for word in block.words if word.cell == cell], rate_hz, ended_s)


def share_of(words: Words) -> str:
    """The share of whole data words with its 95 % interval.

    >>> share_of(Words(made=1000, whole=990))
    '99.0 % (98.2-99.5)'
    """
    if not words.made:
        return "none"
    low, high = wilson(words.whole, words.made)
    return f"{100 * words.whole / words.made:.1f} % ({100 * low:.1f}-{100 * high:.1f})"
