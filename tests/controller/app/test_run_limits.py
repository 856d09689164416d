"""No name and no command may take a table off its broker: real Mosquitto, as it is shipped."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from controller.journal.journal import Journal
from controller.mqtt.client import Message, Mqtt
from controller.table import loop, vitals
from controller.table.pipeline import Output
from engine.events import HumanInput
from engine.referee import RefereeState, handle_input
from engine.results import RESULTS_LIMIT_BYTES, GameResult, PlayerResult
from tests.controller.conftest import RunningBroker, wait_until
from tests.controller.evening_online import Display, OnlineTable, Phone

FLOOD, BATCH = 5000, 500
"""The broker keeps a thousand messages for the table; what is more than that it drops itself."""

COLOURS = ("red", "blue", "green", "yellow")


def start_of(names: list[str]) -> dict[str, Any]:
    players = [{"name": n, "colours": [c]} for n, c in zip(names, COLOURS, strict=True)]
    return {"players": players, "first": 0, "replace": True}


def long_names(length: int) -> list[str]:
    return [f"{letter}{'x' * (length - 1)}" for letter in "abcd"]


def old_journal(path: Path, games: int) -> Path:
    """A journal of a table that did not yet look at names: many games, and one being played."""
    names = long_names(870)
    with Journal(path) as journal:
        said = HumanInput(1.0, "start", {**start_of(names), "id": "old"})
        ruling = handle_input(RefereeState(), said)
        journal.write(Output(said, RefereeState(), ruling.state, ruling.outcomes))
        for number in range(games):
            players = tuple(PlayerResult(name, 7) for name in names)
            journal.keep(
                GameResult(f"g{number}", "topple", 3, "2026-11-01T20:00:00+00:00", players, ("a",))
            )
    return path


def test_an_old_journal_with_long_names_opens_and_leaves_the_table_on_its_broker(
    guarded_broker: RunningBroker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    journal = old_journal(tmp_path / "j", 20)
    table = OnlineTable(guarded_broker.address("table"), journal)
    heard: list[Message] = []
    hall = Mqtt(guarded_broker.address("display"), "hall", subscriptions=("topple/1/t1/results",))
    hall.on_message(heard.append)
    hall.start()
    try:
        wait_until(lambda: bool(heard), "the results")
        assert len(heard[0].payload) <= RESULTS_LIMIT_BYTES
        assert json.loads(heard[0].payload)["games"][-1]["game"] == "g19"
        assert table.board.game == "old"
        assert [len(player.name) for player in table.board.players] == [870] * 4
        # It plays on, and the next game has names for everybody.
        table.hear("roll", {"value": 4, "player": table.board.players[0].name})
        table.hear("start", start_of(long_names(4)))
        assert table.edge.connection.up
        assert "ends the connection at once" not in caplog.text
    finally:
        hall.stop()
        table.stop()


def test_neither_a_fresh_start_nor_a_restarted_broker_is_a_trouble(
    guarded_broker: RunningBroker,
) -> None:
    table = OnlineTable(guarded_broker.address("table"))
    hall = Display(guarded_broker.address("display"), "hall")

    def told(count: int) -> bool:
        return len(hall.payloads("health")) >= count

    try:
        wait_until(lambda: told(3), "health")
        guarded_broker.stop()
        wait_until(lambda: not table.edge.connection.up, "the loss to be noticed")
        seconds = table.table._health_due_s
        wait_until(lambda: table.table._health_due_s > seconds + 100.0, "a while")
        guarded_broker.start()
        wait_until(lambda: table.edge.connection.up, "the broker to be back")
        heard = len(hall.payloads("health"))
        wait_until(lambda: told(heard + 3), "health again")
        assert {health["dropped"] for health in hall.payloads("health")} == {0}
        assert {tuple(health["too_large"]) for health in hall.payloads("health")} == {()}
    finally:
        hall.stop()
        table.stop()


@pytest.mark.slow
def test_each_command_of_a_flood_is_answered_or_counted_in_health(
    guarded_broker: RunningBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The table is made to take nothing, as if it were busy, until all have arrived.
    monkeypatch.setattr(loop, "MOST_PER_STEP", 0)
    monkeypatch.setattr(vitals, "LOSSES_KEPT_S", 1e9)
    table = OnlineTable(guarded_broker.address("table"))
    hall = Display(guarded_broker.address("display"), "hall")
    phone = Phone(guarded_broker.address("controller"), "flood")
    arrived: list[str] = []

    def arrive(message: Message) -> None:
        arrived.extend([message.topic] if message.at.row == "cmd" else [])
        table.table.receive(message)

    def counted() -> int:
        return sum((hall.payloads("health") or [{"refused": {}}])[-1]["refused"].values())

    try:
        table.edge.on_message(arrive)
        hall.edge.await_hearing()
        for batch in range(FLOOD // BATCH):
            for number in range(BATCH):
                # There is no game, so nothing can be taken back.
                phone.send("undo", id=f"{batch}-{number}")
            wait_until(lambda: len(arrived) >= (batch + 1) * BATCH, "the flood")  # noqa: B023
        monkeypatch.setattr(loop, "MOST_PER_STEP", 16)
        wait_until(lambda: counted() >= FLOOD, "the count")
        told = hall.payloads("health")[-1]["refused"]

        assert len(arrived) == sum(told.values()) == FLOOD
        assert told["busy"] >= FLOOD - loop.INBOX_SIZE
        wait_until(lambda: {"busy", "illegal"} <= {r["code"] for r in phone.replies}, "answers")
    finally:
        for each in (phone, hall, table):
            each.stop()
