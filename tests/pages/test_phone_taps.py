"""How many taps the commonest acts take on a phone, in the real page at a real table."""

from pathlib import Path
from typing import Any

import pytest

from tests.pages.browser import BROWSER_NEEDED
from tests.pages.home import EVERYBODY, Home, home, panel, start, tap, until
from tests.pages.running import HALF_SURE
from tests.pages.test_phone_games import WILD

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

RESULTS = Path(__file__).parents[2] / "docs" / "results.md"

TAPS = {
    "topple": {
        "start again with the same people": 1,
        "say what was rolled": 1,
        "say where a piece lies that the table has not seen": 1,
        "pass": 1,
        "undo": 1,
        "answer a question": 1,
        "say who made it fall, though the table believes it knows": 2,
        "say that the board is clear": 1,
        "move a piece to the right cell": 3,
        "say whose turn it is": 2,
    },
    "topolo": {"place a piece of the size of before": 1, "of another size": 2},
    "triple-topper-toe": {"draw": 1, "play a card": 1, "discard two cards": 3},
    "topominos": {"place a piece": 3, "end the turn": 1, "pass": 1},
}
"""Game -> act -> taps. Each is the least: what has to be chosen is tapped once, and what would take
the place of a commoner act (a dialog that is rarely needed) is opened by one tap more."""


class Finger:
    """Taps on a phone, and counts them."""

    def __init__(self, home: Home, phone: Any) -> None:
        self._home, self._phone = home, phone
        self.counted: dict[str, int] = {}

    def does(self, act: str, *names: str) -> None:
        """Tap these buttons; the table has done it and the phone shows it when this returns."""
        rev = self._home.table.board.rev
        for name in names:
            tap(self._phone, name)
        until(self._phone, lambda: self._home.table.board.rev > rev)
        self.settle()
        self.counted[act] = len(names)

    def settle(self) -> None:
        """Until the phone shows what the table has."""
        rev = self._home.table.board.rev
        self._phone.wait_for_selector(f"body[data-rev='{rev}']:not(.busy):not(.asleep)")


def begun(home: Home, game: str, seat: str = EVERYBODY) -> tuple[Any, Finger]:
    phone = home.joined()
    start(phone, game)
    panel(phone, "seat")
    tap(phone, home.table.board.turn.player if seat == "turn" else seat)
    return phone, Finger(home, phone)


def test_topple(home: Home) -> None:
    phone, finger = begun(home, "topple")
    finger.does("say what was rolled", "die-6")
    finger.does("undo", "undo")
    tap(phone, "die-6")
    phone.wait_for_selector("button[data-cell=c3]")
    finger.does("say where a piece lies that the table has not seen", "c3")
    tap(phone, "die-6")
    phone.wait_for_selector("button[data-cell=c4]")
    finger.does("pass", "Pass")
    finger.does("move a piece to the right cell", "fix", "c3", "b3")
    other = next(p.name for p in home.table.board.players if p.name != home.table.board.turn.player)
    finger.does("say whose turn it is", "fix", f"turn-{other}")
    tap(phone, "die-6")
    phone.wait_for_selector("button[data-cell=c4]")
    home.table.place("c4", 0.74, HALF_SURE)
    panel(phone, "question")
    finger.settle()
    finger.does("answer a question", "c4")
    tap(phone, "die-6")
    phone.wait_for_selector("button[data-cell=c4]")
    home.table.topple(sure=0.9)
    phone.wait_for_selector("[data-name=doubt]")
    finger.settle()
    board = home.table.board
    innocent = next(p.name for p in board.players if p.name != board.last.player)
    finger.does("say who made it fall, though the table believes it knows", "doubt", innocent)
    finger.does("say that the board is clear", "The board is clear")
    for name in ("more", "End the game", "Yes, end it"):
        tap(phone, name)
    until(phone, lambda: home.table.board.phase == "over")
    finger.settle()
    finger.does("start again with the same people", "rematch")

    assert finger.counted == TAPS["topple"]


def test_topolo(home: Home) -> None:
    _, finger = begun(home, "topolo")
    finger.does("place a piece of the size of before", "c3")
    finger.does("of another size", "size-S", "e5")

    assert finger.counted == TAPS["topolo"]


def test_triple_topper_toe(home: Home) -> None:
    first, finger = begun(home, "triple-topper-toe", "Ann")
    other = home.joined(seat="Bob")
    first.wait_for_selector("button.card")
    finger.does("draw", "draw")
    first.get_by_text("Choose a card to play").wait_for()
    named = min(hand(home, 0), key=lambda card: any(sign in card for sign in WILD))
    finger.does("play a card", named)
    other.wait_for_selector("[data-name=draw]")
    theirs = Finger(home, other)
    theirs.does("discard two cards", *hand(home, 1)[:2], "discard")

    assert finger.counted | theirs.counted == TAPS["triple-topper-toe"]


def hand(home: Home, seat: int) -> list[str]:
    return sorted(home.table.pipeline.state.position.game_state.hands[seat])


def test_topominos(home: Home) -> None:
    first, finger = begun(home, "topominos", "turn")
    player = home.table.board.turn.player
    other = home.joined(seat=next(p.name for p in home.table.board.players if p.name != player))
    first.wait_for_selector(".rack .tile")
    # One that lies in the middle in several ways, as most do.
    legal = home.table.pipeline.state.position
    places = [one for one in legal.rules.legal_actions(legal.game_state) if one["type"] == "place"]
    ways = [one["piece"] for one in places if one["compartment"] == 5]
    piece = next((one for one in ways if ways.count(one) > 1), None)
    if piece is None:
        pytest.skip("no piece of this rack can be turned")
    finger.does("place a piece", f"piece-{piece}", "compartment-5", "way-0")
    finger.does("end the turn", "end")
    theirs = Finger(home, other)
    theirs.settle()
    theirs.does("pass", "pass")

    assert finger.counted | theirs.counted == TAPS["topominos"]


def test_the_counts_are_told_with_the_other_results() -> None:
    told = RESULTS.read_text(encoding="utf-8")
    for game, acts in TAPS.items():
        for act, taps in acts.items():
            assert f"| {act} | {taps} |" in told, (game, act)
