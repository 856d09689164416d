"""What the table says of its sensors, pivot and journal reaches nobody untranslated."""

import re
from typing import Any

import msgspec
import pytest

from controller.common.troubles import DIE_LOW, DUPLICATE_ID, JOURNAL_FROM_COPY
from controller.contract.troubles import ENGLISH
from controller.mqtt.topics import SensorTrouble
from engine.detect.front.health import pivot_verdict
from engine.trouble import Trouble
from engine.troubles import CELL_NO_VALUES, ONE_CELL
from hw.troubles import IMU_NOBODY, RECORDING_SLOW
from pages.files import FILES
from tests.pages.browser import BROWSER_NEEDED, Evening


def catalogue() -> dict[str, dict[str, str]]:
    """Code -> language -> form, as the page has them."""
    source = FILES["sentences.js"].read_text(encoding="utf-8")
    entries = re.findall(r"^  (\w+): \{\n(.*?) \},?$", source, re.MULTILINE | re.DOTALL)
    return {
        code: dict(re.findall(r'^\s+(\w\w): "(.*?)",?$', body, re.MULTILINE))
        for code, body in entries
    }


def placeholders(form: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", form))


def test_every_code_is_worded_in_every_language_with_the_same_gaps() -> None:
    found = catalogue()

    assert set(found) == set(ENGLISH)
    for code, forms in found.items():
        assert set(forms) == {"de", "fr"}, code
        assert all(placeholders(form) == placeholders(ENGLISH[code]) for form in forms.values())
        assert len({ENGLISH[code], *forms.values()}) == 3, code


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
class TestInTheBrowser:
    """As the pages do it."""

    pytestmark = BROWSER_NEEDED

    def test_a_code_is_worded_with_what_is_filled_in(self, evening: Evening) -> None:
        page = evening.open(path="?lang=de")

        for said, expected in SAID:
            assert expected in self.worded(page, coded(said)), said

    def test_words_without_a_code_are_left_as_they_are(self, evening: Evening) -> None:
        page = evening.open(path="?lang=fr")
        said = {"reason": "A sentence of an older table."}

        assert self.worded(page, said) == "A sentence of an older table."

    def test_a_code_of_a_newer_table_is_shown_as_the_table_says_it(self, evening: Evening) -> None:
        page = evening.open(path="?lang=fr")
        said = {"reason": "The die melts.", "code": "die_melts", "args": {"n": 3}}

        assert self.worded(page, said) == "The die melts."

    def worded(self, page: Any, said: Any) -> str:
        return str(
            page.evaluate(
                "async (said) => (await import('/static/sentences.js')).worded(said)", said
            )
        )
