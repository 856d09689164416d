"""The hub and the league as docs/league.md sets them up, under systemd on a bare Debian."""

import re
import shutil
from pathlib import Path

import pytest

from tests.deploy.bare_debian import BareDebian, wait_until

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


def commands() -> list[str]:
    """What the document tells people to type, in its order."""
    text = (ROOT / "docs/league.md").read_text()
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    typed = [line for line in lines if "sudo" in line and "install.sh" not in line]
    return [line.replace("sudo ", "") for line in typed]


def test_the_document_sets_up_every_file_of_the_hub_and_the_league() -> None:
    text = "\n".join(commands())

    for name in ("mosquitto/hub.conf", "mosquitto/hub.acl", "systemd/topple-table-league.service"):
        assert f"deploy/{name}" in text
    unit = (ROOT / "deploy/systemd/topple-table-league.service").read_text()
    files = re.findall(r"--[a-z]+-file (\S+)", unit)
    assert len(files) == 2
    for path in (*files, "/opt/topple-table/current"):
        assert path in text


# A whole Debian and systemd in a container: part of `make soak`, as the installer is.
@pytest.mark.soak
def test_a_bare_debian_becomes_a_hub_with_a_league(wheel: Path, tmp_path: Path) -> None:
    from tests.controller.league.tables import Table

    debian = BareDebian(tmp_path, "bookworm")
    place = debian.root / "release"
    shutil.copytree(ROOT / "deploy", place / "deploy")
    (place / "league.txt").write_text("l3ague\n")
    (place / "results.json").write_bytes(Table("attic").ends(("Ann", 5)).said().payload)
    debian.run("apt-get", "-qq", "update")
    debian.run("apt-get", "-qq", "install", "--no-install-recommends", "-y", "python3-venv")
    shutil.copy(wheel, place)
    debian.collect_wheels(f"/release/{wheel.name}[league]")

    with_passwords = "".join(f"{user}:{secret}\n" for user, secret in PASSWORDS.items())
    for command in commands():
        if "mosquitto_passwd" in command:
            (place / "passwords").write_text(with_passwords)
            command = (  # noqa: PLW2901 - it asks at the keyboard
                "mosquitto_passwd -U /release/passwords && "
                "cat /release/passwords > /etc/mosquitto/topple-hub.passwd"
            )
        if "systemctl restart" in command:
            continue
        if "enable --now" in command:
            command = command.replace("--now ", "")  # noqa: PLW2901 - it is not booted yet
        command = command.replace(  # noqa: PLW2901 - there is no network inside
            "pip install", "pip install -q --no-index --find-links /release/wheelhouse"
        ).replace("apt-get install", "apt-get -qq install --no-install-recommends -y")
        debian.run("sh", "-ec", f"cd /release; {command}")

    with debian.booted():

        def state() -> str:
            return debian.run(
                "systemctl", "show", "--property=ActiveState,NRestarts", "topple-table-league"
            )

        wait_until(lambda: "ActiveState=active" in state(), "the league", 60.0)
        debian.run("/opt/topple-table/league/bin/python", "-c", SAY)
        ask = ("/opt/topple-table/current/bin/topple-table", "league", "standings", "--database",
               "/var/lib/topple-league/league.sqlite")  # fmt: skip
        wait_until(lambda: "Ann" in debian.run(*ask), "the result", 60.0)
        debian.run("/opt/topple-table/league/bin/python", "-c", "import psycopg")
        assert "NRestarts=0" in state()
        journal = debian.run("journalctl", "-u", "topple-table-league", "-o", "cat")
        assert "attic: topple: Ann won (Ann 5)" in journal
        assert "l3ague" not in journal


PASSWORDS = {"hall": "h4ll", "league": "l3ague", "host": "h0st", "attic": "att1c"}
