"""The page on which a phone is asked: looked at with a browser, as a person would."""

import io
import json
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest
from playwright.sync_api import sync_playwright

from controller.bench.prompts import Prompts, PromptServer
from controller.errors import BadInput


@pytest.fixture
def prompts() -> Prompts:
    return Prompts(io.StringIO())


@pytest.fixture
def port(prompts: Prompts) -> Iterator[int]:
    with PromptServer(prompts) as server:
        yield server.port


def asked(port: int, path: str, method: str = "GET") -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_nothing_is_done_before_it_was_asked_and_each_prompt_once(prompts: Prompts) -> None:
    assert not prompts.done
    prompts.ask("Place a piece.")
    assert not prompts.done
    assert prompts.confirm(1)
    assert prompts.done
    prompts.ask("Place another.")
    assert not prompts.done
    assert not prompts.confirm(1)
    assert not prompts.done


def test_the_terminal_says_progress_words_and_what_was_seen() -> None:
    out = io.StringIO()
    prompts = Prompts(out)
    prompts.ask("Place a piece.", "3 of 8")
    prompts.tell("d4 1.00")

    assert out.getvalue() == "[3 of 8] Place a piece.\n    seen: d4 1.00\n"


def test_a_phone_hears_the_prompt_and_says_done(prompts: Prompts, port: int) -> None:
    prompts.ask("Place a red piece on d4.", "place_one, 1 of 1")

    assert json.loads(asked(port, "/prompt")[1])["words"] == "Place a red piece on d4."
    assert asked(port, "/done?number=1", "POST")[0] == 200

    assert prompts.done


@pytest.mark.parametrize("number", ["0", "7", "", "x", "-1"])
def test_a_tap_on_a_prompt_that_is_gone_does_nothing(
    prompts: Prompts, port: int, number: str
) -> None:
    prompts.ask("Place a piece.")

    assert asked(port, f"/done?number={number}", "POST")[0] == 409

    assert not prompts.done


def test_a_taken_port_is_named() -> None:
    with (
        PromptServer(Prompts()) as server,
        pytest.raises(BadInput, match=f"port {server.port}: .*in use"),
    ):
        PromptServer(Prompts(), port=server.port)


@pytest.mark.slow
def test_in_a_browser_the_words_fill_the_screen_and_done_works(prompts: Prompts, port: int) -> None:
    prompts.ask("Place a red piece on d4, let it go, hands off.", "place_one, 1 of 1")
    prompts.tell("c3 1.00 at 4.1 s")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 780})
        page.goto(f"http://127.0.0.1:{port}/")
        page.get_by_text("red piece on d4").wait_for(timeout=20_000)
        assert page.get_by_text("Seen: c3").is_visible()
        page.get_by_role("button", name="Done").click()
        page.wait_for_function("document.getElementById('done').disabled")
        for _ in range(200):
            if prompts.done:
                break
            page.wait_for_timeout(100)
        browser.close()

    assert prompts.done
