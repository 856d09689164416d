"""The short form of `make pi`: no Debian, but its kernel, which drives pins, I2C and the USB cable.

    tower -> chips -> firmware -> USB cable -> kernel's driver -> relay -> UART -> this program

A script of three lines in the machine carries bytes between the port and its UART; this program
goes by the machine's clock.
"""

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from math import nan
from pathlib import Path
from typing import Self

import pytest
import serial

from engine.samples import ImuSamples, ScaleSamples
from firmware_bridge.link import BAUD, SerialLink
from hw.serial.bridge import BridgeSource
from hw.serial.link_reader import ThreadReader
from lab.avr.played import PlayedTable
from lab.mock import MockTable
from tests.emulated_pi import kernel
from tests.emulated_pi.by_hand import living_table, putting
from tests.emulated_pi.guest_clock import GuestClock
from tests.emulated_pi.kernel import MACHINE, Kernel, assemble
from tests.emulated_pi.nano import Nano
from tests.firmware_bridge.lab.build import build, need_lab

pytestmark = pytest.mark.slow

RELEASE = "bookworm"
MODULES = ("phy-generic", "dwc2", "ftdi_sio", "i2c-bcm2835", "i2c-dev")

RELAY = """\
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs devtmpfs /dev
for module in $(/bin/busybox cat /modules/order); do /bin/busybox insmod /modules/$module; done
until [ -c /dev/ttyUSB0 ]; do /bin/busybox sleep 0.1; done
/bin/busybox stty -F /dev/ttyS1 raw -echo
cd /dev
/bin/busybox echo found: gpiochip* i2c-* ttyUSB* >/dev/ttyS1
while :; do
	/bin/busybox stty -F /dev/ttyUSB0 raw -echo -hupcl
	/bin/busybox cat /dev/ttyS1 >/dev/ttyUSB0 &
	/bin/busybox cat /dev/ttyUSB0 >/dev/ttyS1
	/bin/busybox kill $!
	until [ -c /dev/ttyUSB0 ]; do /bin/busybox sleep 0.1; done
done
"""

LONGEST_S = 180.0
"""It only bounds a failure; a start takes seconds."""
STARTED_S = 1800.0
"""The same by the time of day, which a busy computer needs more of."""
PAUSE_S = 0.02


class RelayingPi:
    """A kernel, and a script that carries bytes between its USB serial port and its UART.

    Attributes:
        nano: where the far end of the cable is to be joined.
        clock: how long it has had power.
    """

    def __init__(self, made: Kernel) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pi-")
        self.nano, qmp = Path(self._folder.name) / "nano", Path(self._folder.name) / "qmp"
        self.clock = GuestClock(qmp)
        self._qemu = subprocess.Popen(
            [*MACHINE, "-kernel", str(made.image), "-dtb", str(made.device_tree),
             "-initrd", str(made.first_root), "-append", "console=tty0 rdinit=/init quiet",
             "-serial", "null", "-serial", "pty", "-qmp", f"unix:{qmp},server=on,wait=off",
             "-chardev", f"socket,id=nano,path={self.nano},server=on,wait=off",
             "-device", "usb-serial,chardev=nano"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._qemu.stdout is not None
        # It says which pseudo-terminal its UART is, in the fifth word.
        self.uart = self._qemu.stdout.readline().split()[4]
        self.clock.start(self._must_run)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._qemu.send_signal(signal.SIGKILL)
        self._qemu.wait()
        self.clock.stop()
        assert self._qemu.stdout is not None
        self._qemu.stdout.close()
        self._folder.cleanup()

    def found(self) -> list[str]:
        """The devices that it has, once it has them."""
        with serial.Serial(self.uart, BAUD, timeout=STARTED_S) as uart:
            said = uart.readline().decode(errors="replace")
        # The kernel has written a few letters to try the UART out.
        return said.partition("found:")[2].split()

    def _must_run(self) -> None:
        assert self._qemu.poll() is None, f"QEMU ended with code {self._qemu.returncode}"


class RelayedTable:
    """What the table's own program gets through the kernel of an emulated Pi.

    Attributes:
        weight_g: what lies on it, by the newest block of samples.
        feels_gravity: whether the inertial sensor is heard.
    """

    def __init__(self, pi: RelayingPi, hand: MockTable, nano: Nano) -> None:
        self.hand, self.nano = hand, nano
        self._now_s = lambda: pi.clock.now_s
        link = SerialLink(pi.uart, self._now_s)
        self.source = BridgeSource(
            ThreadReader(link), hand.calibration, self._now_s, simulated=True
        )
        self.weight_g = nan
        self.feels_gravity = False

    def until(self, true: Callable[[Self], bool], what: str) -> None:
        """Take samples until something is true of them."""
        end_s = self._now_s() + LONGEST_S
        while not true(self):
            assert self.nano.failed is None, self.nano.failed
            assert self._now_s() < end_s, f"waited in vain for {what}: {self.source.notices}"
            for item in self.source.poll(self._now_s()):
                self._take(item)
            time.sleep(PAUSE_S)

    def _take(self, item: object) -> None:
        if isinstance(item, ScaleSamples):
            self.weight_g = float(item.mass_g.sum(axis=1).mean())
        elif isinstance(item, ImuSamples):
            self.feels_gravity = True


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    kernel.need(kernel.TOOLS, "to unpack its kernel")
    folder = tmp_path_factory.mktemp("kernel")
    kernel.fetch(RELEASE, folder)
    root = folder / "root"
    root.mkdir()
    kernel.unpack("linux-image-*.deb", folder, root)
    return assemble(folder, root, MODULES, RELAY)


@pytest.fixture
def nano(relay: Kernel, tmp_path: Path) -> Iterator[tuple[RelayingPi, MockTable, Nano]]:
    """The firmware at the end of the cable of a running machine."""
    need_lab()
    hand = living_table()
    with RelayingPi(relay) as pi:
        made = Nano(PlayedTable(hand, build(tmp_path / "firmware")), pi.nano, pi.clock)
        made.start()
        try:
            yield pi, hand, made
        finally:
            made.stop()


def test_the_firmware_is_read_through_a_real_kernels_usb_driver(
    nano: tuple[RelayingPi, MockTable, Nano],
) -> None:
    pi, hand, board = nano
    board.plug_in()

    assert pi.found() == ["gpiochip0", "gpiochip1", "i2c-0", "i2c-1", "i2c-2", "ttyUSB0"]
    table = RelayedTable(pi, hand, board)
    try:
        table.until(lambda it: abs(it.weight_g) < 1.0, "an empty table")
        board.do(lambda: putting("c3")(hand))
        table.until(lambda it: it.weight_g == pytest.approx(3.0, abs=0.5), "a piece")
        assert table.feels_gravity
        assert table.source.link_health().firmware is not None
    finally:
        table.source.close()
