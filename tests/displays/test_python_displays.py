"""The displays in Python, each started from its own file."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.controller.conftest import wait_until
from tests.displays.conftest import FIRST_MINUTE_S, TABLE, PlayedTable, Start, own_copy, posted_to

FILES = ("paho_display.py", "aiomqtt_display.py")

PAHOS = [
    pytest.param("installed", id="paho 2"),
    # As many a Raspberry Pi has it: python3-paho-mqtt of Debian 12.
    pytest.param("1.6.1", id="paho 1.6", marks=pytest.mark.slow),
]


@pytest.fixture(scope="session")
def pahos(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """Gives the environment in which a display finds that version of the library."""

    @cache
    def environment(version: str) -> dict[str, str]:
        if version == "installed":
            return dict(os.environ)
        folder = tmp_path_factory.mktemp("paho")
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check",
             "--target", str(folder), f"paho-mqtt=={version}"],
            check=True, stdout=subprocess.DEVNULL, timeout=600,
        )  # fmt: skip
        return {**os.environ, "PYTHONPATH": str(folder)}

    return environment


@pytest.mark.parametrize("file", FILES)
def test_it_shows_the_score_at_once_and_follows_the_evening(
    file: str, table: PlayedTable, start: Start, tmp_path: Path
) -> None:
    table.play(0.0, FIRST_MINUTE_S)
    ear = table.ear(f"topple/1/{TABLE}/client/+")
    display = start(sys.executable, own_copy(file, tmp_path, table))

    display.shows(table.scores())
    table.play(FIRST_MINUTE_S)
    display.shows(f"{table.scores()}   won: {table.state['winners'][0]}")
    wait_until(lambda: bool(ear.heard), "its presence")
    table.broker.stop()
    display.shows("no connection")
    assert b'"role":"display"' in ear.heard[0].payload
    ear.edge.stop()


@pytest.mark.parametrize("version", PAHOS)
def test_it_works_with_the_paho_of_today_and_of_debian_12(
    version: str,
    pahos: Callable[[str], dict[str, str]],
    table: PlayedTable,
    start: Start,
    tmp_path: Path,
) -> None:
    table.play(0.0, FIRST_MINUTE_S)
    in_use = start(sys.executable, "-c", "import paho.mqtt as p; print(p.__version__)",
                   env=pahos(version))  # fmt: skip
    in_use.shows("1.6.1" if version == "1.6.1" else "2.")
    strips: list[bytes] = []
    with posted_to(lambda _path, body: strips.append(body)) as address:
        display = start(sys.executable, own_copy(FILES[0], tmp_path, table), env=pahos(version))
        bridge = own_copy("wled_bridge.py", tmp_path, table, WLED=address)
        start(sys.executable, bridge, env=pahos(version))

        display.shows(table.scores())
        wait_until(lambda: bool(strips), "lights")
        table.go_off()
        display.shows("(the table is off)")
        table.broker.stop()
        display.shows("no connection")


@pytest.mark.parametrize("file", FILES)
def test_it_says_that_the_table_is_off_and_keeps_the_score(
    file: str, table: PlayedTable, start: Start, tmp_path: Path
) -> None:
    table.play()
    display = start(sys.executable, own_copy(file, tmp_path, table))
    display.shows(table.scores())

    table.go_off()

    display.shows("(the table is off)")
    assert table.scores() in display.output.splitlines()[-1]
