"""The shell's question, answered by the real command desk of a table."""

import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from tests.displays.conftest import PlayedTable, own_copy


def asked(table: PlayedTable, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("mosquitto_rr") is None:
        pytest.skip("needs mosquitto_rr (apt-get install mosquitto-clients)")
    script = own_copy("ask.sh", folder, table, user="controller")
    return subprocess.run([script, *words], capture_output=True, text=True, check=False)


def test_it_prints_what_the_table_answered(table: PlayedTable, tmp_path: Path) -> None:
    done = asked(table, tmp_path, "roll", '{"value":4}')

    reply = msgspec.json.decode(done.stdout)
    assert (reply["ok"], reply["code"]) == (False, "illegal")
    assert "recorded evening" in reply["msg"]


def test_it_ends_when_no_table_answers(table: PlayedTable, tmp_path: Path) -> None:
    table.go_off()

    done = asked(table, tmp_path, "undo")

    assert done.returncode != 0
    assert done.stdout == ""


def test_it_says_how_to_use_it(table: PlayedTable, tmp_path: Path) -> None:
    assert "which verb?" in asked(table, tmp_path).stderr
