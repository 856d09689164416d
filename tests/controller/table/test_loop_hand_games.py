"""The games without sensors, played over a real broker by a client that knows only the contract.

The client asks for `view`, sends one of the legal actions back, and now and then takes a step
back and forth. Half way the table is killed and goes on from what stands in its journal.
"""

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt.client import BrokerAddress, Message, Mqtt
from engine.games.registry import GAMES
from engine.games.triple_topper_toe.cube import DECK
from tests.controller.conftest import wait_until
from tests.controller.evening_online import OnlineTable, Phone
from tests.engine.games.fifth_game.kind import KIND

pytestmark = pytest.mark.usefixtures("fifth_game")
BY_HAND = pytest.mark.parametrize(
    "game", [*(game for game, kind in GAMES.items() if not kind.by_sensors), KIND.rules.id]
)
UNDO_EVERY = 7
KILL_AFTER = 20
MOST_ACTIONS = 1500


class Public:
    """Hears everything that anybody may read."""

    def __init__(self, address: BrokerAddress) -> None:
        self._heard: list[Message] = []
        self.edge = Mqtt(address, "ear", subscriptions=("topple/1/#",))
        self.edge.on_message(self._heard.append)
        self.edge.start()

    def said(self) -> list[Any]:
        """What the table said to everybody."""
        return [
            json.loads(message.payload)
            for message in list(self._heard)
            if message.at.row not in ("cmd", "reply", "availability")
        ]

    def newest(self) -> Any:
        return json.loads([m for m in self._heard if m.topic.endswith("/state")][-1].payload)


def begin(game: str) -> dict[str, Any]:
    data = {name: value for name, value in GAMES[game].example.items() if name != "type"}
    return {"game": game, "id": f"{game}-1", **data}


def one_move(phone: Phone, table: OnlineTable, pick: random.Random) -> None:
    """Whoever is in turn looks and acts."""
    player = table.board.turn.player if table.board.turn else "Ann"
    looked = phone.ask("view", player=player)
    assert looked["ok"], looked
    assert "legal_left_out" not in looked
    # No passing and no discarding where something else can be done: the game is to end.
    bold = [action for action in looked["legal"] if action["type"] not in ("pass", "discard")]
    chosen = pick.choice(bold or looked["legal"])
    done = phone.ask("action", {"action": chosen}, player=player)
    assert done["ok"], (chosen, done)


def back_and_forth(phone: Phone, table: OnlineTable) -> None:
    there = table.pipeline.state.position.game_state
    rev = table.pipeline.state.rev
    assert phone.ask("undo")["ok"]
    assert table.pipeline.state.position.game_state != there
    assert phone.ask("redo")["ok"]

    assert table.pipeline.state.position.game_state == there
    assert table.pipeline.state.rev > rev


def killed_and_resumed(table: OnlineTable, start: Callable[[], OnlineTable]) -> OnlineTable:
    table.kill()
    before, boot = table.pipeline.state, table.board.boot
    again = start()
    wait_until(lambda: bool(again.edge.connection.up), "the table's second connection")
    after = again.pipeline.state

    # The whole game, its hidden hands and the order of the pile included.
    assert after.position == before.position
    assert (after.game_id, after.rev, after.seq) == (before.game_id, before.rev, before.seq)
    assert (after.undo_depth, after.redo_depth) == (before.undo_depth, before.redo_depth)
    assert again.board.boot != boot
    return again


@pytest.mark.slow
@BY_HAND
def test_a_game_is_played_to_the_end_over_the_broker_with_undo_and_a_kill(
    game: str, broker: Any, tmp_path: Path
) -> None:
    chance, pick = random.Random(11).random, random.Random(12)
    start = partial(OnlineTable, broker.address(), tmp_path / "games.journal", chance)
    public, phone, table = Public(broker.address()), Phone(broker.address(), "phone"), start()
    try:
        wait_until(lambda: public.edge.connection.up, "the ear")
        wait_until(lambda: bool(table.edge.connection.up), "the table")
        assert phone.ask("start", begin(game))["ok"]
        for number in range(1, MOST_ACTIONS):
            one_move(phone, table, pick)
            if table.board.phase == "over":
                break
            if number % UNDO_EVERY == 0:
                back_and_forth(phone, table)
            if number == KILL_AFTER:
                table = killed_and_resumed(table, start)
        final = table.board
        assert (final.phase, final.game) == ("over", f"{game}-1")
        wait_until(lambda: bool(public.newest()["phase"] == "over"), "the last state")
        assert public.newest()["winners"] == list(final.winners)
        said = public.said()
        assert len({message["rev"] for message in said if "rev" in message}) > KILL_AFTER
        for message in said:
            assert not secrets_in(message), message
    finally:
        phone.stop()
        public.edge.stop()
        table.stop()


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
