"""Tries at the broker what each role may say and hear, by messages that may pass and that may not.

What is configured proves nothing: brokers read one file differently from version to version, a
second file may overrule the first, and Mosquitto grants every subscription, accepts every message,
and drops without a word what its rules forbid. So only what arrives counts. All of it is said of a
table that nobody has, is not retained, and shows on no screen.
"""

import queue
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from controller.app import wiring
from controller.common.config import Config, password
from controller.common.errors import BadConfig
from controller.mqtt.client import BrokerAddress
from controller.mqtt.client_ids import fresh
from controller.mqtt.topics import Publication, topic
from controller.workshop.doctor.computer import Computer
from controller.workshop.doctor.results import CheckResult, note, ok, wrong
from controller.workshop.doctor.services import SECRETS
from controller.workshop.doctor.visit import ANSWER_S, Visit, visiting

OURS = "/etc/mosquitto/conf.d/topple-table.conf"
"""With it the broker is as the installer made it, with every role and two listeners."""

NOBODYS = "doctor"
"""The id of a table that nobody has."""

ROLES = ("display", "controller", "homeassistant")

AGAIN_S = 1.0
"""A word that was said before its listener had subscribed is said once more."""

RULES = "deploy/mosquitto/topple-table.acl"


@dataclass(frozen=True, slots=True)
class RightsTrial:
    """One who speaks and one who listens, and two rows of the contract: `topic` of each.

    Attributes:
        forbidden: what the listener must not hear of the speaker.
        allowed: what it hears.
        breach: what it means when `forbidden` arrives.
    """

    speaker: str
    listener: str
    forbidden: str
    allowed: str
    breach: str


TRIALS = (
    RightsTrial("display", "table", "cmd", "client", "a display can give commands"),
    RightsTrial("controller", "table", "health", "cmd", "a phone can speak for the table"),
    RightsTrial(
        "homeassistant", "table", "health", "cmd", "Home Assistant can speak for the table"
    ),
    RightsTrial(
        "table", "display", "reply", "summary", "a display hears what is for one phone only"
    ),
)
"""A table hears `health`, to notice another one of its name."""


def look_at_rights(config: Config, computer: Computer) -> Iterator[CheckResult]:
    """Whether the running broker keeps everybody to what the rules of the roles say."""
    if config.broker.kind == "embedded":
        yield ok("rights", "the table's own broker has no roles: it is for this computer only")
        return
    if not config.broker.user:
        advice = f"let it ask for passwords, with the roles of {RULES}"
        yield note("rights", "the broker asks for no name: who reaches it can say anything", advice)
        return
    try:
        table = wiring.broker(config)
        roles = {role: _word_of(role, computer) for role in ROLES}
    except BadConfig as error:
        yield note("rights", f"cannot be tried: {error}", "sudo topple-table doctor can")
        return
    ours = computer.path(OURS).exists()
    doors = [replace(table, port=port) for port in _ports(computer)] if ours else [table]
    found = [each for door in doors for each in _at(door, roles, ours=ours)]
    yield from found
    if not found:
        tried = " and ".join(map(str, doors))
        yield ok("rights", f"tried at {tried}: nobody can say or hear more than the role allows")


def _word_of(role: str, computer: Computer) -> str | None:
    return password(str(computer.path(f"{SECRETS}/{role}")), named=f"the password of {role}")


def _ports(computer: Computer) -> list[int]:
    return [int(port) for port in re.findall(r"(?m)^listener +(\d+)", computer.text(OURS))]


def _at(
    door: BrokerAddress, roles: Mapping[str, str | None], *, ours: bool
) -> Iterator[CheckResult]:
    """What is wrong at one listener."""
    advice = (
        "see whether another file in /etc/mosquitto sets per_listener_settings, a plugin or "
        "allow_anonymous (journalctl -u mosquitto), and run install.sh again"
        if ours
        else f"give your broker the roles of {RULES}; see docs/security.md"
    )
    with visiting(door) as table:
        if not table.answered.up:
            yield wrong("rights", f"cannot be tried: {table.answered.text}", advice)
            return
    with visiting(replace(door, user=None, password=None)) as anybody:
        if anybody.answered.up:
            yield wrong("rights", f"{door} lets in who has no password", advice)
    addresses = {"table": door} | {
        role: replace(door, user=role, password=word) for role, word in roles.items()
    }
    for trial in TRIALS:
        refused, breach = _tried(trial, addresses[trial.speaker], addresses[trial.listener])
        if refused:
            about = f"{trial.speaker} at {door}: {refused}"
            yield wrong("rights", about, advice) if ours else note("rights", about, advice)
        elif breach:
            yield wrong("rights", f"at {door} {trial.breach}", advice)


def _tried(trial: RightsTrial, speaker: BrokerAddress, listener: BrokerAddress) -> tuple[str, bool]:
    """Why it could not be tried, and whether what is forbidden arrived."""
    names = {role: fresh("doctor") for role in (trial.speaker, trial.listener)}
    # `reply` goes to one client and `client` comes from one; a command has a verb.
    level = {"cmd": "doctor", "client": names[trial.speaker], "reply": names[trial.listener]}
    said = [topic(NOBODYS, row, level.get(row, "")) for row in (trial.forbidden, trial.allowed)]
    with (
        visiting(listener, names[trial.listener], *said) as hears,
        visiting(speaker, names[trial.speaker]) as speaks,
    ):
        for visit in (speaks, hears):
            if not visit.answered.up:
                return visit.answered.text, False
        # Only what is said after this has a listener for certain.
        if not _arrived(said, speaks, hears) or not (arrived := _arrived(said, speaks, hears)):
            return f"what it may say on {said[1]} does not arrive", False
    return "", said[0] in arrived


def _arrived(said: list[str], speaks: Visit, hears: Visit) -> set[str]:
    """On which topics a new word arrives, once it does so on the last; on none, if never."""
    given_up_s = time.monotonic() + ANSWER_S
    while time.monotonic() < given_up_s:
        word = secrets.token_hex(8).encode()
        for each in said:
            speaks.edge.publish(Publication(each, word, 1, retain=False))
        arrived = _heard(word, said[-1], hears)
        if said[-1] in arrived:
            return arrived
    return set()


def _heard(word: bytes, last: str, hears: Visit) -> set[str]:
    arrived: set[str] = set()
    try:
        while last not in arrived:
            message = hears.messages.get(timeout=AGAIN_S)
            if message.payload == word:
                arrived.add(message.topic)
    except queue.Empty:
        pass
    return arrived
