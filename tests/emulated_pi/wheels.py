"""Wheels for an emulated Pi, brought by this machine: there pip takes several times as long.

The installer takes them as it takes those of an owner without a network (`--wheelhouse`).
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-bridge.lock")
"""Of a bridge table on a computer without pins."""

PYTHON = "3.11"
"""Bookworm's."""

GLIBC = 36
"""Bookworm has 2.36, and runs what was built for 2.17 and later."""


def bring(folder: Path) -> None:
    """Put the wheels of all locked packages for 64 bit ARM into a folder.

    A package that has none is built here without a C compiler: it must do without one, or pip
    finds no wheel for the card.
    """
    platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, GLIBC + 1)]
    locks = [f"--requirement={ROOT / 'deploy' / lock}" for lock in LOCKS]
    _pip("download", "--require-hashes", f"--python-version={PYTHON}", *platforms,
         "--platform=manylinux2014_aarch64", "--dest", str(folder), *locks)  # fmt: skip
    for source in folder.glob("*.tar.gz"):
        _pip("wheel", "--no-cache-dir", "--wheel-dir", str(folder), str(source))


def _pip(command: str, *options: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", command, "-qq", "--disable-pip-version-check", "--no-input",
         "--no-deps", *options],
        env=os.environ | {"CC": "/bin/false"}, check=True,
    )  # fmt: skip
