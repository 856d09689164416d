"""The words of all languages: whole, with the same gaps and the plurals of the language."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from controller.common.troubles import DIE_LOW, DUPLICATE_ID, JOURNAL_FROM_COPY
from controller.mqtt.topics import SensorTrouble
from engine.detect.front.health import pivot_verdict
from engine.trouble import Trouble
from engine.troubles import CELL_NO_VALUES, ONE_CELL
from hw.troubles import IMU_NOBODY, RECORDING_SLOW
from pages.files import as_in_english, languages
from tests.pages.browser import BROWSER_NEEDED, Evening
from tests.pages.scripts import page_files
from tests.tree import ROOT

ALL = languages()

EVERYWHERE = {"title", "pin_is"}
"""The same in all languages."""


def forms(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def gaps(text: str | dict[str, str]) -> set[str]:
    return {gap for form in forms(text) for gap in re.findall(r"\{(\w+)\}", form)}


def has_words(text: str | dict[str, str]) -> bool:
    """Whether it has words besides what is filled in; signs and single letters are none."""
    return any(re.search(r"[^\W\d_]{2}", re.sub(r"\{\w+\}", "", form)) for form in forms(text))


def asked_for() -> Iterator[tuple[str, str]]:
    for script in page_files(".js"):
        for key in re.findall(r'\bsay\("([\w-]+)"', script.read_text()):
            yield script.name, key
    for page in page_files(".html"):
        for key in re.findall(r'data-say(?:-label)?="([\w-]+)"', page.read_text()):
            yield page.name, key


@pytest.mark.parametrize("tag", ALL)
def test_a_language_has_every_key_with_the_gaps_and_forms_of_english(tag: str) -> None:
    english, words = ALL["en"], ALL[tag]

    assert set(words) == set(english)
    for key, text in words.items():
        assert isinstance(text, str) is isinstance(english[key], str), key
        assert isinstance(text, str) or set(text) == {"one", "other"}, key
        assert gaps(text) == gaps(english[key]), key


@pytest.mark.parametrize("tag", sorted(set(ALL) - {"en"}))
def test_no_word_was_forgotten_in_translation(tag: str) -> None:
    same = {key for key, text in ALL[tag].items() if text == ALL["en"][key] and has_words(text)}

    assert same - EVERYWHERE == as_in_english(tag)


REFUSED = r'(?:IllegalAction\(|refusal\(\s*state,)\s*"(\w+)"'
NO_FINGERS_FAULT = re.compile("bad_|unknown_|not_started$|reshuffle_needed$")
"""Refusals of what no page of ours sends."""


@pytest.mark.parametrize("tag", sorted(ALL))
def test_no_line_begins_with_a_sign_that_has_a_space_before_it(tag: str) -> None:
    """In French; a narrow space that does not break (U+202F) keeps it with its word."""
    torn = [key for key, text in ALL[tag].items()
            if any(re.search("[^ ] [:;!?»]|« ", form) for form in forms(text))]  # fmt: skip

    assert torn == []


NAMES = "player|winners|players|nemesis"
ELIDED = re.compile(rf"\b(?:[dljmtns]e|la|si|\w*que) \{{(?:{NAMES})\}}", re.IGNORECASE)
"""Before a name that begins with a vowel these lose theirs, which no text can know beforehand."""


def test_no_french_text_wants_an_elision_before_a_name() -> None:
    found = {
        key: form
        for key, text in ALL["fr"].items()
        for form in forms(text)
        if ELIDED.search(form) and not key.startswith("voice_")
    }

    assert found == {}


def test_what_is_heard_in_french_has_names_with_and_without_elision() -> None:
    """Both are heard, since a person says what the name wants."""
    for key in ("voice_was", "voice_turn"):
        ways = set(str(ALL["fr"][key]).split("|"))
        assert {way.replace(" de {", " d\u2019{") for way in ways} <= ways, key


def test_in_german_a_topple_has_one_word() -> None:
    """The caller's sounds say it too."""
    other = re.compile(r"umgew[oö]rf|umw[ei]rf|umwirf|umgefallen|(?<!um)gekippt", re.IGNORECASE)
    words = {key: form for key, text in ALL["de"].items() for form in forms(text)}

    assert {key: form for key, form in words.items() if other.search(form)} == {}


def test_every_refusal_of_the_rules_is_worded() -> None:
    refused = {
        match
        for path in (ROOT / "engine").rglob("*.py")
        for match in re.findall(REFUSED, path.read_text())
    }
    people = {code for code in refused if not NO_FINGERS_FAULT.match(code)}

    assert len(people) > 40
    assert {code for code in people if f"why_{code}" not in ALL["en"]} == set()


def test_every_word_that_a_page_asks_for_is_there() -> None:
    assert [(name, key) for name, key in asked_for() if key not in ALL["en"]] == []


def coded(trouble: Trouble) -> Any:
    """As a page gets it, in words that no page knows: only the code can be what is translated."""
    said = msgspec.to_builtins(SensorTrouble.of("name", trouble))
    return {**said, "reason": "Words of another version."}


SAID = (
    (pivot_verdict(0.12, 0.02), "0,12°"),
    (pivot_verdict(0.61, 0.02), "0,61°"),
    (pivot_verdict(0.61, 2.0), "Spitze"),
    (ONE_CELL(), "Eine Wägezelle"),
    (JOURNAL_FROM_COPY(), "Kopie"),
    (DUPLICATE_ID(table="attic"), "heißt auch attic;"),
    (RECORDING_SLOW(n=3), "3 Schritte der Aufzeichnung fehlen"),
    (CELL_NO_VALUES(n="C2"), "Wägezelle C2"),
    (IMU_NOBODY(address="0x68", bus="I2C bus 1"), "0x68 an I2C bus 1"),
    (DIE_LOW(owner="red", percent=8), "Der Würfel „red“ hat noch 8 % Batterie"),
)


@pytest.mark.slow
@BROWSER_NEEDED[0]
@pytest.mark.parametrize(
    ("lang", "said", "expected"),
    [
        *(("de", coded(trouble), words) for trouble, words in SAID),
        ("fr", {"reason": "A sentence of an older table."}, "A sentence of an older table."),
        ("fr", {"reason": "It melts.", "code": "die_melts", "args": {"n": 3}}, "It melts."),
    ],
)
def test_a_page_words_a_code_and_leaves_words_of_other_versions_as_they_are(
    evening: Evening, lang: str, said: Any, expected: str
) -> None:
    page = evening.open(path=f"?lang={lang}")
    worded = page.evaluate(
        "async (said) => (await import('/static/strings.js')).worded(said)", said
    )

    assert expected in worded
