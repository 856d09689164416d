"""The configuration of each variant is one that the program accepts, with the plan's pins."""

import pytest

from controller.common import config
from hw.drivers.pins import Pins
from scripts.schematics import plan, settings

PLAN = plan.load()
DIRECT = {
    "hx711_data": [5, 6, 13, 19],
    "hx711_clock": [12, 16, 20, 21],
    "i2c_bus": 1,
    "imu_address": 0x68,
    "tilt_switch": 17,
    "pass_button": 22,
    "undo_button": 23,
    "bumped_button": 24,
    "buzzer": 18,
    "lights": [25, 26, 27, 4],
}


@pytest.mark.parametrize("variant", ["bridge", "direct", "starter"])
def test_the_program_accepts_it(variant: str) -> None:
    text = (plan.FOLDER / variant / "config.toml").read_text()

    assert config.parse(text).source.kind == settings.SOURCE_KINDS[variant]


def test_the_pins_of_the_direct_table_are_those_of_the_plan() -> None:
    assert settings.pi_pins(PLAN, "direct") == DIRECT


def test_the_defaults_of_the_program_are_those_of_the_plan() -> None:
    defaults = Pins()
    given = {key: getattr(defaults, key) for key in DIRECT}
    assert {k: list(v) if isinstance(v, tuple) else v for k, v in given.items()} == DIRECT
    assert 'kind = "pi"' in settings.snippet(PLAN, "direct")
