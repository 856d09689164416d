"""How much later the host thinks something happened than it did: found by comparing slopes.

What comes out of the host's end of the line is compared with what the sensors felt at the time it
is given. A chain that shifts times, mixes conversions of different moments or lets a clock run
away is late where the load changes and nowhere else.
"""

from array import array
from collections.abc import Callable, Sequence

import numpy as np

SPAN_S = 0.01
"""Over which the slope is looked at: less than from one conversion to the next."""

STEP_MAX = 2**17
"""So many counts (50 g and more) within that span, or away from what was felt, are a wire that goes
off and no load: left out, since one such step would outweigh the rest of an evening."""

Felt = Callable[[float], Sequence[int]]
"""What the sensor felt at a table time, column by column."""


class Lag:
    """Collects slopes and errors, and finds the one delay that explains most of them.

    The sum of what it leaves unexplained is the least, not the sum of its squares: between two
    conversions a knock comes and goes, and a few samples of one would outweigh all the others.

    Args:
        felt: what the sensor felt.
    """

    def __init__(self, felt: Felt) -> None:
        self._felt = felt
        self._slopes, self._errors = array("d"), array("d")

    @property
    def seconds(self) -> float:
        """The delay that explains best what was given; positive when it is late."""
        if not self._slopes:
            return 0.0
        slopes = np.array(self._slopes)
        delays_s, weights = np.array(self._errors) / slopes, np.abs(slopes)
        order = np.argsort(delays_s)
        heard = np.cumsum(weights[order])
        return float(delays_s[order][np.searchsorted(heard, heard[-1] / 2.0)])

    def compare(self, t_s: float, given: Sequence[int], trusted: Sequence[bool]) -> None:
        """One sample of the host."""
        before, now, after = (self._felt(t_s + d_s) for d_s in (-SPAN_S / 2, 0.0, SPAN_S / 2))
        for column, valid in enumerate(trusted):
            step, error = after[column] - before[column], now[column] - given[column]
            if valid and 0 < abs(step) < STEP_MAX and abs(error) < STEP_MAX:
                self._slopes.append(step / SPAN_S)
                self._errors.append(error)
