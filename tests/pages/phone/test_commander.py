"""Commands out, replies back: each finds the one who asked, and none is done twice."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from controller.mqtt.client import Message
from controller.mqtt.topics import Publication
from pages.phone import commander as module
from pages.phone.commander import LAPSES_S, BusyError, Commander
from tests.pages.loops import finished


class Table:
    """Answers commands as a table would, or loses them."""

    def __init__(
        self, *, loses: int = 0, answers: bool = True, ahead_s: float = 0.0, takes_s: float = 0.0
    ) -> None:
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self._loses, self._answers = loses, answers
        self.ahead_s, self._takes_s, self._now_s = ahead_s, takes_s, 0.0
        self.commander = Commander(
            self.publish, "board-1",
            unix_s=lambda: 1000.0 + self._now_s, steady_s=lambda: self._now_s,
        )  # fmt: skip

    def publish(self, publication: Publication) -> None:
        self.heard.append((publication.topic, json.loads(publication.payload)))
        self._loses -= 1
        self._now_s += self._takes_s
        if self._answers and self._loses < 0:
            command = self.heard[-1][1]
            now = 1000.0 + self._now_s + self.ahead_s
            late: dict[str, Any] = {"ok": False, "code": "expired"} if now > command["exp"] else {}
            self.reply(command["id"], now=now, **late)

    def reply(self, key: str, topic: str = "topple/1/t1/reply/board-1", **fields: Any) -> bool:
        body = json.dumps({"ok": True, "rev": 8, "id": key, **fields}).encode()
        return self.commander.receive(Message(topic, body, retained=False))

    async def ask(self, key: str = "k1", **fields: Any) -> Any:
        given = {"player": None, "rev": 7, "data": {}, **fields}
        return await self.commander.ask("t1", "roll", key=key, **given)


def run(ask: Callable[[], Any]) -> Any:
    return finished(ask())


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 0.01)


def test_a_command_carries_who_looked_at_what_and_lapses_soon() -> None:
    table = Table()
    reply = run(lambda: table.ask(player="Ann", data={"value": 3}))

    assert reply.rev == 8
    assert table.heard == [
        ("topple/1/t1/cmd/roll", {"id": "k1", "client": "board-1", "player": "Ann", "rev": 7,
                                  "exp": 1000.0 + LAPSES_S, "data": {"value": 3}, "v": 1})
    ]  # fmt: skip


@pytest.mark.parametrize("ahead_s", [60.0, -60.0, 86_400.0])
def test_a_clock_that_is_not_the_tables_lets_no_command_lapse(ahead_s: float) -> None:
    async def often(table: Table) -> list[Any]:
        first = [await table.ask(key) for key in ("a", "b", "c")]
        table.ahead_s += 3600.0  # it jumps, and is learnt anew
        return [*first, await table.ask("d")]

    table = Table(ahead_s=ahead_s)
    replies = finished(often(table))

    assert [(reply.ok, reply.id) for reply in replies] == [(True, key) for key in "abcd"]
    # Only the first had to be sent again: from its answer on, the table's clock is known.
    sent = [(command["id"], command["exp"]) for _, command in table.heard]
    table_now_s = 1000.0 + ahead_s
    assert sent[-4:-2] == [(key, table_now_s + LAPSES_S) for key in "bc"]


def test_a_command_that_was_held_up_too_long_is_not_sent_anew() -> None:
    table = Table(takes_s=LAPSES_S + 1)
    reply = run(table.ask)

    assert reply.code == "expired"
    assert len(table.heard) == 1


def test_a_lost_command_is_sent_again_under_the_same_id(impatient: None) -> None:
    table = Table(loses=1)
    assert run(table.ask).ok

    assert [command["id"] for _, command in table.heard] == ["k1", "k1"]


def test_a_table_that_never_answers_is_not_waited_for_for_ever(impatient: None) -> None:
    table = Table(answers=False)

    assert run(table.ask) is None
    assert (table.commander._waiting, table.commander._asked) == ({}, {})


def test_the_same_id_asked_for_twice_at_once_is_sent_once() -> None:
    async def twice() -> list[Any]:
        table = Table(answers=False)
        both = [asyncio.create_task(table.ask()) for _ in range(2)]
        for _ in range(5):
            await asyncio.sleep(0)
        assert len(table.heard) == 1
        table.reply("k1")
        return await asyncio.gather(*both)

    assert [reply.rev for reply in run(twice)] == [8, 8]


def test_replies_find_their_own_command_and_those_to_others_are_not_ours() -> None:
    async def crossed() -> tuple[Any, Any]:
        table = Table(answers=False)
        first, second = (asyncio.create_task(table.ask(key)) for key in ("a", "b"))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not table.reply("a", topic="topple/1/t1/reply/somebody")
        assert not table.reply("a", topic="topple/1/t1/state")
        assert table.reply("a", topic="topple/1/t2/reply/board-1", rev=99)
        assert table.reply("b", rev=2)
        assert table.reply("a", rev=1)
        assert table.reply("a", rev=3)
        for noise in (b"{", b'{"id":"\xff"}', b'{"view":' + b'{"a":' * 5000):
            assert table.commander.receive(Message("topple/1/t1/reply/board-1", noise, False))
        return await first, await second

    first, second = run(crossed)
    assert (first.rev, second.rev) == (1, 2)


def test_a_storm_is_refused(impatient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)

    async def storm() -> list[Any]:
        table = Table(answers=False)
        asks = (table.ask(str(number)) for number in range(5))
        return await asyncio.gather(*asks, return_exceptions=True)

    assert sum(isinstance(found, BusyError) for found in run(storm)) == 2
