"""Opens the table on the pins of the Raspberry Pi this program runs on.

The libraries are loaded here and nowhere else, so that a machine without pins needs none of
them: `smbus2` for the inertial sensor, `gpiozero` over `lgpio` for the panel, which any table may
have. The HX711 are read by a process of their own, through Blinka (`hw.drivers.header`).

No real Pi has confirmed this file. What is known to be delicate: Blinka takes the pins by
`gpiod`, `gpiozero` by `lgpio`; both ask the kernel for single lines, so they live side by side as
long as no line is taken twice, which `Pins.problem` looks after.
"""

import atexit
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from engine.trouble import Trouble
from hw.calibration import Calibration
from hw.conversions import strap_hz
from hw.drivers.cells import CellGroup, Cells, Driver
from hw.drivers.cells_apart import CellsApart
from hw.drivers.chips_known import chips_on
from hw.drivers.header import HeaderWires, not_ours
from hw.drivers.i2c_bus import LateBus
from hw.drivers.imu import ImuReader
from hw.drivers.libraries import not_installed
from hw.drivers.one_cell import OneCellReader, check_fits
from hw.drivers.panel import Panel
from hw.drivers.pi import PiSource
from hw.drivers.pins import Pins
from hw.drivers.pins_health import health_of
from hw.drivers.scale import ScaleReader
from hw.errors import BadSensor, NoPins
from hw.source import UNKNOWN_SERVICE

if TYPE_CHECKING:
    from gpiozero.pins import Factory

OpenGroup = Callable[[Cells, Callable[[], float]], CellGroup]


def open_pi(
    pins: Pins,
    calibration: Calibration,
    *,
    driver: Driver = "own",
    open_group: OpenGroup = CellsApart,
) -> PiSource:
    """The table on this computer's pins; its threads begin with the first `poll`.

    The driver clocks data words out of the HX711. The load cells are opened in a process of their
    own unless told otherwise.

    A sensor that cannot be opened is told in `SensorReport`s and tried again; the others go on.

    Raises:
        NoPins: neither load cells nor inertial sensor can be opened; the sentence says why.
        MissingDriver: the prescribed HX711 library was chosen and is not installed.
        BadCalibration: it is of a table with more or fewer load cells.
    """
    check_fits(calibration, len(pins.hx711_data))
    clock = time.perf_counter
    bus = LateBus(pins.i2c_bus, pins.imu_address)
    with ExitStack() as stack:
        stack.callback(bus.close)
        imu = None if pins.starter else _inertial(pins, calibration, clock, bus)
        no_bus = None if pins.starter else _why_not(bus)
        wires = HeaderWires(pins.hx711_data, pins.hx711_clock)
        # Either may be missing; without both there is nothing to see a tower by.
        wanted = Cells(
            wires,
            strap_hz(calibration.scale.rate_hz),
            driver,
            len(pins.hx711_data),
            needed=pins.starter or no_bus is not None,
        )
        try:
            group = open_group(wanted, clock)
        except NoPins as error:
            raise NoPins(f"{no_bus.sentence}; {error}" if no_bus else str(error)) from error
        reader: type[OneCellReader | ScaleReader] = OneCellReader if pins.starter else ScaleReader
        scale = reader(group, calibration)
        return PiSource(
            [scale] if imu is None else [scale, imu],
            calibration,
            clock,
            health=lambda: health_of(scale, imu),
            service=lambda: UNKNOWN_SERVICE if imu is None else imu.service,
            conversions=scale.conversions,
            close=stack.pop_all().close,
            group=group,
        )


def _inertial(
    pins: Pins, calibration: Calibration, clock: Callable[[], float], bus: LateBus
) -> ImuReader:
    chips = chips_on(bus, pins.imu_address, name=f"I2C bus {pins.i2c_bus}")
    return ImuReader(chips, calibration, clock)


def _why_not(bus: LateBus) -> Trouble | None:
    try:
        bus.open()
    except BadSensor as error:
        return error.trouble
    return None


def open_panel(pins: Pins, clock: Callable[[], float], *, sound: bool = True) -> Panel:
    """Switch, buttons, lights and buzzer on this computer's pins, by a steady clock in seconds.

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
        raise NoPins(not_ours(error)) from error


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
