"""docs/mqtt.md: its examples run, its tables are those of the code."""

import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, get_args

import pytest

from controller.mqtt import topics
from controller.mqtt.client import KEEPALIVE_S, LARGEST_PACKET_BYTES, Mqtt
from controller.mqtt.topics import TOPICS
from controller.table.commands import LARGEST_COMMAND_BYTES, LONGEST_ID, Code
from engine.games import checks
from engine.games.checks import LONGEST_NAME
from engine.results import RESULTS_LIMIT_BYTES
from engine.summary import SUMMARY_LIMIT_BYTES
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.controller.evenings import START, Evening

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "mqtt.md").read_text()


def code(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    assert found
    return found[1]


def test_every_row_of_the_table_is_as_in_the_code() -> None:
    rows = dict(re.findall(r"^\| `([a-z]+)(?:/<\w+>)?` \| (\d \| .+?) \|", TEXT, re.MULTILINE))

    for name, row in TOPICS.items():
        quality, retained = rows[name].split(" | ")
        assert int(quality) == row.qos
        assert retained.strip("*") == ("yes" if row.retain else "never" if name == "cmd" else "no")


def test_every_code_of_a_reply_is_explained() -> None:
    for name in filter(None, get_args(Code)):
        assert f"`{name}`" in TEXT


def test_the_figures_are_those_of_the_code() -> None:
    assert f"at most {SUMMARY_LIMIT_BYTES} bytes" in TEXT
    assert f"keepalive of {KEEPALIVE_S} s" in TEXT
    assert f"up to {KEEPALIVE_S * 3 // 2 + 1} s" in TEXT
    assert f"at most {RESULTS_LIMIT_BYTES:,} bytes" in TEXT
    assert f"above {LARGEST_PACKET_BYTES:,} bytes" in TEXT
    assert f"at most {LARGEST_COMMAND_BYTES:,} bytes" in TEXT
    assert f"of at most {LONGEST_ID} characters" in TEXT
    assert f"at most {LONGEST_NAME} characters" in TEXT
    assert f"at most {checks.LONGEST_ID} such characters" in TEXT


@pytest.mark.parametrize("display", ["python", "mosquitto_sub"])
def test_the_displays_shown_there_show_the_score(
    display: str, guarded_mosquitto: Any, tmp_path: Path
) -> None:
    """With the password of a display, as every broker of ours asks for one."""
    evening = Evening(START)
    evening.step(1.0)
    table = Mqtt(
        guarded_mosquitto.address("table"), "table",
        birth=lambda: [topics.state(evening.table.board)],
    )  # fmt: skip
    table.start()
    address = guarded_mosquitto.address("display")
    place = [address.host, str(address.port), address.user, address.password]
    if display == "python":
        script = tmp_path / "display.py"
        script.write_text(code("python"))
        assert "python3 display.py table.local 1883 display secret" in TEXT
        command = [sys.executable, str(script), *place]
        words = "● Ann 0  ▲ Bob 0"
    else:
        program = shutil.which("mosquitto_sub")
        if program is None:
            pytest.skip("needs mosquitto_sub (apt-get install mosquitto-clients)")
        shown_there = "mosquitto_sub -h table.local -u display -P secret -t 'topple/1/+/state'"
        assert shown_there in TEXT
        options = zip(("-h", "-p", "-u", "-P"), place, strict=True)
        command = [program, *(word for pair in options for word in pair), "-t", "topple/1/+/state"]
        words = '"name":"Ann"'
    wait_until(lambda: table.connection.up, "the table's connection")
    shown = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    patience = threading.Timer(PATIENCE_S, shown.kill)
    patience.start()
    try:
        assert shown.stdout is not None
        line = shown.stdout.readline()
        assert words in line, shown.stderr and shown.stderr.read()
    finally:
        patience.cancel()
        shown.kill()
        shown.communicate(timeout=PATIENCE_S)
        table.stop()
