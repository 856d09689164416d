"""The guides' commands, read from the documents and typed by an owner as they stand there."""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from controller import cli
from hw.building.assembly import STEPS
from tests.deploy.bare_debian import BareDebian, wait_until
from tests.deploy.test_install import ROOT, TABLE_FILE, installed
from tests.deploy.typed import FIGURES, OWNER, commands, settle, types

GUIDES = (
    ("docs/install.md", ""),
    ("docs/assembly.md", ""),
    ("docs/calibration.md", ""),
    ("docs/diagnosis.md", ""),
    ("docs/starter.md", ""),
    ("docs/first-evening.md", ""),
)

LINES = [line for guide in GUIDES for line in commands(*guide)]
OURS = [line for line in LINES if "topple-table " in line.partition("#")[0]]
TYPED = [line for line in LINES if line in OURS or line.startswith(("sh ", "sudo ", "make "))]

BY_HAND = {f"--step {step.number}" for step in STEPS if not step.parts}
AT_THE_TABLE = (
    "calibrate",
    "accuracy-test",
    "doctor",
    "run",
    "firmware flash",
    "first-light",
    "diagnose",
    "--for-table",
)

NOT_HERE = {
    "sudo raspi-config": "belongs to Raspberry Pi OS",
    "sudo topple-table calibrate --pieces": "the second time only, when the colours are known",
    "topple-table replay FILE --plot error.html": "FILE stands for a recording",
    "topple-table fit evening.mcap --report fit.html": "nobody has recorded an evening",
}
WITHOUT_NANO = {
    "sudo topple-table firmware flash": "serial device",
    "sudo topple-table first-light": "first light needs a bridge",
}
"""What cannot be done without one, and what is said then."""

UNWELCOME = (
    "Permission denied", "type: sudo", "may not", "command not found", "unforeseen", "Traceback"
)  # fmt: skip


def test_the_guides_have_commands() -> None:
    assert len(OURS) > 20
    assert all(commands(*guide) for guide in GUIDES)
    assert "make demo" in TYPED


def options_of(words: list[str]) -> set[str]:
    """All options of the command that is typed."""
    found = typer.main.get_command(cli.app)
    for word in words:
        found = getattr(found, "commands", {}).get(word, found)
    return {option for each in found.params for option in each.opts}


@pytest.mark.parametrize("line", sorted(set(OURS)))
def test_a_command_of_a_guide_exists_with_its_options(line: str) -> None:
    words = shlex.split(line, comments=True)
    words = words[words.index("topple-table") + 1 :]

    assert {word for word in words if word.startswith("--")} <= options_of(words)


@pytest.mark.parametrize("line", sorted(set(OURS)))
def test_what_touches_the_table_is_typed_with_sudo_and_nothing_else_is(line: str) -> None:
    touches = any(word in line for word in AT_THE_TABLE) and not (
        "--fault" in line or line.removeprefix("topple-table diagnose ") in BY_HAND
    )

    assert line.startswith("sudo ") is touches


# A whole Debian and systemd in a container: part of `make soak`, as the installer is. With -rP it
# ends with the seconds that each command took (docs/results.md).
@pytest.mark.soak
def test_every_command_of_the_guides_works_as_an_owner_types_it(
    wheel: Path, tmp_path: Path
) -> None:
    debian = BareDebian(tmp_path, "bookworm")
    begun_s = time.monotonic()
    installed(debian, wheel, "--wiring", "bridge")
    took("sudo sh deploy/install.sh --wiring bridge, on a bare Debian", begun_s)
    settle(debian)
    # She has unpacked it herself, and `measure` writes beside it.
    debian.run("chown", "-R", OWNER, "/release")
    debian.run(PYTHON, "-m", "pip", "install", "-q", "lgpio")
    # Before the network is gone.
    for line in (line for line in TYPED if "apt-get install" in line):
        begun_s = time.monotonic()
        assert types(debian, line)[0] == 0
        took(line, begun_s)
    an_evening_without_a_table_is_set_up(debian)

    with debian.booted():
        an_ordinary_user_is_told_what_to_type(debian)
        # No wood, no wires: the table of this owner is the simulated one.
        twin = 's/^kind = "bridge"/kind = "twin"/'
        debian.run("sed", "-i", twin, TABLE_FILE)
        here = [line for line in TYPED if line not in NOT_HERE and "apt-get install" not in line]
        assert [found for line in here for found in wrong_with(debian, line)] == []
        the_service_goes_on(debian)
        the_pages_tell_figures(debian)
        files_of_the_owner_are_hers(debian)
        lgpio_works_where_nobody_may_write(debian)


ASK = (
    "import pathlib, urllib.request as ask;"
    "token = pathlib.Path('/etc/topple-table/secrets/metrics').read_text().strip();"
    "known = {'Authorization': 'Bearer ' + token};"
    "page = ask.Request('http://127.0.0.1:8080/metrics', headers=known);"
    "print(ask.urlopen(page).read().decode())"
)


def the_pages_tell_figures(debian: BareDebian) -> None:
    """To whoever has the token that their machine was given."""
    for line in FIGURES:
        assert types(debian, line)[0] == 0, line
    said = ["python3", "-I", "-c", ASK]
    wait_until(lambda: "topple_up{" in debian.run("sh", "-c", f"{shlex.join(said)} || true"),
               "figures of the table", 60.0)  # fmt: skip


def took(line: str, begun_s: float) -> None:
    print(f"{time.monotonic() - begun_s:6.1f} s  {line}")


def an_evening_without_a_table_is_set_up(debian: BareDebian) -> None:
    """From an unpacked release, as far as the network is needed; `make demo` finds all there."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d",
         str(debian.root / "release/dist")],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    debian.run("sh", "-c", f"tar -xf /release/dist/*.tar.gz -C / && mv /topple_table-* {CLONE}")
    debian.run("chown", "-R", OWNER, CLONE)
    for line in ("sudo apt-get install git make python3-venv", "make setup"):
        begun_s = time.monotonic()
        code, said = types(debian, line, folder=CLONE)
        assert code == 0, said
        took(line, begun_s)


CLONE = "/clone"
PYTHON = "/release/collecting/bin/python"


def wrong_with(debian: BareDebian, line: str) -> Iterator[str]:
    """Whether it ends otherwise than its guide says, or in words of a machine."""
    if "install.sh" in line:
        line = line.partition("#")[0] + " --wheelhouse /release/wheelhouse"
    if line.endswith("doctor"):
        # The services have been started a moment ago.
        wait_until(lambda: types(debian, line)[0] == 0, "a healthy table", 90.0)
    if "topple-table measure" in line:
        # Enter at every question: the game that is assumed.
        line = f"yes '' | {line}"
    plays = "demo" in line and "--headless" not in line
    lives = plays or " run " in line
    folder = CLONE if line.startswith("make ") else "/release"
    begun_s = time.monotonic()
    code, said = types(debian, until_stopped(line) if lives else line, folder=folder)
    took(line, begun_s)

    refused = next((words for start, words in WITHOUT_NANO.items() if line.startswith(start)), "")
    usual = {2} if refused else {124, 130, 0} if lives else {int("--fault" in line)}
    shown = refused or ("http://" if plays else "")
    if code not in usual or shown not in said or any(words in said for words in UNWELCOME):
        yield f"{line} ended with {code}: {said}"


def until_stopped(line: str) -> str:
    """A line that runs until somebody types Ctrl-C; nobody may send that to programs of root's."""
    return re.sub(r"^(sudo )?", r"\1timeout --signal=INT 60 ", line)


def an_ordinary_user_is_told_what_to_type(debian: BareDebian) -> None:
    """... and on a table that waits for its calibration, too."""
    for line in ("calibrate --coin 4x2eur", "diagnose --step 4", "doctor", "calibrate --list"):
        code, said = types(debian, f"topple-table {line}")
        assert code == 2
        assert f"type: sudo topple-table {line}" in said


def the_service_goes_on(debian: BareDebian) -> None:
    """After each command that it stood aside for."""

    def state() -> str:
        return debian.run("systemctl", "show", "--property=ActiveState", "topple-table")

    wait_until(lambda: "=active" in state(), "the table to run", 120.0)
    code, said = types(debian, "sudo topple-table diagnose --step 4")
    assert code == 0
    assert "The running table is stopped meanwhile; its game goes on afterwards." in said
    wait_until(lambda: "=active" in state(), "the table to run again", 120.0)
    owners = debian.run("find", "/var/lib/topple-table", "-not", "-user", "topple-table")
    assert owners == ""


def files_of_the_owner_are_hers(debian: BareDebian) -> None:
    """The table's user may not enter her home; she is told what to do, and it works."""
    calibrate = "sudo topple-table calibrate --coin 4x2eur --to"
    code, said = types(debian, f"{calibrate} mine.json", folder="/home/ann")
    assert code == 2
    assert "mine.json: the table's user topple-table may not write there" in said
    assert "such as /tmp/mine.json" in said
    assert types(debian, f"{calibrate} /tmp/mine.json", folder="/home/ann")[0] == 0
    assert types(debian, "cp /tmp/mine.json . && test -s mine.json", folder="/home/ann")[0] == 0

    test = "sudo topple-table accuracy-test --n 5 --calibration"
    code, said = types(debian, f"{test} /home/ann/mine.json")
    assert code == 2
    assert "sudo install -m 644 /home/ann/mine.json /tmp" in said
    assert types(debian, "sudo install -m 644 /home/ann/mine.json /tmp")[0] == 0
    assert types(debian, f"{test} /tmp/mine.json")[0] == 0


def lgpio_works_where_nobody_may_write(debian: BareDebian) -> None:
    """`import lgpio` makes pipes in the folder one is in, unless it is told another."""
    program = "/opt/topple-table/current/bin/python"
    debian.run("sh", "-c", "cp -r /release/collecting/lib/python3*/site-packages/*lgpio* /tmp")
    code, said = types(
        debian,
        f'sudo -u topple-table PYTHONPATH=/tmp {program} -c "from hw.drivers import pi_pins; '
        'pi_pins.give_lgpio_a_folder(); import lgpio; print(lgpio.SET_PULL_UP)"',
    )
    assert code == 0, said
