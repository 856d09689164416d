"""Real Mosquittos as they are shipped, and with one line of theirs gone wrong."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.app import wiring
from controller.common.config import Config, parse
from controller.mqtt.topics import BASE, Publication
from controller.workshop.doctor import broker_rights
from controller.workshop.doctor.broker_rights import look_at_rights
from controller.workshop.doctor.computer import Computer
from controller.workshop.doctor.results import CheckResult
from tests.controller.conftest import (
    DEPLOY,
    PASSWORDS,
    running_mosquitto,
    shipped_configuration,
    write_passwords,
)
from tests.deploy.test_hub import Ear
from tests.ports import free_port

Spoilt = Callable[[str], str]


def unspoilt(text: str) -> str:
    return text


def without(line: str) -> Spoilt:
    def spoilt(text: str) -> str:
        assert line in text
        return text.replace(line, "")

    return spoilt


def after(line: str, added: str) -> Spoilt:
    def spoilt(text: str) -> str:
        assert line in text
        return text.replace(line, f"{line}{added}")

    return spoilt


@contextmanager
def installed(
    folder: Path, conf: Spoilt = unspoilt, rules: Spoilt = unspoilt, *, ours: bool = True
) -> Iterator[tuple[Config, Computer]]:
    """A running broker with these files, and the computer on which the installer has put them."""
    place, port, own_port = folder / "etc/mosquitto", free_port(), free_port()
    secrets = folder / "etc/topple-table/secrets"
    for made in (place / "conf.d", secrets):
        made.mkdir(parents=True)
    (place / "topple-table.acl").write_text(rules((DEPLOY / "topple-table.acl").read_text()))
    write_passwords(place / "topple-table.passwd", PASSWORDS)
    for role, word in PASSWORDS.items():
        (secrets / role).write_text(f"{word}\n")
    file = place / ("conf.d/topple-table.conf" if ours else "mine.conf")
    file.write_text(conf(shipped_configuration(place, port, own_port)))
    config = parse(
        f'[broker]\nkind = "mqtt"\nport = {own_port}\nuser = "table"\n'
        f'password_file = "{secrets}/table"\n'
    )
    for _ in running_mosquitto(file, port):
        yield config, Computer(folder)


def looked(config: Config, computer: Computer) -> list[CheckResult]:
    return list(look_at_rights(config, computer))


def test_the_shipped_broker_lets_nobody_do_more_than_the_role_allows(tmp_path: Path) -> None:
    with installed(tmp_path) as (config, computer):
        (found,) = looked(config, computer)

    assert found.verdict == "ok"
    assert found.words.count("127.0.0.1:") == 2, "both listeners"


def test_what_is_tried_is_seen_at_no_table_and_stays_nowhere(tmp_path: Path) -> None:
    """A display hears the trial alone, of a table that nobody has; afterwards nothing is kept."""
    with installed(tmp_path) as (config, computer):
        address = wiring.broker(config)
        ear = Ear(address, f"{BASE}/+/cmd/+", f"{BASE}/+/client/+", name="table-1")
        looked(config, computer)
        ear.edge.publish(Publication(f"{BASE}/t1/client/table-1", b"fence", 1, retain=False))
        ear.hears(f"{BASE}/t1/client/table-1", b"fence")
        late = Ear(address, "#", name="table-2")
        late.edge.publish(Publication(f"{BASE}/t1/client/table-2", b"fence", 1, retain=False))
        late.hears(f"{BASE}/t1/client/table-2", b"fence")

    assert {m.at.table for m in ear.heard} == {"doctor", "t1"}
    assert [m.topic for m in late.heard] == [f"{BASE}/t1/client/table-2"]
    for each in (ear, late):
        each.edge.stop()


BREACHES: dict[str, tuple[Spoilt, Spoilt, str]] = {
    "no rules": (
        lambda text: "".join(
            line for line in text.splitlines(keepends=True) if not line.startswith("acl_file")
        ),
        unspoilt, "a display can give commands",
    ),
    "a rule for everybody": (
        unspoilt, after("pattern write topple/1/+/client/%c", "\npattern write topple/1/+/cmd/#"),
        "a display can give commands",
    ),
    "a phone that may say everything": (
        unspoilt, after("user controller\n", "topic readwrite #\n"),
        "a phone can speak for the table",
    ),
    "Home Assistant may say everything": (
        unspoilt, after("user homeassistant\n", "topic readwrite #\n"),
        "Home Assistant can speak for the table",
    ),
    "displays hear answers": (
        unspoilt, without("topic deny topple/1/+/reply/#\n"), "what is for one phone only",
    ),
    "no password": (
        lambda text: text.replace("allow_anonymous false", "allow_anonymous true"), unspoilt,
        "lets in who has no password",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BREACHES)
def test_a_broker_that_lets_through_what_it_must_not_is_found(tmp_path: Path, name: str) -> None:
    conf, rules, words = BREACHES[name]
    with installed(tmp_path, conf, rules) as (config, computer):
        found = looked(config, computer)

    assert {each.verdict for each in found} == {"wrong"}
    assert len([each for each in found if words in each.words]) == 2, "at each listener"
    assert all("run install.sh again" in each.advice for each in found)


def test_a_setting_of_one_listener_is_found_at_that_one(tmp_path: Path) -> None:
    """Mosquitto reads its files as one; here another one says how each listener is kept."""

    def opened(text: str) -> str:
        kept = text.replace("allow_anonymous false\n", "")
        passwords, rules = (
            next(line for line in text.splitlines() if line.startswith(word))
            for word in ("password_file", "acl_file")
        )
        kept = kept.replace(f"{passwords}\n", "").replace(f"{rules}\n", "")
        own, _, guests = kept.rpartition("listener ")
        own = own.replace("max_connections 50", f"max_connections 50\n{passwords}\n{rules}")
        first, _, rest = guests.partition("\n")
        return f"per_listener_settings true\n{own}listener {first}\n{passwords}\n{rest}"

    with installed(tmp_path, opened) as (config, computer):
        found = looked(config, computer)
        guests = broker_rights._ports(computer)[1]

    assert found
    assert all(f":{guests}" in each.words and each.verdict == "wrong" for each in found)


@pytest.mark.parametrize("role", ["controller", "display"])
def test_a_role_that_may_say_too_little_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setattr(broker_rights, "ANSWER_S", 1.5)
    line = f"topic {'read topple/1/+/summary' if role == 'display' else 'write topple/1/+/cmd/+'}\n"
    with installed(tmp_path, rules=without(line)) as (config, computer):
        found = looked(config, computer)

    assert found
    assert all("does not arrive" in each.words for each in found)


@pytest.mark.parametrize(("ours", "verdict"), [(True, "wrong"), (False, "note")])
def test_a_role_that_is_not_let_in_is_wrong_at_our_broker_and_told_at_another(
    tmp_path: Path, verdict: str, *, ours: bool
) -> None:
    with installed(tmp_path, ours=ours) as (config, computer):
        (tmp_path / "etc/topple-table/secrets/controller").write_text("stale\n")
        found = looked(config, computer)

    assert {each.verdict for each in found} == {verdict}
    assert all(each.words.startswith("controller at ") for each in found)
    assert not any("stale" in each.words for each in found)


def test_without_a_broker_of_ones_own_or_without_passwords_it_is_told_what_cannot_be_tried(
    tmp_path: Path,
) -> None:
    named = '[broker]\nkind = "mqtt"\nuser = "table"\n'

    (embedded,) = looked(parse(""), Computer())
    (open_to_all,) = looked(parse('[broker]\nkind = "mqtt"\n'), Computer())
    (unread,) = looked(parse(named), Computer(tmp_path))

    assert (embedded.verdict, open_to_all.verdict, unread.verdict) == ("ok", "note", "note")
    assert "asks for no name" in open_to_all.words
    assert "cannot be tried" in unread.words


def test_a_broker_that_is_gone_is_told_once(tmp_path: Path) -> None:
    with installed(tmp_path, ours=False) as (config, computer):
        pass

    (found,) = looked(config, computer)

    assert found.verdict == "wrong"
    assert "nothing listens there" in found.words
