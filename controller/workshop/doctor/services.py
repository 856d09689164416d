"""Checks of what runs: the broker, the table's messages, the pages, the systemd services."""

import queue
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from controller.app import wiring
from controller.common.config import Config, password
from controller.common.errors import BadConfig
from controller.mqtt.client import BrokerAddress, ConnectionStatus, Message
from controller.mqtt.topics import ONLINE, topic
from controller.table.piece_marks import PieceMarks
from controller.workshop.doctor.computer import Computer
from controller.workshop.doctor.results import CheckResult, note, ok, wrong
from controller.workshop.doctor.visit import visiting
from engine.errors import UNREADABLE
from engine.separation import cases

SECRETS = "/etc/topple-table/secrets"
UNITS = ("topple-table.service", "topple-table-scoreboard.service", "topple-table-kiosk.service")

RETAINED_S = 3.0
"""For the retained messages, which a broker sends right after the subscription."""

PAGE_S = 3.0


@dataclass(frozen=True, slots=True)
class RetainedDocuments:
    """What the broker keeps of a table: payloads by row, `None` where nobody could listen."""

    rows: Mapping[str, bytes] | None

    @property
    def online(self) -> bool:
        """Whether the table runs, as far as anybody could listen."""
        return self.rows is not None and self.rows.get("availability") == ONLINE

    def document(self, row: str) -> dict[str, Any]:
        """A retained JSON document; empty when there is none."""
        try:
            found = msgspec.json.decode((self.rows or {}).get(row, b"{}"))
        except UNREADABLE:
            return {}
        return found if isinstance(found, dict) else {}


def look_at_broker(config: Config, computer: Computer) -> Iterator[CheckResult]:
    """Whether the broker accepts the table's user name and password."""
    if config.broker.kind == "embedded":
        yield ok("broker", "the table brings its own, for this computer only")
        return
    try:
        address = wiring.broker(config)
    except BadConfig as error:
        yield wrong("broker", str(error), "run the doctor as root, or correct the file")
        return
    answered, _ = listen(address, ())
    if answered.up:
        yield ok("broker", f"{address} lets {address.user or 'everybody'} in")
    else:
        advice = "systemctl status mosquitto" if computer.has_systemd else "is mosquitto running?"
        yield wrong("broker", answered.text, advice)


def read_retained(config: Config, computer: Computer) -> RetainedDocuments:
    """The table's retained messages. Only a display may read them, not the table itself."""
    address = _listener(config, computer)
    if address is None:
        return RetainedDocuments(None)
    rows = ("availability", "status", "health")
    answered, messages = listen(address, tuple(topic(config.table.id, row) for row in rows))
    if not answered.up:
        return RetainedDocuments(None)
    return RetainedDocuments(messages)


def _listener(config: Config, computer: Computer) -> BrokerAddress | None:
    broker = config.broker
    if not broker.user:
        return BrokerAddress(broker.host, broker.port)
    file = computer.path(f"{SECRETS}/display")
    try:
        secret = password(str(file), named="the display's password")
    except BadConfig:
        return None
    return BrokerAddress(broker.host, broker.port, "display", secret)


def listen(
    address: BrokerAddress, topics: tuple[str, ...]
) -> tuple[ConnectionStatus, Mapping[str, bytes]]:
    """Connect once; return the connection and what is retained on `topics`, by row."""
    with visiting(address, "", *topics) as visit:
        up = visit.answered.up
        return visit.answered, _retained(visit.messages, len(topics)) if up else {}


def _retained(messages: "queue.SimpleQueue[Message]", wanted: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    try:
        while len(found) < wanted:
            message = messages.get(timeout=RETAINED_S)
            if message.retained:
                found[message.at.row] = message.payload
    except queue.Empty:
        pass
    return found


def look_at_table(heard: RetainedDocuments) -> Iterator[CheckResult]:
    """Check what the table publishes for every display."""
    if heard.rows is None:
        yield note("table", "cannot be heard", "sudo topple-table doctor can use a display's name")
        return
    if not heard.online:
        yield wrong("table", "it is offline", "systemctl start topple-table, or see its log")
        return
    status = heard.document("status")
    shown = f"online, {status.get('phase', 'silent')}" + (
        ", simulated" if status.get("simulated") else ""
    )
    troubles = [t for t in status.get("troubles") or () if isinstance(t, dict)]
    if troubles:
        for trouble in troubles:
            text = f"{shown}: {trouble.get('sensor')}: {trouble.get('reason')}"
            yield wrong("table", text, "topple-table diagnose looks closer")
    else:
        yield ok("table", shown)
    yield from _pieces(heard.document("health").get("pieces"))


def _pieces(told: object) -> Iterator[CheckResult]:
    """What the weight of pieces is worth in the game that is played, and whose washer is lost."""
    try:
        marks = msgspec.convert(told, PieceMarks)
    except msgspec.ValidationError:
        return
    masses = ", ".join(f"{colour} {mass_g:.2f} g" for colour, mass_g in marks.masses_g.items())
    known = f"the weight names the colour in {cases(marks.certainty)} of 100 cases"
    yield ok("pieces", f"now {masses}: {known}")
    for each in marks.lost:
        text = f"{each.times} times a {each.colour} piece weighed like a {each.like} one"
        yield note("pieces", text, "see whether it has lost its washer")


def look_at_pages(config: Config, computer: Computer) -> Iterator[CheckResult]:
    """Whether a browser on this computer gets the scoreboard."""
    port = config.web.port
    if not config.web.enabled and not computer.path(f"/etc/systemd/system/{UNITS[1]}").exists():
        return
    url = f"http://127.0.0.1:{port}/"
    try:
        with urllib.request.urlopen(url, timeout=PAGE_S) as answer:
            ours = b"Topple" in answer.read(4096)
    except (OSError, urllib.error.URLError) as error:
        reason = getattr(error, "reason", error)
        text = f"{url} does not answer ({getattr(reason, 'strerror', None) or reason})"
        yield wrong("pages", text, "systemctl status topple-table-scoreboard")
        return
    if ours:
        yield ok("pages", url)
    else:
        advice = "give the pages another port: systemctl edit topple-table-scoreboard"
        yield wrong("pages", f"another program serves {url}", advice)


def look_at_units(computer: Computer) -> Iterator[CheckResult]:
    """The services of systemd that are installed here."""
    if not computer.has_systemd:
        yield note("services", "systemd does not run here", "start the table by hand")
        return
    installed = [u for u in UNITS if computer.path(f"/etc/systemd/system/{u}").exists()]
    if not installed:
        yield note("services", "not installed", "sudo sh deploy/install.sh does it")
    for unit in installed:
        yield _unit(unit, computer)


def _unit(unit: str, computer: Computer) -> CheckResult:
    wanted = "--property=ActiveState,SubState,Result,NRestarts"
    lines = computer.ask(["systemctl", "show", unit, wanted]).splitlines()
    about = dict(line.split("=", 1) for line in lines if "=" in line)
    name = unit.removesuffix(".service")
    state = f"{name} is {about.get('ActiveState', 'unknown')} ({about.get('SubState', '?')})"
    restarts = int(about.get("NRestarts") or 0)
    log = f"journalctl -u {name} tells why"
    if about.get("ActiveState") != "active":
        return wrong("services", state, f"systemctl start {name}; {log}")
    if restarts:
        return note("services", f"{state}, restarted {restarts} times since its start", log)
    return ok("services", state)
