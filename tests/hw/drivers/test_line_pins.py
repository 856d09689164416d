"""Real Blinka and real gpiod on a pretended kernel, which is as linux/gpio.h describes it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hw.drivers.line_pins import LineInput, LineOutput, quick_input, quick_output
from tests.tree import ROOT

KERNEL = Path(__file__).with_name("gpiochip.c")

PROGRAM = """
import importlib
from contextlib import ExitStack
from pathlib import Path
from hw.drivers.header import HeaderWires

wires = HeaderWires((5,), (12,))
wires._load()
header = importlib.import_module("adafruit_blinka.microcontroller.generic_linux.raspberry_pi_pin")
header._chip_paths = lambda: [Path("/dev/gpiochip0")]
with ExitStack() as stack:
    [(data, clock)] = wires(stack)
    print(type(data).__name__, type(clock).__name__)
    for level in (True, False, True, False):
        clock.value = level
        print(clock.value, data.value)
try:
    clock.value = True
except OSError as error:
    print("released", error.errno)
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed: apt-get install gcc")
    made = tmp_path_factory.mktemp("kernel") / "gpiochip.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, KERNEL, "-ldl"], check=True)
    return made


def test_pins_of_real_libraries_reach_the_kernel_by_its_own_calls(
    kernel: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    a_pi = {"BLINKA_FORCEBOARD": "RASPBERRY_PI_4B", "BLINKA_FORCECHIP": "BCM2XXX"}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | a_pi | {"LD_PRELOAD": str(kernel), "GPIOCHIP_LOG": str(log)},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ran.stderr == ""
    assert ran.stdout.split("\n") == [
        "LineInput LineOutput", "True True", "False False", "True True", "False False",
        "released 9", "",
    ]  # fmt: skip
    # The first is Blinka making it an output.
    assert log.read_text().split("\n") == ["12 0", "12 1", "12 0", "12 1", "12 0", ""]


def test_pins_of_another_library_stay_as_they_are() -> None:
    for pin in (SimpleNamespace(value=True), SimpleNamespace(_pin=SimpleNamespace(), value=False)):
        assert quick_input(pin) is pin
        assert quick_output(pin) is pin


def test_a_line_that_is_gone_is_an_error_of_the_system() -> None:
    for access in (lambda: LineInput(-1).value, lambda: setattr(LineOutput(-1), "value", True)):
        with pytest.raises((OSError, ValueError)):
            access()
