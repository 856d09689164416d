"""The games without sensors, played over a real broker by a client that knows only the contract.

The client asks for `view`, sends one of the legal actions back, and now and then takes a step
back and forth. Half way the table is killed and goes on from what stands in its journal.
"""

import json
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.journal.journal import Journal
from controller.mqtt import topics
from controller.mqtt.client import Message, Mqtt
from controller.table.loop import LiveTable
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Identity
from engine.games.registry import GAMES
from engine.games.triple_topper_toe.cube import DECK
from tests.controller.conftest import PATIENCE_S
from tests.controller.evenings import Detector, Source
from tests.engine.games.fifth_game.kind import KIND

pytestmark = pytest.mark.usefixtures("fifth_game")
BY_HAND = pytest.mark.parametrize(
    "game", [*(game for game, kind in GAMES.items() if not kind.by_sensors), KIND.rules.id]
)
UNDO_EVERY = 7
KILL_AFTER = 20
MOST_ACTIONS = 1500


class Table:
    """A live table on a broker, stepped whenever a command has come."""

    def __init__(self, broker: Any, journal: Path, boot: str, chance: Callable[[], float]) -> None:
        self.path = journal
        self._journal = Journal(journal)
        resumed = self._journal.resume()
        self.pipeline = Pipeline(
            Detector(), resumed.state, resume_s=resumed.resume_s, chance=chance
        )
        identity = Identity("t1", boot)
        self._edge = Mqtt(
            broker.address(), "table-t1", birth=lambda: announcer.birth(),  # noqa: PLW0108
            subscriptions=(topics.command_filter("t1"),),
            will=topics.availability("t1", online=False),
        )  # fmt: skip
        announcer = Announcer(self._edge, identity)
        self.live = LiveTable(Source(), self.pipeline, self._journal, announcer, identity)
        self._edge.on_message(self.live.receive)
        self.live.open(1000.0)
        self._edge.start()
        self.up = lambda: self._edge.connection.up

    def step(self) -> None:
        self.live.wait(0.05)
        self.live.step(time.monotonic(), 1000.0)

    def kill(self, left_behind: Path) -> Path:
        """No farewell and no closing of the journal: only what is on the disk is left."""
        copy = left_behind / "copy.journal"
        for suffix in ("", "-wal"):
            shutil.copy(f"{self.path}{suffix}", f"{copy}{suffix}")
        self._edge.stop(())
        self._journal.close()
        return copy

    def close(self) -> None:
        self._edge.stop(())
        self._journal.close()


class Phone:
    """A client of the contract; it records everything anybody may read."""

    def __init__(self, broker: Any) -> None:
        self.heard: list[Message] = []
        self._reply: Any = None
        self._answered = threading.Event()
        self._number = 0
        self.edge = Mqtt(broker.address(), "phone", subscriptions=("topple/1/#",))
        self.edge.on_message(self._on_message)
        self.edge.start()

    def _on_message(self, message: Message) -> None:
        self.heard.append(message)
        if message.topic == "topple/1/t1/reply/phone":
            reply = json.loads(message.payload)
            if reply["id"] == str(self._number):
                self._reply = reply
                self._answered.set()

    def ask(self, table: Table, verb: str, data: Any = None, player: str | None = None) -> Any:
        """Send a command, and step the table until it has been answered."""
        self._answered.clear()
        self._number += 1
        fields = {"id": str(self._number), "client": "phone", "player": player, "data": data or {}}
        self.edge.publish(topics.command("t1", verb, fields))
        end_s = time.monotonic() + PATIENCE_S
        while not self._answered.is_set():
            assert time.monotonic() < end_s, f"no reply to {verb}"
            table.step()
            self._answered.wait(0.002)
        return self._reply

    def public(self) -> Iterator[Any]:
        """What the table said to everybody."""
        for message in list(self.heard):
            _, row, _ = message.at
            if row not in ("cmd", "reply", "availability"):
                yield json.loads(message.payload)


def begin(game: str) -> dict[str, Any]:
    data = {name: value for name, value in GAMES[game].example.items() if name != "type"}
    return {"game": game, "id": f"{game}-1", **data}


def one_move(phone: Phone, table: Table, pick: random.Random) -> str:
    """Whoever is in turn looks and acts; the verb that was sent."""
    player = table.live.board.turn.player if table.live.board.turn else "Ann"
    looked = phone.ask(table, "view", player=player)
    assert looked["ok"], looked
    assert "legal_left_out" not in looked
    # No passing and no discarding where something else can be done: the game is to end.
    bold = [action for action in looked["legal"] if action["type"] not in ("pass", "discard")]
    chosen = pick.choice(bold or looked["legal"])
    done = phone.ask(table, "action", {"action": chosen}, player)
    assert done["ok"], (chosen, done)
    return str(chosen["type"])


def back_and_forth(phone: Phone, table: Table) -> None:
    there = table.pipeline.state.position.game_state
    rev = table.pipeline.state.rev
    assert phone.ask(table, "undo")["ok"]
    assert table.pipeline.state.position.game_state != there
    assert phone.ask(table, "redo")["ok"]

    assert table.pipeline.state.position.game_state == there
    assert table.pipeline.state.rev > rev


def killed_and_resumed(
    table: Table, broker: Any, folder: Path, chance: Callable[[], float], wait_until: Any
) -> Table:
    before = table.pipeline.state
    again = Table(broker, table.kill(folder), "boot-2", chance)
    wait_until(again.up, "the table's second connection")
    after = again.pipeline.state

    # The whole game, its hidden hands and the order of the pile included.
    assert after.position == before.position
    assert (after.game_id, after.rev, after.seq) == (before.game_id, before.rev, before.seq)
    assert (after.undo_depth, after.redo_depth) == (before.undo_depth, before.redo_depth)
    assert again.live.board.boot == "boot-2"
    return again


@BY_HAND
def test_a_game_is_played_to_the_end_over_the_broker_with_undo_and_a_kill(
    game: str, broker: Any, tmp_path: Path, wait_until: Any
) -> None:
    chance, pick = random.Random(11).random, random.Random(12)
    phone = Phone(broker)
    table = Table(broker, tmp_path / "games.journal", "boot-1", chance)
    try:
        wait_until(lambda: phone.edge.connection.up and table.up(), "both connections")
        assert phone.ask(table, "start", begin(game))["ok"]
        for number in range(1, MOST_ACTIONS):
            one_move(phone, table, pick)
            if table.live.board.phase == "over":
                break
            if number % UNDO_EVERY == 0:
                back_and_forth(phone, table)
            if number == KILL_AFTER:
                table = killed_and_resumed(table, broker, tmp_path, chance, wait_until)
        final = table.live.board
        assert (final.phase, final.game) == ("over", f"{game}-1")

        def is_over() -> bool:
            table.step()
            return bool(newest(phone)["phase"] == "over")

        wait_until(is_over, "the last state")
        assert newest(phone)["winners"] == list(final.winners)
        assert len({message["rev"] for message in phone.public() if "rev" in message}) > KILL_AFTER
        for message in phone.public():
            assert not secrets_in(message), message
    finally:
        phone.edge.stop()
        table.close()


def newest(phone: Phone) -> Any:
    return json.loads([m for m in phone.heard if m.topic.endswith("/state")][-1].payload)


# --- what nobody may read ----------------------------------------------------------------------

HIDDEN = {"deck", "pile", "bag", "drawn", "give", "reshuffle", "cards", "firstdraw", "piece",
          "wishes", "wish"}  # fmt: skip
"""Fields that may be counts at most."""

OPEN = {"board", "lines", "cell", "card", "aside", "touched", "history", "groups"}
"""Where cards, cells and pieces lie for everybody to see; every game's rules say so."""


def secrets_in(found: Any, name: str = "") -> list[Any]:
    """Whatever looks hidden in a public document: by the name of its field, or by itself."""
    if name in OPEN:
        return []
    if name in HIDDEN and not isinstance(found, (int, type(None))):
        return [(name, found)]
    if isinstance(found, dict):
        return [secret for key, value in found.items() for secret in secrets_in(value, key)]
    if isinstance(found, list):
        numbers = [item for item in found if isinstance(item, int)]
        bare = [(name, numbers)] if numbers else []
        return bare + [secret for item in found for secret in secrets_in(item, "")]
    return [(name, found)] if isinstance(found, str) and found in DECK else []


@pytest.mark.parametrize(
    "leak",
    [
        {"view": {"hands": {"x": ["red-heart-1"], "o": 3}}},
        {"view": {"racks": {"Ann": [3, 4], "Bob": 5}}},
        {"view": {"bag": [1, 2]}},
        {"data": {"piece": "17"}},
        {"pending": {"text": "blue-blob-2"}},
    ],
)
def test_a_leak_would_be_noticed(leak: Any) -> None:
    assert secrets_in(leak)
    assert not secrets_in({"view": {"hands": {"x": 3, "o": 3}, "bag": 40, "board": {"1": [4]}}})


def test_a_view_shows_the_own_hand_and_only_the_number_of_the_others(
    embedded_broker: Any, tmp_path: Path, wait_until: Any
) -> None:
    phone = Phone(embedded_broker)
    table = Table(embedded_broker, tmp_path / "j", "boot-1", random.Random(1).random)
    try:
        wait_until(lambda: phone.edge.connection.up and table.up(), "both connections")
        assert phone.ask(table, "start", begin("triple-topper-toe"))["ok"]
        ann, bob = (phone.ask(table, "view", player=name) for name in ("Ann", "Bob"))

        assert len(ann["view"]["hands"]["x"]) == 3
        assert ann["view"]["hands"]["o"] == 3
        assert bob["view"]["hands"]["x"] == 3
        assert "deck" not in json.dumps(ann)
        assert ann["legal"][0] == {"type": "draw"}
        assert "legal" not in bob
    finally:
        phone.edge.stop()
        table.close()
