"""Detects another table of the same name at the broker: displays would show both games in turn.

Pure: messages and a steady time go in. Every table says its `health` every ten seconds, with the
`boot` of its run; so a table that hears its own name with another boot knows that it is not alone.
"""

import msgspec

from engine.errors import UNREADABLE

GONE_AFTER_S = 35.0
"""Three times the pause between two messages of `health`, and a moment."""


class _Spoken(msgspec.Struct, frozen=True):
    boot: str


class DuplicateIds:
    """Detects other tables that publish under the name of this one, which has this `boot`."""

    def __init__(self, boot: str) -> None:
        self._boot = boot
        self._until_s = float("-inf")

    def receive(self, payload: bytes, now_s: float) -> bool:
        """Take a fresh `health` under our name; whether it tells of somebody who was not known."""
        try:
            spoken = msgspec.json.decode(payload, type=_Spoken)
        except UNREADABLE:
            return False
        if spoken.boot == self._boot:
            return False
        known = self.there(now_s)
        self._until_s = now_s + GONE_AFTER_S
        return not known

    def there(self, now_s: float) -> bool:
        """Whether there was one lately."""
        return now_s <= self._until_s
