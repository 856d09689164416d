"""The connected displays and controllers, as announced on `client/<client>`.

Pure: messages and a steady time go in. Nothing in the game depends on it; it helps people who want
to know why a screen stays dark. A client leaves with an empty message (its own, or its
last will from the broker), or when its lease has run out.
"""

from collections import Counter

import msgspec

from controller.mqtt.topics import Presence, SensorTrouble
from engine.errors import UNREADABLE

MOST_CLIENTS = 256
"""More than the broker lets in; a broken client must not fill the memory."""


class ConnectedClients:
    """The clients that are there."""

    def __init__(self) -> None:
        self._until_s: dict[str, tuple[Presence, float]] = {}

    def update(self, client: str, payload: bytes, now_s: float) -> None:
        """Take note of a presence message, on a steady clock; an unreadable one says nothing."""
        if not payload:
            self._until_s.pop(client, None)
            return
        try:
            said = msgspec.json.decode(payload, type=Presence)
        except UNREADABLE:
            return
        if client in self._until_s or len(self.there(now_s)) < MOST_CLIENTS:
            lease_s = float("inf") if said.lease_s is None else said.lease_s
            self._until_s[client] = (said, now_s + lease_s)

    def there(self, now_s: float) -> dict[str, Presence]:
        """The clients that are there now, by id."""
        self._until_s = {c: kept for c, kept in self._until_s.items() if kept[1] >= now_s}
        return {client: said for client, (said, _) in self._until_s.items()}

    def by_role(self, now_s: float) -> dict[str, int]:
        """How many there are of each role."""
        return dict(Counter(said.role for said in self.there(now_s).values()))

    def trouble(self, now_s: float) -> SensorTrouble | None:
        """What they want people to see to; None when all is well.

        The sentence is the client's own. Of several there is no one code.
        """
        troubled = [said for said in self.there(now_s).values() if said.trouble]
        match troubled:
            case []:
                return None
            case [said]:
                return SensorTrouble("client", said.trouble, said.code, said.args)
        return SensorTrouble("client", " ".join(said.trouble for said in troubled))
