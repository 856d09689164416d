"""What a page carries over the line until it stands, from the real server into the real browser."""

import pytest

from tests.pages.browser import BROWSER_NEEDED, Evening, opened, wait_until
from tests.pages.line import MOST_BYTES, Line
from tests.pages.scenes import scene

pytestmark = BROWSER_NEEDED

MOST_FILES = 6
"""Script, style, words, stream and picture of the page, and the manifest of the phones' page."""

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
    "sounds": "document.body.dataset.callers !== undefined",
    "nowhere": "document.querySelector('h1').textContent.length > 5",
}
"""Page -> what is so when it stands."""


@pytest.mark.parametrize("locale", ["de-DE", "fr-FR"])
@pytest.mark.parametrize("path", READY)
def test_a_page_is_light_the_first_time_and_nearly_nothing_the_second(
    evening: Evening, path: str, locale: str
) -> None:
    evening.show(scene(4))
    with opened(evening.chromium, "about:blank", locale=locale) as page:
        line = Line(page)
        page.goto(evening.server.url + path)
        wait_until(page, READY[path])
        first = line.carried_bytes

        assert 10_000 < first < MOST_BYTES, path
        assert len(line.files) <= MOST_FILES, line.files

        page.reload()
        wait_until(page, READY[path])
        assert line.carried_bytes - first < 0.3 * first
