"""What a phone offers for the next game: as the last one was."""

from typing import Any

import msgspec
import pytest

from tests.pages.acting import Acting, screen, wall
from tests.pages.browser import BROWSER_NEEDED, PICTURES
from tests.pages.scenes import over, scene

pytestmark = BROWSER_NEEDED
__all__ = ["screen", "wall"]  # fixtures


def marked(page: Any) -> tuple[list[str], list[str]]:
    """The points that are offered, and those of them that are marked."""
    page.locator("[data-panel=start] .targets").wait_for()
    offered = page.locator(".targets button").all_inner_texts()
    return offered, page.locator(".targets button[aria-pressed=true]").all_inner_texts()


def after(target: int | None, *, two: bool = False) -> Any:
    """A game to so many points is over."""
    board = over(2)
    worn = (("red", "green"), ("blue", "yellow"))
    people = (
        msgspec.structs.replace(player, colours=colours)
        for player, colours in zip(board.players, worn, strict=True)
    )
    players = tuple(people) if two else board.players
    return msgspec.structs.replace(board, target=target, players=players)


@pytest.mark.parametrize(
    ("target", "offered", "chosen"),
    [
        (100, ["40", "70", "100", "150", "∞"], "100"),
        (60, ["40", "60", "70", "100", "150", "∞"], "60"),
        (5, ["5", "40", "70", "100", "150", "∞"], "5"),
        (None, ["40", "70", "100", "150", "∞"], "∞"),
    ],
)
def test_the_points_of_the_last_game_are_offered_and_marked(
    screen: Acting, target: int | None, offered: list[str], chosen: str
) -> None:
    page = screen.on_phone(after(target))
    assert marked(page) == (offered, [chosen])
    page.locator(".targets").scroll_into_view_if_needed()
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"start-after-{target}.png")
    page.locator(".targets [data-name='70']").click()
    page.locator(".targets [data-name='70'][aria-pressed=true]").wait_for()
    assert marked(page) == (offered, ["70"])
    page.locator(f".targets [data-name='{target or 'young'}']").click()
    page.locator("[data-name=Start]").click()

    verb, data = screen.heard()
    assert (verb, data["target"]) == ("start", target)
    assert page.complaints == []


def test_a_game_of_two_colours_each_is_offered_as_one(screen: Acting) -> None:
    page = screen.on_phone(after(100, two=True))
    marked(page)
    page.locator("[data-name=Start]").click()

    _, data = screen.heard()
    assert [player["colours"] for player in data["players"]] == [
        ["red", "green"],
        ["blue", "yellow"],
    ]
    assert page.locator("[data-name=two]").is_checked()


def test_after_another_game_the_usual_points_are_marked(screen: Acting) -> None:
    ended = msgspec.structs.replace(scene(2), kind="topolo", target=None, phase="over", turn=None)
    page = screen.on_phone(ended)
    page.locator("[data-panel=start] [data-name=topple]").click()

    assert marked(page)[1] == ["100"]
