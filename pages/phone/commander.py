"""Sends the requests of pages as MQTT commands, and passes the replies back.

All phones of a scoreboard speak through its one MQTT client, so replies come to one topic and
find their way by the command's id. A command is sent at least once and obeyed at most once: when
no reply comes, it is sent again under the same id, and the table answers what it answered then.

A command says until when it is valid by the table's clock, which each reply tells. Neither that
clock nor ours need be right: the difference is kept for each table, and a first command that
lapsed by it alone is sent again, as a new one.

Lives in one event loop; the caller passes messages to `receive`.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from controller.mqtt import topics
from controller.mqtt.client import Message
from controller.mqtt.topics import Publication
from controller.table.commands import Command, Reply
from engine.errors import UNREADABLE

ANSWER_S = 2.0
"""A table answers within a step of 20 ms; after this the command is sent once more."""

LAPSES_S = 6.0
"""A command older than this is void: what is done late at a game table is done wrong."""

AGAIN = "-2"
"""Ends the id of a command that is sent again as a new one."""

MOST_WAITING = 200
"""Phones do not press faster than people; more is a storm."""


class BusyError(Exception):
    """Too many commands wait for an answer."""


class Commander:
    """Sends commands and waits for their replies, which are addressed to our MQTT client id.

    Expiry goes by `unix_s`, our wall time.
    """

    def __init__(
        self,
        publish: Callable[[Publication], None],
        client: str,
        unix_s: Callable[[], float] = time.time,
        steady_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._publish = publish
        self._client = client
        self._unix_s = unix_s
        self._steady_s = steady_s
        self._asked: dict[str, asyncio.Task[Reply | None]] = {}
        self._waiting: dict[str, asyncio.Future[Reply]] = {}
        self._ahead_s: dict[str, float] = {}

    def receive(self, message: Message) -> bool:
        """Take a message if it is a reply to us; says whether it is."""
        table, row, client = message.at
        if (row, client) != ("reply", self._client):
            return False
        try:
            reply = msgspec.json.decode(message.payload, type=Reply)
        except UNREADABLE:
            return True
        waiting = self._waiting.get(f"{table}/{reply.id}")
        if waiting is not None and not waiting.done():
            if reply.now is not None:
                self._ahead_s[table] = reply.now - self._unix_s()
            waiting.set_result(reply)
        return True

    async def ask(
        self, table: str, verb: str, *, key: str, player: str | None, rev: int | None,
        data: dict[str, Any],
    ) -> Reply | None:  # fmt: skip
        """Send a command and wait for the table's reply; None when it gave none.

        `key` is the command's id; the same one asked for twice at once is sent once. Player None
        speaks for the table as a whole; `rev` is the revision that was looked at.

        Raises:
            BusyError: too many wait already.
        """
        name = f"{table}/{key}"
        if name not in self._asked:
            if len(self._asked) >= MOST_WAITING:
                raise BusyError
            command = Command(key, self._client, player, rev, None, data)
            self._asked[name] = asyncio.create_task(self._outcome(table, verb, command))
            self._asked[name].add_done_callback(lambda _: self._asked.pop(name))
        # Who asked may go away; what was asked takes its course.
        return await asyncio.shield(self._asked[name])

    async def _outcome(self, table: str, verb: str, command: Command) -> Reply | None:
        began_s = self._steady_s()
        reply = await self._sent(table, verb, command)
        in_time = self._steady_s() - began_s < LAPSES_S
        if reply is None or reply.code != "expired" or reply.now is None or not in_time:
            return reply
        # Under the old id the table would only repeat itself.
        again = await self._sent(table, verb, replace(command, id=f"{command.id}{AGAIN}"))
        return again and replace(again, id=command.id)

    async def _sent(self, table: str, verb: str, command: Command) -> Reply | None:
        now_s = self._unix_s() + self._ahead_s.get(table, 0.0)
        publication = topics.command(table, verb, replace(command, exp=now_s + LAPSES_S))
        name = f"{table}/{command.id}"
        waiting = self._waiting[name] = asyncio.get_running_loop().create_future()
        try:
            for _ in range(2):
                self._publish(publication)
                with contextlib.suppress(TimeoutError):
                    return await asyncio.wait_for(asyncio.shield(waiting), ANSWER_S)
            return None
        finally:
            self._waiting.pop(name).cancel()
