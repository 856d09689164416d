import asyncio
import json
import re
import time
from collections.abc import MutableMapping
from typing import Any

import pytest

from pages.app import SECURITY_HEADERS, application
from pages.evening.keepsakes import Keepsakes
from pages.feed import Feed
from pages.game.games import Games
from pages.hosts import HostNames
from tests.pages.loops import finished
from tests.pages.scripts import page_files


def get(
    path: str,
    method: str = "GET",
    keepsakes: Keepsakes | None = None,
    games: Games | None = None,
    accept: str = "*/*",
) -> tuple[int, dict[str, str], str]:
    """One request to the application, without a network."""
    path, _, query = path.partition("?")
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "scheme": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 5),
        "headers": [(b"host", b"table.local"), (b"accept", accept.encode())],
    }  # fmt: skip
    app = application(
        Feed(lambda key: b'{"key":"%s"}' % key.encode()),
        keepsakes=keepsakes,
        games=games,
        names=HostNames("table"),
    )
    finished(app(scope, receive, send))
    head = next(message for message in sent if message["type"] == "http.response.start")
    body = b"".join(message.get("body", b"") for message in sent)
    headers = {name.decode(): value.decode() for name, value in head["headers"]}
    return head["status"], headers, body.decode()


@pytest.mark.parametrize("path", ["/", "/t/t1", "/t/t1/health"])
def test_pages_are_html_name_no_other_host_and_take_no_orders(path: str) -> None:
    status, headers, body = get(path)

    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert not re.search(r"(?:src|href)=[\"'](?!/)", body)
    assert [get(path, method)[0] for method in ("POST", "PUT", "DELETE")] == [405] * 3


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/t/t1",
        "/static/table.js",
        "/nowhere",
        "/t/NO",
        "/healthz",
        "/clock",
        "/t/t1/support.zip",
    ],
)
def test_every_answer_carries_the_security_headers(path: str) -> None:
    _, headers, _ = get(path)

    assert SECURITY_HEADERS.items() <= headers.items()
    assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/static/table.js", "text/javascript"), ("/static/style.css", "text/css"),
     ("/static/icon.svg", "image/svg+xml")],
)  # fmt: skip
def test_files_have_the_types_that_browsers_insist_on(path: str, kind: str) -> None:
    status, headers, _ = get(path)

    assert status == 200
    assert headers["content-type"].startswith(kind)


@pytest.mark.parametrize(
    "path",
    [
        "/t/NO",
        "/t/a%20b",
        "/t/<script>",
        "/t/+",
        "/t/NO/stream",
        "/static/../app.py",
        "/t/NO/health",
        "/t/NO/health/stream",
        "/t/NO/evening",
        "/t/NO/evening.svg",
        "/t/NO/game",
        "/t/NO/game.json",
        "/t/NO/past",
        "/t/NO/past.json",
        "/t/NO/game.html",
        "/t/NO/game/film.json",
        "/t/NO/support.zip",
    ],
)
def test_what_is_no_table_and_no_file_is_not_found(path: str) -> None:
    assert get(path)[0] == 404


@pytest.mark.parametrize("path", ["/nowhere", "/t/NO", "/t/NO/play", "/t/t1/elsewhere/", "/league"])
def test_a_person_gets_a_page_where_there_is_none_and_a_script_a_line(path: str) -> None:
    status, headers, body = get(path, accept="text/html,application/xhtml+xml")
    assert (status, headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no such page" in body
    assert SECURITY_HEADERS.items() <= headers.items()

    status, _, body = get(path)
    assert (status, len(body.splitlines())) == (404, 1)


def test_a_browser_can_set_its_clock_by_ours_and_the_service_manager_asks_how_it_is() -> None:
    before_s = time.time()
    status, headers, body = get("/clock")

    assert (status, headers["cache-control"]) == (200, "no-cache")
    assert before_s <= json.loads(body)["unix_s"] <= time.time()
    assert get("/healthz")[2] == '{"ok":true,"watching":0}'


def test_no_script_writes_markup_or_speaks_to_another_host() -> None:
    for script in page_files(".js"):
        text = script.read_text()

        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
        assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text), script.name
