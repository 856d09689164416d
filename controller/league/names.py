"""Finds the person for a name: the same at every table, however the name was typed.

Pure. Letter case, width and spaces do not matter; letters and accents do. Two names are never
joined automatically: similar names are listed, and people decide (`topple-table league same`).
"""

import difflib
import unicodedata
from collections.abc import Iterable, Mapping

LONGEST_NAME = 128
"""Characters; the rest of a longer one is cut off."""

ALIKE = 0.8
"""Share of common letters from which two names are shown as perhaps one person: `Jon` and `John`,
but not `Ann` and `Bob`."""


def shown(name: str) -> str:
    r"""A name as it is kept: one line, without what no database takes.

    >>> shown("  Ann\n Lee\x00 ")
    'Ann Lee'
    """
    clean = "".join(c if c.isprintable() else " " for c in name)
    return " ".join(clean.split())[:LONGEST_NAME]


def player_key(name: str) -> str:
    """What two spellings of one name have in common.

    >>> player_key("ANN  Lee") == player_key("ann lee"), player_key("José") == player_key("Jose")
    (True, False)
    """
    return shown(unicodedata.normalize("NFKC", name)).casefold()


def keys_at_a_table(names: Iterable[str]) -> tuple[str, ...]:
    """Keys of the players of one game; two that would be one person are kept apart.

    >>> keys_at_a_table(["Ann", "Bob", "ann"])
    ('ann', 'bob', 'ann (3)')
    """
    found: list[str] = []
    for seat, name in enumerate(names, start=1):
        key = player_key(name)
        while key in found:
            key += f" ({seat})"
        found.append(key)
    return tuple(found)


MOST_ALIASES = 100
"""One after the other; a chain of them all would be walked for every player."""


def meant(key: str, aliases: Mapping[str, str]) -> str:
    """The person that a key stands for, after all aliases.

    >>> meant("annie", {"annie": "anne", "anne": "ann"})
    'ann'
    """
    seen: set[str] = set()
    while key in aliases and key not in seen and len(seen) < MOST_ALIASES:
        seen.add(key)
        key = aliases[key]
    return key


def alike(keys: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs that may be one person.

    >>> alike(["anna", "bob", "hanna"])
    [('anna', 'hanna')]
    """
    known = sorted(set(keys))
    pairs = []
    for at, key in enumerate(known):
        near = difflib.get_close_matches(key, known[at + 1 :], n=3, cutoff=ALIKE)
        pairs += [(key, other) for other in near]
    return pairs
