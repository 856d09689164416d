"""Reads limits such as `at most 1.2`, as scenarios write them. Pure."""

import re

from controller.bench.scenario import Limit

_NUMBER = r"-?\d+(?:\.\d+)?"
_LIMIT = re.compile(rf"^(?P<end>at least|at most|exactly) (?P<value>{_NUMBER})(?: .*)?$")
_BETWEEN = re.compile(rf"^between (?P<low>{_NUMBER}) and (?P<high>{_NUMBER})(?: .*)?$")


def limit_of(text: str) -> Limit | None:
    """The limit that a text means; None if it is not a limit. A unit may follow.

    >>> limit_of("at most 1.2 s")
    Limit(min=None, max=1.2)
    >>> limit_of("between 60 and 68 Hz")
    Limit(min=60.0, max=68.0)
    """
    if both := _BETWEEN.match(text):
        return Limit(float(both["low"]), float(both["high"]))
    found = _LIMIT.match(text)
    if found is None:
        return None
    value = float(found["value"])
    low = value if found["end"] in ("at least", "exactly") else None
    high = value if found["end"] in ("at most", "exactly") else None
    return Limit(low, high)
