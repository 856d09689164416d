"""A program of Debian 13, unpacked beside this Debian and run with its own libraries."""

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


@functools.cache
def unpacked(package: str, program: str) -> tuple[str, ...]:
    """The words with which a program of a package is started.

    Args:
        package: of Debian 13.
        program: its path in there.
    """
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("needs root and mmdebstrap (apt-get install mmdebstrap)")
    root = Path(tempfile.mkdtemp(prefix=f"topple-{package}-")) / "root"
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=extract", f"--include={package}", "trixie", str(root)],
        check=True, stdout=subprocess.DEVNULL, timeout=600,
    )  # fmt: skip
    (loader,) = root.glob("usr/lib64/ld-linux-*")
    (libraries,) = (path.parent for path in root.glob("usr/lib/*/libc.so.6"))
    return str(loader), "--library-path", str(libraries), str(root / program)
