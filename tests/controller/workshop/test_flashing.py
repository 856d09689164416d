"""`firmware flash` as its user has it: the real avrdude and the loaders of real Nanos.

The loaders are those of Debian's `arduino-core-avr`, in a simulated processor at the far end of a
pseudo-terminal: a blank chip comes to our firmware by nothing but the bytes of its line. Optiboot
is built from its source there without the blinking at its start: with it Debian's compiler makes
more of it than the 512 bytes there are, also in the package's own file.
"""

import ctypes
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from controller.cli import main
from controller.workshop import firmware
from lab.avr.simavr import FLASH, PC, Avr
from lab.avr.wires import TerminalWire
from tests.firmware_bridge.lab.build import need_lab

LOADERS = Path("/usr/share/arduino/hardware/arduino/avr/bootloaders")
OPTIBOOT = LOADERS / "optiboot/optiboot.c"
OLD_LOADER = LOADERS / "atmega/ATmegaBOOT_168_atmega328.hex"

RESET_PC = PC + 4
OPTIBOOT_OPTIONS = (
    "-mmcu=atmega328p", "-DF_CPU=16000000L", "-DBAUD_RATE=115200", "-DLED_START_FLASHES=0", "-w",
    "-Os", "-fno-inline-small-functions", "-fno-split-wide-types", "-mshort-calls", "-nostartfiles",
    "-Wl,--section-start=.text=0x7e00", "-Wl,--section-start=.version=0x7ffe", "-Wl,--relax",
)  # fmt: skip
"""Those of its makefile, but for the blinking."""
LOADER_AT = 0x7800
"""Where a Nano begins: its high fuse is 0xDA (boards.txt of the same package)."""

SLICE = 16_000
"""Cycles of a millisecond, in which 115,200 baud carry eleven bytes."""
GULP = 8
"""Bytes at a time: less than the loader reads in a slice."""

PATIENCE = 500
"""Milliseconds without a byte after which the clock stands still while avrdude has the port: the
loader gives it one second, and a busy machine may take longer."""


class BlankNano:
    """A chip with nothing but its loader, on a port; opening the port resets it, as DTR does.

    Args:
        loader: Intel hex.
        elf: any firmware, with which the simulated processor is made.

    Attributes:
        port: what avrdude opens.
    """

    def __init__(self, loader: Path, elf: Path) -> None:
        self._avr = Avr(elf)
        place = ctypes.c_void_p.from_address(self._avr._avr + FLASH).value
        assert place is not None
        self._flash = (ctypes.c_uint8 * (firmware.FLASH_BYTES)).from_address(place)
        ctypes.memset(place, 0xFF, firmware.FLASH_BYTES)
        for at, data in records(loader):
            ctypes.memmove(place + at, data, len(data))
        ctypes.c_uint32.from_address(self._avr._avr + RESET_PC).value = LOADER_AT
        self._avr.reset()
        self._wire = TerminalWire(self._avr, GULP)
        self.port = self._wire.name
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._wire.unplug()

    def holds(self, image: Path) -> bool:
        """Whether its flash has this program."""
        return all(bytes(self._flash[at : at + len(data)]) == data for at, data in records(image))

    def _run(self) -> None:
        was_open, openings, idle = False, 0, 0
        while not self._over.is_set():
            is_open = self._wire.is_open
            if is_open and not was_open:
                self._avr.reset()
                openings += 1
            was_open = is_open
            idle = 0 if self._wire.carry() else idle + 1
            if openings > 1 or idle < PATIENCE:
                self._avr.run_until(self._avr.total + SLICE)
            time.sleep(0)


def records(image: Path) -> Iterator[tuple[int, bytes]]:
    """Addresses and bytes of Intel hex; all of it lies in the first 64 kB."""
    for line in image.read_text().split():
        record = bytes.fromhex(line[1:])
        if record[3] == 0:
            yield int.from_bytes(record[1:3], "big"), record[4:-1]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> firmware.Built:
    need_lab()
    if shutil.which("avrdude") is None or not OPTIBOOT.exists():
        pytest.skip("needs avrdude arduino-core-avr (apt-get install avrdude arduino-core-avr)")
    return firmware.build(tmp_path_factory.mktemp("firmware"))


@pytest.fixture
def optiboot(tmp_path: Path) -> Path:
    elf, image = tmp_path / "optiboot.elf", tmp_path / "optiboot.hex"
    subprocess.run(["avr-gcc", *OPTIBOOT_OPTIONS, "-o", elf, OPTIBOOT], check=True)
    cut = ["avr-objcopy", "-j", ".text", "-j", ".version", "-O", "ihex"]
    subprocess.run([*cut, elf, image], check=True)
    return image


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--old-bootloader"]])
def test_a_blank_nano_is_flashed_by_avrdude_and_says_who_it_is(
    options: list[str], built: firmware.Built, optiboot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with BlankNano(OLD_LOADER if options else optiboot, built.elf) as nano:
        assert not nano.holds(built.hex)

        code = main(["firmware", "flash", "--port", nano.port, "--hex", str(built.hex), *options])

        assert code == 0, capsys.readouterr()
        assert nano.holds(built.hex)
    assert "The board answers: firmware 1" in capsys.readouterr().out
