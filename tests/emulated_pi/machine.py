"""A Raspberry Pi 3B in QEMU: a real kernel with its drivers for pins, I2C and USB serial ports.

Not emulated by QEMU 7.2: what hangs on the I2C bus (no chip ever answers) and at the pins (an input
reads what was last put out on it). Its time is that of `GuestClock`; all that is waited for here is
waited for by that clock.
"""

import codecs
import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from tests.deploy.bare_debian import PATH
from tests.emulated_pi.card import Card
from tests.emulated_pi.guest_clock import GuestClock
from tests.emulated_pi.kernel import MACHINE, do
from tests.ports import free_port

LONGEST_WAIT_S = 300.0
"""Until it answers, or says what it is to say. It only bounds a failure."""

FORWARDED = {"ssh": 22, "mqtt": 1883, "pages": 8080}

KERNEL_WORDS = (
    "console=ttyAMA0,115200 panic=1 net.ifnames=0 "
    # A screen and a Bluetooth chip that QEMU lacks are waited for, for minutes.
    "module_blacklist=vc4,hci_uart systemd.mask=e2scrub_reap.service"
)

REVISION = "a02082"
"""Of a Pi 3 Model B. A Pi's firmware tells the kernel; gpiozero asks which pins there are."""

LOOK_S = 0.5

TIME_KEPT = "/var/lib/systemd/timesync/clock"
"""systemd-timesyncd keeps here, by the file's own date, the last time it knew."""


class EmulatedPi:
    """A machine with a card of its own, which survives pulling its plug.

    Args:
        card: what it starts from.
        disk: the card's file system; it is not written to.
        folder: for its card, sockets and console; long paths are no good for sockets.

    Attributes:
        ports: ports of this machine that lead to its services: `ssh`, `mqtt`, `pages`.
        nano: where the far end of its USB serial port is to be joined.
        clock: how long it has had power.
        console: what the kernel said, of all starts.
    """

    def __init__(self, card: Card, disk: Path, folder: Path) -> None:
        self._card, self._folder = card, folder
        self._sockets = Path(tempfile.mkdtemp(prefix="pi-"))
        self.ports = {name: free_port() for name in FORWARDED}
        self.nano = self._sockets / "nano"
        self.console = folder / "console.log"
        # Not a layer over the file: QEMU would keep a part of it in memory, and a power cut would
        # take minutes of writes that a card has kept.
        self._disk = folder / "own-card.img"
        do("cp", "--sparse=always", str(disk), str(self._disk))
        self._device_tree = folder / "device_tree"
        shutil.copy(card.device_tree, self._device_tree)
        tree = str(self._device_tree)
        do("fdtput", "-c", tree, "/system")
        do("fdtput", "-t", "x", tree, "/system", "linux,revision", REVISION)
        self._qemu: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self.clock = GuestClock(self._sockets / "qmp")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut_power()
        self._disk.unlink()
        shutil.rmtree(self._sockets, ignore_errors=True)

    def start(self, *options: str) -> None:
        """Give it power, and wait until its owner can log in; its clock is wrong, as a Pi's is.

        Args:
            options: of QEMU.
        """
        forwards = "".join(
            f",hostfwd=tcp:127.0.0.1:{self.ports[name]}-:{inside}"
            for name, inside in FORWARDED.items()
        )
        self._starts += 1
        self._qemu = subprocess.Popen(
            [*MACHINE, *options,
             "-kernel", str(self._card.image), "-dtb", str(self._device_tree),
             "-initrd", str(self._card.first_root),
             "-append", KERNEL_WORDS,
             "-serial", f"file:{self.console}.{self._starts}",
             "-qmp", f"unix:{self._sockets / 'qmp'},server=on,wait=off",
             # What it has written survives QEMU; whether it survives this machine is no matter.
             "-drive", f"if=sd,format=raw,cache=unsafe,file={self._disk}",
             "-netdev", f"user,id=network{forwards}", "-device", "usb-net,netdev=network",
             "-chardev", f"socket,id=nano,path={self.nano},server=on,wait=off",
             # Plugged in whenever somebody is at the far end.
             "-device", "usb-serial,chardev=nano,id=nano"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=(self._folder / "qemu.log").open("wb"),
        )  # fmt: skip
        self.clock.start(self.must_run)
        for _ in self.until(lambda: f"its shell; see {self.console}.{self._starts}"):
            if self._shell("true")[0] == 0:
                return

    @property
    def is_on(self) -> bool:
        return self._qemu is not None

    def cut_power(self) -> None:
        """At once, whatever it was doing; what it had not written to the card is gone."""
        if self._qemu is not None:
            self._qemu.send_signal(signal.SIGKILL)
            self._qemu.wait()
            self._qemu = None
        self.clock.stop()
        self._forget_shell()

    def run(self, *command: str, succeeds: bool = True) -> str:
        """What a command prints in there; as root."""
        settings = [f"PATH={PATH}", "LC_ALL=C.UTF-8"]
        code, said = self._shell(shlex.join(["env", "-i", *settings, *command]))
        assert (code == 0) is succeeds, f"{command}: {said}"
        return said

    def says(self, *command: str) -> Iterator[str]:
        """What a command prints in there, soon after it has printed it; empty while it does not."""
        settings = [f"PATH={PATH}", "LC_ALL=C.UTF-8"]
        line = shlex.join(["env", "-i", *settings, *command])
        heard = codecs.getincrementaldecoder("utf-8")(errors="replace")
        with subprocess.Popen(
            ["ssh", *self._ssh_options(), "root@127.0.0.1", line],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as ssh:  # fmt: skip
            assert ssh.stdout is not None
            while True:
                self.must_run()
                if not select.select([ssh.stdout], [], [], LOOK_S)[0]:
                    yield ""
                elif data := os.read(ssh.stdout.fileno(), 65536):
                    yield heard.decode(data)
                else:
                    return

    def write(self, path: str, content: bytes | str) -> None:
        """A file in there, of root's."""
        data = content.encode() if isinstance(content, str) else content
        code, said = self._shell(f"cat >{shlex.quote(path)}", data)
        assert code == 0, said

    def take(self, folder: str, *sources: Path) -> None:
        """Put files and folders of this machine into a folder in there."""
        self.run("mkdir", "-p", folder)
        for source in sources:
            packed = subprocess.run(
                ["tar", "-C", str(source.parent), "--mtime=@0", "-cf", "-", source.name],
                check=True, capture_output=True,
            ).stdout  # fmt: skip
            code, said = self._shell(f"tar -C {shlex.quote(folder)} --no-same-owner -xf -", packed)
            assert code == 0, said

    def lose_usb_device(self, vendor: str) -> None:
        """Let the kernel find that a device is gone, as it does when its plug is pulled.

        To be called before QEMU takes the device away: QEMU 7.2 ends with a failed assertion
        (`usb_ep_get`) when the kernel still speaks to one that is gone.
        """
        self.run(
            "sh", "-ec",
            'for device in $(grep -l "^$0$" /sys/bus/usb/devices/*/idVendor); do'
            ' echo 1 >"${device%/*}/remove"; done', vendor,
        )  # fmt: skip

    def keep_an_old_time(self) -> None:
        """What it will take for the time of day when it starts next: it has no clock of its own."""
        self.run("sh", "-c", f"touch -d 2025-01-01 {TIME_KEPT}; sync")

    def set_clock(self) -> None:
        """What the time servers of the internet do, which cannot be reached from in there."""
        self.run("date", "--utc", "--set", f"@{time.time():.0f}")

    def megabytes(self, folder: str) -> int:
        """What a folder takes on its card."""
        return int(self.run("du", "-sm", folder).split()[0])

    def wait_until(self, *command: str) -> None:
        """Until a command succeeds in there."""
        said = [""]
        for _ in self.until(lambda: f"{shlex.join(command)}: {said[-1]}"):
            code, last = self._shell(shlex.join(command))
            if code == 0:
                return
            said.append(last)

    def until(self, what: Callable[[], str]) -> Iterator[None]:
        """Look again and again, for so long by its own clock as anything may take in there.

        Args:
            what: says what is waited for.
        """
        until_s = self.clock.now_s + LONGEST_WAIT_S
        while self.clock.now_s < until_s:
            self.must_run()
            yield
            time.sleep(LOOK_S)
        raise AssertionError(f"waited {LONGEST_WAIT_S:.0f} s in vain for {what()}")

    def must_run(self) -> None:
        """Say so when QEMU has ended by itself."""
        assert self._qemu is not None
        if self._qemu.poll() is not None:
            said = (self._folder / "qemu.log").read_text(errors="replace").splitlines()[-3:]
            raise AssertionError(f"QEMU ended with code {self._qemu.returncode}: {said}")

    def _shell(self, line: str, data: bytes = b"") -> tuple[int, str]:
        """One connection for all commands: to greet takes an emulated Pi seconds."""
        self.must_run()
        done = subprocess.run(
            ["ssh", *self._ssh_options(), "root@127.0.0.1", line],
            input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout.decode(errors="replace")

    def _ssh_options(self) -> list[str]:
        return [
            "-F", "none", "-i", str(self._card.key), "-p", str(self.ports["ssh"]), "-q",
            *(word for option in (
                "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "BatchMode=yes",
                "ControlMaster=auto", "ControlPersist=yes", f"ControlPath={self._sockets / 'ssh'}",
                "ConnectTimeout=600", "ServerAliveInterval=60", "ServerAliveCountMax=30",
            ) for word in ("-o", option)),
        ]  # fmt: skip

    def _forget_shell(self) -> None:
        if (self._sockets / "ssh").exists():
            subprocess.run(
                ["ssh", *self._ssh_options(), "-O", "exit", "root@127.0.0.1"],
                check=False, capture_output=True,
            )  # fmt: skip
