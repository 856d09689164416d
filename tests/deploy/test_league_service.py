"""The hub and the league as docs/league.md sets them up, under systemd on a bare Debian."""

import re
import shutil
from pathlib import Path

import pytest

from tests.deploy.bare_debian import BareDebian, wait_until
from tests.deploy.typed import FIGURES, OWNER, commands, settle, types

ROOT = Path(__file__).parents[2]

SAY = """
import sys, paho.mqtt.client as paho
sys.path.insert(0, "/release")
client = paho.Client(paho.CallbackAPIVersion.VERSION2)
client.username_pw_set("attic", "att1c")
client.connect("127.0.0.1")
client.loop_start()
said = open("/release/results.json", "rb").read()
client.publish("topple/1/attic/results", said, 1, True).wait_for_publish(20)
"""


DOCUMENT = "docs/league.md"

HUB_AND_SERVICE = [
    line for line in commands(DOCUMENT)
    if "sudo" in line and "install.sh" not in line and line not in FIGURES
]  # fmt: skip

OWN_LEAGUE = [line for line in commands(DOCUMENT) if "league/bin" in line and "sudo" not in line]
INSTALLED = [line for line in OWN_LEAGUE if "pip install" in line]


def test_the_document_sets_up_every_file_of_the_hub_and_the_league() -> None:
    text = "\n".join(HUB_AND_SERVICE)

    mosquitto = ("hub.conf", "hub.acl", "hardening.conf")
    for name in (*(f"mosquitto/{n}" for n in mosquitto), "systemd/topple-table-league.service"):
        assert f"deploy/{name}" in text
    unit = (ROOT / "deploy/systemd/topple-table-league.service").read_text()
    files = re.findall(r"--[a-z]+-file (\S+)", unit)
    assert len(files) == 2
    for path in (*files, "/opt/topple-league"):
        assert path in text


# A whole Debian and systemd in a container: part of `make soak`, as the installer is.
@pytest.mark.soak
def test_a_bare_debian_becomes_a_hub_with_a_league(wheel: Path, tmp_path: Path) -> None:
    from tests.controller.league.tables import Table

    debian = BareDebian(tmp_path, "bookworm")
    place = debian.root / "release"
    shutil.copytree(ROOT / "deploy", place / "deploy")
    (place / "results.json").write_bytes(Table("attic").ends(("Ann", 5)).said().payload)
    (place / "dist").mkdir()
    shutil.copy(wheel, place / "dist")
    settle(debian)
    debian.run("apt-get", "-qq", "install", "--no-install-recommends", "-y", "python3-venv")
    debian.run("chown", "-R", OWNER, "/release")

    later = [line for line in HUB_AND_SERVICE if "systemctl" in line or "standings" in line]
    for line in [line for line in commands(DOCUMENT) if line not in later]:
        if line in (*HUB_AND_SERVICE, *INSTALLED) or line.startswith(("python3", "(umask")):
            user = line.split()[3] if "mosquitto_passwd" in line else "league"
            code, said = types(debian, line, keys=KEYS[user])
            assert code == 0, f"{line}: {said}"
    for user in ("host", "attic"):
        types(debian, f"sudo mosquitto_passwd {HUB_USERS} {user}", keys=KEYS[user])

    with debian.booted():
        for line in later:
            if "standings" not in line:
                assert types(debian, line)[0] == 0, line

        def state() -> str:
            return debian.run(
                "systemctl", "show", "--property=ActiveState,NRestarts", "topple-table-league"
            )

        wait_until(lambda: "ActiveState=active" in state(), "the league", 60.0)
        debian.run("/opt/topple-league/bin/python", "-c", SAY)
        (ask,) = [line for line in later if "standings" in line]
        wait_until(lambda: "Ann" in types(debian, ask)[1], "the result", 60.0)
        debian.run("/opt/topple-league/bin/python", "-c", "import psycopg")
        assert "NRestarts=0" in state()
        an_owners_own_league_hears_the_same(debian)
        warned = debian.run("journalctl", "-u", "mosquitto", "-o", "cat")
        assert "Future versions will refuse" not in warned
        journal = debian.run("journalctl", "-u", "topple-table-league", "-o", "cat")
        assert "attic: topple: Ann won (Ann 5)" in journal
        assert "l3ague" not in journal


def an_owners_own_league_hears_the_same(debian: BareDebian) -> None:
    """Without a service, in a folder of hers."""
    worker, standings, export = (
        line.replace("hub.club", "127.0.0.1") for line in OWN_LEAGUE if line not in INSTALLED
    )
    code, said = types(debian, f"timeout -s INT 15 {worker}")
    assert "attic: topple: Ann won" in said, f"{code}: {said}"
    assert "Ann" in types(debian, standings)[1]
    assert types(debian, export)[0] == 0
    assert "Ann" in debian.run("cat", "/release/games.csv")


HUB_USERS = "/etc/mosquitto/topple-hub.passwd"
PASSWORDS = {"hall": "h4ll", "league": "l3ague", "host": "h0st", "attic": "att1c"}
# Twice, as it is asked for; the file takes the first line, and Ctrl-D ends it.
KEYS = {user: f"{password}\n{password}\n\x04" for user, password in PASSWORDS.items()}
