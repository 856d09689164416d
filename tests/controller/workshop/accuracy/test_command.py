"""The accuracy test on a phone: over HTTP through the real server, with a simulated owner."""

from functools import partial
from typing import TextIO

import pytest

from controller.workshop.accuracy import command as accuracy_session
from controller.workshop.pace import Pace
from pages.prompts.prompts import Prompts
from tests.controller.workshop.led import Led


def accuracy(monkeypatch: pytest.MonkeyPatch, hold: str) -> Led:
    """`topple-table accuracy-test --simulated --phone --n 5`."""

    def command(out: TextIO) -> int:
        return accuracy_session.run(None, count=5, seed=3, phone=True, phone_port=0, out=out)

    prompts = Prompts()
    led = Led(command, prompts, hold)
    slow = partial(Pace, speed=1.0, pause=led.pause)
    monkeypatch.setattr(accuracy_session, "Prompts", lambda: prompts)
    monkeypatch.setattr(accuracy_session, "Pace", slow)
    return led


def test_a_phone_is_asked_says_that_nothing_was_seen_and_hears_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with accuracy(monkeypatch, hold="1 laid") as led:
        prompt = led.held()
        assert led.press("missed", prompt["number"]) == 200
        led.go.set()
        verdict = led.last()

    assert prompt["words"].startswith("Lay a piece on ")
    assert "saw" in prompt["seen"]
    # Four of five agrees with at most 96 %: a person's word for nothing seen weighs as an error.
    assert "less than the table claims" in verdict["words"]
    assert verdict["tone"] == "refused"
    assert verdict["figures"][0][:2] == ["right cell, die known", "4/5"]
    assert led.code == 1
    assert led.out.getvalue().count("nothing seen") == 1
