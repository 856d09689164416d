"""Building with the real compiler; flashing with a pretend avrdude and a pretend board."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli import main
from controller.common.errors import BadInput
from controller.workshop import firmware
from firmware_bridge import ports
from firmware_bridge.ports import find_port
from lab.chips.fake_mcu import FakeMcu
from tests.controller.nanos import Nano
from tests.firmware_bridge.lab.build import need_compiler


@pytest.fixture
def nano() -> Iterator[Callable[..., Nano]]:
    made: list[Nano] = []

    def make(**changes: int) -> Nano:
        mcu = FakeMcu(buffer_bytes=4000)
        mcu.hello = replace(mcu.hello, **changes)
        mcu.reset()
        made.append(Nano(mcu))
        return made[-1]

    yield make
    for board in made:
        board.close()


@pytest.fixture
def avrdude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """A pretend avrdude on the PATH that writes down its arguments."""

    def make(code: int) -> Path:
        folder, said = tmp_path / "bin", tmp_path / "arguments"
        folder.mkdir()
        tool = folder / "avrdude"
        tool.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{said}"\nexit {code}\n')
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return said

    return make


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "some firmware.hex"
    path.write_text(":00000001FF\n")
    return path


def test_it_builds_into_a_folder_and_tells_what_it_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_compiler()
    code = main(["firmware", "build", "--out", str(tmp_path / "new" / "folder")])

    said = capsys.readouterr().out
    made = tmp_path / "new" / "folder" / "topple-table-nano.hex"
    assert code == 0
    assert made.read_text().startswith(":10")
    assert made.with_suffix(".elf").read_bytes()[:4] == b"\x7fELF"
    assert str(made) in said
    assert "of 32768 bytes, static RAM" in said


def test_a_folder_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    need_compiler()

    assert main(["firmware", "build", "--out", "/proc/nowhere"]) == 2
    assert "--out /proc/nowhere cannot be written: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["build"], "avr-gcc, avr-size, make not found; sudo apt-get install gcc-avr avr-libc"),
        (["flash", "--port", "/dev/x"], "avrdude not found; sudo apt-get install avrdude"),
    ],
)
def test_a_missing_tool_is_named_with_its_package(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("PATH", str(tmp_path))

    assert main(["firmware", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_sources_that_do_not_compile_are_a_failure_with_the_compilers_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_compiler()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.c").write_text("int main(void) { return nonsense; }")
    (tmp_path / "Makefile").write_bytes((firmware.SOURCES / "Makefile").read_bytes())
    monkeypatch.setattr(firmware, "SOURCES", tmp_path)

    assert firmware.print_build(tmp_path / "out") == 1
    assert "nonsense" in capsys.readouterr().out


@pytest.mark.parametrize(("old", "baud"), [([], "115200"), (["--old-bootloader"], "57600")])
def test_avrdude_gets_the_board_the_port_and_the_file_and_then_the_board_says_who_it_is(
    old: list[str], baud: str, avrdude: Callable[[int], Path], image: Path, *,
    nano: Callable[..., Nano], capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    said, board = avrdude(0), nano()
    code = main(["firmware", "flash", "--port", board.port, "--hex", str(image), *old])

    target = ["-p", "atmega328p", "-c", "arduino", "-P", board.port, "-b", baud]
    assert code == 0
    assert said.read_text().splitlines() == [*target, "-D", "-U", f"flash:w:{image}:i"]
    assert "The board answers: firmware 1, protocol 1.1, messages" in capsys.readouterr().out


def test_without_a_file_it_flashes_what_it_builds_and_a_failure_says_what_to_check(
    avrdude: Callable[[int], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    need_compiler()
    said = avrdude(1)

    assert main(["firmware", "flash", "--port", "/dev/x"]) == 1
    assert said.read_text().splitlines()[-1].endswith("topple-table-nano.hex:i")
    assert "many Nano clones want it with --old-bootloader" in capsys.readouterr().out


def test_a_dry_run_only_says_what_it_would_do(
    avrdude: Callable[[int], Path], image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = avrdude(0)
    code = main(["firmware", "flash", "--port", "/dev/x", "--hex", str(image), "--dry-run"])

    assert code == 0
    assert not said.exists()
    assert "avrdude -p atmega328p -c arduino -P /dev/x -b 115200 -D -U" in capsys.readouterr().out


def test_a_board_that_answers_as_another_one_is_a_failure(
    avrdude: Callable[[int], Path], image: Path, nano: Callable[..., Nano],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    avrdude(0)
    board = nano(schema_hash=7)

    assert main(["firmware", "flash", "--port", board.port, "--hex", str(image)]) == 1
    assert "built from another table of messages" in capsys.readouterr().out


def test_a_board_that_says_nothing_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not there"):
        firmware.ask(str(tmp_path / "tty"), deadline_s=0.2)


def test_a_file_that_is_not_there_and_no_serial_device_are_named(
    avrdude: Callable[[int], Path], image: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    avrdude(0)
    monkeypatch.setattr(ports, "find_port", lambda: find_port([tmp_path / "by-id"]))

    assert main(["firmware", "flash", "--port", "/dev/x", "--hex", "/no/such.hex"]) == 2
    assert "/no/such.hex: there is no such file" in capsys.readouterr().err
    assert main(["firmware", "flash", "--hex", str(image)]) == 2
    assert "--port names one" in capsys.readouterr().err
