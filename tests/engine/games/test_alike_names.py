"""Names that only a program can tell apart, and names that only look a little alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.alike_names import INVISIBLE, alike
from tests.soaked import examples

SAME = [
    ("Ann", "\u0410nn", "Cyrillic A"),
    ("\u0421\u043e\u0440", "Cop", "all Cyrillic"),
    ("\u039d\u03bf\u03b1", "Noa", "Greek"),
    ("Ann", "ann", "case: said the same, and one profile"),
    ("\uff21nn", "Ann", "full width"),
    ("\U0001d400nn", "Ann", "mathematical bold"),
    ("Jos\u00e9", "Jose\u0301", "one accent, two ways"),
    ("Ann\u200dy", "Anny", "joiner"),
    ("Ann\ufe0f", "Ann", "selector"),
    ("Ann\u3164", "Ann", "Hangul filler"),
    ("Ann\u034f", "Ann", "grapheme joiner"),
    ("Bill", "BiII", "capital i"),
    ("Bob", "B0b".replace("0", "\u043e"), "Cyrillic o"),
    ("OLE", "0LE", "zero"),
    ("Al", "A1", "one"),
    ("Bernd", "Bemd", "r and n"),
    ("Ann  Lee", " Ann\u00a0Lee", "spaces"),
    ("O'Hara", "O\u2019Hara", "apostrophes"),
    ("\u0410NN", "ann", "Cyrillic A, and case"),
    ("Stra\u00dfe", "STRASSE", "sharp s"),
]


@pytest.mark.parametrize(("one", "other", "why"), SAME)
def test_names_that_look_or_sound_the_same_are_found(one: str, other: str, why: str) -> None:
    assert alike(["Zo\u00eb", one, "Eve", other]) == (one, other), why


@pytest.mark.parametrize(
    "names",
    [
        ["Anna", "Hanna", "Ann", "Hannah"],
        ["Jos\u00e9", "Jose"],
        ["M\u00fcller", "Muller", "Mueller"],
        ["\u0410\u043d\u043d\u0430", "Anna"],  # its n has another shape
        ["\u0418\u0432\u0430\u043d", "\u042f\u043d\u0430", "\u041e\u043b\u044f"],
        ["\u5c71\u7530", "\u5c71\u672c"],
        ["\u0645\u0631\u06cc\u0645", "\u0645\u0631\u06cc"],
        ["\U0001f469\u200d\U0001f467", "\U0001f469\u200d\U0001f466"],
        ["Mia", "Ian", "Tim", "Tom"],
        ["Player 1", "Player 2"],
        ["Ali", "All"],
        [],
        ["Ann"],
    ],
)
def test_names_that_people_tell_apart_stay(names: list[str]) -> None:
    assert alike(names) is None


@examples(50)
@given(st.text(max_size=20), st.text(max_size=20), st.text(INVISIBLE, min_size=1, max_size=4))
def test_what_has_no_look_makes_no_other_name(begins: str, ends: str, hidden: str) -> None:
    assert alike([f"{begins}{ends}", f"{begins}{hidden}{ends}"])
