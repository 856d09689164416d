"""Drivers of the HX711 on the simulated chip, each as its users call it; equipment of `hx711.py`.

For all of them `time` is the simulated one, so each is played in a process of its own (`hx711.py`
sees to that). Whoever waits for ever in simulated time is stopped by it.
"""

import importlib
import os
import time as real_time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from hw.drivers.hx711 import Hx711Cell
from hw.drivers.hx711_adafruit import AdafruitReader
from hw.drivers.hx711_bits import BitReader
from lab.chips.hx711 import Conversion, Hx711
from lab.chips.pins import ClockPin, DataPin, SimulatedTime, preempted

RATE_HZ = 82.02
"""As a logic analyser saw it on a real chip."""

POLL_S = 0.001
PATIENCE_S = 1.0
"""The chip gives a data word every 12 ms; who has not answered by then never will."""

START_S = 10.0
"""Some drivers sleep and read for a while before they are ready."""

IDLE_US = 20.0
"""A look at a chip that is not ready, by drivers that do nothing else: so that busy waiting in
simulated time does not take longer than in real time."""

Read = Callable[[], Any]
"""Gives a count, or anything else for a refusal."""


class WaitsForEverError(BaseException):
    """Past every `except Exception`: a call has taken too long."""


class LimitedTime(SimulatedTime):
    """Simulated time with an end."""

    def __init__(self) -> None:
        self.limit_us = float("inf")
        super().__init__()

    @property
    def now_us(self) -> float:
        return self._now_us

    @now_us.setter
    def now_us(self, now_us: float) -> None:
        self._now_us = now_us
        if now_us > self.limit_us:
            raise WaitsForEverError


@dataclass(slots=True)
class Outcome:
    """What became of the readings.

    Attributes:
        conversions: that the chip made meanwhile.
        right, wrong: counts that were, and were not, what the chip had to give.
        refused: calls that gave no count.
        said: what the last call gave, or what is known about the cell.
        broken: rules of the data sheet the driver broke undisturbed.
    """

    conversions: int = 0
    right: int = 0
    wrong: int = 0
    refused: int = 0
    said: str = ""
    broken: int = 0


STEP, FIRST, COUNTS, MIDDLE = 0x3779B1, 0x12345, 0xFFFFFD, 0x7FFFFE


def varied(conversion: Conversion) -> float:
    """Counts of both signs, all bits alive, each different from its neighbours."""
    return (conversion.number * STEP + FIRST) % COUNTS - MIDDLE


def _nothing(_chip: Hx711) -> None:
    pass


def _saturate(chip: Hx711) -> None:
    chip.load_cell = lambda _conversion: 1e9


def _short(chip: Hx711) -> None:
    chip.shorted = True


CASES: dict[str, tuple[Callable[[Hx711], None], float]] = {
    "clean": (_nothing, 0.0),
    "stretched": (_nothing, 0.01),
    "saturated": (_saturate, 0.0),
    "unplugged": (Hx711.unplug, 0.0),
    "stuck low": (_short, 0.0),
}
"""What is done to the chip, and the share of pulses that are stretched to 200 us."""


# --- drivers ---------------------------------------------------------------------------------


def _until_something(cell: Hx711Cell, time: SimulatedTime) -> Any:
    """As a loop that polls every millisecond sees it; silence that is explained is an answer."""
    while (reading := cell.poll()) is None:
        if cell.problem:
            return cell.problem
        time.sleep(POLL_S)
    return reading.count if reading.valid else cell.problem or str(reading.flags.name)


def _ours(data: DataPin, clock: ClockPin, time: SimulatedTime) -> Read:
    cell = Hx711Cell("cell", data, clock, BitReader(data, clock, time), time)
    return lambda: _until_something(cell, time)


def _adapter(data: DataPin, clock: ClockPin, time: SimulatedTime) -> Read:
    with patch("adafruit_hx711.hx711.time", time):
        words = AdafruitReader(data, clock, time)
    cell = Hx711Cell("cell", data, clock, words, time)
    return lambda: _until_something(cell, time)


def _adafruit_as_shipped(data: DataPin, clock: ClockPin, time: SimulatedTime) -> Read:
    module = importlib.import_module("adafruit_hx711.hx711")
    with patch.object(module, "time", time):
        return module.HX711(data, clock).read


def _adafruit_shimmed(data: DataPin, clock: ClockPin, time: SimulatedTime) -> Read:
    """With the two missing functions and the sign put right, and nothing else."""
    module: Any = importlib.import_module("adafruit_hx711.hx711")
    shims = dict.fromkeys(("disable_interrupts", "enable_interrupts", "delay_us"), lambda *_: None)
    module.microcontroller = SimpleNamespace(**shims)
    with patch.object(module, "time", time):
        chip = module.HX711(data, clock)

    def read() -> int:
        while chip.is_busy:
            time.sleep(IDLE_US * 1e-6)
        count = int(chip._read_channel_raw(25))
        return count - (1 << 32) if count & 0x80000000 else count

    return read


@dataclass(frozen=True, slots=True)
class Driver:
    """One line of the table.

    Attributes:
        package: what must be installed for it, as pip knows it; empty for our own.
        module: what must be found.
    """

    title: str
    make: Callable[[DataPin, ClockPin, SimulatedTime], Read]
    package: str = ""
    module: str = "hw"


ADAFRUIT = "adafruit-circuitpython-hx711"
DRIVERS = {
    "ours": Driver("ours (hw.drivers.hx711_bits)", _ours),
    "adapter": Driver("adafruit 1.1.2 in our adapter", _adapter, ADAFRUIT, "adafruit_hx711"),
    "shimmed": Driver("adafruit 1.1.2, shims only", _adafruit_shimmed, ADAFRUIT, "adafruit_hx711"),
    "shipped": Driver("adafruit 1.1.2 as it is", _adafruit_as_shipped, ADAFRUIT, "adafruit_hx711"),
}


@contextmanager
def simulated(time: SimulatedTime) -> Iterator[None]:
    """Whoever sleeps or looks at a clock is in simulated time."""
    with (
        patch.object(real_time, "sleep", time.sleep),
        patch.object(real_time, "perf_counter", time),
        patch.object(real_time, "time", time),
    ):
        yield


# --- playing ---------------------------------------------------------------------------------


def play(driver: str, case: str, seconds: float, seed: int = 1) -> Outcome:
    """Let a driver read for some simulated seconds and judge what it gave."""
    prepare, share = CASES[case]
    time = LimitedTime()
    chip = Hx711("chip", RATE_HZ, varied, seed=seed)
    data, clock = DataPin(chip, time), ClockPin(chip, time)
    outcome = Outcome()
    # The library does not want to be loaded while its time is simulated.
    os.environ.setdefault("BLINKA_OS_AGNOSTIC", "1")
    importlib.import_module("adafruit_hx711.hx711")
    with simulated(time):
        # What is broken is broken when the driver comes, but not every driver survives that.
        prepare(chip)
        try:
            time.limit_us = time.now_us + START_S * 1e6
            read = DRIVERS[driver].make(data, clock, time)
            clock.away_us = preempted(share, seed=seed)
            _play(read, chip, time, seconds, outcome)
        except WaitsForEverError:
            outcome.said = "waits for ever"
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its answer
            outcome.said = f"raises {type(error).__name__}"
    outcome.broken = len(chip.violations)
    return outcome


def _play(read: Read, chip: Hx711, time: LimitedTime, seconds: float, outcome: Outcome) -> None:
    begun_us = time.now_us
    while time.now_us < begun_us + seconds * 1e6:
        before = len(chip.given)
        time.limit_us = time.now_us + PATIENCE_S * 1e6
        said = read()
        outcome.conversions = round((time.now_us - begun_us) / chip.period_us)
        if isinstance(said, bool) or not isinstance(said, int):
            outcome.refused += 1
            outcome.said = str(said)
            # A driver that answers at once is not asked all the time.
            time.sleep(POLL_S)
            continue
        right = len(chip.given) == before + 1 and chip.given[-1].data_word == said
        outcome.right += right
        outcome.wrong += not right
        outcome.said = f"gives {said}"
