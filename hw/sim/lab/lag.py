"""How much later the host thinks something happened than it did: found by comparing slopes.

What comes out of the host's end of the line is compared with what the sensors felt at the time it
is given. A chain that shifts times, mixes conversions of different moments or lets a clock run
away is late where the load changes and nowhere else.
"""

from collections.abc import Callable, Sequence

SPAN_S = 0.01
"""Over which the slope is looked at: less than from one conversion to the next."""

STEP_MAX = 2**17
"""So many counts (50 g and more) within that span, or away from what was felt, are a wire that goes
off and no load: left out, since one such step would outweigh the rest of an evening."""

Felt = Callable[[float], Sequence[int]]
"""What the sensor felt at a table time, column by column."""


class Lag:
    """Adds up slopes and errors: least squares for one delay.

    Args:
        felt: what the sensor felt.
    """

    def __init__(self, felt: Felt) -> None:
        self._felt = felt
        self._slopes, self._errors = 0.0, 0.0

    @property
    def seconds(self) -> float:
        """The delay that explains best what was given; positive when it is late."""
        return self._errors / self._slopes if self._slopes else 0.0

    def compare(self, t_s: float, given: Sequence[int], trusted: Sequence[bool]) -> None:
        """One sample of the host."""
        before, now, after = (self._felt(t_s + d_s) for d_s in (-SPAN_S / 2, 0.0, SPAN_S / 2))
        for column, valid in enumerate(trusted):
            step, error = after[column] - before[column], now[column] - given[column]
            if valid and abs(step) < STEP_MAX and abs(error) < STEP_MAX:
                slope = step / SPAN_S
                self._slopes += slope * slope
                self._errors += slope * error
