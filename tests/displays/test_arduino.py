"""The Arduino sketch, compiled for this computer and run against Mosquitto as shipped.

Arduino, Wi-Fi, PubSubClient and ArduinoJson are stand-ins of ours (`arduino/`): it shows that the
sketch is C++ that does what it should with the broker, and not that it compiles with the libraries.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.controller.conftest import wait_until
from tests.displays.conftest import FIRST_MINUTE_S, TABLE, PlayedTable, Start, own_copy

STAND_INS = Path(__file__).parent / "arduino"
JSON = Path("/usr/include/nlohmann/json.hpp")


def compiled(sketch: Path, folder: Path) -> Path:
    if shutil.which("g++") is None or not JSON.exists():
        pytest.skip("needs g++ and nlohmann-json3-dev (apt-get install)")
    program = folder / "sketch"
    subprocess.run(
        ["g++", "-std=c++17", "-O0", "-Wall", "-Werror", f"-I{STAND_INS}", "-include", "Arduino.h",
         "-x", "c++", str(sketch), str(STAND_INS / "main.cpp"), "-o", str(program)],
        check=True,
    )  # fmt: skip
    return program


@pytest.mark.slow
def test_it_shows_the_score_and_that_the_table_is_off(
    table: PlayedTable, start: Start, tmp_path: Path
) -> None:
    sketch = own_copy("topple_display/topple_display.ino", tmp_path, table)
    program = compiled(sketch, tmp_path)
    table.play(0.0, FIRST_MINUTE_S)
    ear = table.ear(f"topple/1/{TABLE}/client/+")

    display = start(program)
    display.shows(table.scores("{name} {score}", "  "))
    table.play(FIRST_MINUTE_S)
    display.shows(table.scores("{name} {score}", "  "))
    table.go_off()
    display.shows("the table is off")
    presence = f"topple/1/{TABLE}/client/arduino-display-1"
    wait_until(lambda: bool(ear.last(presence)), "its presence")
    display.process.kill()
    ear.hears(presence, b"")
    ear.edge.stop()


@pytest.mark.slow
def test_a_wrong_password_is_shown(table: PlayedTable, start: Start, tmp_path: Path) -> None:
    sketch = own_copy("topple_display/topple_display.ino", tmp_path, table, PASSWORD="wrong")  # noqa: S106

    start(compiled(sketch, tmp_path)).shows("no connection, code 5")
