"""The scoreboard process over real sockets, fed by both kinds of broker."""

import json
import socket
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Mqtt
from pages.server import ScoreboardServer, WebUnavailableError
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.pages.scenes import asked, scene
from tests.ports import free_port


class Browser:
    """Reads a stream of server-sent events and keeps the documents."""

    def __init__(self, url: str) -> None:
        self.documents: list[dict[str, Any]] = []
        self._response = urllib.request.urlopen(url, timeout=PATIENCE_S)  # noqa: S310 - our own
        self.headers = dict(self._response.headers)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        event = ""
        try:
            for raw in self._response:
                line = raw.decode().rstrip("\n")
                if line.startswith("event: "):
                    event = line[7:]
                elif line.startswith("data: ") and event == "table":
                    self.documents.append(json.loads(line[6:]))
        except (OSError, ValueError):
            pass

    @property
    def last(self) -> dict[str, Any]:
        return self.documents[-1] if self.documents else {"notices": ["nothing yet"], "board": None}


@pytest.fixture
def scoreboard(broker: Any) -> Iterator[ScoreboardServer]:
    server = ScoreboardServer(broker.address(), port=0)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def table(broker: Any) -> Iterator[Mqtt]:
    edge = Mqtt(
        broker.address(), "table", will=topics.availability("t1", online=False),
        birth=lambda: [topics.availability("t1", online=True), topics.state(scene())],
    )  # fmt: skip
    edge.start()
    wait_until(lambda: edge.connection.up, "the table's connection")
    yield edge
    edge.stop([topics.availability("t1", online=False)])


def test_a_late_browser_gets_the_whole_game_at_once_and_then_every_change(
    scoreboard: ScoreboardServer, table: Mqtt
) -> None:
    browser = Browser(f"{scoreboard.url}t/t1/stream")
    wait_until(lambda: browser.last["board"] is not None, "the state")
    assert browser.headers["content-type"].startswith("text/event-stream")
    assert [p["score"] for p in browser.last["board"]["players"]] == [64, 38]
    table.publish(topics.state(asked(2)))

    wait_until(lambda: browser.last["board"]["rev"] == 41, "the change")
    assert browser.last["notices"] == ["simulated"]


def test_offline_broker_lost_and_back_are_told_and_the_score_stays(
    scoreboard: ScoreboardServer, table: Mqtt, broker: Any
) -> None:
    browser = Browser(f"{scoreboard.url}t/t1/stream")
    wait_until(lambda: browser.last["notices"] == ["simulated"], "the table to be online")
    broker.stop()
    wait_until(lambda: browser.last["notices"][0] == "no_broker", "the loss to be told")
    assert browser.last["board"]["players"][0]["score"] == 64
    broker.start()
    wait_until(lambda: browser.last["notices"] == ["simulated"], "the recovery")
    table.stop([topics.availability("t1", online=False)])

    wait_until(lambda: browser.last["notices"][0] == "offline", "offline to be told")
    assert browser.last["board"]["players"][0]["score"] == 64


def test_the_list_names_the_tables(scoreboard: ScoreboardServer, table: Mqtt) -> None:
    browser = Browser(f"{scoreboard.url}stream")

    wait_until(lambda: [t["table"] for t in browser.last.get("tables", [])] == ["t1"], "the list")
    assert browser.last["up"] is True


def test_without_a_broker_pages_are_served_and_say_so() -> None:
    server = ScoreboardServer(BrokerAddress("127.0.0.1", free_port()), port=0)
    server.start()
    try:
        browser = Browser(f"{server.url}t/t1/stream")
        wait_until(lambda: "waiting for the broker" in browser.last.get("broker", ""), "words")

        assert browser.last["notices"] == ["no_broker", "unknown"]
        with urllib.request.urlopen(server.url, timeout=PATIENCE_S) as page:  # noqa: S310 - our own
            assert page.status == 200
    finally:
        server.stop()


def test_a_taken_port_moves_the_pages_until_there_are_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        moved = ScoreboardServer(BrokerAddress(), port=port)
        assert port < moved.port <= port + 20
        moved._socket.close()
        monkeypatch.setattr("pages.server.PORTS_TO_TRY", 1)
        with pytest.raises(WebUnavailableError, match=f"port {port}.*Name another port"):
            ScoreboardServer(BrokerAddress(), port=port)


@pytest.mark.parametrize("host", ["300.1.1.1", "192.0.2.1"])
def test_an_address_that_is_not_this_machines_is_refused_by_name(host: str) -> None:
    with pytest.raises(WebUnavailableError) as refused:
        ScoreboardServer(BrokerAddress(), host=host, port=8080)

    words = str(refused.value)
    assert words.startswith(f"cannot serve pages on {host} port 8080: ")
    assert "127.0.0.1" in words
    # The address is wrong, not the port: no word of the ports after it.
    assert "8099" not in words
    assert "Errno" not in words


def test_stopping_ends_open_streams_and_frees_the_port(
    scoreboard: ScoreboardServer, table: Mqtt
) -> None:
    browser = Browser(f"{scoreboard.url}t/t1/stream")
    wait_until(lambda: bool(browser.documents), "the stream")
    scoreboard.stop()

    # It gives its thread some seconds only; a busy machine may take longer.
    wait_until(lambda: not scoreboard._thread.is_alive(), "the end of the thread")
    with socket.create_server(("127.0.0.1", scoreboard.port)):
        pass
