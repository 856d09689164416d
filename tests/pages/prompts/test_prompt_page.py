"""The page on which a phone is asked: over HTTP as strangers would, and with a browser."""

import contextlib
import io
import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from controller.common.errors import BadInput
from pages.prompts.prompt_page import PromptServer, drawn_key, on_phones
from pages.prompts.prompts import Button, Prompt, Prompts
from tests.controller.conftest import PATIENCE_S
from tests.pages.browser import BROWSER_NEEDED, opened, wait_until
from tests.pages.home import until

PLACE = Prompt(
    "Place a red piece on d4, let it go, hands off.",
    "place_one, 1 of 1",
    seen="placed c3 (confidence 1.00) at 4.1 s",
    buttons=(Button("done", "Done"),),
)


PHONE = {"width": 390, "height": 780}


@pytest.fixture
def prompts() -> Prompts:
    prompts = Prompts()
    prompts.put(PLACE)
    return prompts


@pytest.fixture
def server(prompts: Prompts) -> Iterator[PromptServer]:
    with PromptServer(prompts) as server:
        yield server


def asked(server: PromptServer, path: str) -> tuple[Any, bytes]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer, answer.read()


def press(server: PromptServer, headers: dict[str, str] | None = None, **changed: Any) -> Any:
    """Press Done as the page does, but for what is changed."""
    here = f"127.0.0.1:{server.port}"
    connection = HTTPConnection(here, timeout=PATIENCE_S)
    body = {"key": server.key, "number": 1, "button": "done"} | changed
    sent = {"origin": f"http://{here}", "content-type": "application/json"} | (headers or {})
    connection.request("POST", "/press", json.dumps(body), sent)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def test_a_phone_hears_the_prompt_and_says_done(prompts: Prompts, server: PromptServer) -> None:
    answer, body = asked(server, "/prompt")

    assert json.loads(body)["words"] == PLACE.words
    assert answer.headers["content-security-policy"]
    assert press(server) == (200, {"ok": True})
    assert prompts.pressed == "done"


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({"key": "23456789"}, 403, "wrong-key"),
        ({"key": ""}, 403, "wrong-key"),
        ({"number": 0}, 409, "gone"),
        ({"number": 7}, 409, "gone"),
        ({"button": "stop"}, 409, "gone"),
        ({"number": "1"}, 400, "bad-json"),
        ({"headers": {"origin": "http://elsewhere.example"}}, 403, "cross-site"),
        ({"headers": {"sec-fetch-site": "cross-site"}}, 403, "cross-site"),
        ({"headers": {"content-type": "text/plain"}}, 415, "bad-json"),
        ({"key": "x" * 5000}, 413, "too-large"),
    ],
)
def test_what_is_not_meant_for_this_prompt_is_refused_with_words(
    prompts: Prompts, server: PromptServer, changed: dict[str, Any], status: int, code: str
) -> None:
    got, answer = press(server, **changed)

    assert (got, answer["code"]) == (status, code)
    assert answer["msg"]
    assert prompts.pressed == ""


def test_the_key_is_said_only_where_the_table_stands(server: PromptServer) -> None:
    pages = b"".join(asked(server, path)[1] for path in ("/", "/prompt", "/static/prompts.js"))

    assert server.url.endswith(f"/#{server.key}")
    assert server.key.encode() not in pages
    assert len({drawn_key() for _ in range(100)}) == 100


def test_a_crowd_that_only_connects_does_not_keep_the_phone_away(server: PromptServer) -> None:
    with contextlib.ExitStack() as crowd:
        for _ in range(100):
            guest = crowd.enter_context(socket.socket())
            guest.settimeout(0.2)
            guest.bind(("127.0.0.2", 0))
            with contextlib.suppress(OSError):
                guest.connect(("127.0.0.1", server.port))

        assert asked(server, "/prompt")[0].status == 200


def test_a_taken_port_is_named() -> None:
    with (
        PromptServer(Prompts()) as server,
        pytest.raises(BadInput, match=f"port {server.port}: .*in use"),
    ):
        PromptServer(Prompts(), port=server.port)


def test_the_page_says_why_it_ended() -> None:
    prompts, out = Prompts(), io.StringIO()

    with pytest.raises(BadInput), on_phones(prompts, out, "127.0.0.1", 0):
        raise BadInput("the samples ended; start it again")

    assert prompts.now.words == "the samples ended; start it again"
    assert "http://127.0.0.1:" in out.getvalue()


@pytest.mark.slow
class TestInABrowser:
    pytestmark = BROWSER_NEEDED

    def test_the_words_fill_the_screen_and_done_works(
        self, prompts: Prompts, server: PromptServer, chromium: Any
    ) -> None:
        url = f"http://127.0.0.1:{server.port}/#{server.key}"
        with opened(chromium, url, viewport=PHONE) as page:
            page.get_by_text("red piece on d4").wait_for()
            assert page.get_by_text("Seen: placed c3").is_visible()
            page.get_by_role("button", name="Done").click()
            wait_until(page, "document.querySelector('button').disabled")
            until(page, lambda: bool(prompts.pressed))

        assert prompts.pressed == "done"

    def test_who_has_only_the_address_may_watch_and_is_told_so(
        self, server: PromptServer, chromium: Any
    ) -> None:
        url = f"http://127.0.0.1:{server.port}/"
        with opened(chromium, url, viewport=PHONE) as page:
            page.get_by_text("open the whole address").wait_for()
            assert page.get_by_role("button", name="Done").is_disabled()
