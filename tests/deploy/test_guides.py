"""The guides' commands, read from the documents and typed by an owner as they stand there."""

import shlex
from pathlib import Path

import pytest
import typer

from controller import cli
from hw.building.assembly import STEPS
from tests.deploy.bare_debian import BareDebian, wait_until
from tests.deploy.test_install import TABLE_FILE, installed
from tests.deploy.typed import OWNER, commands, settle, types

GUIDES = (
    ("docs/install.md", ""),
    ("docs/assembly.md", ""),
    ("docs/calibration.md", ""),
    ("docs/diagnosis.md", ""),
    ("docs/starter.md", ""),
)

LINES = [line for guide in GUIDES for line in commands(*guide)]
OURS = [line for line in LINES if "topple-table " in line.partition("#")[0]]
TYPED = [line for line in LINES if line in OURS or line.startswith(("sh ", "sudo "))]

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
}
WITHOUT_NANO = "sudo topple-table firmware flash"

UNWELCOME = (
    "Permission denied", "type: sudo", "may not", "command not found", "unforeseen", "Traceback"
)  # fmt: skip


def test_the_guides_have_commands() -> None:
    assert len(OURS) > 20
    assert all(commands(*guide) for guide in GUIDES)


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


# A whole Debian and systemd in a container: part of `make soak`, as the installer is.
@pytest.mark.soak
def test_every_command_of_the_guides_works_as_an_owner_types_it(
    wheel: Path, tmp_path: Path
) -> None:
    debian = BareDebian(tmp_path, "bookworm")
    installed(debian, wheel, "--wiring", "bridge")
    settle(debian)
    # She has unpacked it herself, and `measure` writes beside it.
    debian.run("chown", "-R", OWNER, "/release")
    debian.run(PYTHON, "-m", "pip", "install", "-q", "lgpio")
    # Before the network is gone.
    for line in (line for line in TYPED if "apt-get install" in line):
        assert types(debian, line)[0] == 0

    with debian.booted():
        an_ordinary_user_is_told_what_to_type(debian)
        # No wood, no wires: the table of this owner is the simulated one.
        twin = 's/^kind = "bridge"/kind = "twin"/'
        debian.run("sed", "-i", twin, TABLE_FILE)
        for line in TYPED:
            if line not in NOT_HERE and "apt-get install" not in line:
                is_typed(debian, line)
        the_service_goes_on(debian)
        files_of_the_owner_are_hers(debian)
        lgpio_works_where_nobody_may_write(debian)


PYTHON = "/release/collecting/bin/python"


def is_typed(debian: BareDebian, line: str) -> None:
    """It ends as its guide says, and in words where something is amiss."""
    if "install.sh" in line:
        line = line.partition("#")[0] + " --wheelhouse /release/wheelhouse"
    if line.endswith("doctor"):
        # The services have been started a moment ago.
        wait_until(lambda: types(debian, line)[0] == 0, "a healthy table", 90.0)
    if "topple-table measure" in line:
        # Enter at every question: the game that is assumed.
        line = f"yes '' | {line}"
    lives = "demo" in line and "--headless" not in line
    code, said = types(debian, f"timeout -s INT 15 {line}" if lives else line)

    assert not [words for words in UNWELCOME if words in said], f"{line}: {said}"
    if line == WITHOUT_NANO:
        assert (code, "serial device" in said) == (2, True), said
    elif lives:
        assert code in {0, 124, 130}, said
    else:
        assert code == int("--fault" in line), f"{line}: {said}"


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
