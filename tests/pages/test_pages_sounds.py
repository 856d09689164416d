"""Sounds of one's own in the place of the tones: dropped in, kept by the browser, taken away."""

import io
import math
import struct
import wave
from pathlib import Path
from typing import Any

import pytest

from pages.files import languages
from tests.pages.browser import (
    BROWSER_NEEDED,
    Evening,
    axe_findings,
    keep_pictures,
    wait_for_rev,
    wait_until,
)
from tests.pages.scenes import over, scene, toppled

pytestmark = BROWSER_NEEDED

RATE_HZ = 8000
PLAYED = """() => {
    window.played = [];
    const start = AudioBufferSourceNode.prototype.start;
    AudioBufferSourceNode.prototype.start = function (...at) {
        window.played.push(this.buffer.duration);
        return start.apply(this, at);
    };
}"""


def beep(seconds: float) -> bytes:
    """A sound file."""
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        for n in range(round(seconds * RATE_HZ)):
            file.writeframes(struct.pack("<h", round(9000 * math.sin(n / 5))))
    return made.getvalue()


def opened(evening: Evening, lang: str = "en") -> Any:
    page = evening.open(path=f"sounds?lang={lang}")
    page.wait_for_selector("body[data-ready]")
    return page


def give(page: Any, folder: Path, **files: bytes) -> None:
    paths = []
    for name, content in files.items():
        path = folder / f"{name}.wav"
        path.write_bytes(content)
        paths.append(str(path))
    page.set_input_files("#files", paths)
    wait_until(page, "document.querySelector('#said').textContent !== ''")


def test_own_sounds_are_played_in_the_place_of_the_tones(evening: Evening, tmp_path: Path) -> None:
    page = opened(evening)
    give(page, tmp_path, topple=beep(0.75), won=beep(0.5))
    assert page.locator("#said").inner_text() == "Kept: topple and won."
    evening.show(scene(2, rev=39, seq=39), "own-sounds")
    page.goto(f"{evening.server.url}t/own-sounds")
    page.evaluate(PLAYED)
    wait_for_rev(page, 39)
    page.click("#sound")
    # The page reads its sounds when it has been drawn already; who asks for one waits for them.
    page.evaluate("import('/static/sound.js').then((sound) => sound.playNow('topple'))")
    page.evaluate("window.played = []")
    evening.show(toppled(), "own-sounds")
    wait_for_rev(page, 42)
    wait_until(page, "window.played.length > 0")

    assert page.evaluate("window.played") == [pytest.approx(0.75, abs=0.01)]
    assert page.complaints == []


def test_a_game_that_is_won_has_a_sound(evening: Evening) -> None:
    board = over(2)
    page = evening.shown(scene(2, game=board.game, boot=board.boot, rev=0, seq=0), "won-sound")
    page.click("#sound")
    evening.show(board, "won-sound")
    wait_for_rev(page, board.rev)

    assert page.evaluate("document.body.dataset.sounded") == "won"


def test_what_is_no_sound_or_has_no_name_of_ours_is_refused_by_name(
    evening: Evening, tmp_path: Path
) -> None:
    page = opened(evening)
    give(page, tmp_path, topple=b"not a sound", bang=beep(0.1), placed=beep(0.1))
    said = page.locator("#said").inner_text()

    assert said.startswith("Kept: placed.")
    assert "topple.wav" in said
    assert "bang.wav" in said
    assert page.locator("li[data-own=true]").all_inner_texts()[0].startswith("placed")


def test_they_can_be_heard_and_taken_away(evening: Evening, tmp_path: Path) -> None:
    page = opened(evening)
    page.evaluate(PLAYED)
    give(page, tmp_path, asked=beep(0.25))
    page.locator("li[data-own=true] button").click()
    wait_until(page, "window.played.length === 1")
    page.click("#forget")
    wait_until(page, "document.querySelector('#said').textContent === 'These are the tones again.'")

    assert page.locator("li[data-own=true]").count() == 0
    assert page.locator("#forget").is_hidden()


@pytest.mark.parametrize("lang", languages())
def test_the_page_fits_and_has_no_finding(evening: Evening, lang: str) -> None:
    page = opened(evening, lang)
    for _ in keep_pictures(page, f"sounds-{lang}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    assert axe_findings(page) == []
    assert page.complaints == []
