"""What docs/security.md promises and no test of a single part holds."""

import asyncio
import contextlib
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request

from controller.common import config, files
from controller.common.errors import BadScenario
from controller.dice.paired import PairedDie, keep
from controller.mqtt import client, topics
from controller.mqtt.topics import Publication
from controller.table import clients, commands, loop
from firmware_bridge import framing
from hw.traces import mcap_stream, recording
from lab.bench import scenario_files
from pages import guard, mirror
from pages.phone import pin
from pages.prompts import prompt_page
from tests.controller.app.test_run_tables import CLI, Run
from tests.controller.conftest import PATIENCE_S, RunningBroker, _mosquitto, wait_until
from tests.deploy.conftest import in_the_installer
from tests.deploy.test_files import DEPLOY, UNITS, hardened_broker, settings, tool
from tests.deploy.test_hub import Ear
from tests.pages.loops import finished

ROOT = Path(__file__).parents[2]
SAID = (ROOT / "docs/security.md").read_text()
HOME = {"link-local", "multicast", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}
I2C, TTY_ACM, TTY_USB = 89, 166, 188
"""The kernel's assigned numbers of these devices (admin-guide/devices). By name a device may be
opened only if its driver was loaded when the service started, which that of a USB serial port is
not before the first plug: seen on the emulated Pi."""


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[RunningBroker]:
    """Debian's Mosquitto with the shipped settings, users and rules."""
    yield from _mosquitto(tmp_path, guarded=True)


# --- proofs ------------------------------------------------------------------------------------


def attempts() -> list[str]:
    """What each of the attackers tries, as the document has it."""
    return re.findall(r"^- (.+)$", SAID.split("attackers\n")[1].split("\n## ")[0], re.MULTILINE)


def test_each_attempt_has_tests_that_make_it_and_no_test_is_without_an_attempt() -> None:
    proofs = tomllib.loads((ROOT / "tests/deploy/security_proofs.toml").read_text())

    without = [each for each in attempts() if not any(each.startswith(one) for one in proofs)]
    gone = [one for one in proofs if not any(each.startswith(one) for each in attempts())]
    assert (without, gone) == ([], [])
    for test in {test for tests in proofs.values() for test in tests}:
        file, _, name = test.partition("::")
        assert re.search(rf"(?m)^(async )?def {name}\(", (ROOT / file).read_text()), test


# --- ports ---------------------------------------------------------------------------------------


def listening(process: int) -> list[str]:
    """Addresses at which a process waits for others, TCP and UDP."""
    own = set()
    for handle in Path(f"/proc/{process}/fd").iterdir():
        # One or the other has been closed meanwhile.
        with contextlib.suppress(FileNotFoundError):
            own.add(str(handle.readlink()))
    found = []
    for kind, waiting in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        for line in Path(f"/proc/{process}/net/{kind}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == waiting and f"socket:[{fields[9]}]" in own:
                found.append(f"{kind} {fields[1]}")
    return found


def test_a_port_that_is_open_is_seen() -> None:
    this = int(Path("/proc/self").readlink().name)
    others = set(listening(this))  # of tests before this one, in the same process
    with socket.create_server(("127.0.0.1", 0)) as ours:
        port = ours.getsockname()[1]
        assert set(listening(this)) - others == {f"tcp 0100007F:{port:04X}"}


def test_a_table_as_installed_opens_no_port(mosquitto: RunningBroker, tmp_path: Path) -> None:
    """Its configuration is as the installer writes it: no pages, a broker of its own."""
    hall = Ear(mosquitto.address("display"), "topple/1/t1/availability", name="hall")
    table = Run(tmp_path / "table", "t1", mosquitto)
    hall.hears("topple/1/t1/availability", b"online")

    assert listening(table.pid) == []
    table.stop()
    hall.edge.stop()


@pytest.mark.parametrize(
    ("command", "file", "words"),
    [
        ("league", ("--database", "league.sqlite"), "League:"),
        ("dice", ("--file", "dice.json"), "check that it runs and is on"),
    ],
)
def test_neither_a_league_nor_dice_open_a_port(
    mosquitto: RunningBroker, tmp_path: Path, command: str, file: tuple[str, str], words: str
) -> None:
    log = tmp_path / "log"
    keep(tmp_path / "dice.json", PairedDie("C4:5D:83:0A:11:22", "red"))
    with log.open("w") as out:
        running = subprocess.Popen(
            [sys.executable, "-c", CLI, command, "--broker", f"127.0.0.1:{mosquitto.port}",
             file[0], str(tmp_path / file[1])],
            cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
            env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/none"},
        )  # fmt: skip
    wait_until(lambda: words in log.read_text(), command)

    assert listening(running.pid) == []
    running.terminate()
    assert running.wait(PATIENCE_S) == 0


def test_no_browser_can_speak_to_the_broker(mosquitto: RunningBroker) -> None:
    """Browsers speak MQTT through WebSockets only; of two listeners none takes them."""
    for name in ("topple-table.conf", "hub.conf", "bridge.conf"):
        assert "websockets" not in (DEPLOY / "mosquitto" / name).read_text()
    with socket.create_connection(("127.0.0.1", mosquitto.port), PATIENCE_S) as browser:
        browser.sendall(
            b"GET /mqtt HTTP/1.1\r\nHost: table.local\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
        )
        with contextlib.suppress(ConnectionError):
            assert browser.recv(64) == b""


def test_a_packet_that_is_too_large_ends_its_connection_and_no_other(
    mosquitto: RunningBroker,
) -> None:
    table = Ear(mosquitto.address("table"), "topple/1/+/cmd/+", name="table")
    honest, greedy = (Ear(mosquitto.address("controller"), name=n) for n in ("honest", "greedy"))
    honest.edge.publish(Publication("topple/1/t1/cmd/undo", b"x" * 65_000, 1, retain=False))
    table.hears("topple/1/t1/cmd/undo", b"x" * 65_000)
    # Ours would keep it back.
    assert greedy.edge._live is not None
    greedy.edge._live.publish("topple/1/t1/cmd/undo", b"y" * 70_000, 1)

    wait_until(lambda: not greedy.edge.connection.up, "the end of a connection")
    honest.edge.publish(Publication("topple/1/t1/cmd/undo", b"fence", 1, retain=False))
    table.hears("topple/1/t1/cmd/undo", b"fence")
    assert not any(message.payload[:1] == b"y" for message in table.heard)
    for ear in (table, honest, greedy):
        ear.edge.stop()


# --- services ------------------------------------------------------------------------------------


def unit(name: str) -> dict[str, list[str]]:
    return settings(DEPLOY / "systemd" / f"{name}.service")


def test_a_service_reaches_and_reads_what_it_must() -> None:
    """The rows of "What runs where", as the service manager is told them."""
    table, kiosk = unit("topple-table"), unit("topple-table-kiosk")
    pages, league = unit("topple-table-scoreboard"), unit("topple-table-league")
    dice = unit("topple-table-dice")
    broker = settings(DEPLOY / "mosquitto/hardening.conf")

    for found in (table, pages, league, dice, kiosk):
        assert found["IPAddressDeny"] == ["any"]
    assert table["IPAddressAllow"] == kiosk["IPAddressAllow"] == ["localhost"]
    for found in (pages, league, dice):
        assert set(found["IPAddressAllow"][0].split()) == HOME | {"localhost"}
        assert "-/var/lib/topple-table" in found["InaccessiblePaths"][0].split()
    for found in (kiosk, broker):
        assert found["InaccessiblePaths"] == ["-/var/lib/topple-table -/etc/topple-table"]
    for found in (pages, league, dice, broker):
        assert found["PrivateDevices"] == ["yes"]
    assert table["DevicePolicy"] == ["closed"]
    assert {line.split()[0] for line in table["DeviceAllow"]} == {
        "char-gpiochip", *(f"char-{number}" for number in (I2C, TTY_ACM, TTY_USB)),
    }  # fmt: skip
    assert (
        kiosk["ExecStart"][0].endswith("http://127.0.0.1:8080/") or "/run/" in kiosk["ExecStart"][0]
    )
    assert broker["User"] == ["mosquitto"]


def test_memory_and_tasks_of_every_service_are_limited_and_it_is_started_again() -> None:
    for file in (*UNITS, DEPLOY / "mosquitto/hardening.conf"):
        found = settings(file)
        assert re.fullmatch(r"\d+[M%]", found["MemoryMax"][0]), file
        assert int(found["TasksMax"][0]) <= 1024, file
        assert found["Restart"][0] in {"on-failure", "always"}, file
        assert found["StartLimitIntervalSec"] == ["0"], file


def test_memory_is_limited_where_the_kernel_counts_none_of_services() -> None:
    # Chromium reserves gigabytes, and Mosquitto is Debian's: they have MemoryMax only.
    units = {name: settings(DEPLOY / f"systemd/{name}.service") for name in OF_PYTHON}
    for name, found in units.items():
        most_mb = int(found["MemoryMax"][0].removesuffix("M"))
        data = found["LimitDATA"][0].replace("G", "*1024").removesuffix("M").split("*")
        data_mb = int(data[0]) * int(data[1] if len(data) > 1 else 1)
        assert data_mb == 2 * most_mb, name


def test_a_program_over_its_limit_of_data_ends_without_any_cgroup() -> None:
    grow = "data = [bytearray(2**20) for _ in range(200)]; print(len(data))"
    for limit_mb, ends in ((100, 1), (400, 0)):
        limited = subprocess.run(
            ["prlimit", f"--data={limit_mb * 2**20}", sys.executable, "-c", grow],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (limited.returncode, "MemoryError" in limited.stderr) == (ends, bool(ends))


OF_PYTHON = ("topple-table", "topple-table-dice", "topple-table-scoreboard", "topple-table-league")

UNIT_OF = {
    "table": "topple-table",
    "pages": "topple-table-scoreboard",
    "league": "topple-table-league",
    "dice": "topple-table-dice",
    "kiosk": "topple-table-kiosk",
}


@pytest.mark.parametrize("name", [*UNIT_OF, "broker"])
def test_the_figures_of_exposure_are_what_systemd_says(name: str, tmp_path: Path) -> None:
    """To a tenth or two: systemd weighs a little differently from version to version.

    A browser builds a cage of its own, and needs what the others can do without.
    """
    file = DEPLOY / f"systemd/{UNIT_OF.get(name)}.service"
    if name == "broker":
        file = hardened_broker(tmp_path)
        verified = tool("systemd-analyze", "verify", "--man=no", str(file)).stdout
        assert [line for line in verified.splitlines() if "mosquitto" in line] == []
    (said,) = re.findall(rf"\b{name} \*\*(\d\.\d)\*\*", SAID)
    checked = tool("systemd-analyze", "security", "--offline=yes", "--no-pager", str(file))
    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", checked.stdout)

    assert level is not None, checked.stdout
    assert abs(float(level[1]) - float(said)) <= 0.21
    assert float(level[1]) <= (5.0 if name == "kiosk" else 2.0)


def test_nothing_updates_itself() -> None:
    """No timer, and no service that fetches or installs anything."""
    assert [p for p in DEPLOY.rglob("*") if p.suffix in {".timer", ".path", ".socket"}] == []
    for file in UNITS:
        starts = [v for key, values in settings(file).items() if key[:4] == "Exec" for v in values]
        assert not re.search(r"\b(pip|apt|apt-get|curl|wget|install\.sh)\b", " ".join(starts))


# --- passwords -----------------------------------------------------------------------------------


def passwords_made(folder: Path) -> dict[str, tuple[str, str, str]]:
    """What the installer's own function makes: role -> mode, owner, password."""
    secrets, work = folder / "secrets", folder / "work"
    for made in (secrets, work):
        made.mkdir(exist_ok=True)
    put = 'put() { echo "$2 $3 $4"; cp "$1" "$2"; }\nguard() { :; }'
    said = in_the_installer(f"{put}\nmake_secrets", etc=folder, work=work, dry_run="")
    rights = [line.split() for line in said.splitlines()]
    kept = {file.name: file.read_text().strip() for file in secrets.iterdir()}
    assert not any(password in said for password in kept.values())
    return {Path(path).name: (mode, owner, kept[Path(path).name]) for path, mode, owner in rights}


def test_each_role_gets_a_password_of_its_own_that_only_its_user_can_read(tmp_path: Path) -> None:
    made = passwords_made(tmp_path)

    assert {role: found[:2] for role, found in made.items()} == {
        "table": ("0600", "topple-table"),
        "controller": ("0600", "topple-scoreboard"),
        "display": ("0600", "root"),
        "homeassistant": ("0600", "root"),
    }
    passwords = {password for _, _, password in made.values()}
    assert len(passwords) == 4
    assert all(re.fullmatch(r"[\w-]{24}", password) for password in passwords), "18 bytes"
    # In a file, and never among the words of a command.
    for file in UNITS:
        started = settings(file)["ExecStart"][0]
        assert not re.search(r"--password[ =]", started)
    assert "password = " not in (DEPLOY / "topple-table.toml").read_text()


def test_a_password_that_was_taken_away_is_made_anew_and_the_others_stay(tmp_path: Path) -> None:
    first = passwords_made(tmp_path)
    (tmp_path / "secrets/display").unlink()

    second = passwords_made(tmp_path)

    assert list(second) == ["display"]
    assert second["display"][2] != first["display"][2]
    kept = (tmp_path / "secrets/controller").read_text().strip()
    assert kept == first["controller"][2]
    installer = (DEPLOY / "install.sh").read_text()
    assert "! are_passwords_known; then put_passwords" in installer.partition("setup_broker() {")[2]


# --- limits --------------------------------------------------------------------------------------


def row(beginning: str) -> str:
    """A line of the document, without the marks of a table."""
    return next(one for one in SAID.splitlines() if one.lstrip("|- ").startswith(beginning))


def test_limits_are_those_of_the_programs() -> None:
    kib, mib = 1024, 2**20
    said = {
        "frame on the serial line": [f"{framing.LONGEST_ENCODED} bytes"],
        "MQTT command": [
            f"{commands.LARGEST_COMMAND_BYTES // kib} KiB", f"{loop.INBOX_SIZE} wait",
            f"{loop.MOST_PER_STEP} are taken", f"{loop.MOST_TURNED_AWAY} senders",
        ],
        "other MQTT messages": [
            f"{client.MAX_PAYLOAD_BYTES // kib} KiB", f"{mirror.MOST_TABLES} tables",
            f"{clients.MOST_CLIENTS} clients",
        ],
        "request of a phone": [
            f"{guard.LARGEST_BODY_BYTES // kib} KiB within {guard.BODY_WITHIN_S:.0f} s",
        ],
        "configuration, scenario": [
            f"{files.CONFIG_BYTES // kib} KiB", f"{scenario_files.MOST_CASES} cases",
        ],
        "calibration; line of a game record": [
            (f"{files.CALIBRATION_BYTES // mib} MiB; {files.LINE_BYTES // mib} MiB; "
            f"{files.SECRET_BYTES // kib} KiB"),
        ],
        "recording |": [
            f"{mcap_stream.CHUNK_MAX_BYTES // mib} MiB a chunk",
            f"{recording.LONGEST_S / 3600:.0f} hours",
        ],
        "words of a refusal": [f"{files.LONGEST_WORDS} characters"],
        "`calibrate --phone`": [
            f"port {prompt_page.PHONE_PORT}",
            f"of {len(prompt_page.KEY_CHARACTERS)}, new each time",
        ],
        "| to act as a player": ["five wrong tries a phone, twenty in all, then five minutes"],
    }  # fmt: skip
    for beginning, figures in said.items():
        line = row(beginning.lstrip("| "))
        assert [figure for figure in figures if figure not in line] == [], beginning
    assert (pin.TRIES_EACH, pin.TRIES_IN_ALL, pin.WINDOW_S) == (5, 20, 300.0)
    assert prompt_page.KEY_LENGTH == 8
    assert loop.MOST_PER_STEP / 0.02 == 800
    assert all(
        vars(user)["CONFIG_BYTES"] == files.CONFIG_BYTES for user in (config, scenario_files)
    )
    assert topics.TOPICS["cmd"].retain is False


def test_a_request_that_dribbles_in_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_WITHIN_S", 0.05)

    async def dribble() -> dict[str, object]:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b" ", "more_body": True}

    headers = {"host": "t:1", "origin": "http://t:1", "content-type": "application/json"}
    scope = {
        "type": "http", "method": "POST", "path": "/",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    with pytest.raises(guard.RequestRefused) as refused:
        finished(guard.parse_body(Request(scope, dribble), prompt_page.ButtonPress))

    assert (refused.value.status, refused.value.code) == (408, "too-slow")


def test_a_scenario_without_an_end_is_refused() -> None:
    """Ten lines of aliases can mean gigabytes."""
    doubled = "\n".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]" for n in range(30))

    with pytest.raises(BadScenario, match="line 2"):
        scenario_files.read(f"a0: &a0 [x]\n{doubled}\n", "bomb", "bomb.yaml")


def test_limits_of_the_broker_are_those_of_its_configuration() -> None:
    conf = (DEPLOY / "mosquitto/topple-table.conf").read_text()
    flood, places = row("to flood broker or pages"), row("to take every place at the broker")

    assert "max_packet_size 66000\n" in conf
    assert "packets over 66 kB" in flood
    assert "max_queued_messages 1000\nmax_queued_bytes 4000000\n" in conf
    assert "1,000 messages or 4 MB" in flood
    assert "max_connections 200\n" in conf
    assert "guests have 200 places" in places
    assert "16,384 files" in places
    assert settings(DEPLOY / "mosquitto/hardening.conf")["LimitNOFILE"] == ["16384"]
    assert settings(DEPLOY / "mosquitto/hardening.conf")["MemoryMax"] == ["25%"]
    assert "a quarter of the memory" in row("to fill the broker with retained messages")
