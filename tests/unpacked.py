"""Programs of later Debians, unpacked beside this one and run with their own libraries."""

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


@functools.cache
def unpacked_root(package: str, release: str = "trixie") -> Path:
    """The folder with a package of a release and all that it needs; nothing in it is set up."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("needs root and mmdebstrap (apt-get install mmdebstrap)")
    root = Path(tempfile.mkdtemp(prefix=f"topple-{package}-")) / "root"
    # A mirror that has stood still for some weeks is as good here.
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=extract", f"--include=base-files,{package}",
         '--aptopt=Acquire::Check-Valid-Until "false"', release, str(root)],
        check=True, stdout=subprocess.DEVNULL, timeout=600,
    )  # fmt: skip
    # Otherwise done by the scripts of packages.
    subprocess.run(["ldconfig", "-r", str(root)], check=True)
    return root


def unpacked(package: str, program: str, release: str = "trixie") -> tuple[str, ...]:
    """The words with which a program of a package is started.

    Args:
        package: of Debian.
        program: its path in there.
        release: which Debian.
    """
    root = unpacked_root(package, release)
    (loader,) = root.glob("usr/lib64/ld-linux-*")
    (libraries,) = (path.parent for path in root.glob("usr/lib/*/libc.so.6"))
    return str(loader), "--library-path", str(libraries), str(root / program)
