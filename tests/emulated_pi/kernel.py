"""Debian's kernel for arm64 as a Pi starts it, and the first root file system that it finds.

That one is a busybox, some of the kernel's modules, and a script.
"""

import gzip
import lzma
import os
import shlex
import shutil
import subprocess
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.emulated_pi.guest_clock import PACE

MACHINE = (
    "setpriv", "--pdeathsig", "KILL",
    "qemu-system-aarch64", "-M", "raspi3b", "-m", "1G", "-smp", "4", "-no-reboot",
    "-display", "none", "-monitor", "none", *PACE,
)  # fmt: skip
"""What starts every machine; it does not outlive the tests."""

TOOLS = {
    "qemu-system-aarch64": "qemu-system-arm",
    "mmdebstrap": "mmdebstrap",
    "depmod": "kmod",
    "cpio": "cpio",
}
"""Program -> Debian package, of what fetches and runs a kernel."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """What a machine starts with; nobody writes to these files.

    Attributes:
        folder: where they are.
    """

    folder: Path

    @property
    def image(self) -> Path:
        """What the Pi's firmware would load first."""
        return self.folder / "kernel"

    @property
    def device_tree(self) -> Path:
        """What tells the kernel where pins, buses and ports are."""
        return self.folder / "device_tree"

    @property
    def first_root(self) -> Path:
        return self.folder / "first_root"


def need(tools: dict[str, str], why_root: str) -> None:
    """Skip without the programs, naming what to install."""
    if os.geteuid() != 0:
        pytest.skip(f"an emulated Raspberry Pi needs root, {why_root}")
    missing = sorted({package for tool, package in tools.items() if shutil.which(tool) is None})
    if missing:
        pytest.skip(f"needs {' '.join(missing)} (apt-get install {' '.join(missing)})")


def fetch(release: str, folder: Path) -> None:
    """Put the packages of a release's kernel and of a busybox into a folder."""
    script = folder / "fetch"
    script.write_text(
        textwrap.dedent(f"""\
            #!/bin/sh
            set -eu
            export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
            cd {shlex.quote(str(folder))}
            image=$(apt-cache depends linux-image-arm64 | sed -n 's/ *Depends: //p' | cut -d: -f1)
            apt-get -qq -o APT::Sandbox::User=root download "$image" busybox-static
            """)
    )
    script.chmod(0o755)
    # A Debian with nothing in it: only its lists of packages are wanted.
    do("mmdebstrap", "--quiet", "--architectures=arm64", "--variant=custom", "--mode=chrootless",
       "--format=null", f'--customize-hook={shlex.quote(str(script))} "$1"',
       release, "/dev/null")  # fmt: skip


def unpack(pattern: str, folder: Path, place: Path) -> None:
    """A package's files; `/lib` stays the link that it is in Debian."""
    (package,) = folder.glob(pattern)
    command = 'dpkg-deb --fsys-tarfile "$0" | tar -C "$1" -x --keep-directory-symlink'
    do("sh", "-ec", command, str(package), str(place))


def assemble(folder: Path, root: Path, modules: Iterable[str], script: str) -> Kernel:
    """Kernel, device tree and first root file system, from fetched packages.

    Args:
        folder: where the packages are; gets the files of a `Kernel`.
        root: where the kernel's package is unpacked.
        modules: names of those that `script` finds, with all they need.
        script: what runs first; it finds their order in `/modules/order`.
    """
    made = Kernel(folder)
    (image,) = (root / "boot").glob("vmlinuz-*")
    version = image.name.removeprefix("vmlinuz-")
    shutil.copy(image, made.image)
    (tree,) = root.glob("usr/lib/linux-image-*/broadcom/bcm2837-rpi-3-b.dtb")
    shutil.copy(tree, made.device_tree)
    do("depmod", "-b", str(root), version)
    built_in = root / "lib/modules" / version
    order = closure(modules, (built_in / "modules.dep").read_text().splitlines())
    first = folder / "first"
    shutil.rmtree(first, ignore_errors=True)
    (first / "modules").mkdir(parents=True)
    _lay_busybox(folder, first)
    _lay_modules(built_in, order, first / "modules")
    (first / "init").write_text(script)
    (first / "init").chmod(0o755)
    pack = "find . | cpio --quiet -o -H newc"
    packed = subprocess.run(["sh", "-ec", pack], cwd=first, check=True, capture_output=True)
    made.first_root.write_bytes(gzip.compress(packed.stdout, 1))
    shutil.rmtree(first)
    return made


def _lay_busybox(folder: Path, first: Path) -> None:
    unpack("busybox-static_*.deb", folder, first)
    (busybox,) = first.glob("**/bin/busybox")
    (first / "bin").mkdir(exist_ok=True)
    busybox.rename(first / "bin/busybox")
    shutil.rmtree(first / "usr", ignore_errors=True)


def _lay_modules(built_in: Path, order: Sequence[str], place: Path) -> None:
    for path in order:
        content = (built_in / path).read_bytes()
        plain = lzma.decompress(content) if path.endswith(".xz") else content
        (place / Path(path).name.removesuffix(".xz")).write_bytes(plain)
    names = [Path(path).name.removesuffix(".xz") for path in order]
    (place / "order").write_text("\n".join(names))


def closure(wanted: Iterable[str], table: Sequence[str]) -> list[str]:
    """Paths of modules and of all they need, each after what it needs; built-in ones are left out.

    Args:
        wanted: names of modules.
        table: lines of `modules.dep`: a path, a colon, the paths it needs, nearest first.
    """
    needs = {line.partition(":")[0]: line.partition(":")[2].split() for line in table}
    by_name = {_plain(path): path for path in needs}
    order: list[str] = []
    for name in wanted:
        path = by_name.get(_plain(name))
        if path is not None:
            order += [each for each in (*reversed(needs[path]), path) if each not in order]
    return order


def _plain(path: str) -> str:
    return Path(path).name.partition(".")[0].replace("-", "_")


def do(*command: str) -> None:
    """Run a command.

    Raises:
        RuntimeError: it failed; with what it said.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)}: {done.stdout}{done.stderr}")
