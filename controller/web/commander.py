"""From a page's request to a command on MQTT, and from its reply back to the page.

All phones of a scoreboard speak through its one MQTT client, so replies come to one topic and
find their way by the command's id. A command is sent at least once and obeyed at most once: when
no reply comes, it is sent again under the same id, and the table answers what it answered then.

Lives in one event loop; `heard` is handed over by the caller.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import msgspec

from controller import publications
from controller.commands import Command, Reply
from controller.mqtt import Message
from controller.publications import Publication
from engine.errors import UNREADABLE

ANSWER_S = 2.0
"""A table answers within a step of 20 ms; after this the command is sent once more."""

LAPSES_S = 6.0
"""A command older than this is void: what is done late at a game table is done wrong."""

MOST_WAITING = 200
"""Phones do not press faster than people; more is a storm."""


class BusyError(Exception):
    """Too many commands wait for an answer."""


class Commander:
    """Sends commands and waits for their replies.

    Args:
        publish: the MQTT edge's.
        client: the MQTT client's id, to which replies are addressed.
        unix_s: wall time, for the command's expiry.
    """

    def __init__(
        self,
        publish: Callable[[Publication], None],
        client: str,
        unix_s: Callable[[], float] = time.time,
    ) -> None:
        self._publish = publish
        self._client = client
        self._unix_s = unix_s
        self._waiting: dict[str, asyncio.Future[Reply]] = {}

    def heard(self, message: Message) -> bool:
        """Take a message if it is a reply to us; says whether it is."""
        parts = publications.split(message.topic)
        if parts is None or parts[1:] != ("reply", self._client):
            return False
        try:
            reply = msgspec.json.decode(message.payload, type=Reply)
        except UNREADABLE:
            return True
        waiting = self._waiting.get(f"{parts[0]}/{reply.id}")
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)
        return True

    async def ask(
        self, table: str, verb: str, *, key: str, player: str | None, rev: int | None,
        data: dict[str, Any],
    ) -> Reply | None:  # fmt: skip
        """Send a command and wait for its reply.

        Args:
            table: which table.
            verb: as in `controller.commands`.
            key: the command's id; the same one asked for twice at once is sent once.
            player: who says so; None for the table as a whole.
            rev: the revision that was looked at.
            data: the verb's own fields.

        Returns:
            The table's reply; None when it gave none.

        Raises:
            BusyError: too many wait already.
        """
        name = f"{table}/{key}"
        known = self._waiting.get(name)
        if known is not None:
            return await asyncio.shield(known)
        if len(self._waiting) >= MOST_WAITING:
            raise BusyError
        command = Command(key, self._client, player, rev, self._unix_s() + LAPSES_S, data)
        self._waiting[name] = asyncio.get_running_loop().create_future()
        try:
            return await self._sent(publications.command(table, verb, command), name)
        finally:
            self._waiting.pop(name).cancel()

    async def _sent(self, publication: Publication, name: str) -> Reply | None:
        for _ in range(2):
            self._publish(publication)
            try:
                return await asyncio.wait_for(asyncio.shield(self._waiting[name]), ANSWER_S)
            except TimeoutError:
                continue
        return None
