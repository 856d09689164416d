"""A whole evening in one go: a television, two phones in two languages, everything that happens.

Mosquitto with its roles, the running table, the scoreboard, Debian's Chromium; only what the
sensors see is told by the test. After each step all pages must show what the table has.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from engine.games.topple.hints import topple_hints
from tests.pages.browser import BROWSER_NEEDED, PICTURES
from tests.pages.home import Home, home, panel, start_topple, tap, until
from tests.pages.scenes import film_of

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

TARGET = 40
MOST_TURNS = 60
MINUS = "\N{MINUS SIGN}"


class Family:
    """Ann and Bob with their phones, and the television."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.tv = home.page((1280, 720))
        self.tv.goto(home.server.screen_url("t1"))
        self.tv.locator("#invite-card:not([hidden]) .invite-pin").wait_for()
        self.ann = home.joined()
        self.bob: Any = None

    @property
    def pages(self) -> dict[str, Any]:
        return {"Ann": self.ann, "Bob": self.bob}

    @property
    def board(self) -> Any:
        return self.home.table.board

    def begin(self) -> None:
        tap(self.ann, str(TARGET))
        start_topple(self.ann)
        tap(self.ann, "Ann")
        self.bob = self.home.joined("Bob", lang="de-DE", scheme="light")

    def agree(self) -> None:
        """All three pages have come to what the table has, and show it."""
        until(self.tv, lambda: all(self._shown(page) for page in (self.tv, self.ann, self.bob)))
        scores = [str(player.score).replace("-", MINUS) for player in self.board.players]
        phones = (self.ann, self.bob)
        until(self.tv, lambda: all(_scores_on(phone) == scores for phone in phones))

    def _shown(self, page: Any) -> bool:
        return page.locator("body").get_attribute("data-rev") == str(self.board.rev)

    def press(self, name: str) -> None:
        """Ann presses a button that changes the game."""
        rev = self.board.rev
        tap(self.ann, name)
        until(self.tv, lambda: self.board.rev > rev)
        self.agree()

    def turn(self, choose: Callable[[], str | None]) -> None:
        """Whoever is to play rolls on the own phone; the sensors see the piece, or it is a pass."""
        player = self.board.turn.player
        tap(self.pages[player], "die-6")
        until(self.tv, lambda: self.board.phase == "act")
        cell = choose()
        rev = self.board.rev
        if cell is None:
            tap(self.pages[player], "Passen" if player == "Bob" else "Pass")
        else:
            self.home.table.place(cell)
        until(self.tv, lambda: self.board.rev > rev and self.board.phase == "roll")
        self.agree()

    def best(self) -> str | None:
        """Where most points are, for Ann; Bob passes."""
        if self.board.turn.player == "Bob":
            return None
        hints = topple_hints(self.home.table.pipeline.state.position.game_state)
        return max(hints, key=lambda hint: hint.points).cell if hints else None

    def score(self, name: str) -> int:
        return next(int(one.score) for one in self.board.players if one.name == name)


def _scores_on(phone: Any) -> list[str]:
    found: list[str] = phone.locator("#scores b").all_inner_texts()
    return found


def test_from_the_first_pin_to_the_picture_to_take_home(home: Home) -> None:
    family = Family(home)
    family.begin()
    family.agree()
    for _ in range(4):
        family.turn(family.best)
    the_table_asks_and_somebody_presses_undo(family)
    for _ in range(MOST_TURNS):
        if family.score("Ann") >= TARGET and family.board.turn.player == "Bob":
            break
        family.turn(family.best)
    assert family.score("Ann") >= TARGET

    the_plug_is_pulled(family)
    bob_fells_the_tower(family)
    bob_looks_at_the_evening(family)
    bob_goes_through_the_game_and_sends_it_home(family)
    they_play_once_more(family)
    assert family.tv.complaints == family.ann.complaints == family.bob.complaints == []


def the_table_asks_and_somebody_presses_undo(family: Family) -> None:
    tap(family.pages[family.board.turn.player], "die-6")
    until(family.tv, lambda: family.board.phase == "act")
    family.home.table.place("b2", 0.74, (("b3", 0.2),))
    panel(family.ann, "question")
    panel(family.bob, "question")
    family.bob.locator("[data-cell=b3]").click()
    until(family.tv, lambda: family.board.pending is None)
    family.agree()
    assert [piece.status for piece in family.board.board["b3"]][-1] == "confirmed"

    for press in ("undo", "redo"):
        family.press(press)


def the_plug_is_pulled(family: Family) -> None:
    scores = [player.score for player in family.board.players]
    family.home.restart(family.ann, family.bob)
    until(family.tv, lambda: family.board.phase == "roll")

    assert [player.score for player in family.board.players] == scores
    family.agree()


def bob_fells_the_tower(family: Family) -> None:
    tap(family.bob, "die-6")
    until(family.tv, lambda: family.board.phase == "act")
    family.home.table.topple()
    until(family.tv, lambda: family.board.phase == "over")
    film = msgspec.structs.replace(film_of(family.board), seq=the_fall(family))
    family.home.table.film(film)
    family.agree()
    family.tv.locator("#to-film:not([hidden])").wait_for()
    family.tv.get_by_text("Ann wins!").first.wait_for()
    family.tv.screenshot(path=PICTURES / "whole-evening-tv.png")

    assert family.board.winners == ("Ann",)


def the_fall(family: Family) -> int:
    """Number of the event."""
    (seq,) = family.home.table.live._shelf._falls.values()
    return int(seq)


def bob_goes_through_the_game_and_sends_it_home(family: Family) -> None:
    """Also what was asked before the plug was pulled, and the film of the fall."""
    bob = family.bob
    bob.click("#to-game")
    bob.wait_for_selector("body.game-page[data-ready]")
    signs = bob.locator("#moves .signs").all_inner_texts()
    (asked,) = [at for at, sign in enumerate(signs) if "?" in sign]
    bob.evaluate(f"location.hash = '#{asked}'")
    assert "b3" in bob.locator("#remarks .asked").inner_text()
    bob.evaluate(f"location.hash = '#{len(signs) - 1}'")
    bob.locator("#remarks button[name=film]").wait_for()
    with bob.expect_download() as kept:
        bob.click("#keep")
    bob.screenshot(path=PICTURES / "whole-evening-game.png", full_page=True)

    page = kept.value.path().read_text()
    assert '"steepest_deg"' in page.partition('id="kept">')[2]
    bob.goto(bob.url.partition("/game")[0] + "/past")
    bob.wait_for_selector("body.past[data-ready]")
    assert bob.locator(".list li").count() == 1
    assert bob.locator("button.forget").count() >= 1


def bob_looks_at_the_evening(family: Family) -> None:
    bob = family.bob
    bob.goto(bob.url.replace("/play", "/evening"))
    bob.wait_for_selector("#share:not([hidden])")
    with bob.expect_download() as picture:
        bob.click("button[name=save]")
    bob.screenshot(path=PICTURES / "whole-evening-phone.png", full_page=True)

    assert bob.locator("#game h2").inner_text() == "Ann gewinnt!"
    assert bob.locator("#players tbody tr").count() == 2
    assert picture.value.path().stat().st_size > 10_000


def they_play_once_more(family: Family) -> None:
    family.bob.goto(family.ann.url)
    tap(family.ann, "Start")
    until(family.tv, lambda: family.board.phase == "roll")
    family.agree()

    assert [player.score for player in family.board.players] == [0, 0]
