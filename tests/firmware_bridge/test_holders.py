"""Programs that hold a device: by real descriptors of a real process, and of a pretended /proc."""

import subprocess
import sys
from pathlib import Path

from firmware_bridge.holders import holder_of

PROGRAM = "import sys, time; kept = open(sys.argv[1]); print(flush=True); time.sleep(600)"


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


def test_a_process_that_ends_or_is_hidden_while_we_look_is_passed_over(tmp_path: Path) -> None:
    proc, device = tmp_path / "proc", tmp_path / "ttyUSB0"
    for number in ("7", "8", "9", "self"):
        (proc / number).mkdir(parents=True)
    (proc / "8" / "fd").mkdir()
    (proc / "8" / "fd" / "3").touch()
    (proc / "9" / "fd").mkdir()
    (proc / "9" / "fd" / "3").symlink_to(device)

    assert holder_of(str(device), proc) == "a program (process 9)"
    assert holder_of(str(device), tmp_path / "none") == ""
