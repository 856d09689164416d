"""The service without a radio and without a broker: words of dice in, commands out."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from controller.dice.messages import Battery, DieAtRest, Rolling
from controller.dice.paired import PairedDie
from controller.dice.rolls import REST_S
from controller.dice.service import LEASE_S, PATIENCE_S, PRESENCE_S, DiceService, subscriptions
from controller.mqtt.client import Message
from controller.mqtt.topics import Publication, parse
from engine.events import HumanInput
from engine.referee import RefereeState, handle_input
from engine.scoreboard import document
from tests.pages.loops import finished

RED, BLUE = "C4:5D:83:0A:11:22", "C4:5D:83:0A:33:44"
DICE = (PairedDie(RED, "red"), PairedDie(BLUE, "blue"))
PLAYERS = [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]


class Table:
    """A table that plays by the rules, and answers what it is told unless it is silent."""

    def __init__(self) -> None:
        self.state = RefereeState()
        self.state = self.ruled("start", players=PLAYERS, target=40, first=0).state
        self.silent = False

    def ruled(self, verb: str, **data: Any) -> Any:
        return handle_input(self.state, HumanInput(5.0 * self.state.next_ref, verb, data))

    def says(self, table: str = "t1") -> Message:
        board = document(self.state, table=table, boot="b")
        return Message(f"topple/1/{table}/state", msgspec.json.encode(board), retained=True)

    def obeys(self, sent: Publication) -> Message | None:
        at, command = parse(sent.topic), json.loads(sent.payload)
        named = {"player": command["player"]} if at.level == "roll" and command["player"] else {}
        ruling = self.ruled(at.level, **command["data"], **named)
        self.state = ruling.state
        if self.silent:
            return None
        refused = {"code": "illegal", "msg": ruling.refused.message} if ruling.refused else {}
        reply = {"ok": ruling.refused is None, "rev": self.state.rev, "id": command["id"]} | refused
        topic = f"topple/1/t1/reply/{command['client']}"
        return Message(topic, json.dumps(reply).encode(), retained=False)


class Evening:
    """A service at a table, with time passed in."""

    def __init__(self, table: Table | None = None, *, dice: Sequence[PairedDie] = DICE) -> None:
        self.table, self.now_s = table, 0.0
        self.words: list[str] = []
        self.sent: list[Publication] = []
        self.service = DiceService(dice, self._publish, "dice-1", say=self.words.append)
        for die in dice:
            self.service.heard(die.address, "found", 0.0)
        if table is not None:
            self.service.receive(table.says())

    def _publish(self, sent: Publication) -> None:
        self.sent.append(sent)
        if self.table is not None and parse(sent.topic).row == "cmd":
            reply = self.table.obeys(sent)
            if reply is not None:
                self.service.receive(self.table.says())
                asyncio.get_running_loop().call_soon(self.service.receive, reply)

    def pass_s(self, seconds: float) -> None:
        self.now_s += seconds
        finished(self.service.step(self.now_s))

    def throw(self, **faces: int) -> None:
        """Throw dice so that they come to rest at the same moment, and wait for what is told."""
        for colour, face in faces.items():
            for said in (Rolling(), DieAtRest(face, "rolled")):
                self.service.heard({"red": RED, "blue": BLUE}[colour], said, self.now_s)
        self.pass_s(REST_S)

    @property
    def told(self) -> list[tuple[str, Any, Any]]:
        commands = [(parse(p.topic), json.loads(p.payload)) for p in self.sent if "cmd" in p.topic]
        return [(at.level, said["player"], said["data"].get("value")) for at, said in commands]

    @property
    def presence(self) -> Any:
        return json.loads(next(p for p in reversed(self.sent) if "/client/" in p.topic).payload)


def test_a_roll_is_told_once_with_its_player_and_a_die_thrown_again_replaces_it() -> None:
    evening = Evening(Table())
    evening.throw(red=4)
    evening.pass_s(1.0)
    assert evening.told == [("roll", "Ann", 4)]
    assert "The die of red shows 4, told for Ann." in evening.words

    evening.throw(red=2)
    assert evening.told == [("roll", "Ann", 4), ("correct", "Ann", 2)]
    told = "The die of red shows 2, told for Ann in the place of the last roll."
    assert evening.words[-1] == told
    # A knock is said and told to nobody.
    evening.service.heard(RED, DieAtRest(1, "moved"), evening.now_s)
    evening.pass_s(5.0)
    assert len(evening.told) == 2
    assert "The die of red shows 1 without a throw; its 2 stays." in evening.words
    assert subscriptions("dice-1", None) == ("topple/1/+/state", "topple/1/+/reply/dice-1")
    assert subscriptions("dice-1", "t1")[0] == "topple/1/t1/state"


def test_of_two_dice_at_once_both_are_told_and_first_that_of_the_player_in_turn() -> None:
    for dice in (DICE, DICE[::-1]):
        evening = Evening(Table(), dice=dice)
        evening.throw(blue=3, red=4)

        assert evening.told == [("roll", "Ann", 4), ("roll", "Bob", 3)]


def test_what_the_table_refuses_is_said_in_its_words() -> None:
    table = Table()
    evening = Evening(table)
    table.state = table.ruled("end").state
    evening.throw(red=4)

    assert evening.words[-1].startswith("The die of red shows 4, not counted: ")


def test_a_table_that_does_not_answer_is_asked_twice_under_one_id_and_then_people_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pages.phone.commander.ANSWER_S", 0.01)
    table = Table()
    table.silent = True
    evening = Evening(table)
    evening.throw(red=4)
    ids = [json.loads(p.payload)["id"] for p in evening.sent if "cmd" in p.topic]

    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert evening.words[-1].endswith("not told: the table does not answer; say it on a phone.")


IDLE = msgspec.json.encode(document(RefereeState(), table="t1", boot="b"))


@pytest.mark.parametrize(
    ("heard", "words"),
    [
        ([], "no table has been heard"),
        ([(IDLE, "t1")], "no game is being played"),
        ([(None, "t1"), (None, "t2")], "name one with --table"),
        ([(None, "t1"), (b"", "t1")], "no table has been heard"),
    ],
    ids=["no table", "no game", "two tables", "a table that was taken away"],
)
def test_without_a_table_or_a_game_it_is_said_why_nothing_was_told(
    heard: list[tuple[bytes | None, str]], words: str
) -> None:
    evening = Evening()
    for payload, table in heard:
        said = Table().says(table)
        evening.service.receive(said if payload is None else replace(said, payload=payload))
    evening.throw(red=4)

    assert evening.told == []
    assert words in evening.words[-1]


def test_a_lost_die_and_an_empty_battery_are_told_to_the_table_and_taken_back() -> None:
    evening = Evening(Table())
    evening.service.heard(RED, "lost", 0.0)
    evening.service.heard(BLUE, Battery(8), 0.0)
    evening.pass_s(0.1)
    first, lost = evening.presence["trouble"], evening.presence
    evening.service.heard(RED, "found", 0.2)
    evening.pass_s(0.1)
    second, low = evening.presence["trouble"], evening.presence
    evening.service.heard(BLUE, Battery(95), 0.2)
    evening.pass_s(0.1)

    assert first == "The die of red has no connection; shake it beside the table, or charge it."
    assert second == "The die of blue has 8 % of its battery left; charge it."
    assert (lost["code"], lost["args"]) == ("die_lost", {"owner": "red"})
    assert (low["code"], low["args"]) == ("die_low", {"owner": "blue", "percent": 8})
    assert [evening.presence[key] for key in ("trouble", "code", "args")] == ["", "", {}]
    assert evening.words == [first, second, "The die of red is well again.",
                             "The die of blue is well again."]  # fmt: skip


def test_a_die_that_sleeps_at_the_start_is_missed_after_a_while_only() -> None:
    evening = Evening(Table())
    evening.service = DiceService(DICE, evening._publish, "dice-1", say=evening.words.append)
    evening.service.heard(RED, "found", 0.0)
    evening.pass_s(0.1)
    evening.pass_s(PATIENCE_S - 0.1)
    assert evening.words == []

    evening.pass_s(0.2)
    assert [words[:26] for words in evening.words] == ["The die of blue has no con"]


def test_it_says_that_it_is_there_well_within_its_lease_and_that_it_goes() -> None:
    evening = Evening(Table())
    for _ in range(7):
        evening.pass_s(PRESENCE_S / 2)
    said = [p for p in evening.sent if "/client/dice-1" in p.topic]
    evening.service.farewell()

    assert len(said) == 4
    assert json.loads(said[0].payload)["lease_s"] == LEASE_S >= 2 * PRESENCE_S
    assert evening.sent[-1].payload == b""
