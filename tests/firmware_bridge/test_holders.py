"""Programs that hold a device: by real descriptors of a real process, and of a pretended /proc."""

import os
import subprocess
import sys
from pathlib import Path

from firmware_bridge.holders import holder_of

PROGRAM = "import sys, time; kept = open(sys.argv[1]); print(flush=True); time.sleep(600)"

APART = """
import os, subprocess, sys, time
mount = ["mount", "-t", "devpts", "-o", "newinstance,ptmxmode=0666", "devpts", "/dev/pts"]
subprocess.run(mount, check=True)
subprocess.run(["mount", "--bind", "/dev/pts/ptmx", "/dev/ptmx"], check=True)
kept = [os.openpty() for _ in range(int(sys.argv[1].rpartition("/")[2]) + 1)]
print(os.ttyname(kept[-1][1]), flush=True)
time.sleep(600)
"""
"""A process with terminals of its own, as in a container, up to the number that is asked for."""


def test_another_program_is_named_also_by_a_link_to_its_device_and_we_are_not(
    tmp_path: Path,
) -> None:
    device, link = tmp_path / "ttyUSB0", tmp_path / "usb-0:1.1"
    device.touch()
    link.symlink_to(device)
    command = [sys.executable, "-c", PROGRAM, str(device)]
    with device.open() as _ours, subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        assert holder_of(str(tmp_path / "other")) == ""
        assert program.stdout is not None
        program.stdout.readline()
        found = holder_of(str(link))
        program.kill()
    with device.open():
        alone = holder_of(str(device))

    assert found.startswith("python")
    assert found.endswith(f" (process {program.pid})")
    assert alone == ""


def test_a_terminal_of_the_same_name_in_a_container_is_another_one() -> None:
    """Each devpts counts from 0; a program in a container has a /dev/pts/0 of its own."""
    ours, terminal = os.openpty()
    name = os.ttyname(terminal)
    apart = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", APART, name]
    with subprocess.Popen(apart, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == f"{name}\n"
        found = holder_of(name)
        program.kill()
    os.close(ours)
    os.close(terminal)

    assert found == ""


def test_a_process_that_ends_or_is_hidden_while_we_look_is_passed_over(tmp_path: Path) -> None:
    proc, device = tmp_path / "proc", tmp_path / "ttyUSB0"
    for number in ("7", "8", "9", "self"):
        (proc / number).mkdir(parents=True)
    (proc / "8" / "fd").mkdir()
    (proc / "8" / "fd" / "3").touch()
    (proc / "9" / "fd").mkdir()
    device.touch()
    (proc / "9" / "fd" / "3").symlink_to(device)

    assert holder_of(str(device), proc) == "a program (process 9)"
    assert holder_of(str(device), tmp_path / "none") == ""
