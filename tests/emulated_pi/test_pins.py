"""A table whose sensors are on the Pi's own pins: the real libraries open the real devices.

Nothing hangs on the emulated pins: inputs read what was put out last, and no chip answers at the
I2C bus. So this shows what an owner sees who has forgotten every wire.
"""

from dataclasses import dataclass

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

TAKES_A_PERSON = (
    "measure", "calibrate", "accuracy-test", "install.sh", "demo", "reboot", "raspi-config",
)  # fmt: skip
"""What waits for hands at the table, or was typed before."""


def wire(pi: EmulatedPi, kind: str) -> None:
    """What the owner changes in the table's file."""
    pi.run("systemctl", "stop", "topple-table")
    pi.run("sed", "-i", f's/^kind = "bridge"/kind = "{kind}"/', TABLE_FILE)


def test_the_libraries_open_the_real_devices_as_the_service_does(installed: Installed) -> None:
    # The running table holds the lights' pins.
    installed.pi.run("systemctl", "stop", "topple-table")
    said = installed.pi.run(
        *AS_SERVICE, "env", "LG_WD=/tmp", "HOME=/var/lib/topple-table", PYTHON, "-c",
        OPEN_EVERYTHING,
    )  # fmt: skip

    assert "blinka True" in said
    assert "gpiozero True" in said
    assert "LGPIOFactory" in said or "lgpio" in said
    assert "smbus2 True" in said
    assert "lgpio True" in said


def test_sensors_that_do_not_answer_are_named(installed: Installed) -> None:
    wire(installed.pi, "pi")
    _code, said = types(installed.pi, "sudo topple-table diagnose")

    assert "Traceback" not in said
    assert "The table is not healthy" in said
    installed.report.say("* on its own pins, with nothing wired, `diagnose` said:\n")
    installed.report.quote(line for line in said.splitlines() if line.strip())


@dataclass(frozen=True, slots=True)
class Fault:
    """Something an owner may meet, and what the doctor is to say.

    Attributes:
        plant: shell command that brings it about; `$SITE` is where Python finds its packages.
        mend: shell command that takes it back.
        words: of one line of the doctor.
    """

    plant: str
    mend: str
    words: tuple[str, ...]


FAULTS = {
    "no lgpio wheel": Fault(
        'mv "$SITE/lgpio.py" /hidden', 'mv /hidden "$SITE/lgpio.py"',
        ("WRONG", "libraries", "lgpio cannot be imported", "pip install"),
    ),
    "missing gpiod": Fault(
        'mv "$SITE/gpiod" /hidden', 'mv /hidden "$SITE/gpiod"',
        ("WRONG", "libraries", "gpiod cannot be imported", "pip install"),
    ),
    "no permission": Fault(
        "chgrp root /dev/gpiochip0", "chgrp gpio /dev/gpiochip0",
        ("WRONG", "pins", "topple-table may not open", "udevadm trigger"),
    ),
    "wrong group": Fault(
        "gpasswd -d topple-table i2c", "gpasswd -a topple-table i2c",
        ("WRONG", "i2c", "topple-table may not open", "usermod -aG i2c topple-table"),
    ),
    "I2C is off": Fault(
        "mv /dev/i2c-1 /hidden", "mv /hidden /dev/i2c-1",
        ("WRONG", "i2c", "there is no /dev/i2c-1", "raspi-config"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_named_with_what_to_do(installed: Installed, name: str) -> None:
    pi, fault = installed.pi, FAULTS[name]
    wire(pi, "pi")
    site = pi.run(PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    pi.run("env", f"SITE={site}", "sh", "-ec", fault.plant)
    _code, ill = types(pi, "sudo topple-table doctor --only wires")
    pi.run("env", f"SITE={site}", "sh", "-ec", fault.mend)
    _code, well = types(pi, "sudo topple-table doctor --only wires")

    named = [line for line in ill.splitlines() if all(word in line for word in fault.words)]
    assert named, ill
    assert fault.words[2] not in well
    installed.report.say(f"* {name}: `{' '.join(named[0].split())}`")


@pytest.mark.parametrize(
    "line", [line for line in TYPED if not any(word in line for word in TAKES_A_PERSON)]
)
def test_a_command_of_the_guides_works_or_says_what_to_do(installed: Installed, line: str) -> None:
    code, said = types(installed.pi, f"timeout 600 {line}")
    last = said.replace(f"[{code}]", "").strip().splitlines()[-1:]

    installed.report.say(f"* `{line}`: ends with {code}: {' '.join(last)}")
    assert not [words for words in UNWELCOME if words in said], said
    assert code in {0, 1, 2}
