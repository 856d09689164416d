"""Checks of the connections to the sensors: ports, buses, pins, groups, firmware.

The samples themselves are checked by `topple-table diagnose`.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from controller.common.config import Config
from controller.common.errors import ControllerError
from controller.common.files import CALIBRATION_BYTES, read_bytes
from controller.common.installed import USER
from controller.workshop.doctor.computer import Computer
from controller.workshop.doctor.people import READ, WRITE, UnixUser, group_with_access
from controller.workshop.doctor.results import CheckResult, note, ok, wrong
from controller.workshop.doctor.services import RetainedDocuments
from firmware_bridge.errors import BridgeError
from firmware_bridge.holders import holder_of
from firmware_bridge.ports import FOLDERS, candidates
from hw.calibration import parse_calibration
from hw.drivers.libraries import NEEDED, how_to_get
from hw.drivers.pin_holders import holder_of_pin
from hw.drivers.pins import I2C_BUS, OF_PANEL
from hw.errors import HardwareError

READER = " -m hw.drivers.cells_process"
"""In the command of the process of `hw.drivers.cells_apart`."""
GOES_FIRST = "FF"
"""How ps(1) shows SCHED_FIFO."""

OLD_CALIBRATION_DAYS = 180
"""Two seasons: cells creep, pivots wear. Slow drift is followed by itself, a factor is not."""

RIVAL = "/usr/lib/udev/rules.d/*brltty*"
"""Rules of a program that takes CH340 chips for braille displays."""


def look_at_wires(
    config: Config, computer: Computer, service: UnixUser, heard: RetainedDocuments
) -> Iterator[CheckResult]:
    """All that the configured source needs of this computer."""
    match config.source.kind:
        case "bridge":
            yield from libraries("bridge", computer)
            yield from serial(config.source.port, computer, service)
            yield from firmware(config.source.port, heard)
            yield from calibration(config.source.calibration, computer)
        case "pi":
            yield from libraries("pi", computer)
            yield from i2c(config.source.pi.i2c_bus, computer, service)
            yield from pins(config.source.pi.used, computer, service, heard)
            yield from reader(computer)
            yield from pulse(computer)
            yield from calibration(config.source.calibration, computer)
        case kind:
            text = f"{kind}: a table without sensors"
            yield note("source", text, 'a real table has source.kind "bridge" or "pi"')
    if config.source.has_panel and config.source.kind != "pi":
        yield from libraries("panel", computer)
        yield from pins(config.source.pi.used_by_panel, computer, service, heard)
    yield from _panel_of(heard)


def libraries(extra: str, computer: Computer) -> Iterator[CheckResult]:
    """What has to be imported for the wiring, tried in a process of its own."""
    said = computer.ask([sys.executable, "-P", "-m", "hw.drivers.libraries", extra]).splitlines()
    about = "libraries"
    missing = [line.partition(": ") for line in said if line.partition(": ")[0] in NEEDED[extra]]
    for name, _colon, why in missing:
        yield wrong(about, f"{name} cannot be imported: {why}", how_to_get(extra))
    if not missing and "all there" in said:
        yield ok(about, "all that the wiring needs is there: " + ", ".join(NEEDED[extra]))
    elif not missing:
        yield note(about, "could not be tried", f"{sys.executable} -m hw.drivers.libraries {extra}")


def serial(port: str, computer: Computer, service: UnixUser) -> Iterator[CheckResult]:
    """The Nano's port, or every device that may be it: there, open to the service, not in use."""
    found = candidates([computer.path(str(folder)) for folder in FOLDERS])
    places = [computer.path(port)] if port else [Path(name) for name in found]
    if not any(place.exists() for place in places):
        advice = "plug the Nano in; a charge-only cable does not work"
        yield wrong("serial", f"there is no {port or 'serial device'}", advice)
        yield from _rivals(computer)
        return
    for place in places:
        yield _access("serial", place, service)
        yield from _held(place, computer)


def _held(place: Path, computer: Computer) -> Iterator[CheckResult]:
    program = holder_of(str(place), computer.path("/proc"))
    if program and not program.startswith(USER):
        yield wrong("serial", f"{place} is in use by {program}", "close that program")


def _rivals(computer: Computer) -> Iterator[CheckResult]:
    if any(computer.root.glob(RIVAL.lstrip("/"))):
        text = "brltty is installed and may take the Nano for a braille display"
        yield note("serial", text, "apt-get remove brltty")


def _access(about: str, place: Path, service: UnixUser) -> CheckResult:
    if service.may(READ | WRITE, place):
        return ok(about, f"{place}, open to {service.name}")
    members = group_with_access(place)
    advice = (
        f"usermod -aG {members} {service.name}, then restart the service"
        if members
        else "udevadm trigger; if that does not help, install again: our udev rules are gone"
    )
    return wrong(about, f"{service.name} may not open {place}", advice)


def i2c(bus: int, computer: Computer, service: UnixUser) -> Iterator[CheckResult]:
    """The bus of the inertial sensor."""
    advice = "raspi-config, Interface Options, I2C; then restart the Pi"
    yield _device("i2c", f"/dev/i2c-{bus}", advice, computer, service)


def pins(
    needed: Iterable[tuple[int, str]],
    computer: Computer,
    service: UnixUser,
    heard: RetainedDocuments,
) -> Iterator[CheckResult]:
    """The pins of a Raspberry Pi: there, and nobody else's. A table that runs says so itself."""
    is_pi = "Raspberry Pi" in computer.text("/sys/firmware/devicetree/base/model")
    advice = NO_DRIVER if is_pi else NO_HEADER
    yield _device("pins", "/dev/gpiochip0", advice, computer, service)
    if heard.rows is None or heard.online:
        return
    for pin, key in needed:
        if key != I2C_BUS and (holder := holder_of_pin(pin, computer.path("/dev"))):
            text = f"GPIO{pin}, which source.pi.{key} needs, is held by {holder}"
            yield wrong("pins", text, NOT_HELD)


NO_HEADER = (
    'this computer has none; a Nano can read the sensors (source.kind "bridge"), and of the rest '
    "what is not wired is 0 in [source.pi]"
)
NO_DRIVER = "restart the Pi; dmesg | grep pinctrl tells why their driver does not start"
NOT_HELD = (
    "take the overlay of that driver out of /boot/firmware/config.txt and restart, or close that "
    "program (gpioinfo shows all holders); the other pins can be used"
)


def reader(computer: Computer) -> Iterator[CheckResult]:
    """Whether the process that reads the load cells goes before ordinary programs, if it runs."""
    for line in computer.ask(["ps", "-ww", "-eo", "cls=,args="]).splitlines():
        scheduling, _, command = line.strip().partition(" ")
        if READER not in command:
            continue
        if scheduling == GOES_FIRST:
            yield ok("reader", "the load cells are read before all other programs")
        else:
            text = "the load cells are read in turn with other programs: readings are lost"
            yield note("reader", text, "its service needs LimitRTPRIO=10 and RestrictRealtime=no")


def pulse(computer: Computer) -> Iterator[CheckResult]:
    """Whether PD_SCK is low again in time at the slowest clock that the kernel may choose."""
    governor = computer.text(f"{CPU}/scaling_governor")
    slowest = computer.text(f"{CPU}/{SLOWEST.get(governor, 'scaling_min_freq')}")
    if not governor or not slowest.isdecimal() or int(slowest) == 0:
        return
    mhz = int(slowest) / 1000
    took_us = PULSE_INSTRUCTIONS * CYCLES_AN_INSTRUCTION / mhz
    text = (
        f"governor {governor}, {mhz:.0f} MHz at least: a pulse to an HX711 takes some "
        f"{took_us:.0f} us of {PULSE_MOST_US:.0f}"
    )
    if took_us < PULSE_MOST_US:
        yield ok("pulse", text)
    else:
        yield wrong("pulse", text, TOO_SLOW)


CPU = "/sys/devices/system/cpu/cpu0/cpufreq"
SLOWEST = {"performance": "scaling_max_freq", "userspace": "scaling_setspeed"}
"""Where the kernel says how slow a governor lets the processor run (kernel documentation,
cpufreq); of the others it is the least."""
PULSE_INSTRUCTIONS = 8000
"""4,800 of ours and Python's (docs/decisions.md), and two calls of the kernel, some 1,500 each."""
CYCLES_AN_INSTRUCTION = 2.0
"""Of an interpreter on the Cortex-A53 of a Pi 3 and Zero 2 W, the slowest that can be a table."""
PULSE_MOST_US = 50.0
"""HX711 data sheet: at 60 us it switches itself off."""
TOO_SLOW = (
    "echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor, until "
    "the next start; take arm_freq_min and governors out of /boot/firmware; or use a Nano"
)


def _device(
    about: str, name: str, advice: str, computer: Computer, service: UnixUser
) -> CheckResult:
    place = computer.path(name)
    if place.exists():
        return _access(about, place, service)
    return wrong(about, f"there is no {name}", advice)


def _panel_of(heard: RetainedDocuments) -> Iterator[CheckResult]:
    """Buttons, lights, switch and buzzer, as the running table finds them."""
    sensors = heard.document("health").get("sensors")
    for name, found in sensors.items() if isinstance(sensors, dict) else ():
        if name.partition(".")[0] in OF_PANEL and isinstance(found, dict) and found.get("reason"):
            # The table's sentence says what to check as well.
            yield wrong("panel", str(found["reason"]), "")


def firmware(port: str, heard: RetainedDocuments) -> Iterator[CheckResult]:
    """The firmware on the serial line: as the running table reports it, else by asking it."""
    link = heard.document("health").get("link")
    if heard.rows is not None and isinstance(link, dict):
        yield _firmware_of(link)
        return
    try:
        from controller.workshop.firmware import ask  # noqa: PLC0415 - pyserial only where it is wanted

        hello = ask(port)
    except ImportError as error:
        yield wrong("firmware", f"{error.name} is not installed", how_to_get("bridge"))
    except (ControllerError, BridgeError, OSError) as error:
        yield wrong("firmware", str(error), "topple-table firmware flash writes ours")
    else:
        yield ok("firmware", f"version {hello.firmware_version} answers")


def _firmware_of(link: dict[str, object]) -> CheckResult:
    text = str(link.get("words") or "")
    if link.get("firmware") is None or not link.get("ok"):
        return wrong("firmware", text or "the table has not heard it yet", "check the USB plug")
    shown = f"version {link['firmware']} answers"
    return note("firmware", shown, text) if text else ok("firmware", shown)


def calibration(name: str, computer: Computer) -> Iterator[CheckResult]:
    """The calibration file: there, possible, and from this year."""
    file = Path(name)
    try:
        parse_calibration(read_bytes(file, CALIBRATION_BYTES))
        age_days = (computer.unix_s() - file.stat().st_mtime) / 86400
    except OSError as error:
        yield wrong("calibration", f"{file}: {error.strerror}", "topple-table calibrate makes one")
        return
    except HardwareError as error:
        yield wrong("calibration", f"{file}: {error}", "calibrate again")
        return
    day = time.strftime("%Y-%m-%d", time.localtime(file.stat().st_mtime))
    shown = f"{file} of {day}"
    if age_days > OLD_CALIBRATION_DAYS:
        yield note("calibration", f"{shown}, {age_days:.0f} days old", "calibrate again")
    else:
        yield ok("calibration", shown)
