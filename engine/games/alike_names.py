"""Finds names that people cannot tell apart on a screen, though a program can.

Pure. Unicode has a thousand ways to write what looks like `Ann`. Nobody could say which of two
players who look the same a question means, and one profile would get both games, so the second of
two such names is refused; a name alone is never judged, whichever letters it has.

After Unicode's rules for mechanisms of security (UTS 39, "skeleton"), with the alphabets that
keyboards of people here have in place of its list of 9,600 signs: rarer ones that look alike
(Cherokee, Lisu) are not known to be so.
"""

import unicodedata
from collections.abc import Sequence
from itertools import combinations

INVISIBLE = "".join(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x200C, 0x200D, 0x2800, 0x3164, 0xFFA0))
) + "".join(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Signs without a look of their own that are no control characters: joiners, fillers, the empty
pattern of Braille, and selectors of variants (Unicode's `Default_Ignorable_Code_Point`)."""

_CYRILLIC = "АВЕЅІЈКМНОРСТУХҮҺӀԌԚԜ" + "асеѕіјорухүһԁԛԝ" + "гӏ", (  # noqa: RUF001
    "ABESIJKMHOPCTYXYhlGQW" + "acesijopyxyhdqw" + "rl"
)  # fmt: skip
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺͿ" + "αγινορσυϲϳ", "ABEZHIKMNOPTYXCMJ" + "ayivopoucj"  # noqa: RUF001
_ARMENIAN = "ՍՏՕ" + "ագզհոռսցքօ", "USO" + "wqqhnnugfo"  # noqa: RUF001
_LATIN = "ıɑɡɩɪʏᴄᴏᴜᴠᴡᴢꜱ" + "ǀ", "iagiiycouvwzs" + "l"  # noqa: RUF001
_MARKS = "\u2018\u2019\u02bc\u0060\u00b4\u2032" + "\u2010\u2012\u2013\u2014\u2212", "''''''-----"

_OTHER_ALPHABETS = {
    ord(letter): alike
    for letters, plain in (_CYRILLIC, _GREEK, _ARMENIAN, _LATIN, _MARKS)
    for letter, alike in zip(letters, plain, strict=True)
}
"""Letter -> the plain one that looks like it in usual fonts (`confusables.txt` of UTS 39)."""

_STROKES = str.maketrans("I1|0", "lllO")
"""Of plain letters and digits, those that one line or one ring is."""


def alike(names: Sequence[str]) -> tuple[str, str] | None:
    r"""The first two that look or sound the same; None if all can be told apart.

    >>> alike(["Ann", "Bob", "\u0410nn"]) == ("Ann", "\u0410nn"), alike(["Bill", "BiII"])
    (True, ('Bill', 'BiII'))
    >>> alike(["José", "Jose", "Anna", "Hanna"])
    """
    return next((pair for pair in combinations(names, 2) if _same(*pair)), None)


def _same(one: str, other: str) -> bool:
    plain, others = _plain(one), _plain(other)
    return plain.casefold() == others.casefold() or _strokes(plain) == _strokes(others)


def _plain(name: str) -> str:
    """Without what has no look, in plain letters where they look the same."""
    # Twice: between letter and accent they keep these apart, and NFKC makes new ones.
    seen = _seen(unicodedata.normalize("NFKC", _seen(name)))
    return " ".join(seen.translate(_OTHER_ALPHABETS).split())


def _seen(text: str) -> str:
    return "".join(each for each in text if each not in INVISIBLE)


def _strokes(plain: str) -> str:
    return plain.translate(_STROKES).replace("rn", "m").replace("vv", "w")
