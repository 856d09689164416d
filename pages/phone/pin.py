"""The PIN of an evening: lets phones act at a table, and limits wrong tries.

Anybody in the network may watch; whoever types the PIN may act. It is shown where only people at
the table see it (`pages.phone.play`). It has six digits, and tries are limited: somebody who
guesses without a pause has `GUESSES_AN_HOUR` chances in a million each hour.

Pure but for the digits, which are drawn by a function passed in; time is passed in too.
"""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

DIGITS = 6

LASTS_S = 12 * 3600.0
"""An evening, however long. The next one has another PIN, even if nothing is restarted."""

WINDOW_S = 300.0
"""How long a wrong try counts."""

TRIES_EACH = 5
"""Wrong tries of one client in a window: a person mistypes once or twice."""

TRIES_IN_ALL = 20
"""Wrong tries of everybody in a window: four confused guests, or one with many addresses."""

GUESSES_AN_HOUR = int(TRIES_IN_ALL * 3600 / WINDOW_S)

RENEW_AFTER_WRONG = 60
"""Wrong tries since the PIN was drawn, after which a new one is drawn: somebody is guessing."""

MOST_CLIENTS = 256
"""Clients whose wrong tries are counted one by one; all are counted together."""


@dataclass(frozen=True, slots=True)
class GuessVerdict:
    """The result of a try: the PIN was right, or how often this client may still be wrong.

    For `wait_s` nothing is even compared for this client.
    """

    welcome: bool
    tries_left: int = 0
    wait_s: float = 0.0


def drawn() -> str:
    """A PIN that nobody can foresee."""
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"


class PinDesk:
    """The PIN of one table, and the wrong tries at it, by a steady time in seconds."""

    def __init__(self, now_s: float, draw: Callable[[], str] = drawn) -> None:
        self._draw = draw
        self._each: OrderedDict[str, list[float]] = OrderedDict()
        self._all: list[float] = []
        self._pin = draw()
        self._since_s = now_s
        self._wrong = 0

    def pin(self, now_s: float) -> str:
        """The PIN that holds now."""
        if now_s - self._since_s >= LASTS_S or self._wrong >= RENEW_AFTER_WRONG:
            self.renew(now_s)
        return self._pin

    def renew(self, now_s: float) -> str:
        """Another PIN from now on; never the same twice in a row."""
        before = self._pin
        while self._pin == before:
            self._pin = self._draw()
        self._since_s, self._wrong = now_s, 0
        return self._pin

    def attempt(self, given: str, client: str, now_s: float) -> GuessVerdict:
        """Compare what `client` typed, unless it has to wait.

        Who has to wait learns nothing, not even with the right PIN.
        """
        wait_s = self._wait_s(client, now_s)
        if wait_s > 0.0:
            return GuessVerdict(welcome=False, wait_s=wait_s)
        # In constant time: how long it takes must not tell how many digits are right.
        if hmac.compare_digest(given.encode(), self.pin(now_s).encode()):
            self._each.pop(client, None)
            return GuessVerdict(welcome=True, tries_left=TRIES_EACH)
        return self._note_wrong(client, now_s)

    def _wait_s(self, client: str, now_s: float) -> float:
        self._all = _recent(self._all, now_s)
        own = _recent(self._each.get(client, []), now_s)
        return max(_until_free_s(own, TRIES_EACH, now_s),
                   _until_free_s(self._all, TRIES_IN_ALL, now_s))  # fmt: skip

    def _note_wrong(self, client: str, now_s: float) -> GuessVerdict:
        own = [*_recent(self._each.get(client, []), now_s), now_s]
        self._each[client] = own
        self._each.move_to_end(client)
        while len(self._each) > MOST_CLIENTS:
            self._each.popitem(last=False)
        self._all.append(now_s)
        self._wrong += 1
        left = min(TRIES_EACH - len(own), TRIES_IN_ALL - len(self._all))
        return GuessVerdict(welcome=False, tries_left=left, wait_s=self._wait_s(client, now_s))


def _recent(times_s: list[float], now_s: float) -> list[float]:
    return [t_s for t_s in times_s if now_s - t_s < WINDOW_S]


def _until_free_s(times_s: list[float], most: int, now_s: float) -> float:
    """How long until one of the tries no longer counts; 0 when there is one left."""
    return times_s[len(times_s) - most] + WINDOW_S - now_s if len(times_s) >= most else 0.0
