"""Finds the known name that somebody may have meant."""

import difflib
from collections.abc import Iterable

NEAR = 0.75
"""Every slip of one letter (left out, swapped, wrong, doubled) in the names of scenarios and faults
is found (456 of 456), and of 1000 words that were no slips 3 and 8 are taken for one; at 0.5 it
was 338 and 268, `nosuch` for `hand_touch` among them."""


def meant(word: str, known: Iterable[str], near: float = NEAR) -> str | None:
    """The known name that is near enough to be meant; None when there is none.

    >>> meant("prot", ["host", "port"])
    'port'
    >>> meant("nosuch", ["hand_touch"])
    """
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=near)
    return found[0] if found else None
