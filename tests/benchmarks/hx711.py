"""How far HX711 drivers can be trusted on a busy computer: `python -m tests.benchmarks.hx711`.

On the simulated chip (`lab.chips`): undisturbed, with 1 % of the pulses stretched to 200 us, and
with the usual faults. A count is wrong when it is not the data word the chip had to give; a wrong
count that is not refused is silently wrong. Kept are the right counts, of all conversions.

The prescribed library is measured in our adapter, with shims and as it is. For all drivers `time`
is the simulated one, so each is played in a process of its own, with a time limit; whoever waits
for ever in simulated time is stopped by it.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import time as real_time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

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


STRETCHED_SHARE = 0.01
"""Of the pulses, in the case of that name."""

FAULTS: dict[str, Callable[[Hx711], None]] = {
    "saturated": lambda chip: setattr(chip, "load_cell", lambda _conversion: 1e9),
    "unplugged": Hx711.unplug,
    "stuck low": lambda chip: setattr(chip, "shorted", True),
}
"""What is done to the chip."""

CASES = ("clean", "stretched", *FAULTS)
FAULT_S = 3.0
"""Simulated, of a case with a fault; the others last as long as is asked for."""

LIMIT_S = 600.0
"""Real, for all cases of a driver."""


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


Make = Callable[[DataPin, ClockPin, SimulatedTime], Read]
DRIVERS: dict[str, tuple[str, Make]] = {
    "ours": ("ours (hw.drivers.hx711_bits)", _ours),
    "adapter": ("adafruit 1.1.2 in our adapter", _adapter),
    "shimmed": ("adafruit 1.1.2, shims only", _adafruit_shimmed),
    "shipped": ("adafruit 1.1.2 as it is", _adafruit_as_shipped),
}
"""Title, and what makes it."""


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
    time = LimitedTime()
    chip = Hx711("chip", RATE_HZ, varied, seed=seed)
    data, clock = DataPin(chip, time), ClockPin(chip, time)
    outcome = Outcome()
    # The library does not want to be loaded while its time is simulated.
    os.environ.setdefault("BLINKA_OS_AGNOSTIC", "1")
    importlib.import_module("adafruit_hx711.hx711")
    with simulated(time):
        # What is broken is broken when the driver comes, but not every driver survives that.
        if case in FAULTS:
            FAULTS[case](chip)
        try:
            time.limit_us = time.now_us + START_S * 1e6
            read = DRIVERS[driver][1](data, clock, time)
            share = STRETCHED_SHARE if case == "stretched" else 0.0
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


def measure_apart(driver: str, seconds: float) -> dict[str, Outcome]:
    """All cases of one driver, in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, "--seconds", str(seconds), "--only", driver]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=True)
    # Peers may print before.
    told = json.loads(done.stdout.splitlines()[-1])
    return {case: Outcome(**figures) for case, figures in told.items()}


def _tell(driver: str, seconds: float) -> None:
    """All cases of one driver, in this process, for the parent to read."""
    outcomes = {
        case: asdict(play(driver, case, FAULT_S if case in FAULTS else seconds)) for case in CASES
    }
    print(json.dumps(outcomes))


# --- the tables ------------------------------------------------------------------------------


def _counts(outcome: Outcome) -> str:
    if not outcome.right + outcome.wrong + outcome.refused:
        return outcome.said
    return f"{outcome.right} / {outcome.wrong} / {outcome.refused}"


def _figures(outcomes: dict[str, Outcome]) -> tuple[str, ...]:
    clean, stretched = outcomes["clean"], outcomes["stretched"]
    kept = f"{stretched.right / stretched.conversions:.1%}" if stretched.conversions else "-"
    return _counts(clean), _counts(stretched), kept, str(clean.broken)


def _answers(outcomes: dict[str, Outcome]) -> tuple[str, ...]:
    return tuple("".join(outcomes[fault].said.partition(".")[:2]) for fault in FAULTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="simulated, for each driver")
    parser.add_argument("--only", choices=DRIVERS, help="print the outcomes of one as JSON")
    chosen = parser.parse_args()
    if chosen.only:
        _tell(chosen.only, chosen.seconds)
        return
    figures = Table(title="HX711 drivers: right / silently wrong / refused")
    answers = Table("driver", *FAULTS, title="The same, when something is broken")
    for title in ("driver", "undisturbed", "1 % of pulses 200 us", "kept", "rules broken"):
        figures.add_column(title)
    for driver, (title, _) in DRIVERS.items():
        outcomes = measure_apart(driver, chosen.seconds)
        figures.add_row(title, *_figures(outcomes))
        answers.add_row(title, *_answers(outcomes))
    Console().print(figures, answers, sep="\n")


if __name__ == "__main__":
    main()
