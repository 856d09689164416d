"""The words of the catalogues (`pages/words`) on a terminal, in the language it is set to."""

import os
from collections.abc import Mapping

from pages.files import languages

VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""The first that is set counts (POSIX, 8.2)."""


def language(environment: Mapping[str, str] = os.environ) -> str:
    """Tag of the language of a terminal; English if there are no words in it.

    >>> language({"LANG": "de_AT.UTF-8"}), language({"LC_ALL": "C", "LANG": "fr_FR"})
    ('de', 'en')
    """
    named = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    tag = named.split("_")[0].split(".")[0]
    return tag if tag in languages() else "en"


class Words:
    """Says what a key of the catalogues stands for."""

    def __init__(self, tag: str) -> None:
        self._words = languages()[tag]

    def say(self, key: str, **args: str | float) -> str:
        """The words of a key, with its gaps filled."""
        return str(self._words[key]).format_map(args)
