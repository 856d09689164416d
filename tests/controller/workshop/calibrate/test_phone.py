"""The calibration on a phone: over HTTP through the real server, and in a browser."""

import io
import re
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import pytest

from controller.workshop.calibrate import command as calibrate
from controller.workshop.calibrate.core import result
from controller.workshop.calibrate.core.wizard import Wizard
from controller.workshop.calibrate.phone import AGAIN, Page
from controller.workshop.calibrate.screen import Screen
from controller.workshop.keys import Keys
from controller.workshop.pace import Pace
from tests.controller.workshop.led import Led, eventually
from tests.pages.browser import BROWSER_NEEDED, PICTURES, opened


def calibration(monkeypatch: pytest.MonkeyPatch, file: Path, hold: str) -> Led:
    """`topple-table calibrate --simulated --phone`."""

    def command(out: TextIO) -> int:
        return calibrate.run(None, seed=3, speed=1.0, to=file, phone=True, phone_port=0, out=out)

    page = Page()
    led = Led(command, page.prompts, hold)
    monkeypatch.setattr(calibrate, "Page", lambda: page)
    monkeypatch.setattr(calibrate, "Pace", partial(Pace, pause=led.pause))
    return led


@pytest.mark.slow
def test_a_phone_leads_through_it_repeats_a_part_and_hears_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "calibration.json"
    with calibration(monkeypatch, file, hold="Down at the back") as led:
        prompt = led.held()
        assert led.press("again", prompt["number"]) == 200
        assert led.press("again", prompt["number"]) == 409
        led.go.set()
        verdict = led.last()

    assert prompt["progress"] == "Step 9 of 16: Down at the back"
    assert "Press the board down" in prompt["words"]
    assert re.fullmatch(r"Down at the right: Tilted by \d+ degrees\.", prompt["seen"])
    assert prompt["tone"] in {"waiting", "measuring"}
    assert [button["name"] for button in prompt["buttons"]] == ["again", "stop"]
    told = led.out.getvalue()
    assert told.count("again: Down at the right") == 1
    assert told.count("✓ Down at the right") == 2
    assert verdict["words"].startswith("The calibration is good")
    assert verdict["tone"] == "good"
    assert "count the wrong way round" in verdict["noticed"]
    assert "Saved: calibration.json" in verdict["noticed"]
    assert str(tmp_path) not in verdict["noticed"]
    assert ["mass of a piece", "good"] in [[row[0], row[-1]] for row in verdict["figures"]]
    assert led.code == 0
    assert file.exists()


def test_a_stop_on_the_phone_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "calibration.json"
    with calibration(monkeypatch, file, hold="Weight front left") as led:
        assert led.press("stop", led.held()["number"]) == 200
        led.go.set()
        last = led.last()

    assert last["words"].startswith("Stopped on the phone. Nothing was saved")
    assert led.code == 1
    assert "Stopped on the phone" in led.out.getvalue()
    assert not file.exists()


@pytest.mark.slow
def test_a_refusal_says_on_the_phone_why_and_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result, "FRICTION_DEG", result.Limit(0.001, 0.002))
    file = tmp_path / "calibration.json"
    with calibration(monkeypatch, file, hold="Sensor check") as led:
        led.held()
        led.go.set()
        last = led.last()

    assert last["tone"] == "refused"
    assert "cannot be good and is not saved" in last["words"]
    assert "pivot" in last["words"]
    assert "Nothing was saved" in last["noticed"]
    assert led.code == 1
    assert not file.exists()


class BothAtOnce(Keys):
    """Somebody presses `r` at the very moment somebody else presses Again."""

    def __init__(self, page: Page) -> None:
        super().__init__(None)
        self._page, self._pressed = page, False

    def pressed(self) -> str:
        now = self._page.prompts.now
        if self._pressed or "Free swing" not in now.progress:
            return ""
        self._pressed = self._page.prompts.press(now.number, AGAIN)
        return "r"


@pytest.mark.slow
def test_terminal_and_phone_at_once_repeat_once() -> None:
    out, page, references = io.StringIO(), Page(), calibrate.reference_masses((), ())
    table = calibrate.bench(None, references, seed=3)
    with Screen(out) as screen:
        calibrate.lead(
            Wizard(table.start, references),
            table,
            Pace(live=False),
            screen,
            page,
            keys=BothAtOnce(page),
        )

    assert out.getvalue().count("again: ") == 1


@pytest.mark.slow
class TestInABrowser:
    pytestmark = BROWSER_NEEDED

    def test_a_thumb_repeats_a_part_and_the_verdict_is_there_at_the_end(
        self, chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        led = calibration(monkeypatch, tmp_path / "c.json", hold="Down at the back")
        with (
            led,
            opened(
                chromium,
                f"http://127.0.0.1:{led.port}/#{led.key}",
                viewport={"width": 390, "height": 844},
            ) as page,
        ):
            page.get_by_text("Step 9 of 16").wait_for()
            page.screenshot(path=str(PICTURES / "calibrate-step.png"))
            page.get_by_role("button", name="Again").click()
            eventually(lambda: led.prompts.pressed)
            led.go.set()
            page.get_by_text("The calibration is good").wait_for()
            page.get_by_text("friction of the pivot").wait_for()
            page.screenshot(path=str(PICTURES / "calibrate-verdict.png"), full_page=True)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert page.get_by_role("button").count() == 0

        assert wide <= 390
        assert led.code == 0
        assert led.out.getvalue().count("again: Down at the right") == 1
