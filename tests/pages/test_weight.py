"""What a page carries over the line until it stands, from the real server into the real browser."""

import pytest

from controller.mqtt import topics
from tests.pages.browser import BROWSER_NEEDED, Evening, opened, wait_until
from tests.pages.line import MOST_BYTES, Line
from tests.pages.scenes import SCENES

pytestmark = BROWSER_NEEDED

MOST_REQUESTS = 16
"""The page, its script and style, its stream, what it asks for, and its pictures; file by file the
lightest of these pages had 43."""

READY = {
    "": "document.querySelector('#tables a') !== null",
    "t/t1": "document.querySelectorAll('.card').length > 1",
    "t/t1/overlay": "document.querySelectorAll('.card').length > 1",
    "t/t1/play": "document.querySelector('[data-panel]') !== null",
    "t/t1/evening": "document.querySelector('#game').childElementCount > 0",
    "t/t1/game": "!document.querySelector('#none').hidden",
    "t/t1/past": "document.body.innerText.length > 20",
    "t/t1/health": "document.querySelectorAll('#check li').length > 0",
    "rules": "document.body.dataset.ready !== undefined",
    "sounds": "document.querySelectorAll('button').length > 2",
    "nowhere": "document.querySelector('h1').textContent.length > 5",
}
"""Page -> what is so when it stands."""


@pytest.mark.parametrize("locale", ["de-DE", "fr-FR"])
@pytest.mark.parametrize("path", READY)
def test_a_page_is_light_the_first_time_and_nearly_nothing_the_second(
    evening: Evening, path: str, locale: str
) -> None:
    for board in SCENES.values():
        # The longest document that there is.
        evening.show(board)
    evening.say(topics.availability("t1", online=True))
    with opened(evening.chromium, "about:blank", locale=locale) as page:
        line = Line(page)
        page.goto(evening.server.url + path)
        wait_until(page, READY[path])
        first = line.carried_bytes

        assert 10_000 < first < MOST_BYTES, path
        assert line.requests <= MOST_REQUESTS

        page.reload()
        wait_until(page, READY[path])
        assert line.carried_bytes - first < 0.3 * first
