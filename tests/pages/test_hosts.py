"""Which names the pages answer to: this machine's, and no name that somebody else can register."""

import http.client
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.mqtt.client import BrokerAddress
from pages.hosts import LONGEST_NAME, HostNames, is_this_machine
from pages.prompts.prompt_page import PromptServer
from pages.prompts.prompts import Prompts
from pages.server import ScoreboardServer

NAMES = HostNames("tower", frozenset({"topple.example"}))


@pytest.mark.parametrize(
    "host",
    [
        "tower", "tower:8080", "Tower.Local:8080", "tower.local.", "tower-2.local",
        "tower.fritz.box", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "192.168.1.7",
        "[fe80::1]:8080", "100.64.0.7:8080", "topple.example", "TOPPLE.example:443",
    ],
)  # fmt: skip
def test_our_names_and_addresses_are_ours(host: str) -> None:
    assert NAMES.includes(host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "tower.evil.example", "tower.local.evil.example", "nottower.local",
        "tower.com", "tower-.local", "tower-x.local", "203.0.113.7.evil.example",
        "sub.topple.example", "evil@tower", "tower/x", "tower?x", "tower#x", "tower:99999",
        "tower:x", "tower:0", "tower local", "", ":8080", "[::1", "9.9.9.9",
        "[2606:4700::1111]:8080", "127.0.0.1.evil.example",
    ],
)  # fmt: skip
def test_no_other_name_is(host: str) -> None:
    assert not NAMES.includes(host)


def test_a_public_address_is_ours_when_the_connection_arrived_there() -> None:
    assert NAMES.includes("9.9.9.9:8080", "9.9.9.9")
    assert NAMES.includes("[2606:4700::1111]", "2606:4700:0::1111")


@given(st.text(max_size=40), st.sampled_from(["com", "example", "box", "dev"]))
def test_no_name_under_a_public_domain_is_ours(name: str, domain: str) -> None:
    assert not HostNames("tower").includes(f"{name}.{domain}")
    assert not is_this_machine(f"{name}.{domain}")


def asked(port: int, path: str, *hosts: str) -> tuple[int, str, str | None]:
    """One real request with these `Host` lines."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    for host in hosts:
        connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read(500).decode(), answer.getheader("x-content-type-options")
    connection.close()
    return found


@pytest.fixture
def server() -> Iterator[ScoreboardServer]:
    running = ScoreboardServer(BrokerAddress(port=1), port=0, phones="screen", quiet=True,
                               names=("topple.example",))  # fmt: skip
    running.start()
    yield running
    running.stop()


@pytest.mark.parametrize(
    "path",
    ["/", "/t/t1/play/me", "/t/t1/stream", "/t/t1/evening.svg", "/static/dom.js", "/healthz"],
)
def test_every_page_and_stream_refuses_a_rebound_name(server: ScoreboardServer, path: str) -> None:
    status, words, sniff = asked(server.port, path, f"evil.example:{server.port}")

    assert (status, sniff) == (421, "nosniff")
    assert words.startswith("These pages do not answer to the name 'evil.example")
    assert asked(server.port, path.replace("/stream", ""), "topple.example")[0] != 421


def test_two_names_or_none_at_once_are_refused(server: ScoreboardServer) -> None:
    assert asked(server.port, "/", "127.0.0.1", "evil.example")[0] in (400, 421)
    assert asked(server.port, "/")[0] in (400, 421)


def test_a_refused_name_is_shown_short_and_plain(server: ScoreboardServer) -> None:
    status, words, _ = asked(server.port, "/", b"\x1b[31m".hex() + "x" * 3000)

    assert status == 421
    assert len(words) < 250 + LONGEST_NAME


def test_the_page_of_instructions_refuses_a_rebound_name() -> None:
    with PromptServer(Prompts()) as page:
        assert asked(page.port, "/prompt", "evil.example")[0] == 421
        assert asked(page.port, "/prompt", f"127.0.0.1:{page.port}")[0] == 200
