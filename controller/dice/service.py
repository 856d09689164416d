"""Tells a table what its dice show: between the radio and the broker.

Lives in one event loop; whoever owns it calls `step` several times a second. Nothing is told
twice, and nothing is kept for later: a roll that could not be told is one that people tell.
"""

import secrets
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from controller.dice import rolls
from controller.dice.messages import Said
from controller.dice.paired import PairedDie
from controller.dice.rolls import Die
from controller.dice.telling import player_of, telling
from controller.mqtt import topics
from controller.mqtt.client import Message
from controller.mqtt.topics import BASE, Presence, Publication, reply_filter
from engine.errors import UNREADABLE
from engine.scoreboard import Scoreboard
from engine.trouble import Trouble
from pages.phone.commander import Commander

PRESENCE_S = 20.0
"""How often the service says that it is there, and how its dice are."""

LEASE_S = 3 * PRESENCE_S

PATIENCE_S = 20.0
"""Dice that were asleep at the start are missed only after so long: two searches, and a shake."""


def subscriptions(client: str, table: str | None) -> tuple[str, ...]:
    """What has to be heard from the broker; arguments as of `DiceService`."""
    return f"{BASE}/{table or '+'}/state", reply_filter(client)


class DiceService:
    """The dice of one table; with `table` None of the only one on the broker.

    Replies come to `client`, our id there. `say` takes a sentence for people.
    """

    def __init__(
        self,
        paired: Sequence[PairedDie],
        publish: Callable[[Publication], None],
        client: str,
        *,
        table: str | None = None,
        say: Callable[[str], None] = print,
    ) -> None:
        self._paired = {die.address: die for die in paired}
        self._dice = dict.fromkeys(self._paired, Die())
        self._publish, self._client, self._wanted, self._say = publish, client, table, say
        self._commander = Commander(publish, client)
        self._boards: dict[str, Scoreboard] = {}
        self._troubles: dict[str, Trouble] = {}
        self._present_due_s = float("-inf")
        self._patient_until_s: float | None = None
        self._never_found = set(self._paired)

    @property
    def trouble(self) -> Trouble | None:
        """What people should see to first; None when all is well."""
        return next(iter(self._troubles.values()), None)

    def receive(self, message: Message) -> None:
        """A message from the broker."""
        if message.at.row != "state":
            self._commander.receive(message)
            return
        try:
            self._boards[message.at.table] = msgspec.json.decode(message.payload, type=Scoreboard)
        except UNREADABLE:
            # An empty one takes a table away.
            self._boards.pop(message.at.table, None)

    def heard(self, address: str, said: Said | Literal["found", "lost"], now_s: float) -> None:
        """A word from a die, or about it; `step` tells the roll that comes of it."""
        die, words = self._dice[address], ""
        if said == "found":
            die = rolls.found(die)
            self._never_found.discard(address)
        elif said == "lost":
            die, words = rolls.lost(die)
        else:
            die, words = rolls.heard(die, said, now_s)
        self._dice[address] = die
        if words:
            self._say(f"{self._paired[address].subject} {words}.")

    async def step(self, now_s: float) -> None:
        """Tell the rolls that have come to rest, and how the dice are, by the clock of `heard`."""
        for address, value in self._rolls(now_s):
            await self._tell(self._paired[address], value)
        self._look_after(now_s)

    def _rolls(self, now_s: float) -> list[tuple[str, int]]:
        """What has come to rest; of several dice first that of the player in turn."""
        found = []
        for address, die in self._dice.items():
            self._dice[address], value = rolls.rested(die, now_s)
            if value is not None:
                found.append((address, value))
        return sorted(found, key=lambda roll: not self._in_turn(self._paired[roll[0]]))

    def _in_turn(self, die: PairedDie) -> bool:
        board = self._boards.get(self._table() or "")
        turn = board.turn if board is not None else None
        return board is not None and turn is not None and player_of(die.owner, board) == turn.player

    def _table(self) -> str | None:
        """The table to which the dice belong; None while it cannot be known."""
        if self._wanted is not None or len(self._boards) != 1:
            return self._wanted
        return next(iter(self._boards))

    async def _tell(self, die: PairedDie, value: int) -> None:
        self._say(f"{die.subject} shows {value}{await self._outcome(die, value)}.")

    async def _outcome(self, die: PairedDie, value: int) -> str:
        table = self._table()
        board = self._boards.get(table or "")
        if table is None or board is None:
            several = len(self._boards) > 1
            return ", not told: " + (
                "there are several tables on this broker, name one with --table"
                if several
                else "no table has been heard; check that it runs on this broker"
            )
        told = telling(die.owner, value, board)
        if told is None:
            return ", not told: no game is being played"
        reply = await self._commander.ask(
            table, told.verb, key=secrets.token_hex(8), player=told.player, rev=None, data=told.data
        )
        if reply is None:
            return ", not told: the table does not answer; say it on a phone"
        if not reply.ok:
            return f", not counted: {reply.msg}"
        who = f" for {told.player}" if told.player else ""
        return f", told{who}" + (" in the place of the last roll" if told.verb == "correct" else "")

    def _troubled(self, now_s: float) -> dict[str, Trouble]:
        if self._patient_until_s is None:
            self._patient_until_s = now_s + PATIENCE_S
        if now_s < self._patient_until_s and self._never_found:
            return {}
        return {
            address: trouble
            for address, die in self._paired.items()
            if (trouble := rolls.trouble(self._dice[address], die.owner))
        }

    def _look_after(self, now_s: float) -> None:
        troubles = self._troubled(now_s)
        for address in self._paired:
            trouble = troubles.get(address)
            if trouble != self._troubles.get(address):
                well = f"{self._paired[address].subject} is well again."
                self._say(trouble.sentence if trouble else well)
                self._present_due_s = now_s
        self._troubles = troubles
        if now_s >= self._present_due_s:
            self._present_due_s = now_s + PRESENCE_S
            presence = Presence("controller", "dice", lease_s=LEASE_S)
            self._announce(presence.troubled(self.trouble) if self.trouble else presence)

    def _announce(self, presence: Presence | None) -> None:
        if (table := self._table()) is not None:
            self._publish(topics.presence(table, self._client, presence))

    def farewell(self) -> None:
        """Say that it goes."""
        self._announce(None)
