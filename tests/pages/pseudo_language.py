"""A language that nobody speaks: English with every letter accented, and 40 % longer.

What is still in plain letters on a page was not said in the words of the language.
"""

import re
from pathlib import Path
from typing import Any

import msgspec

from pages.files import languages

TAG = "xa"
LONGER = 1.4

_ACCENTED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "åƀçđéƒğĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇĐÉƑĞĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ",
)


def accented(text: str) -> str:
    """A text in the pseudo-language; gaps stay.

    >>> accented("Roll {n}")
    'Ŕöļļ {n} ~~~'
    """
    said = "".join(
        part if part.startswith("{") else part.translate(_ACCENTED)
        for part in re.split(r"(\{\w+\})", text)
    )
    more = round((LONGER - 1) * len(text))
    return " ".join([said, *["~" * 6] * (more // 7), "~" * (more % 7)]).rstrip()


def words() -> dict[str, Any]:
    """All words of the pages and all troubles of a table."""
    return {
        key: accented(text)
        if isinstance(text, str)
        else {number: accented(form) for number, form in text.items()}
        for key, text in languages()["en"].items()
    }


def write(folder: Path) -> Path:
    """The one file that a language is."""
    path = folder / "words" / f"{TAG}.json"
    path.parent.mkdir()
    path.write_bytes(msgspec.json.encode(words()))
    return path
