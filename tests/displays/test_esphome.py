"""The display for ESPHome, read by ESPHome itself.

Its compiler and the chip's framework come from places that no test reaches, so it is not compiled.
"""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.displays.conftest import DISPLAYS

pytestmark = pytest.mark.slow

SETTINGS = {"host", "port", "user", "password", "table", "client", "wifi", "wifi_password"}


@pytest.fixture(scope="module")
def esphome(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `pip install esphome` gives."""
    place = tmp_path_factory.mktemp("esphome") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    subprocess.run(
        [str(place / "bin/pip"), "install", "-qq", "--disable-pip-version-check", "esphome"],
        check=True,
    )
    return place / "bin/esphome"


def checked(esphome: Path, file: Path) -> tuple[int, str]:
    done = subprocess.run(
        [str(esphome), "config", str(file)], cwd=file.parent, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_esphome_takes_it_and_it_says_when_it_goes(esphome: Path, tmp_path: Path) -> None:
    file = tmp_path / "display.yaml"
    file.write_text((DISPLAYS / "esphome_display.yaml").read_text())

    code, said = checked(esphome, file)

    assert code == 0, said
    assert "Configuration is valid!" in said
    assert said.count("topic: topple/1/t1/client/esphome-display-1") == 3


def test_a_slip_in_it_would_be_noticed(esphome: Path, tmp_path: Path) -> None:
    file = tmp_path / "display.yaml"
    text = (DISPLAYS / "esphome_display.yaml").read_text()
    file.write_text(text.replace("mqtt_subscribe", "mqtt_subscribes", 1))

    assert checked(esphome, file)[0] != 0


def test_all_that_an_owner_changes_stands_on_top() -> None:
    text = (DISPLAYS / "esphome_display.yaml").read_text()
    top = text.split("\nesphome:")[0]

    assert set(yaml.safe_load(top)["substitutions"]) == SETTINGS
