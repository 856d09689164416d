"""deploy/install.sh on a bare Debian: from nothing to a scored game under systemd, and back."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from controller.journal.schema import written_version
from tests.deploy.bare_debian import BareDebian, wait_until
from tests.deploy.conftest import lab_of
from tests.deploy.test_lock import of_the_lab

ROOT = Path(__file__).parents[2]
ONLINE = ("sh", "/release/deploy/install.sh")
INSTALL = (*ONLINE, "--wheelhouse", "/release/wheelhouse")
PYTHON = "/release/collecting/bin/python"
"""Not the table's, which the tests take away again."""
TABLE_FILE = "/etc/topple-table/table.toml"
HUB_PORT = 1885

HEAR = """
import sys, paho.mqtt.client as paho
topic, port, user, password = sys.argv[1:]
client = paho.Client(paho.CallbackAPIVersion.VERSION2)
client.username_pw_set(user, password)
client.on_message = lambda c, u, m: (print(m.payload.decode()), c.disconnect())
client.connect("127.0.0.1", int(port))
client.subscribe(topic, 1)
client.loop_forever()
"""


def other_version(wheel: Path, version: str, endings: Mapping[str, str], folder: Path) -> Path:
    """A wheel of another version, in which modules end with statements of their own."""
    old = wheel.name.split("-")[1]
    other = folder / wheel.name.replace(old, version)
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if ".dist-info/" in name:
                content = content.replace(old.encode(), version.encode())
            if name in endings:
                content += f"\n\n{endings[name]}\n".encode()
            # A command is one by its mode.
            entry = zipfile.ZipInfo(name.replace(f"-{old}.", f"-{version}."))
            entry.external_attr = source.getinfo(name).external_attr
            target.writestr(entry, content)
    return other


def release(debian: BareDebian, wheel: Path) -> None:
    """What an owner unpacks: the wheels and deploy/."""
    place = debian.root / "release"
    shutil.copytree(ROOT / "deploy", place / "deploy")
    (place / "dist").mkdir()
    for each in (wheel, lab_of(wheel)):
        shutil.copy(each, place / "dist")


def installed(debian: BareDebian, wheel: Path, *options: str) -> str:
    """What the installer says on a bare Debian, with the packages of the network.

    What it took from there lies in the wheelhouse afterwards, for the time without a network.
    """
    release(debian, wheel)
    said = debian.run(*ONLINE, *options)
    locks = (
        "-r",
        "/release/deploy/requirements.lock",
        "-r",
        "/release/deploy/requirements-bridge.lock",
    )
    debian.collect_wheels("--no-deps", *locks)
    debian.collect_wheels("--no-deps", *of_the_lab())
    offline = ("--no-index", "--find-links", "/release/wheelhouse")
    debian.run(PYTHON, "-m", "pip", "install", "-qq", *offline, "paho-mqtt")
    return said


def files(debian: BareDebian) -> dict[str, str]:
    """Everything of ours that lies in /etc, with owner, mode and content's fingerprint."""
    listing = debian.run(
        "sh", "-c",
        "find /etc -path '*topple*' -type f -exec stat -c '%n %U %a' {} + -exec cksum {} + | sort",
    )  # fmt: skip
    return {line.split()[0] + line.split()[-1]: line for line in listing.splitlines()}


DAMAGE = (
    "truncate -s 100 $(find /opt/topple-table/current/ -name densities.py)",
    "chmod -R go= /opt/topple-table/current/lib",
    "rm /opt/topple-table/current/bin/python*",
    "rm -r $(find /opt/topple-table/current/ -type d -name msgspec)",
)
"""What can become of an installed version."""

PLANTED = """
mkdir -p /srv/planted && cd /srv/planted
for name in venv zipfile sitecustomize; do echo 'open("/srv/ran", "w")' >$name.py; done
PYTHONPATH=/srv/planted sh """


def damage_is_mended(debian: BareDebian) -> None:
    """Run again, from a folder with planted modules, it mends the version in use."""
    for broken in DAMAGE:
        debian.run("sh", "-ec", broken)
        assert "is damaged" in debian.run("sh", "-ec", PLANTED + " ".join(INSTALL[1:]))
        doctor_is_content(debian)
    assert debian.run("find", "/srv", "-name", "ran") == ""
    debian.run("chmod", "666", "/etc/udev/rules.d/70-topple-table.rules")
    assert "wrote /etc/udev/rules.d/70-topple-table.rules" in debian.run(*INSTALL)


# Three minutes of processor time, a whole Debian from the package registry, and rights to start
# systemd in a container: part of `make soak`. What CI can judge of the installer stands below.
@pytest.mark.soak
@pytest.mark.parametrize("release_name", ["bookworm", "trixie"])
def test_a_bare_debian_becomes_a_table_and_gets_rid_of_it_again(
    release_name: str, wheel: Path, tmp_path: Path
) -> None:
    debian = BareDebian(tmp_path, release_name)
    before = debian.run("find", "/etc", "/opt", "/var/lib", "/usr/local", "-path", "*topple*")

    said = installed(debian, wheel, "--wiring", "bridge")

    assert "tried with a simulated game. Final score: " in said
    assert "systemd does not run here" in said
    assert "demo is part of the lab" in debian.run("topple-table", "demo", succeeds=False)
    secrets_are_kept(debian)
    configured = files(debian)

    with debian.booted():
        assert "is installed already" in debian.run(*INSTALL)
        assert files(debian) == configured
        an_uncalibrated_table_waits(debian)
        # The simulated evening passes quickly until somebody has scored.
        twin = 's/^kind = "bridge"/kind = "twin"/; s/^speed = .*/speed = 6.0/'
        debian.run("sed", "-i", twin, TABLE_FILE)
        assert "installed the lab, for simulated tables" in debian.run(*INSTALL)
        assert "installed the lab" not in debian.run(*INSTALL)
        a_round_is_scored(debian)
        debian.run("sed", "-i", "s/^speed = .*/speed = 1.0/", TABLE_FILE)
        doctor_is_content(debian)
        the_broker_is_confined(debian)
        the_table_has_a_listener_of_its_own(debian)
        a_hung_table_is_restarted(debian)
        damage_is_mended(debian)
        a_bad_version_is_taken_back(debian, wheel, tmp_path)
        assert "kept: /var/lib/topple-table" in debian.run(*INSTALL[:2], "--uninstall")
        assert debian.run("ls", "/var/lib/topple-table").split()[0] == "table.journal"
        debian.run(*INSTALL[:2], "--uninstall", "--purge")
        left = debian.run("find", "/etc", "/opt", "/var/lib", "/usr/local", "-path", "*topple*")
        assert left == before == ""
        assert debian.run("systemctl", "--failed", "--no-legend") == ""


# As above: a whole Debian from the package registry each. On i386 hardly a package has a wheel, as
# on a Pi of 32 bit: there this machine builds what a Pi would build.
@pytest.mark.soak
@pytest.mark.parametrize(
    ("release_name", "architecture"),
    [("bookworm", "amd64"), ("trixie", "amd64"), ("bookworm", "i386"), ("trixie", "i386")],
)
def test_a_bare_pi_gets_all_that_its_pins_need_in_locked_versions(
    release_name: str, architecture: str, wheel: Path, tmp_path: Path
) -> None:
    debian = BareDebian(tmp_path, release_name, architecture)
    debian.become_a_pi()
    release(debian, wheel)

    said = debian.run("env", *PI_4, *ONLINE, "--wiring", "pi", "--no-broker")

    assert "Raspberry Pi 4" in said.splitlines()[0]
    assert "tried with a simulated game. Final score: " in said
    assert "the libraries for the pins are all there" in said
    in_use = "/opt/topple-table/current/bin"
    as_service = ("setpriv", "--reuid=topple-table", "--regid=topple-table", "--clear-groups")
    imports = (
        "import board, digitalio, gpiod, gpiozero, lgpio, smbus2, cobs, serial; print(board.D5)"
    )
    ran = (*as_service, "env", *PI_4, "LG_WD=/tmp", f"{in_use}/python", "-c", imports)
    assert debian.run(*ran).strip() == "5"
    assert "ok     libraries" in debian.run(
        "env", *PI_4, "topple-table", "doctor", "--only", "wires", succeeds=False
    )
    versions = debian.run(f"{in_use}/pip", "list", "--format=freeze").split()
    locked = "".join(path.read_text() for path in (ROOT / "deploy").glob("requirements*.lock"))
    numpy_of_debian = {"numpy"} if architecture == "i386" else set()
    # pip lists a package by the name it gives itself; the index and the locks write it one way.
    pairs = (line.split("==") for line in versions)
    named = [(re.sub(r"[-_.]+", "-", name).lower(), version) for name, version in pairs]
    unlocked = {name for name, version in named if f"{name}=={version} " not in locked}
    assert unlocked - {"pip", "setuptools", "topple-table"} - numpy_of_debian == set()


PI_4 = ("BLINKA_FORCEBOARD=RASPBERRY_PI_4B", "BLINKA_FORCECHIP=BCM2XXX")
"""What Blinka would find out on a Pi 4."""


def secrets_are_kept(debian: BareDebian) -> None:
    """Each role has a password of its own, and only its user can read it."""
    listing = debian.run("stat", "-c", "%n %U %a", *(
        f"/etc/topple-table/secrets/{role}"
        for role in ("table", "controller", "display", "homeassistant")
    ), "/etc/mosquitto/topple-table.passwd", "/etc/mosquitto/topple-table.acl")  # fmt: skip
    assert re.findall(r"(\S+) (\S+) (\d+)$", listing, flags=re.MULTILINE) == [
        ("/etc/topple-table/secrets/table", "topple-table", "600"),
        ("/etc/topple-table/secrets/controller", "topple-scoreboard", "600"),
        ("/etc/topple-table/secrets/display", "root", "600"),
        ("/etc/topple-table/secrets/homeassistant", "root", "600"),
        ("/etc/mosquitto/topple-table.passwd", "mosquitto", "600"),
        ("/etc/mosquitto/topple-table.acl", "mosquitto", "600"),
    ]
    passwords = debian.run("sh", "-c", "cat /etc/topple-table/secrets/*").split()
    assert len(set(passwords)) == 4
    assert all(re.fullmatch(r"[\w-]{24}", password) for password in passwords)
    hashes = debian.run("cat", "/etc/mosquitto/topple-table.passwd")
    assert not any(password in hashes for password in passwords)


def an_uncalibrated_table_waits(debian: BareDebian) -> None:
    """The pages are up and say so; the doctor says what to do."""
    assert debian.run("systemctl", "is-active", "topple-table-scoreboard").strip() == "active"
    assert "inactive" in debian.run("systemctl", "is-active", "topple-table", succeeds=False)
    said = debian.run("topple-table", "doctor", succeeds=False)
    assert "WRONG  calibration   /var/lib/topple-table/calibration.json: No such file" in said
    assert "WRONG  serial        there is no serial device" in said


def hear(debian: BareDebian, row: str) -> str:
    """What a display at the table's own broker is told."""
    password = debian.run("cat", "/etc/topple-table/secrets/display").strip()
    return hear_at(debian, f"topple/1/t1/{row}", 1883, "display", password)


def hear_at(debian: BareDebian, topic: str, port: int, user: str, password: str) -> str:
    """The first message on a topic."""
    command = ("timeout", "20", PYTHON, "-c", HEAR, topic, str(port), user, password)
    return debian.run(*command).strip()


def game_of(debian: BareDebian) -> object:
    """What a display hears the game is called."""
    return json.loads(hear(debian, "state"))["game"]


def a_round_is_scored(debian: BareDebian) -> None:
    """A display with its own password sees points, or a second round."""

    def scored() -> bool:
        state = json.loads(hear(debian, "state"))
        return state["round"] > 1 or any(player["score"] for player in state["players"])

    wait_until(scored, "a score", 180.0)


def doctor_is_content(debian: BareDebian) -> None:
    said = debian.run("topple-table", "doctor")
    assert "WRONG" not in said
    for line in (
        "ok     password      /etc/topple-table/secrets/table, for topple-table only",
        "ok     broker        127.0.0.1:1884 lets table in",
        "ok     rights        tried at 127.0.0.1:1884 and 127.0.0.1:1883: nobody can say",
        "ok     table         online, ready, simulated",
        "ok     pages         http://127.0.0.1:8080/",
        "ok     services      topple-table is active (running)",
    ):
        assert line in said


def the_broker_is_confined(debian: BareDebian) -> None:
    """Debian's Mosquitto runs with what we take away from it, and has files enough."""
    asked = "--property=User,LimitNOFILE,NoNewPrivileges,ProtectSystem,NRestarts,ActiveState"
    shown = debian.run("systemctl", "show", asked, "mosquitto")
    assert set(shown.split()) == {
        "User=mosquitto", "LimitNOFILE=16384", "NoNewPrivileges=yes", "ProtectSystem=strict",
        "NRestarts=0", "ActiveState=active",
    }  # fmt: skip


def the_table_has_a_listener_of_its_own(debian: BareDebian) -> None:
    config = tomllib.loads(debian.run("cat", TABLE_FILE))
    assert config["broker"]["port"] == 1884


def a_hung_table_is_restarted(debian: BareDebian) -> None:
    """A process that stands still feeds no watchdog; systemd starts it anew, the game goes on."""
    game = json.loads(hear(debian, "state"))["game"]
    debian.run("systemctl", "kill", "--signal=STOP", "topple-table")

    def restarted() -> bool:
        shown = debian.run("systemctl", "show", "--property=NRestarts,ActiveState", "topple-table")
        return set(shown.split()) == {"NRestarts=1", "ActiveState=active"}

    # The watchdog waits 20 s, systemd 3 s, and a busy machine takes its time.
    wait_until(restarted, "the watchdog to bite", 240.0)
    assert json.loads(hear(debian, "state"))["game"] == game


def a_bad_version_is_taken_back(debian: BareDebian, wheel: Path, folder: Path) -> None:
    """It plays its trial, and then does not stay up as a service."""
    # A new evening.
    earlier = game_of(debian)
    debian.run("systemctl", "stop", "topple-table")
    debian.run("sh", "-c", "rm -r /var/lib/topple-table/*")
    debian.run("systemctl", "start", "topple-table")
    version = wheel.name.split("-")[1]
    bad = other_version(wheel, "9.9.9", NEWER_AND_BROKEN, folder)
    for each in (bad, other_version(lab_of(wheel), "9.9.9", {}, folder)):
        shutil.copy(each, debian.root / "release")
    its_own = (debian.root / "release/deploy", debian.root / "release/deploy-9.9.9")
    shutil.copytree(*its_own)
    for file in ("mosquitto/topple-table.acl", "systemd/topple-table.service"):
        with (its_own[1] / file).open("a") as changed:
            changed.write("# of 9.9.9\n")
    wait_until(lambda: game_of(debian) not in {None, earlier}, "a game", 120.0)
    game, before = game_of(debian), files(debian)

    said = debian.run(
        "sh", "/release/deploy-9.9.9/install.sh", *INSTALL[2:], "--wheel", f"/release/{bad.name}",
        succeeds=False,
    )  # fmt: skip

    assert "the services do not stay up with version 9.9.9" in said
    assert f"went back to version {version}, which runs" in said
    current = debian.run("readlink", "/opt/topple-table/current").strip()
    assert current == f"/opt/topple-table/{version}"
    assert debian.run("systemctl", "is-active", "topple-table").strip() == "active"
    assert "9.9.9" not in debian.run("ls", "/opt/topple-table")
    assert "put the games back; what version 9.9.9 made of them is in " in said
    taken_back = debian.root / "var/lib/topple-table/taken-back/table.journal"
    assert written_version(taken_back) == 3
    assert written_version(taken_back.parents[1] / taken_back.name) == 2
    assert game_of(debian) == game
    assert files(debian) == before
    assert "# of 9.9.9" not in debian.run("cat", "/etc/mosquitto/topple-table.acl")


NEWER_AND_BROKEN = {
    "controller/journal/schema.py": "SCHEMA = 3",
    # A step to a new format, done as the real one of format 1 is: in the journal's own opening.
    "controller/journal/recovery.py": """
_connect_as_before = Recovery._connect

def _connect(self):
    database = _connect_as_before(self)
    if _value(database, "PRAGMA user_version") == 2:
        with transaction(database):
            database.execute("ALTER TABLE entries ADD COLUMN weather TEXT NOT NULL DEFAULT ''")
            database.execute("PRAGMA user_version=3")
    return database

Recovery._connect = _connect
""",
    # It plays its trial, which has no journal, and does not stay up as a service.
    "controller/app/run.py": """
def run(config, file):
    wiring.journal(config, file).close()
    return 1
""",
}


# ... and another whole Debian.
@pytest.mark.soak
def test_a_bare_debian_joins_a_club_and_leaves_it_again(wheel: Path, tmp_path: Path) -> None:
    debian = BareDebian(tmp_path, "bookworm")
    join = ("--name", "attic", "--hub", f"127.0.0.1:{HUB_PORT}")

    said = installed(debian, wheel, "--wiring", "twin", *join)

    bridge = "/etc/mosquitto/conf.d/topple-table-bridge.conf"
    listing = debian.run("stat", "-c", "%n %U %a", "/etc/topple-table/secrets/hub", bridge)
    assert listing.split("\n")[:2] == [
        "/etc/topple-table/secrets/hub root 600", f"{bridge} mosquitto 600",
    ]  # fmt: skip
    password = debian.run("cat", "/etc/topple-table/secrets/hub").strip()
    assert password not in said
    assert "tell the hub: sudo mosquitto_passwd /etc/mosquitto/topple-hub.passwd attic" in said

    with debian.booted():
        a_hub_is_there(debian, hall="h4ll", attic=password)
        # Services can be started only now.
        debian.run(*INSTALL, *join)
        the_hub_hears(debian, "link", "1")
        the_hub_hears(debian, "availability", "online")
        the_hub_hears(debian, "state", '"name":"Ann"')

        debian.run(*INSTALL, "--hub", "none")
        debian.run("test", "!", "-e", bridge)
        the_hub_hears(debian, "link", "0")

        debian.run(*INSTALL, *join)
        the_hub_hears(debian, "link", "1")
        assert password == debian.run("cat", "/etc/topple-table/secrets/hub").strip()

        debian.run(*ONLINE, "--uninstall", "--purge")
        the_hub_hears(debian, "link", "0")
        assert debian.run("find", "/etc", "-path", "*topple-table*") == ""


def a_hub_is_there(debian: BareDebian, **passwords: str) -> None:
    """A second Mosquitto with the shipped files; its own machine would have port 1883."""
    shipped = (ROOT / "deploy/mosquitto/hub.conf").read_text()
    conf = shipped.replace("listener 1883", f"listener {HUB_PORT}")
    assert conf != shipped
    (debian.root / "release/hub.conf").write_text(conf)
    users = "".join(f"{user}:{password}\n" for user, password in passwords.items())
    (debian.root / "release/hub.passwd").write_text(users)
    debian.run("sh", "-ec", HUB_FILES)
    debian.run("systemd-run", "--quiet", "--unit=hub", "mosquitto", "-c", "/release/hub.conf")


HUB_FILES = """
mosquitto_passwd -U /release/hub.passwd
install -m 0600 -o mosquitto /release/hub.passwd /etc/mosquitto/topple-hub.passwd
install -m 0600 -o mosquitto /release/deploy/mosquitto/hub.acl /etc/mosquitto/topple-hub.acl
"""


def the_hub_hears(debian: BareDebian, row: str, words: str) -> None:
    """A display in the hall sees it; the bridge tries again within a minute."""

    def heard() -> bool:
        return words in hear_at(debian, f"topple/1/attic/{row}", HUB_PORT, "hall", "h4ll")

    wait_until(heard, f"{words} on {row} at the hub", 150.0)


def look(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        # Whatever a test forgets: this machine stays as it is.
        ["sh", str(ROOT / "deploy/install.sh"), "--dry-run", *options],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_a_dry_run_says_what_it_would_do_and_does_nothing(wheel: Path) -> None:
    outcome = look("--dry-run", "--wheel", str(wheel), "--name", "attic", "--hub", "hub.club")

    assert outcome.returncode == 0, outcome.stderr
    for words in (
        "a dry run: what follows would be done, and is not",
        "and the packages of requirements.lock, requirements-bridge.lock\n",
        "would try: a simulated game",
        "would install: the lab, for simulated tables",
        "would write: /etc/topple-table/table.toml",
        "would write: /etc/topple-table/secrets/table",
        "would write: /etc/topple-table/secrets/hub",
        "would write: /etc/mosquitto/conf.d/topple-table.conf",
        "would write: /etc/mosquitto/conf.d/topple-table-bridge.conf",
        "would write: /etc/systemd/system/mosquitto.service.d/topple-table.conf",
        "would write: /etc/systemd/system/topple-table.service",
        "that would be all; nothing was done",
    ):
        assert words in outcome.stdout
    assert not Path("/opt/topple-table").exists()
    assert not Path("/etc/topple-table").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can lay something over /sys/firmware")
def test_a_dry_run_on_a_pi_names_what_its_pins_need(wheel: Path) -> None:
    outcome = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", AS_A_PI, "sh", "--dry-run", "--wheel", str(wheel)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert outcome.returncode == 0, outcome.stderr
    assert "Raspberry Pi 5" in outcome.stdout
    assert "requirements-bridge.lock, requirements-pi.lock\n" in outcome.stdout
    assert "would write: /etc/systemd/journald.conf.d/topple-table.conf" in outcome.stdout


AS_A_PI = """
mount -t tmpfs none /sys/firmware
mkdir -p /sys/firmware/devicetree/base
printf 'Raspberry Pi 5 Model B Rev 1.0\\0' >/sys/firmware/devicetree/base/model
exec sh deploy/install.sh "$@"
"""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--frobnicate"], "unknown option '--frobnicate'; see --help"),
        (["--wheel"], "--wheel needs a value"),
        (["--wheel", "/nowhere.whl"], "--wheel /nowhere.whl: there is no such file"),
        (["--wheelhouse", "/nowhere"], "--wheelhouse /nowhere: there is no such folder"),
        (["--wiring", "wireless"], "--wiring wireless: it can be bridge, pi, starter or twin"),
        (["--purge"], "--purge goes with --uninstall only"),
        (["--name", "My Table"], "--name My Table: use 1 to 32 lower-case letters"),
        (["--hub", "mqtt://hub"], "--hub mqtt://hub: give HOST or HOST:PORT, or none"),
        (["--hub", "hub", "--no-broker"], "--hub joins this table's own Mosquitto"),
        (["--dry-run", "--hub", "hub.club"], "a table in a club needs a name of its own"),
        (
            ["--dry-run", "--hub", "h", "--name", "league"],
            "no table of a club can be called league",
        ),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(options: list[str], words: str) -> None:
    outcome = look(*options)

    assert outcome.returncode == 2
    assert words in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_help_names_every_option() -> None:
    text = (ROOT / "deploy/install.sh").read_text()
    labels = re.findall(r"^\t\t(-[-a-z |]+)\)", text, flags=re.MULTILINE)
    options = {word for label in labels for word in re.findall(r"--[a-z-]+", label)}
    shown = look("--help").stdout

    assert len(options) == 12
    assert [option for option in options - {"--help"} if option not in shown] == []
