"""A page as one file: everything in it, nothing to be fetched, and nothing of it to be mistaken."""

import base64
import json
import re

import pytest

from pages.files import FILES
from pages.game.bundle import bundled
from pages.game.games import _served

TEMPLATE = (
    '<head><link rel="icon" href="/static/i.svg" type="image/svg+xml">'
    '<link rel="stylesheet" href="/static/a.css"><script type="module" src="/static/a.js"></script>'
    "</head><body></body>"
)
SERVED = {
    "/static/i.svg": "<svg/>",
    "/static/a.css": "p { color: red }",
    "/static/a.js": 'import { b } from "./b.js";\nimport "./games/c.js";\nb();',
    "/static/b.js": 'import { c } from "./games/c.js";\nexport const b = c;',
    "/static/games/c.js": 'export { x } from "../b.js";\nexport const c = "from ./d.js";',
}


def modules(page: str) -> dict[str, str]:
    found = re.search(r'<script type="importmap">(.*?)</script>', page)
    assert found is not None
    addresses = json.loads(found[1])["imports"]
    return {name: base64.b64decode(at.split(",")[1]).decode() for name, at in addresses.items()}


def test_every_module_is_there_once_and_names_the_others_by_their_bare_names() -> None:
    found = modules(bundled(TEMPLATE, SERVED.__getitem__, b"{}"))

    assert set(found) == {"static/a.js", "static/b.js", "static/games/c.js"}
    assert found["static/a.js"].startswith(
        'import { b } from "static/b.js";\nimport "static/games/c.js"'
    )
    assert found["static/games/c.js"] == (
        'export { x } from "static/b.js";\nexport const c = "from ./d.js";'
    )


def test_styles_picture_document_and_policy_stand_inside() -> None:
    page = bundled(TEMPLATE, SERVED.__getitem__, b'{"name":"</script><b>&"}')

    assert "<style>p { color: red }</style>" in page
    assert page.startswith('<head><meta http-equiv="content-security-policy" content="default-src')
    assert not re.search(r'(?:src|href)="/', page)
    told = re.search(r'id="kept">(.*?)</script>', page)
    assert told is not None
    assert "<" not in told[1]
    assert json.loads(told[1]) == {"name": "</script><b>&"}


def test_a_module_that_is_not_there_is_noticed() -> None:
    with pytest.raises(KeyError):
        bundled(TEMPLATE, {**SERVED, "/static/b.js": 'import "./gone.js";'}.__getitem__, b"{}")


def test_the_page_of_a_game_is_whole() -> None:
    page = bundled(FILES["game.html"].read_text(), _served, b"{}")
    found = modules(page)

    assert {"static/languages.js", "static/games/facts.js", "static/tower.js"} <= set(found)
    named = {name for text in found.values() for name in re.findall(r'from "([^"]+)"', text)}
    assert named <= set(found)
    assert not re.search(r'(?:src|href)="/static', page)
