"""Limits in words, as scenarios and expectations write them. Pure."""

import re

from controller.bench.scenario import Limit

_LIMIT = re.compile(r"^(?P<end>at least|at most|exactly) (?P<value>-?\d+(?:\.\d+)?)(?: .*)?$")


def limit_of(words: str) -> Limit | None:
    """The limit that words mean; None when they mean none. A unit may follow.

    >>> limit_of("at most 1.2 s")
    Limit(min=None, max=1.2)
    """
    found = _LIMIT.match(words)
    if found is None:
        return None
    value = float(found["value"])
    low = value if found["end"] in ("at least", "exactly") else None
    high = value if found["end"] in ("at most", "exactly") else None
    return Limit(low, high)
