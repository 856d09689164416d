"""Drivers of the HX711 on the simulated chip, each as its users call it; equipment of `hx711.py`.

A peer finds what it imports: the pins of `RPi.GPIO` and `gpiozero` lead to the chip, `time` is the
simulated one. So a peer is played in a process of its own (`hx711.py` sees to that). Whoever waits
for ever in simulated time is stopped by it.
"""

import importlib
import os
import sys
import time as real_time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
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

DATA, CLOCK = 5, 6
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


def _mpibpc(_data: DataPin, _clock: ClockPin, _time: SimulatedTime) -> Read:
    return importlib.import_module("hx711").HX711(DATA, CLOCK)._read


def _multi(_data: DataPin, _clock: ClockPin, _time: SimulatedTime) -> Read:
    module = importlib.import_module("hx711_multi")
    chip = module.HX711(dout_pins=DATA, sck_pin=CLOCK, log_level="CRITICAL")

    def read() -> Any:
        chip._adcs[0]._init_set_of_reads()
        return chip._adcs[0].reads[-1] if chip._read() else False

    return read


def _joy_it(_data: DataPin, _clock: ClockPin, _time: SimulatedTime) -> Read:
    chip = importlib.import_module("JoyIT_hx711py").HX711(DATA, CLOCK)
    # It gives offset binary.
    return lambda: chip.read() - 0x800000


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
    "hx711": Driver("hx711 (mpibpc), _read", _mpibpc, "hx711", "hx711"),
    "hx711-multi": Driver("hx711-multi, _read", _multi, "hx711-multi", "hx711_multi"),
    "joy-it": Driver("JoyIT_hx711py, read", _joy_it, "joyit-hx711py", "JoyIT_hx711py"),
}


# --- what peers import -----------------------------------------------------------------------


def _stub_modules(data: DataPin, clock: ClockPin, time: SimulatedTime) -> dict[str, ModuleType]:
    """`RPi.GPIO` and `gpiozero`, as far as the peers go, on the pins of the chip."""

    def output(_pin: int, level: object) -> None:
        clock.value = bool(level)

    def read(_pin: int) -> int:
        return int(data.value)

    gpio = ModuleType("RPi.GPIO")
    gpio.__dict__.update(BCM=11, OUT=0, IN=1, setmode=_ignore, setup=_ignore)
    gpio.__dict__.update(output=output, input=read, setwarnings=_ignore)
    rpi = ModuleType("RPi")
    rpi.__dict__["GPIO"] = gpio

    class OutputDevice:
        def __init__(self, _pin: int) -> None:
            self.off()

        def on(self) -> None:
            clock.value = True

        def off(self) -> None:
            clock.value = False

    class DigitalInputDevice:
        def __init__(self, _pin: int, *, pull_up: bool) -> None:
            assert not pull_up

        @property
        def is_active(self) -> int:
            level = data.value
            if level:
                time.sleep(IDLE_US * 1e-6)
            return int(level)

    gpiozero = ModuleType("gpiozero")
    gpiozero.__dict__.update(OutputDevice=OutputDevice, DigitalInputDevice=DigitalInputDevice)
    return {"RPi": rpi, "RPi.GPIO": gpio, "gpiozero": gpiozero}


def _ignore(*_: object, **__: object) -> None:
    pass


@contextmanager
def pins_of_a_peer(data: DataPin, clock: ClockPin, time: SimulatedTime) -> Iterator[None]:
    """Peers are imported anew, into a world where the pins are simulated."""
    os.environ.setdefault("BLINKA_OS_AGNOSTIC", "1")
    importlib.import_module("adafruit_hx711.hx711")  # It does not want to be loaded in here.
    for name in ("hx711", "hx711_multi", "hx711_multi.hx711", "JoyIT_hx711py"):
        sys.modules.pop(name, None)
        sys.modules.pop("JoyIT_hx711py.JoyIT_hx711py", None)
    with patch.dict(sys.modules, _stub_modules(data, clock, time)):
        yield


@contextmanager
def _world_of_a_peer(data: DataPin, clock: ClockPin, time: SimulatedTime) -> Iterator[None]:
    """The same, and time is simulated too."""
    with (
        pins_of_a_peer(data, clock, time),
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
    with _world_of_a_peer(data, clock, time):
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
