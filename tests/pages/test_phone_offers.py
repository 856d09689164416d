"""What a phone offers is taken: every dialog of every game, each of its buttons pressed once.

The page is real, and so is the table; only the commands that would change the game go to a copy of
the table instead, so that the same dialog stands for the next button.
"""

import json
import random
from functools import partial
from typing import Any

import pytest

from controller.table.commands import DESK
from controller.table.pipeline import Pipeline
from engine.events import HumanInput
from tests.controller.conftest import wait_until
from tests.controller.scripted import ScriptedDetector
from tests.pages.browser import BROWSER_NEEDED, TWO_FRAMES
from tests.pages.home import EVERYBODY, Home, home, shown_rev, start, tap, until
from tests.pages.running import HALF_SURE
from tests.pages.test_phone_dialogs import command

# A walk takes half a minute, in Topominos and Triple Topper Toe many.
pytestmark = [*BROWSER_NEEDED, pytest.mark.soak]
__all__ = ["home"]  # a fixture

DEEPEST = 3
"""Taps to the last dialog of each game."""

ELSEWHERE = ("Invite a phone", "commentator", "Leave the table", "language-", "back")
"""Ends the phone's visit, or is none of the referee's business."""


class Copy:
    """Takes the commands of a page; whether the table would obey them is kept."""

    def __init__(self, home: Home, page: Any) -> None:
        self._home = home
        self.heard: list[tuple[dict[str, Any], str | None]] = []
        page.route("**/play/do", self._hear)

    def _hear(self, route: Any) -> None:
        said = json.loads(route.request.post_data)
        if said["verb"] in DESK:
            route.continue_()
            return
        self.heard.append((said, self._objection(said)))
        route.fulfill(json={"ok": False, "code": "busy"})

    def _objection(self, said: dict[str, Any]) -> str | None:
        state = self._home.table.pipeline.state
        table = Pipeline(ScriptedDetector(), state, chance=random.Random(3).random)
        later_s = max(move.t_s for move in state.ledger) + 60.0
        refused = table.say(HumanInput(later_s, said["verb"], said["data"]))[-1].refused
        return None if refused is None else f"{refused.code}: {refused.message}"


class Walk:
    """Through all dialogs that can be reached from a page."""

    def __init__(self, page: Any, copy: Copy) -> None:
        self.page, self.copy = page, copy
        self.panels: set[str] = set()
        self._asking = 0
        for event, more in (("request", 1), ("requestfinished", -1), ("requestfailed", -1)):
            page.on(event, partial(self._count, more))

    def _count(self, more: int, request: Any) -> None:
        self._asking += more * ("/play/" in request.url)

    def everywhere(self) -> None:
        ways: list[tuple[int, ...]] = [()]
        seen = set()
        while ways:
            way = ways.pop(0)
            self._go(way)
            dialog = self._dialog(bar=not way)
            if dialog in seen or dialog[0] == "seat":  # who somebody is the server knows
                continue
            seen.add(dialog)
            self.panels.add(dialog[0])
            opens = self._press_all(way, dialog)
            ways += [(*way, index) for index in opens if len(way) < DEEPEST]

    def _go(self, way: tuple[int, ...]) -> None:
        rev = shown_rev(self.page)
        self._asking = 0
        self.page.reload()
        until(self.page, lambda: shown_rev(self.page) >= rev)
        self.page.wait_for_selector("#panel:not([data-panel=wait]) button")
        self._settled()
        if self._dialog(bar=False)[0] == "seat":  # a page that speaks for all is asked anew
            tap(self.page, EVERYBODY)
            self.page.wait_for_selector("#panel:not([data-panel=seat]) button")
        for index in way:
            self._click(index)

    def _press_all(self, way: tuple[int, ...], dialog: tuple[str, ...]) -> list[int]:
        opens = []
        for index, button in enumerate(dialog[1:]):
            if button.startswith(("-", *ELSEWHERE)):
                continue
            self._click(index)
            if self._dialog(bar=not way) != dialog:
                opens.append(index)
                self.page.evaluate(BACK)
                if self._dialog(bar=not way) != dialog:
                    self._go(way)
        return opens

    def _click(self, index: int) -> None:
        before = len(self.copy.heard)
        self.page.evaluate(CLICK, index)
        self._settled()
        assert len(self.copy.heard) <= before + 1

    def _settled(self) -> None:
        """Nothing is on its way, and whatever a dialog asks of the table has come."""
        self.page.evaluate(TWO_FRAMES)
        until(self.page, lambda: self._asking <= 0)
        self.page.evaluate(TWO_FRAMES)

    def _dialog(self, *, bar: bool) -> tuple[str, ...]:
        """Its name and its buttons; those of the bar are the same below every dialog."""
        return tuple(self.page.evaluate(DIALOG, BUTTONS if bar else "#panel button"))


BUTTONS = "#panel button, #bar button"
CLICK = f"(index) => document.querySelectorAll('{BUTTONS}')[index].click()"
BACK = "() => document.querySelector('#panel [data-name=back]')?.click()"
DIALOG = """(buttons) => [document.getElementById('panel').dataset.panel,
    ...Array.from(document.querySelectorAll(buttons), (button) =>
    (button.getAttribute('aria-disabled') === 'true' ? '-' : '') + button.dataset.name +
    (button.getAttribute('aria-pressed') === 'true' ? '+' : ''))]"""


def topple(home: Home, steps: str, **opening: Any) -> None:
    """A game of Topple: dice as numbers, pieces as cells."""
    one = [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]
    command(home, "start", **{"players": one, "first": 0, **opening})
    for step in steps.split():
        rev = home.table.board.rev
        if step.isdigit():
            command(home, "roll", value=int(step))
        elif step == "toppled":
            home.table.topple("bump", 0.6)
        else:
            home.table.place(*((step[1:], 0.74, HALF_SURE) if step[0] == "?" else (step,)))
        _told(home, rev)


def _told(home: Home, rev: int) -> None:
    wait_until(lambda: home.table.board.rev > rev, "the table")


TWO = [{"name": "Ann", "colours": ["red", "green"]}, {"name": "Bob", "colours": ["blue", "pink"]}]
GAMES_OF_TOPPLE: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "a roll": ("3 c1 2 c2", {}, {"turn", "fix", "fix-piece", "fall", "more", "end"}),
    "a piece": ("3 c1 3 c1 2", {}, {"turn", "fix", "fix-stack", "fix-piece", "fall"}),
    "two colours": ("6 c1 6", {"players": TWO}, {"turn", "fix-piece"}),
    "no die": ("c1 c2", {"options": {"dice": "untold"}}, {"turn", "fix-piece", "fall"}),
    "a question": ("6 c1 6 ?b3", {}, {"question", "fix-piece"}),
    "a fall": ("6 c1 6 c1 4 toppled", {}, {"turn", "fix", "fall"}),
}


@pytest.mark.parametrize("name", GAMES_OF_TOPPLE)
def test_everything_that_a_phone_offers_in_topple_is_taken(home: Home, name: str) -> None:
    steps, opening, panels = GAMES_OF_TOPPLE[name]
    topple(home, steps, **opening)
    page = home.joined(EVERYBODY)
    copy = Copy(home, page)
    walk = Walk(page, copy)
    walk.everywhere()

    assert panels <= walk.panels
    assert len(copy.heard) >= 10
    assert [(said["verb"], said["data"], why) for said, why in copy.heard if why] == []
    assert page.complaints == []


@pytest.mark.parametrize("game", ["topolo", "topominos", "triple-topper-toe"])
def test_everything_that_a_phone_offers_in_a_game_by_hand_is_taken(home: Home, game: str) -> None:
    first = home.joined()
    start(first, game)
    until(first, lambda: home.table.board.kind == game)
    tap(first, home.table.board.turn.player)
    first.wait_for_selector("[data-panel=hand]")
    copy = Copy(home, first)
    walk = Walk(first, copy)
    walk.everywhere()

    assert {"hand", "more", "end"} <= walk.panels
    assert {said["verb"] for said, _ in copy.heard} >= {"action", "end"}
    assert [(said["verb"], said["data"], why) for said, why in copy.heard if why] == []
