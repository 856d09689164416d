"""Reads limits such as `at most 1.2`, as scenarios write them. Pure."""

import re
from math import inf
from typing import NamedTuple

_NUMBER = r"-?\d+(?:\.\d+)?"
LIMIT = re.compile(rf"^(?P<end>at least|at most|exactly) (?P<value>{_NUMBER})(?: .*)?$")
BETWEEN = re.compile(rf"^between (?P<low>{_NUMBER}) and (?P<high>{_NUMBER})(?: .*)?$")


class Limit(NamedTuple):
    """What a measurement may be; both ends belong to it."""

    low: float = -inf
    high: float = inf

    def holds(self, value: float) -> bool:
        """Whether a value is within; a missing value (NaN) never is."""
        return self.low <= value <= self.high


def limit_of(text: str) -> Limit | None:
    """The limit that a text means; None if it is not a limit. A unit may follow.

    >>> limit_of("at most 1.2 s")
    Limit(low=-inf, high=1.2)
    >>> limit_of("between 60 and 68 Hz")
    Limit(low=60.0, high=68.0)
    """
    if both := BETWEEN.match(text):
        return Limit(float(both["low"]), float(both["high"]))
    found = LIMIT.match(text)
    if found is None:
        return None
    value = float(found["value"])
    low = -inf if found["end"] == "at most" else value
    high = inf if found["end"] == "at least" else value
    return Limit(low, high)
