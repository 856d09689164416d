"""What a phone says of a press stands where nothing is to be read or tapped next."""

from typing import Any

import pytest

from tests.pages.browser import BROWSER_NEEDED, TWO_FRAMES
from tests.pages.home import Home, home, picture, tap

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

COVERED = """() => {
  const said = document.getElementById("said").getBoundingClientRect();
  const over = (box) => box.left < said.right && box.right > said.left
    && box.top < said.bottom && box.bottom > said.top;
  return [...document.querySelectorAll("#scores > *, #news, #panel *, #bar *")]
    .filter((node) => node.getClientRects().length && over(node.getBoundingClientRect()))
    .map((node) => node.textContent);
}"""


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (844, 390)], ids=str)
def test_it_covers_nothing_that_is_read_or_tapped(home: Home, size: tuple[int, int]) -> None:
    page = home.everybody(size=size)
    tap(page, "die-6")
    page.get_by_text("Done.").wait_for()
    page.wait_for_selector(".tower-board")
    picture(page, f"said-done-{size[0]}")

    assert page.evaluate(COVERED) == []
    say_and_look(page, "said-refused")
    assert page.evaluate(COVERED) == []
    assert page.complaints == []


def say_and_look(page: Any, name: str) -> None:
    """What is said when somebody else was quicker."""
    page.evaluate(
        """async () => {
        const { say } = await import("/static/strings.js"), said = document.getElementById("said");
        said.className = "said bad";
        said.textContent = say("err_stale-rev");
    }"""
    )
    page.evaluate(TWO_FRAMES)
    picture(page, f"{name}-{page.viewport_size['width']}")
