"""Recordings of real sensors made by others, as counts.

Their licences let nobody put them into this repository: they lie in a folder beside the clone, and
whatever needs them is skipped, with words, where it is missing.
"""

import csv
import gzip
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.samples import Floats, Ints
from tests.tree import ROOT

REASON = (
    "no recordings of real sensors in a folder data of a folder beside the clone; their licences "
    "keep them out of the repository"
)

MPU_ONE_G, MPU_ONE_DPS = 16384.0, 131.0
"""MPU-6050 data sheet: counts of the finest ranges."""

COFFEE_COUNTS_PER_GRAM = 1540.0
COFFEE_HZ = 11.655
"""Of the coffee scale: 7,022 conversions in 602.5 s."""
CAPTURE_HZ = 82.02

SCK_PROBE, DOUT_PROBE = 0, 1
WORD_BITS = 24


@cache
def _folder() -> Path | None:
    found = sorted(ROOT.parent.glob("*/data/hx711_coffee_scales_*.csv.gz"))
    return found[0].parent if found else None


def recording(name: str) -> Path:
    """One of them; the test is skipped where they are missing."""
    folder = _folder()
    if folder is None:
        pytest.skip(REASON)
    return folder / name


def _columns(name: str) -> Floats:
    path = recording(name)
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        rows = list(csv.reader(file))[1:]
    return np.array(rows, dtype=np.float64).T


@cache
def coffee(name: str) -> tuple[Floats, Floats]:
    """Times and counts of the coffee scale: `steadystate`, `startup` or `brew`."""
    t_s, counts = _columns(f"hx711_coffee_scales_{name}.csv.gz")
    return t_s, counts


@cache
def capture() -> tuple[Floats, Floats]:
    """Times (s) and counts of the 17 conversions at 80 SPS, as somebody decoded them."""
    t_ms, counts = _columns("hx711_80sps_capture.csv")
    return t_ms * 1e-3, counts


@cache
def motion(name: str) -> tuple[Floats, Floats]:
    """Times, and counts of accelerometer x y z, gyroscope x y z, of the MPU-6050."""
    t_s, *axes = _columns(f"mpu6050_{name}.csv.gz")
    units = np.array([MPU_ONE_G] * 3 + [MPU_ONE_DPS] * 3)
    return t_s, np.rint(np.array(axes).T * units)


@cache
def wires() -> tuple[Ints, Ints]:
    """Levels of PD_SCK and DOUT of the capture, 24 million a second."""
    with zipfile.ZipFile(recording("hx711_80sps_nogainchange.sr")) as archive:
        parts = sorted(name for name in archive.namelist() if name.startswith("logic-1-"))
        levels = np.frombuffer(b"".join(archive.read(part) for part in parts), np.uint8)
    return (levels >> SCK_PROBE & 1).astype(np.int32), (levels >> DOUT_PROBE & 1).astype(np.int32)
