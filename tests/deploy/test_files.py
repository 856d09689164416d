"""Every file in deploy/, read by the program that it is made for."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from controller import cli
from controller.common.config import Config, load
from hw.drivers.cells_process import PRIORITY
from pages.connection_limits import connections_for
from pages.scoreboard.screen import INSTALLED
from tests.controller.conftest import mosquitto_program
from tests.deploy.typed import commands
from tests.ports import free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def tool(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def test_the_installer_is_what_a_posix_shell_understands() -> None:
    checked = tool("shellcheck", "--shell=sh", str(DEPLOY / "install.sh"))

    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_understands_every_line_of_a_unit(unit: Path, tmp_path: Path) -> None:
    # The programs are not installed here; systemd would say so.
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE)
    (tmp_path / unit.name).write_text(text)

    checked = tool("systemd-analyze", "verify", "--man=no", str(tmp_path / unit.name))

    ours = [line for line in checked.stdout.splitlines() if unit.name in line]
    assert [line for line in ours if "not found" not in line] == []


def hardened_broker(folder: Path) -> Path:
    """Debian's own unit of Mosquitto with what we add to it."""
    found = [
        p / "mosquitto.service"
        for p in (Path("/usr/lib/systemd/system"), Path("/lib/systemd/system"))
    ]
    units = [unit for unit in found if unit.is_file()]
    if not units:
        pytest.skip("needs mosquitto (apt-get install mosquitto)")
    addition = folder / "mosquitto.service.d/topple-table.conf"
    addition.parent.mkdir()
    shutil.copy(DEPLOY / "mosquitto/hardening.conf", addition)
    return Path(shutil.copy(units[0], folder))


def settings(unit: Path) -> dict[str, list[str]]:
    """Keys of a unit with their values, sections aside."""
    found: dict[str, list[str]] = {}
    for line in unit.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def test_only_the_table_may_go_before_ordinary_programs_and_no_further_than_it_does() -> None:
    restricted = {unit.stem: settings(unit)["RestrictRealtime"] for unit in UNITS}
    table = settings(DEPLOY / "systemd/topple-table.service")
    calls = table["SystemCallFilter"]

    assert [name for name, value in restricted.items() if value != ["yes"]] == ["topple-table"]
    assert table["LimitRTPRIO"] == [str(PRIORITY)]
    # What comes later wins.
    assert calls.index("sched_setscheduler sched_setaffinity") > calls.index(
        "~@privileged @resources"
    )


OF_ITS_OWN = {"topple-table-league": "/opt/topple-league", "topple-table-dice": "/opt/topple-dice"}
"""What a document sets up and the installer does not."""


def test_the_document_of_the_dice_sets_up_all_that_their_unit_names() -> None:
    typed = "\n".join(line for line in commands("docs/dice.md") if line.startswith("sudo "))
    unit = DEPLOY / "systemd/topple-table-dice.service"
    started = shlex.split(settings(unit)["ExecStart"][0])
    files = [word for word in started if word.startswith("/")]

    assert len(files) == 3
    assert all(path in typed for path in (*files, f"deploy/systemd/{unit.name}"))
    assert settings(unit)["User"][0] in typed


@pytest.mark.parametrize(
    "unit", [u for u in UNITS if "kiosk" not in u.name], ids=lambda unit: unit.stem
)
def test_a_unit_calls_commands_and_options_that_exist(unit: Path) -> None:
    program, command, *arguments = shlex.split(settings(unit)["ExecStart"][0])
    group = typer.main.get_group(cli.app)
    known = {o for p in group.commands[command].params for o in p.opts}

    # The installer would take a league in its own folder for an old version of the table.
    place = OF_ITS_OWN.get(unit.stem, "/opt/topple-table/current")
    assert program == f"{place}/bin/topple-table"
    assert {a for a in arguments if a.startswith("--")} <= known


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_everything_is_logged_to_the_journal_and_watched(unit: Path) -> None:
    found = settings(unit)

    assert found["StandardOutput"] == found["StandardError"] == ["journal"]
    if "kiosk" not in unit.name:
        assert found["Type"] == ["notify"]
        assert int(found["WatchdogSec"][0]) <= 30


def test_the_pages_run_as_somebody_else_than_the_table() -> None:
    users = {settings(unit)["User"][0] for unit in UNITS}

    assert len(users) == len(UNITS)


def test_the_kiosk_is_given_the_file_that_the_pages_write_and_shows_it_on_no_command_line() -> None:
    pages, kiosk = (settings(DEPLOY / "systemd" / f"topple-table-{name}.service")
                    for name in ("scoreboard", "kiosk"))  # fmt: skip
    arguments = shlex.split(pages["ExecStart"][0])
    name, _, given = kiosk["LoadCredential"][0].partition(":")

    assert given == arguments[arguments.index("--screen-file") + 1] == str(INSTALLED)
    assert given == f"/run/{pages['RuntimeDirectory'][0]}/{INSTALLED.name}"
    assert pages["RuntimeDirectoryMode"] == ["0700"]
    assert pages["RuntimeDirectoryPreserve"] == ["yes"]
    assert kiosk["ExecStart"][0].endswith(f" file://${{CREDENTIALS_DIRECTORY}}/{name}")


@pytest.mark.parametrize("name", ["topple-table", "topple-table-scoreboard"])
def test_a_service_with_pages_has_more_descriptors_than_guests_can_take(name: str) -> None:
    files = int(settings(DEPLOY / "systemd" / f"{name}.service")["LimitNOFILE"][0])

    assert files >= 2 * connections_for(files)


def test_udev_understands_the_rules() -> None:
    # In a mount namespace of its own, so that this machine keeps its rules.
    script = 'mount --bind "$0" /etc/udev/rules.d && exec udevadm test /sys/class/tty/tty 2>&1'
    checked = tool("unshare", "--mount", "sh", "-c", script, str(DEPLOY / "udev"))

    assert "Reading rules file: /etc/udev/rules.d/70-topple-table.rules" in checked.stdout
    said = re.findall(r".*70-topple-table.rules:\d+ (.*)", checked.stdout)
    # Groups of Raspberry Pi OS; elsewhere the installer makes them.
    assert [words for words in said if not words.startswith("Unknown group")] == []


def test_every_nano_gets_a_group_and_peace_and_no_name_that_a_printer_would_share() -> None:
    rules = (DEPLOY / "udev/70-topple-table.rules").read_text().splitlines()
    nanos = [rule for rule in rules if "idVendor" in rule]

    vendors = [re.search(r'idVendor}=="(\w+)"', rule) for rule in nanos]
    assert {found[1] for found in vendors if found} == {"1a86", "0403", "2341"}
    for rule in nanos:
        for part in ('KERNEL=="tty', "idProduct}==", 'GROUP="dialout"', "MM_PORT_IGNORE"):
            assert part in rule
        assert "SYMLINK" not in rule


def test_mosquitto_keeps_no_log_file_of_its_own(tmp_path: Path) -> None:
    """Read after Debian's own configuration, which asks for one."""
    log = tmp_path / "mosquitto.log"
    (tmp_path / "passwd").touch()
    ours = (DEPLOY / "mosquitto/topple-table.conf").read_text()
    # Not port 0, which means a socket in the file system.
    ours = re.sub(r"(?m)^listener .*", lambda _: f"listener {free_port()} 127.0.0.1", ours)
    ours = ours.replace("/etc/mosquitto/topple-table.passwd", str(tmp_path / "passwd"))
    ours = ours.replace("/etc/mosquitto/", f"{DEPLOY / 'mosquitto'}/")
    config = tmp_path / "mosquitto.conf"
    config.write_text(f"user root\npersistence true\nlog_dest file {log}\n{ours}")

    with pytest.raises(subprocess.TimeoutExpired) as ended:
        subprocess.run(
            [mosquitto_program(), "-c", str(config)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=2,
        )  # fmt: skip

    assert not log.exists()
    assert b"Error" not in (ended.value.output or b"")


def test_journald_knows_the_settings() -> None:
    known = re.findall(r"^#?(\w+)=", Path("/etc/systemd/journald.conf").read_text(), re.MULTILINE)
    ours = re.findall(r"^(\w+)=", (DEPLOY / "journald/topple-table.conf").read_text(), re.MULTILINE)

    assert ours
    assert set(ours) <= set(known)


def test_the_example_configuration_says_what_the_defaults_are() -> None:
    example = load(DEPLOY / "topple-table.toml")

    assert example.broker == Config().broker
    assert example.web == Config().web
    assert example.source == Config().source
