"""Shell scripts that mount file systems of their own, which are gone when the script ends."""

import os
import subprocess
from functools import cache

import pytest

from tests.tree import ROOT

LONGEST_S = 120.0

AS_MAPPED_ROOT = ("unshare", "--map-root-user", "--mount")
AS_ROOT = ("unshare", "--mount")


@cache
def _may(unshare: tuple[str, ...], *command: str) -> bool:
    tried = subprocess.run([*unshare, *command], capture_output=True, check=False)
    return tried.returncode == 0


def in_a_mount(script: str, *words: str, disk: bool = False) -> str:
    """What a shell script prints that may mount; `disk` if it makes disks of files.

    Memory and layers anybody may mount in a user namespace, a disk only root.
    """
    unshare = AS_ROOT if disk else AS_MAPPED_ROOT
    if not _may(unshare, "true"):
        pytest.skip(f"this machine lets us mount nothing of our own ({' '.join(unshare)})")
    if disk and not _may(unshare, "sh", "-c", "mkfs.ext4 -V && losetup --find"):
        pytest.skip("no loop device or no mkfs.ext4 here (root, e2fsprogs, modprobe loop)")
    ran = subprocess.run(
        [*unshare, "sh", "-ec", script, *words],
        capture_output=True, text=True, cwd=ROOT, timeout=LONGEST_S, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


SMALL_DISK = (
    'truncate -s "$SIZE" "$0.img"; mkfs.ext4 -q -m 0 "$0.img"; mount -o loop "$0.img" "$0"; '
)
"""Mounts an ext4 of $SIZE on the folder "$0"; it is let go of with the script's last process."""
