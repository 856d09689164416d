"""The displays in Python, each started from its own file."""

import sys
from pathlib import Path

import pytest

from tests.controller.conftest import wait_until
from tests.displays.conftest import FIRST_MINUTE_S, TABLE, PlayedTable, Start, own_copy

FILES = ("paho_display.py", "aiomqtt_display.py")


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
