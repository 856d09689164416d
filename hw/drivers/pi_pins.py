"""Opens the table on the pins of the Raspberry Pi this program runs on.

The libraries are loaded here and nowhere else, so that a machine without pins needs none of
them: Blinka's `board` and `digitalio` for the HX711, `smbus2` for the inertial sensor,
`gpiozero` over `lgpio` for the panel, which any other table may have as well.

No real Pi has confirmed this file. What is known to be delicate: Blinka takes the pins by
`gpiod`, `gpiozero` by `lgpio`; both ask the kernel for single lines, so they live side by side as
long as no line is taken twice, which `Pins.problem` looks after. And the threads of one Python
process take turns: a pulse to an HX711 may be stretched by another thread's turn. Stretched
readings are condemned and counted (`CellTally.stretched`); the microcontroller has no such turns.
"""

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from hw.calibration import Calibration
from hw.drivers.hx711 import ClockOutput, DataInput, Hx711Cell
from hw.drivers.hx711_adafruit import AdafruitReader
from hw.drivers.hx711_bits import BitReader
from hw.drivers.imu import ImuReader
from hw.drivers.libraries import not_installed, quiet_blinka
from hw.drivers.mpu6050 import Mpu6050
from hw.drivers.one_cell import OneCellReader, check_fits
from hw.drivers.panel import Panel
from hw.drivers.pi import PiSource
from hw.drivers.pins import Pins
from hw.drivers.pins_health import PinsHealth, cells_of, health_of
from hw.drivers.scale import DataWordReaderFactory, ScaleReader, cells_on
from hw.errors import NoPins

if TYPE_CHECKING:
    from gpiozero.pins import Factory
    from smbus2 import SMBus

Driver = Literal["own", "adafruit"]

READERS: dict[Driver, DataWordReaderFactory] = {
    "own": BitReader,
    "adafruit": AdafruitReader,
}


def open_pi(
    pins: Pins,
    calibration: Calibration,
    *,
    driver: Driver = "own",
    clock: Callable[[], float] = time.perf_counter,
) -> PiSource:
    """The table on this computer's pins; its threads begin with the first `poll`.

    Args:
        pins: the wiring.
        calibration: of the table.
        driver: what clocks data words out of the HX711.
        clock: steady, to a microsecond.

    Raises:
        NoPins: this machine has none, or lacks a driver for them; one sentence says which.
        MissingDriver: the prescribed HX711 library was chosen and is not installed.
        BadCalibration: it is of a table with more or fewer load cells.
    """
    undo: list[Callable[[], Any]] = []
    check_fits(calibration, len(pins.hx711_data))
    if pins.starter:
        return _open_starter(pins, calibration, driver=driver, clock=clock)
    try:
        bus = open_bus(pins.i2c_bus)
        undo.append(bus.close)
        wires = _hx711_wires(pins, undo)
        cells = cells_on(wires, clock, calibration.scale.rate_hz, READERS[driver])
        chip = Mpu6050(bus, pins.imu_address, name=f"I2C bus {pins.i2c_bus}")
        imu = ImuReader(chip, calibration, clock)
    except BaseException:
        _undo(undo)
        raise
    scale = ScaleReader(cells, calibration, clock)
    return PiSource(
        [scale, imu],
        calibration,
        clock,
        health=lambda: health_of(scale, imu),
        close=lambda: _undo(undo),
    )


def _open_starter(
    pins: Pins,
    calibration: Calibration,
    *,
    driver: Driver,
    clock: Callable[[], float],
) -> PiSource:
    """One load cell and no inertial sensor."""
    undo: list[Callable[[], Any]] = []
    try:
        ((data, pulses),) = _hx711_wires(pins, undo)
        reader = READERS[driver](data, pulses, clock)
    except BaseException:
        _undo(undo)
        raise
    rate_hz = calibration.scale.rate_hz
    cell = Hx711Cell("The load cell", data, pulses, reader, clock, rate_hz=rate_hz)
    scale = OneCellReader(cell, calibration, clock)
    return PiSource(
        [scale],
        calibration,
        clock,
        health=lambda: PinsHealth(cells_of(scale)),
        close=lambda: _undo(undo),
    )


def _undo(undo: list[Callable[[], Any]]) -> None:
    while undo:
        undo.pop()()


def open_bus(number: int) -> "SMBus":
    """The I2C bus of a number.

    Raises:
        NoPins: it is not there, or not for us.
    """
    try:
        from smbus2 import SMBus  # noqa: PLC0415
    except ImportError as error:
        raise NoPins(not_installed(error, "pi")) from None
    try:
        return SMBus(number)
    except FileNotFoundError:
        raise NoPins(
            f"this machine has no I2C bus {number} (/dev/i2c-{number}); on a Raspberry Pi switch "
            "it on with raspi-config, Interface Options, I2C, or set source.pi.i2c_bus"
        ) from None
    except OSError as error:
        raise NoPins(
            f"I2C bus {number} cannot be opened ({error.strerror}); add the user to the group i2c"
        ) from None


def open_panel(pins: Pins, clock: Callable[[], float], *, sound: bool = True) -> Panel:
    """Switch, buttons, lights and buzzer on this computer's pins.

    Args:
        pins: the wiring.
        clock: steady time in seconds.
        sound: whether the buzzer is heard.

    Raises:
        NoPins: this machine has none, or lacks a driver for them; one sentence says which.
    """
    factory = None
    try:
        factory = _factory()
        return Panel(pins, clock, factory=factory, buzzing=sound)
    except ImportError as error:
        raise NoPins(not_installed(error, "pi")) from None
    except Exception as error:
        # gpiozero's, the kernel's, and lgpio's own, which is derived from nothing else.
        if factory is not None:
            factory.close()
        raise NoPins(_not_ours(error)) from error


def give_lgpio_a_folder() -> None:
    """Call it before `lgpio` is imported: it makes pipes then, in whatever folder we are.

    There they would lie about, and in a folder that we may not write the import itself fails.
    """
    if "LG_WD" not in os.environ:
        folder = tempfile.mkdtemp(prefix="topple-table-")
        os.environ["LG_WD"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _factory() -> "Factory | None":
    """`lgpio` works on every Pi; whoever names another one in the environment gets that."""
    if os.environ.get("GPIOZERO_PIN_FACTORY"):
        return None
    give_lgpio_a_folder()
    from gpiozero.pins.lgpio import LGPIOFactory  # noqa: PLC0415

    return LGPIOFactory()


def _not_ours(error: Exception) -> str:
    return (
        f"the pins cannot be used ({error or type(error).__name__}); this must run on a Raspberry "
        "Pi, as a user of the group gpio, and no other program may hold the pins"
    )


def _hx711_wires(pins: Pins, undo: list[Callable[[], Any]]) -> list[tuple[DataInput, ClockOutput]]:
    """DOUT and PD_SCK of each cell as Blinka pins; PD_SCK low, so that the chips have power."""
    quiet_blinka()
    try:
        # Blinka needs it on every Pi; its own message ends in a command that we do not want.
        import gpiod  # noqa: F401, I001, PLC0415
        import board  # noqa: PLC0415
        from digitalio import DigitalInOut, Direction  # noqa: PLC0415
    except ImportError as error:
        raise NoPins(not_installed(error, "pi")) from None
    except Exception as error:
        # Blinka raises NotImplementedError, RuntimeError and more, by board.
        raise NoPins(_not_ours(error)) from error

    def pin(number: int, direction: Any) -> Any:
        taken = DigitalInOut(getattr(board, f"D{number}"))
        undo.append(taken.deinit)
        taken.direction = direction
        return taken

    try:
        return [
            (pin(data, Direction.INPUT), pin(clock, Direction.OUTPUT))
            for data, clock in zip(pins.hx711_data, pins.hx711_clock, strict=True)
        ]
    except Exception as error:
        raise NoPins(_not_ours(error)) from error
