"""A bare Debian in a folder: nothing of the developer's machine, and systemd when it is booted.

Needs root, mmdebstrap and systemd-nspawn. `run` runs a command with this machine's network (for
apt-get and pip) and no systemd; inside `booted` the same folder is a running system without any
network but its own loopback.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

TOOLS = {"mmdebstrap": "mmdebstrap", "systemd-nspawn": "systemd-container", "unshare": "util-linux"}

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"

BOOT_S = 300.0

MOUNTS = (
    'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; mount --make-rslave "$0/dev"; '
    'exec chroot "$0" "$@"'
)


def _lies_in_memory(folder: Path) -> bool:
    asked = ["stat", "--file-system", "--format=%T", str(folder)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout == "tmpfs\n"


def wait_until(true: Callable[[], bool], what: str, deadline_s: float) -> None:
    """Poll a real system; the deadline only bounds a failure."""
    end = time.monotonic() + deadline_s
    while not true():
        if time.monotonic() > end:
            pytest.fail(f"waited {deadline_s:.0f} s in vain for: {what}")
        time.sleep(0.5)


class BareDebian:
    """A Debian that nobody has touched.

    Args:
        folder: where it is made; in /var/tmp if that lies in memory, which a table calls a fault.
        release: `bookworm`, `trixie` or `forky`.
        architecture: `amd64`, or `i386` for programs of 32 bit on the same processor.
    """

    def __init__(self, folder: Path, release: str, architecture: str = "amd64") -> None:
        if os.geteuid() != 0:
            pytest.skip("a bare Debian needs root")
        for tool, package in TOOLS.items():
            if shutil.which(tool) is None:
                pytest.skip(f"needs {tool} (apt-get install {package})")
        self._on_disk = tempfile.TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True)
        self.root = (Path(self._on_disk.name) if _lies_in_memory(folder) else folder) / release
        self._leader: int | None = None
        # systemd from 258 on knows no other control groups, whatever this machine has.
        newer = {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
        self._settings = newer if release == "forky" else {}
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd-sysv,udev",
             # A mirror that has stood still for some weeks is as good here.
             '--aptopt=Acquire::Check-Valid-Until "false"', f"--architectures={architecture}",
             release, str(self.root)],
            check=True, timeout=900,
        )  # fmt: skip
        # This machine's way to the network: some networks vouch for themselves.
        shutil.copy("/etc/resolv.conf", self.root / "etc")
        shutil.copy(CERTIFICATES, self.root / "release.crt")
        # Packages may not start services behind the back of this machine.
        self._policy = self.root / "usr/sbin/policy-rc.d"
        self._policy.write_text("#!/bin/sh\nexit 101\n")
        self._policy.chmod(0o755)

    def run(self, *command: str, succeeds: bool = True) -> str:
        """What a command prints in there; as root."""
        enter = (
            ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", MOUNTS, str(self.root)]
            if self._leader is None
            else ["nsenter", "--target", str(self._leader), "--all"]
        )
        settings = [f"PATH={PATH}", "LC_ALL=C.UTF-8", "PIP_NO_COMPILE=1", "TOPPLE_SETTLE_S=3",
                    "PIP_CERT=/release.crt"]  # fmt: skip
        done = subprocess.run(
            [*enter, "env", "-i", *settings, *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False, timeout=900,
        )  # fmt: skip
        assert (done.returncode == 0) is succeeds, f"{command}: {done.stdout}"
        return done.stdout

    def write(self, path: str, content: str) -> None:
        """A file in there, of root's."""
        (self.root / path.lstrip("/")).write_text(content)

    def become_a_pi(self, model: str = "Raspberry Pi 4 Model B Rev 1.5") -> None:
        """Say what a Pi's firmware says of itself; the kernel of this machine cannot."""
        place = self.root / "sys/firmware/devicetree/base"
        place.mkdir(parents=True)
        (place / "model").write_text(f"{model}\0")

    def collect_wheels(self, *wanted: str) -> None:
        """What pip is asked for, for this Debian's own Python, into `/release/wheelhouse`."""
        self.run("python3", "-m", "venv", "/release/collecting")
        self.run(
            "/release/collecting/bin/pip", "wheel", "-qq", "--disable-pip-version-check",
            "--no-input", "--wheel-dir", "/release/wheelhouse", *wanted,
        )  # fmt: skip

    @contextlib.contextmanager
    def booted(self) -> Iterator[None]:
        """While this lasts, the Debian runs."""
        self._policy.unlink(missing_ok=True)
        container = subprocess.Popen(
            ["systemd-nspawn", "--directory", str(self.root), "--boot", "--private-network",
             "--register=no", "--keep-unit", "--console=pipe", "--quiet"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=os.environ | self._settings,
        )  # fmt: skip
        try:
            children = Path(f"/proc/{container.pid}/task/{container.pid}/children")
            wait_until(lambda: bool(children.read_text()), "systemd to be started", BOOT_S)
            self._leader = int(children.read_text().split()[0])
            wait_until(self._is_up, "systemd to be up", BOOT_S)
            yield
        finally:
            self._leader = None
            # The second one does not wait for services.
            for _ in range(2):
                container.send_signal(signal.SIGTERM)
                time.sleep(0.5)
            try:
                container.wait(20)
            except subprocess.TimeoutExpired:
                container.kill()
                container.wait(20)

    def _is_up(self) -> bool:
        try:
            return self.run("systemctl", "is-system-running").strip() == "running"
        except AssertionError:
            return False
