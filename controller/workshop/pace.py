"""How far table time has come: by the clock, or as fast as the computer goes."""

import time
from collections.abc import Callable
from math import inf

POLL_S = 0.05
"""Between two looks at a table that goes by the clock."""


class Pace:
    """The pace at which a source is polled; `now_s` is the table time that has been reached.

    A live one sends by the clock; a simulated one need not wait, is polled in steps of `step_s` and
    goes as fast as it can without a `speed`.
    """

    def __init__(
        self,
        *,
        live: bool,
        step_s: float = 0.1,
        speed: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._live, self._step_s, self._speed = live, step_s, speed
        self._clock, self._pause = clock, pause
        self._began_s = clock()
        self.now_s = 0.0

    def next(self, latest_s: float = inf) -> float:
        """Wait for the next moment, `latest_s` at the latest, and say which it is."""
        if self._live:
            self._pause(POLL_S)
            reached_s = self._clock() - self._began_s
        else:
            reached_s = self.now_s + self._step_s
            if self._speed:
                due_s = self._began_s + reached_s / self._speed
                self._pause(max(due_s - self._clock(), 0.0))
        self.now_s = min(reached_s, latest_s)
        return self.now_s
