"""Opening the pins: on this machine, which has none, and on one whose libraries end in models."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import gpiozero
import pytest
import smbus2
from gpiozero.pins.mock import MockFactory

from engine.samples import ImuSamples, ScaleSamples, SensorReport
from hw import pi_pins
from hw.calibrating.design import drawn_table
from hw.chips.hx711 import Hx711
from hw.chips.i2c import I2cWires, WiredBus
from hw.chips.mpu6050 import Mpu6050
from hw.chips.pins import ClockPin, DataPin, SimulatedTime
from hw.errors import BadCalibration, NoPins
from hw.mock import quiet_parameters
from hw.one_cell import one_cell
from hw.pi import PiSource
from hw.pi_pins import Driver, open_pi
from hw.pins import Pins

CALIBRATION = quiet_parameters().calibration
PINS = Pins()
DEADLINE_S = 20.0


class RealTime(SimulatedTime):
    """The chips live in the time of the test's own clock; looking at a pin takes what it takes."""

    def __init__(self) -> None:
        self._began_s = time.perf_counter()

    @property
    def now_us(self) -> float:
        return (time.perf_counter() - self._began_s) * 1e6

    @now_us.setter
    def now_us(self, _value: float) -> None:
        """Time goes by itself."""


class Board:
    """A Raspberry Pi as its libraries show it, with a table on its pins."""

    def __init__(self) -> None:
        self.time = RealTime()
        self.chips = [Hx711(f"HX711 {n}", 85.0, lambda _c: 1234.0, seed=n) for n in range(4)]
        self.imu = Mpu6050(lambda _number: (0, 0, 16384, -521, 1, 2, 3))
        self.wires = I2cWires(lambda: self.time.now_us * 1e-6)
        self.wires.attach(self.imu)
        self.taken: list[int] = []

    def digital_in_out(self, number: int) -> object:
        """What `digitalio.DigitalInOut` makes of a pin of `board`."""
        self.taken.append(number)
        data = number in PINS.hx711_data
        numbers = PINS.hx711_data if data else PINS.hx711_clock
        pin = (DataPin if data else ClockPin)(self.chips[numbers.index(number)], self.time)
        pin.deinit = lambda: self.taken.remove(number)
        return pin


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    made = Board()
    names = SimpleNamespace(**{f"D{number}": number for number in range(28)})
    digitalio = ModuleType("digitalio")
    digitalio.DigitalInOut = made.digital_in_out
    digitalio.Direction = SimpleNamespace(INPUT="in", OUTPUT="out")
    monkeypatch.setitem(sys.modules, "board", names)
    monkeypatch.setitem(sys.modules, "digitalio", digitalio)
    monkeypatch.setattr(smbus2, "SMBus", lambda _number: WiredBus(made.wires))
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", MockFactory())
    yield made
    gpiozero.Device.pin_factory.reset()


def poll_until_enough(source: PiSource) -> tuple[int, int, list[SensorReport]]:
    """Poll as a table does, until rows and inertial samples have come."""
    began_s = time.monotonic()
    rows = inertial = 0
    reports: list[SensorReport] = []
    while time.monotonic() - began_s < DEADLINE_S and (rows < 40 or inertial < 200):
        for item in source.poll(time.monotonic() - began_s):
            rows += int(item.valid.any(axis=1).sum()) if isinstance(item, ScaleSamples) else 0
            inertial += len(item.t_s) if isinstance(item, ImuSamples) else 0
            reports += [item] if isinstance(item, SensorReport) else []
        time.sleep(0.01)
    return rows, inertial, reports


@pytest.mark.parametrize("driver", ["own", "adafruit"])
def test_threads_read_real_libraries_down_to_the_chips(board: Board, driver: Driver) -> None:
    source = open_pi(PINS, CALIBRATION, driver=driver)
    rows, inertial, _reports = poll_until_enough(source)
    threads = [post._thread for post in source.posts]
    source.close()

    # How many words a busy machine spoils is not the matter here; none may be wrong.
    assert rows >= 40
    assert inertial >= 200
    assert not any(thread.is_alive() for thread in threads)
    assert board.taken == []
    assert board.imu.violations == []


def test_a_starter_needs_one_amplifier_and_no_bus(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_number: int) -> None:
        raise AssertionError("a starter has no inertial sensor")

    monkeypatch.setattr(smbus2, "SMBus", nothing)
    pins = Pins(hx711_data=PINS.hx711_data[:1], hx711_clock=PINS.hx711_clock[:1])
    calibration = one_cell(drawn_table(), 500.0, 1234.0, 80.0)
    with pytest.raises(BadCalibration, match="four load cells"):
        open_pi(pins, CALIBRATION)
    source = open_pi(pins, calibration)
    began_s, rows = time.monotonic(), 0
    while time.monotonic() - began_s < DEADLINE_S and rows < 20:
        for item in source.poll(time.monotonic() - began_s):
            rows += int(item.valid.all(axis=1).sum()) if isinstance(item, ScaleSamples) else 0
        time.sleep(0.01)
    health = source.pins_health()
    source.close()

    assert rows >= 20
    assert source.tabletop.weight_only
    assert len(health.cells) == 1
    assert board.taken == []


def test_this_machine_says_what_it_lacks() -> None:
    with pytest.raises(NoPins, match="no I2C bus 31"):
        open_pi(Pins(i2c_bus=31), CALIBRATION)


def test_a_bus_that_is_not_for_us_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_number: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(smbus2, "SMBus", closed)
    with pytest.raises(NoPins, match=r"Permission denied.*group i2c"):
        pi_pins.open_bus(1)


def test_a_pin_that_another_program_holds_lets_go_of_all_the_others(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(number: int) -> object:
        if number == PINS.hx711_clock[2]:
            raise OSError(16, "Device or resource busy")
        return board.digital_in_out(number)

    monkeypatch.setattr(sys.modules["digitalio"], "DigitalInOut", held)
    with pytest.raises(NoPins, match=r"Device or resource busy.*no other program may hold"):
        open_pi(PINS, CALIBRATION)

    assert board.taken == []
    open_again = gpiozero.DigitalInputDevice(PINS.pass_button)
    open_again.close()


def test_a_missing_library_is_named_with_the_way_to_get_it(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "digitalio", None)
    with pytest.raises(
        NoPins, match=r"digitalio is not installed; pip install 'topple-table\[pi\]'"
    ):
        open_pi(PINS, CALIBRATION)


def test_lgpio_makes_its_pipes_in_a_folder_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where we are may not be ours to write: `sudo -u topple-table` in somebody's home."""
    monkeypatch.delenv("LG_WD", raising=False)
    monkeypatch.setattr(pi_pins.tempfile, "tempdir", str(tmp_path))

    pi_pins.give_lgpio_a_folder()
    (folder,) = tmp_path.iterdir()
    assert os.environ["LG_WD"] == str(folder)

    pi_pins.give_lgpio_a_folder()
    assert list(tmp_path.iterdir()) == [folder]
