"""A table whose sensors are on the Pi's own pins: the real libraries open the real devices.

Nothing hangs on the emulated pins: inputs read what was put out last, and no chip answers at the
I2C bus. So this shows what an owner sees who has forgotten every wire.
"""

import pytest

from tests.deploy.test_guides import TYPED, UNWELCOME
from tests.deploy.typed import types
from tests.emulated_pi.conftest import Installed
from tests.emulated_pi.machine import EmulatedPi

pytestmark = pytest.mark.emulated_pi

TABLE_FILE = "/etc/topple-table/table.toml"
PYTHON = "/opt/topple-table/current/bin/python"
AS_SERVICE = ("setpriv", "--reuid=topple-table", "--regid=topple-table", "--init-groups")

OPEN_EVERYTHING = """
import board, digitalio, gpiozero, lgpio, smbus2
pin = digitalio.DigitalInOut(board.D5); pin.direction = digitalio.Direction.OUTPUT
pin.value = True; print("blinka", pin.value)
light = gpiozero.LED(25); light.on(); print("gpiozero", light.is_lit, light.pin_factory)
print("smbus2", smbus2.SMBus(1).fd > 0)
chip = lgpio.gpiochip_open(0); print("lgpio", lgpio.gpio_get_chip_info(chip)[1] > 0)
"""

TAKES_A_PERSON = ("calibrate", "accuracy-test", "install.sh", "demo", "reboot", "raspi-config")
"""What waits for hands at the table, or was typed before."""


def wire(pi: EmulatedPi, kind: str, cells: str) -> None:
    """What the owner changes in the table's file."""
    pi.run("systemctl", "stop", "topple-table")
    pi.run("sed", "-i", f's/^kind = "bridge"/kind = "{kind}"/; {cells}', TABLE_FILE)


def test_the_libraries_open_the_real_devices_as_the_service_does(installed: Installed) -> None:
    said = installed.pi.run(
        *AS_SERVICE, "env", "LG_WD=/run", "HOME=/var/lib/topple-table", PYTHON, "-c",
        OPEN_EVERYTHING,
    )  # fmt: skip

    assert "blinka True" in said
    assert "gpiozero True" in said
    assert "LGPIOFactory" in said or "lgpio" in said
    assert "smbus2 True" in said
    assert "lgpio True" in said


def test_sensors_that_do_not_answer_are_named(installed: Installed) -> None:
    wire(installed.pi, "pi", "")
    _code, said = types(installed.pi, "sudo topple-table diagnose")

    assert "Traceback" not in said
    assert "WRONG" in said
    installed.report.say("* on its own pins, with nothing wired, `diagnose` said:\n")
    installed.report.quote(line for line in said.splitlines() if line.strip())


@pytest.mark.parametrize(
    "line", [line for line in TYPED if not any(word in line for word in TAKES_A_PERSON)]
)
def test_a_command_of_the_guides_works_or_says_what_to_do(installed: Installed, line: str) -> None:
    code, said = types(installed.pi, f"timeout 600 {line}")
    last = said.replace(f"[{code}]", "").strip().splitlines()[-1:]

    installed.report.say(f"* `{line}`: ends with {code}: {' '.join(last)}")
    assert not [words for words in UNWELCOME if words in said], said
    assert code in {0, 1, 2}
