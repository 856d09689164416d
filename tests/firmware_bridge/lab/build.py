"""Builds the firmware with avr-gcc, as it is or with a fault put in on purpose."""

import shutil
import subprocess
from pathlib import Path

import pytest

import firmware_bridge
from lab.avr.simavr import find_library

FIRMWARE = Path(firmware_bridge.__file__).parent / "firmware"


def need_compiler() -> None:
    """Skip, by name, when the firmware cannot be built here."""
    missing = [tool for tool in ("avr-gcc", "make") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: apt-get install gcc-avr avr-libc make")


def need_lab() -> None:
    """Skip, by name, when the lab cannot run here."""
    need_compiler()
    if find_library() is None:
        pytest.skip("libsimavr is not installed: apt-get install libsimavr2")


def build(folder: Path, file: str = "", changes: tuple[tuple[str, str], ...] = ()) -> Path:
    """Copy the sources into `folder`, change one file's text, and give the ELF made of them."""
    shutil.copytree(FIRMWARE / "src", folder / "src")
    shutil.copy(FIRMWARE / "Makefile", folder)
    for old, new in changes:
        source = folder / "src" / file
        text = source.read_text(encoding="utf-8")
        assert old in text, f"{file} does not contain {old!r} any more; the mutant is out of date"
        source.write_text(text.replace(old, new), encoding="utf-8")
    command = ["make", "-s", "-C", str(folder), "DEFINES=-Wno-error"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder / "build" / "topple-table.elf"
