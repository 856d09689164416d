"""Work that a request costs beyond reading what is there: drawing, packing, a database.

All of it goes through one `CostlyWork`: in a thread, one piece at a time, so that the loop that
shows scores never waits for it; what was made is kept by its content; and few may wait, fewer of
one address, so that nobody can keep this machine busy.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

from pages.guard import HERE, RequestRefused

MOST_KEPT = 32
"""Results kept; a table has three addresses in use at most, each with two QR codes of 3 kB."""

MOST_WAITING = 8
"""In all, with the one being made: people at a table ask at most for one each."""

MOST_WAITING_EACH = 2
"""Of one address: a phone that asks again before it has the answer."""


class CostlyWork:
    """Makes one thing after the other."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._waiting: Counter[str] = Counter()
        self._made: OrderedDict[str, bytes] = OrderedDict()

    async def made(self, make: Callable[[], bytes], whose: str, keep_as: str = "") -> bytes:
        """What `make` makes, or has made before.

        Args:
            make: runs in a thread; the same for all requests with the same `keep_as`.
            whose: the address that asks (`pages.guard.payer_of`).
            keep_as: names the content; empty for what differs each time.

        Raises:
            RequestRefused: too much is waiting already.
        """
        return await self.awaited(partial(asyncio.to_thread, make), whose, keep_as)

    async def awaited(
        self, make: Callable[[], Awaitable[bytes]], whose: str, keep_as: str = ""
    ) -> bytes:
        """The same for what is waited for here, such as a table's answer."""
        if keep_as and keep_as in self._made:
            self._made.move_to_end(keep_as)
            return self._made[keep_as]
        with self._place(whose):
            async with self._one:
                # Meanwhile somebody before us in the line may have wanted the same.
                made = self._made.get(keep_as) if keep_as else None
                return made or self._keep(keep_as, await make())

    @contextmanager
    def _place(self, whose: str) -> Iterator[None]:
        crowd = self._waiting.total() >= MOST_WAITING
        if crowd or (whose != HERE and self._waiting[whose] >= MOST_WAITING_EACH):
            raise RequestRefused(503, "busy", "too much is asked for at once; try again soon")
        self._waiting[whose] += 1
        try:
            yield
        finally:
            self._waiting[whose] -= 1
            if not self._waiting[whose]:
                del self._waiting[whose]

    def _keep(self, name: str, made: bytes) -> bytes:
        if name:
            self._made[name] = made
            while len(self._made) > MOST_KEPT:
                self._made.popitem(last=False)
        return made
