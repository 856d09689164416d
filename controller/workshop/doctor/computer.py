"""Checks of the computer: Python, disk space, clock, power supply, Wi-Fi.

All access goes through a `Computer`, so that tests can use a folder instead.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from controller.workshop.doctor.results import CheckResult, note, ok, wrong

OLDEST_PYTHON = (3, 11)

SPACE_NEEDED_MB, SPACE_WANTED_MB = 50, 500
"""A journal grows by a megabyte an evening, a recording by 60 MB an hour."""

NO_EARLIER_UNIX_S = 1_763_683_200.0
"""2025-11-21: a year before this was written. A Pi without a clock wakes up in its past."""

COMMAND_TIMEOUT_S = 10.0


def ask(command: list[str]) -> str:
    """The output of a command; empty if it is missing, fails or takes too long."""
    program = shutil.which(command[0])
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            [program, *command[1:]],
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


@dataclass(frozen=True)
class Computer:
    """A computer to look at: the root of its files, what its commands print, its wall time."""

    root: Path = Path("/")
    ask: Callable[[list[str]], str] = ask
    unix_s: Callable[[], float] = time.time

    def path(self, name: str) -> Path:
        """A file of this computer, by its absolute name."""
        return self.root / name.lstrip("/")

    def text(self, name: str) -> str:
        """The content of a file without trailing blanks and zeros; empty if there is none."""
        try:
            return self.path(name).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
        except OSError:
            return ""

    @property
    def has_systemd(self) -> bool:
        """Whether services run here."""
        return self.path("/run/systemd/system").is_dir()


def look_at_computer(computer: Computer) -> Iterator[CheckResult]:
    """All that needs no configuration."""
    yield python()
    yield from clock(computer)
    yield from power(computer)
    yield from memory(computer)
    yield from wireless(computer)


def python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> CheckResult:
    """The interpreter and the program."""
    shown = ".".join(map(str, version))
    if version < OLDEST_PYTHON:
        return wrong("python", f"{shown} is too old", "3.11 or newer is needed")
    return ok("python", f"{shown}, topple-table {metadata.version('topple-table')}")


def clock(computer: Computer) -> Iterator[CheckResult]:
    """Whether the clock is right; games need no clock, but their dates do."""
    now = computer.unix_s()
    shown = time.strftime("%Y-%m-%d %H:%M", time.localtime(now))
    network_time = computer.path("/run/systemd/timesync")
    if now < NO_EARLIER_UNIX_S:
        yield wrong("clock", f"says {shown}", "check the network; timedatectl tells more")
    elif network_time.is_dir() and not (network_time / "synchronized").exists():
        yield note("clock", f"says {shown}, not from the network", "timedatectl tells more")
    else:
        yield ok("clock", shown)


UNDER_VOLTAGE, UNDER_VOLTAGE_SEEN = 0x1, 0x10000
"""Bits of `get_throttled`: under 4.63 V now, and at any time since the start (Raspberry Pi
documentation, vcgencmd)."""

STRONGER = "use the Pi's own supply and cable"


def power(computer: Computer) -> Iterator[CheckResult]:
    """The supply of a Raspberry Pi, as its firmware saw it since the start."""
    throttled = _throttled(computer)
    if throttled is None:
        return
    if throttled & UNDER_VOLTAGE:
        yield wrong("power", "the supply is too weak now", STRONGER)
    elif throttled & UNDER_VOLTAGE_SEEN:
        yield note("power", "the supply dipped since the start", STRONGER)
    else:
        yield ok("power", "the supply has been strong enough since the start")


def _throttled(computer: Computer) -> int | None:
    """What a Pi's firmware says of its supply; None on another computer.

    The kernel's own file comes last: it is deprecated, and each first look at it since the start
    leaves a warning with a stack trace in the kernel's log (drivers/firmware/raspberrypi.c).
    """
    said = computer.ask(["vcgencmd", "get_throttled"]).partition("=")[2]
    said = said or computer.text("/sys/devices/platform/soc/soc:firmware/get_throttled")
    try:
        return int(said, 16)
    except ValueError:
        return None


def wireless(computer: Computer) -> Iterator[CheckResult]:
    """Whether the Wi-Fi sleeps between packets, as a Pi's does unless it is told otherwise.

    Phones then wait up to seconds for the first answer, and miss the table's name (mDNS).
    """
    for folder in sorted(computer.path("/sys/class/net").glob("*/wireless")):
        name = folder.parent.name
        said = computer.ask(["iw", "dev", name, "get", "power_save"]).strip()
        if said == "Power save: on":
            text = f"{name} saves power: phones may wait for the table, or not find its name"
            yield note("wi-fi", text, WIRELESS_AWAKE.format(name=name))
        elif said == "Power save: off":
            yield ok("wi-fi", f"{name} does not sleep")


WIRELESS_AWAKE = (
    "sudo iw dev {name} set power_save off until the next start; for good: sudo nmcli connection "
    "modify NAME 802-11-wireless.powersave 2 (nmcli connection shows the NAME)"
)


def memory(computer: Computer) -> Iterator[CheckResult]:
    """Whether the kernel counts the memory of a service, which MemoryMax= in its unit needs."""
    controllers = computer.text("/sys/fs/cgroup/cgroup.controllers")
    if not computer.has_systemd or not controllers:
        return
    if "memory" in controllers.split():
        yield ok("memory", "each service has a limit")
    else:
        text = "this kernel does not count a service's memory: MemoryMax has no effect"
        yield note("memory", text, MEMORY_NOT_COUNTED)


MEMORY_NOT_COUNTED = (
    "each process still has a limit (LimitDATA); cgroup_enable=memory in "
    "/boot/firmware/cmdline.txt gives the other back"
)


def space(folder: Path) -> Iterator[CheckResult]:
    """Whether games still fit on the disk of an existing folder."""
    about = os.statvfs(folder)
    free_mb = about.f_bavail * about.f_frsize // 1_000_000
    text = f"{free_mb} MB are free for {folder}"
    if about.f_flag & os.ST_RDONLY:
        advice = "mount it for writing, or check the card: dmesg"
        yield wrong("disk", f"{folder} is read-only", advice)
    elif free_mb < SPACE_NEEDED_MB:
        yield wrong("disk", text, "delete old recordings; soon nothing can be stored")
    elif free_mb < SPACE_WANTED_MB:
        yield note("disk", text, "an hour's recording takes 60 MB")
    else:
        yield ok("disk", text)
