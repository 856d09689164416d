"""What the table says in English of sensors, pivot and journal reaches nobody untranslated."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.dice.rolls import Die, trouble
from controller.journal import recovery
from controller.mqtt.topics import SensorTrouble
from controller.table.duplicate_ids import duplicate_id
from engine.detect.front.health import ONE_CELL, pivot_words
from engine.trouble import Trouble
from hw.drivers.cells_apart import REFUSED
from pages.files import FILES
from tests.pages.browser import BROWSER_NEEDED, Evening

ROOT = Path(__file__).parents[2]

SPEAKERS = (
    "controller/app/tape.py",
    "engine/detect/front/health.py",
    "engine/detect/detector.py",
    "hw/serial/bridge.py",
    "hw/drivers/cells_apart.py",
    "hw/drivers/hx711.py",
    "hw/drivers/imu.py",
    "hw/drivers/mpu6050.py",
    "hw/drivers/one_cell.py",
    "hw/drivers/panel.py",
    "hw/drivers/panel_reader.py",
    "hw/drivers/pi.py",
    "hw/drivers/pins_health.py",
    "hw/drivers/sensor_thread.py",
    "hw/drivers/scale.py",
    "firmware_bridge/connection.py",
    "firmware_bridge/greeting.py",
    "firmware_bridge/imu_chips.py",
    "firmware_bridge/link.py",
    "hw/traces/folder.py",
    "hw/traces/recorder.py",
)
"""Where the sentences of `health` and `status` are made."""

ROOMS_WITH_TROUBLES = ("controller", "engine", "hw")
"""Where a `Trouble` with a code may be made."""

LEAST_WORDS = 4
"""Shorter pieces of text are names and units, not sentences."""

GAP = "\0"
"""Stands for whatever is filled in."""

NOT_SHOWN = {
    # Printed by `run` and written to the log.
    REFUSED,
    "Until the next restart only: %s (%s)",
    "the process that reads the load cells ended at once; its last words are above",
    # The end of this program, an answer to a command of its own, and a refusal to start.
    "closed by this program",
    "the microcontroller restarted before it answered",
    (
        f"the calibration is of a table with {GAP}, but {GAP} are wired; name the right file, or "
        "calibrate again"
    ),
}


def catalogue() -> dict[str, dict[str, str]]:
    """Code -> language -> form, as the page has them."""
    source = FILES["sentences.js"].read_text(encoding="utf-8")
    entries = re.findall(r"^  (\w+): \{\n(.*?) \},?$", source, re.MULTILINE | re.DOTALL)
    return {
        code: dict(re.findall(r'^\s+(\w\w): "(.*?)",?$', body, re.MULTILINE))
        for code, body in entries
    }


def troubles() -> dict[str, str]:
    """Code -> English form of each trouble that is made anywhere, by its two literal arguments."""
    found: dict[str, str] = {}
    for room in ROOMS_WITH_TROUBLES:
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "Trouble"):
                    continue
                if code := ast.literal_eval(node.args[0]):
                    assert code not in found, f"{path}: {code} is made once"
                    found[code] = ast.literal_eval(node.args[1])
    return found


def sentences(path: str) -> Iterator[str]:
    """Texts of a module that are sentences, with gaps for what is filled in."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    inner = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node) if part is not node
    }  # fmt: skip
    said_once = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inner or id(node) in said_once:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(_literal(part) for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _literal(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else GAP


def placeholders(form: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", form))


def test_every_sentence_is_worded_in_every_language_with_the_same_gaps() -> None:
    found = catalogue()

    assert len(found) > 40
    for code, english in troubles().items():
        assert "en" not in found[code], f"{code}: the table sends it, no pattern is needed"
        found[code]["en"] = english
    for code, forms in found.items():
        assert set(forms) == {"en", "de", "fr"}, code
        assert len({frozenset(placeholders(form)) for form in forms.values()}) == 1, code
        assert len(set(forms.values())) == 3, code


@pytest.mark.parametrize("path", SPEAKERS)
def test_no_sentence_is_made_that_the_pages_have_no_words_for(path: str) -> None:
    forms = [entry["en"] for entry in catalogue().values() if "en" in entry]
    known = [re.sub(r"\{\w+\}", GAP, form) for form in (*forms, *troubles().values())]
    unknown = []
    for sentence in sentences(path):
        parts = [part.strip() for part in re.split(rf"{GAP}|\{{\w+\}}", sentence)]
        longest = max(parts, key=len)
        if len(longest.split()) < LEAST_WORDS or sentence in NOT_SHOWN:
            continue
        if not any(longest.rstrip(".") in form for form in known):
            unknown.append(sentence)

    assert unknown == []


def coded(trouble: Trouble) -> Any:
    """As a page gets it, in words that no page knows: only the code can be what is translated."""
    said = msgspec.to_builtins(SensorTrouble.of("name", trouble))
    return {**said, "reason": "Words of another version."}


SAID = (
    (pivot_words(0.12, 0.02), "0,12°"),
    (pivot_words(0.61, 0.02), "0,61°"),
    (pivot_words(0.61, 2.0), "Spitze"),
    (ONE_CELL, "Eine Wägezelle"),
    (coded(recovery.FROM_COPY), "Kopie"),
    (coded(recovery.BOTH_LOST), "letzten Einträge"),
    (coded(duplicate_id("attic")), "heißt auch attic;"),
    (coded(Trouble("recording_slow", "", {"n": 3})), "3 Schritte der Aufzeichnung fehlen"),
    ("Load cell C2 gives no valid values; check its plug and its supply", "Wägezelle C2"),
    (
        ("The inertial sensor does not answer at 0x68 on I2C bus 1; check its plug and its four "
        "wires (3.3 V, ground, SDA, SCL)"),
        "0x68 an I2C bus 1",
    ),
    *((coded(found), worded) for die, worded in (
        (Die(), "Der Würfel „red“ hat keine Verbindung"),
        (Die(connected=True, percent=8), "Der Würfel „red“ hat noch 8 % Batterie"),
    ) if (found := trouble(die, "red"))),
    ("/dev/ttyUSB0 went away ([Errno 5] Input/output error). Check the USB plug; we keep trying.",
     "/dev/ttyUSB0 ist verschwunden ([Errno 5] Input/output error)."),
)  # fmt: skip


@pytest.mark.slow
class TestInTheBrowser:
    """As the pages do it."""

    pytestmark = BROWSER_NEEDED

    def test_a_sentence_is_recognised_with_what_is_filled_in(self, evening: Evening) -> None:
        page = evening.open(path="?lang=de")

        for said, expected in SAID:
            assert expected in self.worded(page, said), said

    def test_words_nobody_has_translated_are_left_as_they_are(self, evening: Evening) -> None:
        page = evening.open(path="?lang=fr")

        assert self.worded(page, "A sentence of a newer table.") == "A sentence of a newer table."

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
