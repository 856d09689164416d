"""What the weight of a piece says, on the scoreboard: a piece of the wrong colour is shown."""

import msgspec
import pytest

from engine.public_events import LastShown
from engine.scoreboard import OptionShown, PieceShown, QuestionShown, Scoreboard
from tests.pages.browser import BROWSER_NEEDED, Evening, keep_pictures, wait_for_rev
from tests.pages.scenes import scene

pytestmark = BROWSER_NEEDED


def strange() -> Scoreboard:
    """The piece placed last weighs like one of the other player's."""
    shown = scene(2)
    own, other = (player.colours[0] for player in shown.players)
    piece = PieceShown(own, 40, "provisional", 4.5, 0.02, other)
    last = LastShown(
        type="placed", player=shown.players[0].name, colour=own, cell="c3", points=3,
        status="provisional", confidence=0.99, ref=40, mass_g=4.5, colour_p=0.02, weighs=other,
    )  # fmt: skip
    board = {**shown.board, "c3": (*shown.board.get("c3", ()), piece)}
    return msgspec.structs.replace(shown, board=board, last=last)


CUT = """
() => [...document.querySelectorAll(".ticker .what, .ticker .wrong")]
  .filter((node) => node.scrollWidth > node.clientWidth || node.scrollHeight > innerHeight / 8)
  .map((node) => node.textContent)
"""


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "weighs like one of"), ("de", "wiegt wie ein Stein von"), ("fr", "son poids dit")],
)
def test_a_piece_of_the_wrong_colour_is_shown_and_said(
    evening: Evening, lang: str, words: str
) -> None:
    evening.show(strange(), f"strange-{lang}")
    page = evening.open(path=f"t/strange-{lang}?lang={lang}")
    wait_for_rev(page, 40)

    assert words in page.locator("#ticker").inner_text()
    assert page.locator(".piece.wrong").count() == 1
    for picture in keep_pictures(page, f"strange-{lang}"):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(CUT) == [], picture.name
    assert page.complaints == []


def asked() -> Scoreboard:
    """The table asks whether it is one."""
    shown = strange()
    name, own = shown.players[0].name, shown.players[0].colours[0]
    other = shown.players[1].colours[0]
    options = (
        OptionShown(other, f"Yes, {other}", 0.98),
        OptionShown(own, f"No, {own}", 0.02),
        OptionShown("unknown", "I do not know"),
    )
    text = f"Did {name} place a {other} piece?"
    asks = QuestionShown("colour-40", "colour", text, options, 40, name, 5, "c3")
    return msgspec.structs.replace(shown, pending=asks)


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ("place a blue piece?", "Yes, blue", "No, red", "I do not know")),
        ("de", ("in anderer Farbe gelegt (blau)?", "Ja, blau", "Nein, rot", "Weiß")),
        ("fr", ("autre couleur (bleu)", "Oui, bleu", "Non, rouge", "sais pas")),
    ],
)
def test_whether_a_piece_is_anothers_is_asked_in_words(
    evening: Evening, lang: str, words: tuple[str, ...]
) -> None:
    page = evening.shown(asked(), f"asked-{lang}", path=f"t/asked-{lang}?lang={lang}")

    ticker = page.locator("#ticker").inner_text()
    assert [word for word in words if word not in ticker] == []
    assert page.complaints == []
    usual = evening.shown(scene(2), "usual")
    assert usual.locator(".piece.wrong").count() == 0
