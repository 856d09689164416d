"""The scoreboard on a television: what is written and drawn is large enough for three metres."""

from typing import Any

import msgspec
import pytest

from engine.games.registry import GAMES
from pages.files import languages
from tests.pages.browser import BROWSER_NEEDED, TWO_FRAMES, Evening, axe_findings, wait_for_rev
from tests.pages.scenes import SCENES, by_hand, scene

pytestmark = BROWSER_NEEDED

SMALLEST = 0.011
"""Of the screen's height, for capitals. A hundredth of a television of 1.0 m (40 inches) is 5 mm:
at 3 m six minutes of arc, just above the five of a letter that good eyes read."""

TEXTS = """() => {
  const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const capitals = document.createElement("canvas").getContext("2d");
  while (texts.nextNode()) {
    const node = texts.currentNode, place = node.parentElement, range = document.createRange();
    if (!node.data.trim() || place.closest(".only-heard") || !place.checkVisibility()) continue;
    range.selectNodeContents(node);
    if (!range.getBoundingClientRect().width) continue;
    const style = getComputedStyle(place), drawn = place.getScreenCTM?.();
    capitals.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const scale = drawn ? Math.hypot(drawn.c, drawn.d) : 1;
    const height = capitals.measureText("H").actualBoundingBoxAscent * scale / innerHeight;
    found.push([height, `${place.getAttribute("class") ?? place.id}: ${node.data.trim()}`]);
  }
  return found;
}"""

SIGNS = {".left ellipse": 0.011, ".history .end": 0.014, ".piece .top-mark": 0.011,
         ".legend-swatch": 0.02, ".note-mark": 0.02, ".pip.full": 0.02}  # fmt: skip
"""What is drawn and must be told apart, and its least height as a part of the screen's."""

HEIGHTS = """(signs) => Object.entries(signs).flatMap(([sign, least]) =>
  [...document.querySelectorAll(sign)].filter((node) => node.checkVisibility())
    .map((node) => [sign, node.getBoundingClientRect().height / innerHeight])
    .filter(([, height]) => height < least))"""


CONTRASTS = """() => [...document.querySelectorAll(".level-number")].map((node) => {
    const lit = (rgb) => rgb.map((c) => c / 255)
      .map((c) => (c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4))
      .reduce((sum, c, at) => sum + c * [.2126, .7152, .0722][at], 0);
    const colour = (of) => getComputedStyle(of).fill.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const wood = colour(node.parentNode.querySelector(".wood")), ink = colour(node);
    const part = Number(getComputedStyle(node).opacity);
    const seen = ink.map((c, at) => part * c + (1 - part) * wood[at]);
    return (lit(wood) + .05) / (lit(seen) + .05);
  })
"""


@pytest.mark.parametrize("lang", languages())
def test_words_figures_and_signs_are_large_enough(evening: Evening, lang: str) -> None:
    page = evening.open(path=f"t/tv-{lang}?lang={lang}", size="1920x1080")
    small: dict[str, Any] = {}
    for rev, (name, board) in enumerate(SCENES.items(), start=1):
        evening.show(msgspec.structs.replace(board, game=name, rev=rev, seq=rev), f"tv-{lang}")
        wait_for_rev(page, rev)
        page.evaluate(TWO_FRAMES)
        texts = page.evaluate(TEXTS)
        assert len(texts) > 5
        found = [(round(height, 4), text) for height, text in texts if height < SMALLEST]
        if found := found + page.evaluate(HEIGHTS, SIGNS):
            small[name] = found

    assert small == {}


def test_the_level_of_a_free_cell_stands_out_from_its_wood(evening: Evening) -> None:
    page = evening.shown(scene(2), "levels", size="1920x1080")
    contrasts = page.evaluate(CONTRASTS)

    assert len(contrasts) == 25
    assert min(contrasts) > 3  # of large text (WCAG 1.4.3)


UPRIGHT, ACROSS = ({"width": 800, "height": 1280}, {"width": 1280, "height": 800})
FOLDS = {
    "without a window": (
        lambda page: page.evaluate("document.documentElement.requestFullscreen()"),
        lambda page: page.evaluate("document.exitFullscreen()"),
    ),
    "upright": (
        lambda page: page.set_viewport_size(UPRIGHT),
        lambda page: page.set_viewport_size(ACROSS),
    ),
}


@pytest.mark.parametrize("how", FOLDS)
def test_links_stand_in_the_heading_and_in_a_menu_without_a_window_or_upright(
    evening: Evening, how: str
) -> None:
    fold, unfold = FOLDS[how]
    page = evening.shown(scene(2), "kiosk")
    menu, link = page.locator("#menu"), page.locator("#to-evening")
    assert (menu.is_visible(), link.is_visible()) == (False, True)

    fold(page)
    menu.wait_for()
    assert not link.is_visible()
    menu.click()
    assert link.is_visible()
    assert menu.get_attribute("aria-expanded") == "true"
    assert axe_findings(page) == []

    page.keyboard.press("Shift")
    assert link.is_visible()
    page.locator(".card").first.click()
    assert not link.is_visible()
    menu.click()
    page.locator("#theme").click()  # a second look is for another tap
    assert not link.is_visible()

    unfold(page)
    link.wait_for()
    assert not menu.is_visible()
    assert page.complaints == []


def counted(page: Any) -> list[str]:
    """What the heading says after the name of the game, and what each card says of its number."""
    return [*page.locator("#round").all_inner_texts(), *page.locator(".counted").all_inner_texts()]


def test_what_the_large_numbers_count_is_said(evening: Evening) -> None:
    said = {"topple": counted(evening.shown(scene(2), "points"))}
    for game in ("topolo", "triple-topper-toe", "topominos"):
        said[game] = counted(evening.shown(by_hand(game, 12), game))

    assert said == {
        "topolo": ["", "largest group", "largest group"],
        "triple-topper-toe": ["", "marks", "marks"],
        "topominos": ["Round 1 · points"],
        "topple": ["Round 2 · to 100 points"],
    }
    assert set(said) == set(GAMES)
