"""Opening the pins: on this machine, which has none, and on one whose kernel ends in models.

Blinka, gpiod, gpiozero and smbus2 are the real ones. Blinka is told that this is a Pi 4; below it
`gpiod.Chip`, which would open the kernel's device, is a model with a table on its lines.
"""

import importlib
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import gpiod
import gpiozero
import pytest
import smbus2
from gpiod.line import Bias, Direction, Value
from gpiozero.pins.mock import MockFactory

from engine.samples import ImuSamples, ScaleSamples, SensorReport
from hw.building.design import drawn_table
from hw.drivers import pi_pins
from hw.drivers.cells import CellsHere, Driver
from hw.drivers.one_cell import one_cell
from hw.drivers.pi import PiSource
from hw.drivers.pi_pins import open_pi
from hw.drivers.pins import Pins
from hw.errors import BadCalibration, NoPins
from lab.chips.hx711 import Hx711
from lab.chips.i2c import I2cWires, WiredBus
from lab.chips.mpu6050 import Mpu6050
from lab.chips.pins import ClockPin, DataPin
from lab.mock import quiet_parameters
from tests.hw.real_time import RealTime

CALIBRATION = quiet_parameters().calibration
PINS = Pins()
DEADLINE_S = 180.0
"""It only bounds a failure: on a busy machine most readings come too late and are refused."""


class Board:
    """A Raspberry Pi as its libraries show it, with a table on its pins."""

    def __init__(self) -> None:
        self.time = RealTime()
        self.chips = [Hx711(f"HX711 {n}", 85.0, lambda _c: 1234.0, seed=n) for n in range(4)]
        self.imu = Mpu6050(lambda _number: (0, 0, 16384, -521, 1, 2, 3))
        self.wires = I2cWires(lambda: self.time.now_us * 1e-6)
        self.wires.attach(self.imu)
        self.taken: list[int] = []

    def pin(self, number: int) -> DataPin | ClockPin:
        """The chip's end of a line."""
        data = number in PINS.hx711_data
        numbers = PINS.hx711_data if data else PINS.hx711_clock
        return (DataPin if data else ClockPin)(self.chips[numbers.index(number)], self.time)


class KernelChip:
    """What `gpiod.Chip` shows of the header's 58 lines."""

    board: Board
    held: frozenset[int] = frozenset()

    def __init__(self, path: str) -> None:
        assert path == "/dev/gpiochip0"

    def get_info(self) -> SimpleNamespace:
        return SimpleNamespace(label="pinctrl-bcm2711", num_lines=58)

    def close(self) -> None:
        """Requested lines stay."""

    def request_lines(self, *, config: dict[int, None], consumer: str) -> "KernelLine":
        (number,) = config
        assert consumer
        if number in self.held or number in self.board.taken:
            raise OSError(16, "Device or resource busy")
        return KernelLine(self.board, number)


class KernelLine:
    """One requested line; its values and settings are gpiod's own."""

    def __init__(self, board: Board, number: int) -> None:
        self._board, self._number, self._pin = board, number, board.pin(number)
        self._direction: object = None
        self._floats = True
        board.taken.append(number)

    def reconfigure_lines(self, config: dict[int, gpiod.LineSettings]) -> None:
        settings = config[self._number]
        self._direction = settings.direction
        self._floats = settings.bias != Bias.PULL_UP
        if settings.direction == Direction.OUTPUT:
            self.set_value(self._number, settings.output_value)

    def get_value(self, number: int) -> Value:
        assert number == self._number
        level = self._pin.value
        if self._floats and isinstance(self._pin, DataPin):
            # Nobody drives an unplugged one: its neighbours do, as they like.
            plugged = self._board.chips[PINS.hx711_data.index(number)].plugged
            level = level if plugged else random.random() < 0.5
        return Value(int(level))

    def set_value(self, number: int, value: Value) -> None:
        assert (number, self._direction) == (self._number, Direction.OUTPUT)
        assert isinstance(self._pin, ClockPin)
        self._pin.value = value == Value.ACTIVE

    def release(self) -> None:
        self._board.taken.remove(self._number)


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    made = Board()
    monkeypatch.setenv("BLINKA_FORCEBOARD", "RASPBERRY_PI_4B")
    monkeypatch.setenv("BLINKA_FORCECHIP", "BCM2XXX")
    monkeypatch.setattr(KernelChip, "board", made, raising=False)
    monkeypatch.setattr(gpiod, "Chip", KernelChip)
    # What Blinka found out about another computer is forgotten, before and afterwards.
    for name in [name for name in sys.modules if name.partition(".")[0] in BLINKA]:
        monkeypatch.delitem(sys.modules, name)
    header = importlib.import_module(HEADER)
    monkeypatch.setattr(header, "_chip_paths", lambda: [Path("/dev/gpiochip0")])
    monkeypatch.setattr(smbus2, "SMBus", lambda _number: WiredBus(made.wires))
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setattr(gpiozero.Device, "pin_factory", MockFactory())
    yield made
    gpiozero.Device.pin_factory.reset()
    for name in [name for name in sys.modules if name.partition(".")[0] in BLINKA]:
        del sys.modules[name]


BLINKA = {"board", "digitalio", "microcontroller", "adafruit_blinka", "adafruit_hx711"}
HEADER = "adafruit_blinka.microcontroller.generic_linux.raspberry_pi_pin"


def poll_until_enough(source: PiSource) -> tuple[int, int, list[SensorReport]]:
    """Poll as a table does, until rows and inertial samples have come."""
    began_s = time.monotonic()
    rows = inertial = 0
    reports: list[SensorReport] = []
    while time.monotonic() - began_s < DEADLINE_S and (rows < 5 or inertial < 50):
        for item in source.poll(time.monotonic() - began_s):
            rows += int(item.valid.any(axis=1).sum()) if isinstance(item, ScaleSamples) else 0
            inertial += len(item.t_s) if isinstance(item, ImuSamples) else 0
            reports += [item] if isinstance(item, SensorReport) else []
        time.sleep(0.01)
    return rows, inertial, reports


@pytest.mark.parametrize("driver", ["own", "adafruit"])
def test_threads_read_real_libraries_down_to_the_chips(board: Board, driver: Driver) -> None:
    source = open_pi(PINS, CALIBRATION, driver=driver, open_group=CellsHere.opened)
    rows, inertial, _reports = poll_until_enough(source)
    threads = [thread._thread for thread in source.sensor_threads]
    source.close()

    # How many words a busy machine spoils is not the matter here; none may be wrong.
    assert rows >= 5
    assert inertial >= 50
    assert not any(thread.is_alive() for thread in threads)
    assert board.taken == []
    assert board.imu.violations == []


@pytest.mark.slow
def test_a_cell_that_is_not_plugged_in_is_named_as_that(board: Board) -> None:
    board.chips[2].unplug()
    source = open_pi(PINS, CALIBRATION, open_group=CellsHere.opened)
    began_s, said = time.monotonic(), ""
    while not said and time.monotonic() - began_s < DEADLINE_S:
        source.poll(time.monotonic() - began_s)
        said = source.pins_health().cells[2].words
        time.sleep(0.01)
    source.close()

    assert "Unplugged?" in said


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
    source = open_pi(pins, calibration, open_group=CellsHere.opened)
    began_s, rows = time.monotonic(), 0
    while time.monotonic() - began_s < DEADLINE_S and rows < 5:
        for item in source.poll(time.monotonic() - began_s):
            rows += int(item.valid.all(axis=1).sum()) if isinstance(item, ScaleSamples) else 0
        time.sleep(0.01)
    health = source.pins_health()
    source.close()

    assert rows >= 5
    assert source.tabletop.weight_only
    assert len(health.cells) == 1
    assert board.taken == []


def test_this_machine_says_what_it_lacks() -> None:
    with pytest.raises(NoPins, match="no I2C bus 31"):
        open_pi(Pins(i2c_bus=31), CALIBRATION)


def test_a_pin_that_another_program_holds_takes_only_its_own_load_cell(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = PINS.hx711_clock[2]
    monkeypatch.setattr(KernelChip, "held", frozenset({held}))
    source = open_pi(PINS, CALIBRATION, open_group=CellsHere.opened)
    rows, inertial, reports = poll_until_enough(source)
    source.close()

    (said,) = [report for report in reports if report.sensor == "scale.2"]
    assert (rows >= 5, inertial >= 50) == (True, True)
    assert f"GPIO{held}, which source.pi.hx711_clock[2] needs" in said.reason
    assert "Device or resource busy" in said.reason
    assert "The other pins are used" in said.reason
    assert board.taken == []


def test_a_bus_that_cannot_be_had_takes_only_the_inertial_sensor_which_comes_later(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(_number: int) -> None:
        raise PermissionError(13, "Permission denied")

    wired = smbus2.SMBus
    monkeypatch.setattr(smbus2, "SMBus", closed)
    source = open_pi(PINS, CALIBRATION, open_group=CellsHere.opened)
    began_s, rows = time.monotonic(), 0
    reports: list[SensorReport] = []
    while time.monotonic() - began_s < DEADLINE_S and (rows < 5 or not reports):
        for item in source.poll(time.monotonic() - began_s):
            rows += int(item.valid.any(axis=1).sum()) if isinstance(item, ScaleSamples) else 0
            reports += [item] if isinstance(item, SensorReport) and item.sensor == "imu" else []
        time.sleep(0.01)
    monkeypatch.setattr(smbus2, "SMBus", wired)
    inertial = 0
    while time.monotonic() - began_s < DEADLINE_S and inertial < 50:
        items = source.poll(time.monotonic() - began_s)
        inertial += sum(len(item.t_s) for item in items if isinstance(item, ImuSamples))
        time.sleep(0.01)
    source.close()

    assert rows >= 5
    assert "Permission denied" in reports[0].reason
    assert "group i2c" in reports[0].reason
    assert inertial >= 50


@pytest.mark.parametrize("missing", ["digitalio", "gpiod"])
def test_a_missing_library_is_named_with_the_way_to_get_it(
    missing: str, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in BLINKA]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(NoPins, match=rf"{missing}.*pip install 'dist/topple_table-.*\.whl\[pi\]'"):
        open_pi(PINS, CALIBRATION, open_group=CellsHere.opened)


def test_a_pi_whose_pins_are_not_there_is_told_apart_from_a_missing_library(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[HEADER], "_chip_paths", list)
    with pytest.raises(NoPins, match="No Raspberry Pi header GPIO controller exposes GPIO"):
        open_pi(PINS, CALIBRATION, open_group=CellsHere.opened)


def test_lgpio_makes_its_pipes_in_a_folder_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where we are may not be ours to write: `sudo -u topple-table` in somebody's home."""
    monkeypatch.delenv("LG_WD", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    pi_pins.give_lgpio_a_folder()
    (folder,) = tmp_path.iterdir()
    assert os.environ["LG_WD"] == str(folder)

    pi_pins.give_lgpio_a_folder()
    assert list(tmp_path.iterdir()) == [folder]
