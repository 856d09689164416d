"""The shipped broker files on the Mosquittos of Debian 13 and 14 (2.1 reads them anew).

What each role may say and hear there: `test_broker_roles.py`.
"""

import os
from collections.abc import Iterator

import pytest

from controller.common.config import parse
from controller.workshop.doctor.broker_rights import OURS, look_at_rights
from controller.workshop.doctor.computer import Computer
from controller.workshop.doctor.services import SECRETS
from tests.controller.conftest import PASSWORDS, RunningBroker
from tests.deploy.debian_mosquitto import RELEASES, UnpackedMosquitto, mosquitto_of
from tests.deploy.test_broker_setup import DEPLOY
from tests.ports import free_port

pytestmark = pytest.mark.slow

RULES = (DEPLOY / "mosquitto/topple-table.acl").read_text()


@pytest.fixture(scope="module", params=RELEASES)
def other(request: pytest.FixtureRequest) -> UnpackedMosquitto:
    """Mosquitto of a release, not started yet."""
    return mosquitto_of(request.param)


def started(other: UnpackedMosquitto, own_port: int, rules: str = RULES) -> Iterator[RunningBroker]:
    return other.run(free_port(), own_port, rules, PASSWORDS)


def doctors_words(other: UnpackedMosquitto, own_port: int) -> set[tuple[str, str]]:
    """What the doctor finds, asked on that very computer but for the passwords' folder."""
    secrets = other.root / SECRETS.lstrip("/")
    secrets.mkdir(parents=True, exist_ok=True)
    for role, word in PASSWORDS.items():
        (secrets / role).write_text(word)
    assert (other.root / OURS.lstrip("/")).exists()
    config = parse(
        f'[broker]\nkind = "mqtt"\nport = {own_port}\nuser = "table"\n'
        f'password_file = "{secrets}/table"\n'
    )
    return {(one.verdict, one.words) for one in look_at_rights(config, Computer(other.root))}


def test_it_is_the_version_that_it_is_taken_for(other: UnpackedMosquitto) -> None:
    assert other.version.startswith(RELEASES[other.release])


def test_it_has_nothing_to_complain_of_and_keeps_to_the_rules(other: UnpackedMosquitto) -> None:
    own_port = free_port()
    for _ in started(other, own_port):
        ((verdict, words),) = doctors_words(other, own_port)

    assert verdict == "ok", words
    said = other.said.read_text()
    assert "running" in said
    for complaint in ("Warning", "Error", "deprecated", "refuse", "unable"):
        assert complaint.lower() not in said.lower(), said


def test_rules_that_were_lost_are_found_by_the_doctor(other: UnpackedMosquitto) -> None:
    own_port = free_port()
    for _ in started(other, own_port, "topic readwrite #\npattern readwrite topple/#\n"):
        found = doctors_words(other, own_port)

    assert {verdict for verdict, _ in found} == {"wrong"}
    assert any("a display can give commands" in words for _, words in found)


@pytest.mark.parametrize("file", ["topple-table.acl", "topple-table.passwd"])
def test_a_file_that_it_may_not_read_stops_it_rather_than_its_rules(
    other: UnpackedMosquitto, file: str
) -> None:
    """As root owned them, a hand-made copy would; Mosquitto 2.1 opens them as its own user."""
    for _ in started(other, free_port()):
        pass
    os.chown(other.root / "etc/mosquitto" / file, 0, 0)

    with pytest.raises(pytest.fail.Exception, match="ended at once"):
        next(other.run_again(free_port()))
