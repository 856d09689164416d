"""The displays for MicroPython, on Debian 13's MicroPython with the MQTT client of its library.

Real are the language, the client and the network; the pin of the button is a file.
"""

import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.controller.conftest import wait_until
from tests.displays.conftest import FIRST_MINUTE_S, TABLE, PlayedTable, Start, own_copy
from tests.unpacked import unpacked

PIN = """
class Pin:
    IN, PULL_UP = 0, 1

    def __init__(self, number, mode, pull):
        self.file, self.at = "pin-%d" % number, -1

    def value(self):
        with open(self.file) as file:
            levels = file.read()
        self.at = min(self.at + 1, len(levels) - 1)
        return int(levels[self.at])
"""
"""Reads one level after the other, and the last one for ever: none is missed."""


@dataclass(frozen=True)
class MicroPython:
    """The interpreter, and where it finds the library."""

    command: tuple[str, ...]
    library: Path

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"MICROPYPATH": f":.frozen:{self.library}"}


@pytest.fixture(scope="session")
def micropython(tmp_path_factory: pytest.TempPathFactory) -> MicroPython:
    """Debian 13's package, unpacked beside this Debian, and umqtt.simple from the registry."""
    pytest.importorskip("unearth", reason="needs unearth (pip)")
    command = unpacked("micropython", "usr/bin/micropython")
    folder = tmp_path_factory.mktemp("micropython")
    # Not pip: what it holds is no Python package, so pip will not hand it over.
    subprocess.run(
        [sys.executable, "-m", "unearth", "micropython-umqtt.simple", "--no-binary",
         "--download", str(folder)],
        check=True, stdout=subprocess.DEVNULL, timeout=600,
    )  # fmt: skip
    (packed,) = folder.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith("umqtt/simple.py"))
        member.name = "umqtt/simple.py"
        archive.extract(member, folder, filter="data")
    return MicroPython(command, folder)


def wording(table: PlayedTable) -> list[str]:
    return sorted(f"{player['name']} {player['score']}" for player in table.state["players"])


@pytest.mark.slow
def test_it_shows_the_score_and_that_the_table_is_off(
    micropython: MicroPython, table: PlayedTable, start: Start, tmp_path: Path
) -> None:
    table.play(0.0, FIRST_MINUTE_S)
    file = own_copy("micropython_display.py", tmp_path, table, user="controller")
    display = start(*micropython.command, file, cwd=tmp_path, env=micropython.environment)

    display.shows(" | ".join(wording(table)))
    table.play(FIRST_MINUTE_S)
    display.shows(" | ".join(wording(table)))
    table.go_off()
    display.shows("the table is off")
    table.broker.stop()
    display.shows("no connection")


@pytest.mark.slow
def test_a_press_asks_for_an_undo_once_and_the_answer_is_shown(
    micropython: MicroPython, table: PlayedTable, start: Start, tmp_path: Path
) -> None:
    table.play(0.0, FIRST_MINUTE_S)
    (tmp_path / "machine.py").write_text(PIN)
    pin = tmp_path / "pin-14"
    pin.write_text("1")
    ear = table.ear(f"topple/1/{TABLE}/cmd/+")
    file = own_copy("micropython_display.py", tmp_path, table, user="controller")
    display = start(*micropython.command, file, cwd=tmp_path, env=micropython.environment)
    display.shows(wording(table)[0])

    for number in (1, 2):
        pin.write_text("1" + "001" * number)
        wait_until(lambda: ear.count("cmd/undo") == number, "the press")  # noqa: B023
    display.shows("this is a recorded evening")

    ids = {message.payload for message in ear.heard}
    assert len(ids) == ear.count("cmd/undo")
    ear.edge.stop()


def test_the_sleeper_draws_once_for_each_score_and_ends(
    micropython: MicroPython, table: PlayedTable, start: Start, tmp_path: Path
) -> None:
    file = own_copy("eink_sleeper.py", tmp_path, table)
    picture = tmp_path / "score.pbm"

    def wake() -> str:
        display = start(*micropython.command, file, cwd=tmp_path, env=micropython.environment)
        assert display.process.wait(timeout=120) == 0, display.output
        return display.output

    table.play(0.0, FIRST_MINUTE_S)
    assert [line.split()[0] for line in wake().splitlines()[:2]] == ["Ann", "Bob"]
    first = picture.read_bytes()
    assert first.startswith(b"P4\n250 122\n")
    assert len(set(first[11:])) > 10, "there are letters in it"
    picture.unlink()
    wake()
    assert not picture.exists(), "the panel keeps what it shows; drawing again would cost current"
    table.play(FIRST_MINUTE_S)
    wake()
    assert picture.read_bytes() != first
    table.go_off()
    assert "(the table is off)" in wake()
