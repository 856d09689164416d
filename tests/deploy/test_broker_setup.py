"""What the installer does for Mosquitto, function by function, in a folder of its own."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import in_the_installer

DEPLOY = Path(__file__).parents[2] / "deploy"

STAND_INS = """
put() { if cmp -s "$1" "$2"; then return 0; fi; mkdir -p "$(dirname "$2")"; cp "$1" "$2"
	chmod "$3" "$2"; changed=yes; echo "wrote $2"; }
has_systemd() { return 1; }
is_installed() { return 1; }
is_pi() { return 1; }
id() { return 1; }
guard() { :; }
"""
"""For whoever is not root, and has no other system to change."""


def runs(folder: Path, script: str, **settings: Any) -> str:
    """What the installer's functions say that are run in a folder."""
    for made in ("etc/secrets", "work", "units"):
        (folder / made).mkdir(parents=True, exist_ok=True)
    return in_the_installer(f"set -eu\n{STAND_INS}\n{script}", folder, **settings)


SET_UP = "make_secrets; setup_broker"


def test_the_broker_gets_its_files_once_and_is_left_alone_afterwards(tmp_path: Path) -> None:
    said = runs(tmp_path, SET_UP)
    addition = tmp_path / "units/mosquitto.service.d/topple-table.conf"

    assert addition.read_text() == (DEPLOY / "mosquitto/hardening.conf").read_text()
    assert f"wrote {addition}" in said
    assert (tmp_path / "topple-table.acl").stat().st_mode & 0o777 == 0o600
    assert runs(tmp_path, SET_UP) == ""


@pytest.mark.parametrize(
    ("port", "told"), [(1883, True), (1884, False)], ids=["of before", "of today"]
)
def test_who_shares_a_listener_with_guests_is_told_what_to_set(
    tmp_path: Path, port: int, *, told: bool
) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/table.toml").write_text(f'[broker]\nhost = "127.0.0.1"\nport = {port}\n')

    said = runs(tmp_path, SET_UP)

    assert ("set port = 1884 in [broker]" in said) is told
    assert tomllib.loads((tmp_path / "etc/table.toml").read_text())["broker"]["port"] == port


@pytest.mark.parametrize(("broker", "port"), [("yes", 1884), ("", None)])
def test_a_new_table_is_told_of_its_own_listener_where_there_is_one(
    tmp_path: Path, broker: str, port: int | None
) -> None:
    runs(tmp_path, "write_config", broker=broker, wiring="twin")
    written = tomllib.loads((tmp_path / "etc/table.toml").read_text())["broker"]

    assert written["kind"] == ("mqtt" if broker else "embedded")
    assert written["port"] == (port or 1883)


@pytest.mark.parametrize(("broker", "port"), [("yes", 1884), ("", 1883)])
def test_the_pages_ask_the_listener_that_is_there(tmp_path: Path, broker: str, port: int) -> None:
    runs(tmp_path, 'put_system_files "$here"', broker=broker)
    unit = (tmp_path / "units/topple-table-scoreboard.service").read_text()

    assert f"--broker 127.0.0.1:{port} " in unit
    assert unit.count("127.0.0.1:188") == 1


@pytest.mark.parametrize("others", [[], ["override.conf"]])
def test_uninstalling_takes_the_addition_away_and_nobody_elses(
    tmp_path: Path, others: list[str]
) -> None:
    runs(tmp_path, SET_UP)
    folder = tmp_path / "units/mosquitto.service.d"
    for name in others:
        (folder / name).touch()

    runs(tmp_path, "uninstall_all", uninstall="yes")

    assert [file.name for file in folder.iterdir()] == others if others else not folder.exists()
    assert not (tmp_path / "topple-table.acl").exists()


DOCTORS = """#!/bin/sh
echo "asked: $*"
exit {code}
"""


@pytest.mark.parametrize("before", ["", "1.0"])
@pytest.mark.parametrize("code", [0, 1])
def test_the_running_broker_is_tried_before_anything_is_switched(
    tmp_path: Path, code: int, before: str
) -> None:
    """The doctor is not asked here but in its own tests; what is done with the answer is."""
    doctor = tmp_path / "new/bin/topple-table"
    doctor.parent.mkdir(parents=True)
    doctor.write_text(DOCTORS.format(code=code))
    doctor.chmod(0o755)
    script = 'has_systemd() { true; }; put_back() { echo "put back"; }; check_rights; echo "on"'

    said = runs(
        tmp_path, f"folder={doctor.parents[1]}; {script}", before=before, version="2.0",
        succeeds=not code,
    )  # fmt: skip

    assert f"asked: doctor --config {tmp_path}/etc/table.toml --only rights" in said
    assert said.endswith("on\n") is not bool(code)
    assert ("put back" in said) is bool(code and before)
    order = (DEPLOY / "install.sh").read_text().partition("\ninstall_all() {")[2]
    steps = ["setup_broker", "check_rights", "put_system_files", "switch_over"]
    assert [step for step in order.partition("\n}")[0].split() if step in steps] == steps


def test_what_does_not_run_is_not_tried(tmp_path: Path) -> None:
    assert runs(tmp_path, "check_rights", dry_run="yes") == ""
    assert runs(tmp_path, "check_rights", dry_run="") == ""
