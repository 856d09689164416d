"""Playing at the simulated table in a browser: the demo as people start it, and Chromium."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lab.demo.visitors import GONE_S
from pages.files import languages
from tests.controller.conftest import mosquitto_program
from tests.lab.demo.programs import running
from tests.pages.browser import BROWSER_NEEDED, axe_findings, keep_pictures, opened, wait_until
from tests.pages.line import MOST_BYTES, Line

pytestmark = BROWSER_NEEDED

KEEP_WHAT_IT_SAYS = """ticker => new MutationObserver(() => {
    ticker.dataset.said = `${ticker.dataset.said ?? ""} ${ticker.textContent}`;
}).observe(ticker, {childList: true})"""

FIRST_STATE_BYTES = 10_000
"""For both pages, the first document of their two streams, and who sits where: about 9,000."""

LIT = ".tower-board button.allowed:not([aria-disabled=true])"


@contextlib.contextmanager
def demo(broker: Any, port: int, speed: float = 3.0, target: int = 40) -> Iterator[str]:
    """The demo; where visitors play."""
    web = f"broker=BrokerAddress(port={broker.port}), web_port={port}"
    with running(f"demo.run(seed=1, speed={speed}, target={target}, {web})") as shown:
        yield shown.until("Play:").split()[1]


@contextlib.contextmanager
def visiting(chromium: Any, address: str, lang: str = "en") -> Iterator[Any]:
    with opened(
        chromium, f"{address}?lang={lang}", viewport={"width": 1280, "height": 720}
    ) as page:
        page.complaints = []
        page.on("console", lambda said: page.complaints.append(said.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.wait_for_selector("body[data-ready] [data-name=Ann]")
        yield page


def place(page: Any) -> str:
    """Roll if need be, and point to the first cell that is lit."""
    page.locator(f"[data-name=roll], {LIT}").first.wait_for()
    if page.locator("[data-name=roll]").count():
        page.click("[data-name=roll]")
    cell = page.locator(LIT).first
    cell.wait_for()
    named = str(cell.get_attribute("data-cell"))
    cell.click()
    # Until the page has heard of it, what is lit is of before, and another click is refused.
    page.wait_for_function("lit => !document.querySelector(lit)", arg=LIT)
    return named


def place_in_turn(*pages: Any) -> Any:
    """Whoever is to play rolls and places; their page."""
    for _ in range(1000):
        for page in pages:
            if page.locator(f"[data-name=roll], {LIT}").count():
                place(page)
                return page
        pages[0].wait_for_timeout(100)
    raise AssertionError("nobody is to play")


@pytest.mark.parametrize("lang", languages())
def test_a_visitor_rolls_points_and_sees_the_piece_scored(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any, lang: str
) -> None:
    with (
        demo(embedded_broker, free_port()) as address,
        visiting(chromium, address, lang) as page,
    ):
        page.click("[data-name=Ann]")
        shown = page.frame_locator("#scoreboard")
        # The next player may have placed before a busy browser is asked: keep what was said.
        shown.locator("#ticker").evaluate(KEEP_WHAT_IT_SAYS)
        named = place(page)
        shown.locator("#ticker[data-said*=Ann]").wait_for()
        page.locator(f".tower-board .cell:has-text('{named}') .token").wait_for()
        place(page)
        page.locator(f"[data-name=roll], {LIT}").first.wait_for()
        for _ in keep_pictures(page, f"try-{lang}"):
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

        assert axe_findings(page) == []
        assert shown.locator("#to-try").is_hidden()  # one is there already
        assert page.complaints == []


OTHERWISE = {
    "en": "The players counted otherwise: Ann 12, Bob \u22123.",
    "de": "Die Spieler haben anders gezählt: Ann 12, Bob \u22123.",
    "fr": "Les joueurs ont compté autrement\u202f: Ann 12, Bob \u22123.",
}


def test_it_is_said_when_people_and_table_disagree(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any
) -> None:
    def counted_otherwise(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "counted": {"Ann": 12, "Bob": -3}})

    with demo(embedded_broker, free_port()) as address:
        for lang, words in OTHERWISE.items():
            with visiting(chromium, address, lang) as page:
                assert page.locator(".otherwise").count() == 0
                page.route("**/try/state", counted_otherwise)
                page.locator(".otherwise").wait_for()
                assert page.locator(".otherwise").inner_text() == words
                page.click("[data-name=Ann]")
                page.wait_for_selector("[data-name=bump]")
                for _ in keep_pictures(page, f"try-otherwise-{lang}"):
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                assert page.complaints == []
                # An answer on its way would fail in the test that follows.
                page.unroute_all(behavior="ignoreErrors")


def test_two_browsers_have_two_seats_and_nobody_a_taken_one(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any
) -> None:
    with (
        demo(embedded_broker, free_port()) as address,
        visiting(chromium, address) as ann,
        visiting(chromium, address) as bob,
    ):
        ann.click("[data-name=Ann]")
        wait_until(bob, "document.querySelector('[data-name=Ann]').ariaDisabled === 'true'")
        bob.click("[data-name=Bob]")
        played = [place_in_turn(ann, bob) for _ in range(2)]
        assert played in ([ann, bob], [bob, ann])
        ann.click("[data-name=leave]")
        bob.wait_for_selector("[data-name=bump]")

        ann.wait_for_selector("[data-name=Ann]:not([aria-disabled=true])")
        # It goes on with a simulated Ann.
        bob.locator(f"[data-name=roll], {LIT}").first.wait_for()


def play_to_the_end(*pages: Any) -> None:
    from playwright.sync_api import TimeoutError as PlaywrightTimeout  # not everybody has it

    for _ in range(2000):
        if pages[0].locator(".winner").count():
            return
        for page in pages:
            ready = page.locator(f"[data-name=roll], {LIT}")
            if ready.count():
                # By now it may be another's turn, or what was lit may have fallen.
                with contextlib.suppress(PlaywrightTimeout):
                    ready.first.click(timeout=500)
        pages[0].wait_for_timeout(50)
    raise AssertionError("the game never ended")


def test_two_guests_play_win_and_play_again_though_the_broker_is_killed_and_one_leaves(
    free_port: Callable[[], int], chromium: Any
) -> None:
    mosquitto_program()
    with running(f"demo.run(seed=1, speed=5.0, target=1, web_port={free_port()})") as demo:
        address = demo.until("Play:").split()[1]
        with visiting(chromium, address) as bob:
            with visiting(chromium, address) as ann:
                ann.click("[data-name=Ann]")
                bob.click("[data-name=Bob]")
                play_to_the_end(ann, bob)
                assert bob.locator(".winner").inner_text() == ann.locator(".winner").inner_text()
                bob.click("[data-name=new]")
                ann.wait_for_selector("[data-name=bump]")
                place_in_turn(ann, bob)

                demo.kill_its("mosquitto")
                demo.until("An own Mosquitto")
                shown = ann.frame_locator("#scoreboard")
                shown.locator("body:not(.old)").wait_for()
                pieces = shown.locator("[data-cell] .piece")
                stood = pieces.count()
                place_in_turn(ann, bob)
                place_in_turn(ann, bob)
                pieces.nth(stood).wait_for()
            # Ann's page is closed: after a while a simulated player has her seat.
            bob.wait_for_timeout(1000 * GONE_S)
            play_to_the_end(bob)
            # A click that came too late is refused, in words.
            assert [words for words in bob.complaints if "409" not in words] == []


def test_who_has_won_stays_until_the_visitor_wants_a_rematch(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any
) -> None:
    with (
        demo(embedded_broker, free_port(), speed=10.0, target=1) as address,
        visiting(chromium, address) as page,
    ):
        page.click("[data-name=Ann]")
        shown = page.frame_locator("#scoreboard")
        play_to_the_end(page)
        assert "wins" in shown.locator("#moment.over .big").inner_text()
        names = [node.get_attribute("data-name") for node in page.locator("#panel button").all()]
        assert names == ["new", "undo", "leave"]
        for _ in keep_pictures(page, "try-won"):
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert axe_findings(page) == []

        page.click("[data-name=new]")
        page.wait_for_selector("[data-name=bump]")


def test_the_scoreboard_of_the_demo_leads_there(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any
) -> None:
    with (
        demo(embedded_broker, free_port()) as address,
        opened(chromium, address.removesuffix("/try")) as page,
    ):
        page.click("#to-try:not([hidden])")

        page.wait_for_selector("body.try [data-name=Ann]")


def test_a_foreign_page_or_a_wrong_word_gets_no_further(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any
) -> None:
    ask = """([path, body]) => fetch(location.pathname + path, {method: "POST",
        headers: {"content-type": "application/json"}, body: JSON.stringify(body)})
        .then(async (reply) => [reply.status, (await reply.json()).code])"""
    with (
        demo(embedded_broker, free_port()) as address,
        visiting(chromium, address) as page,
    ):
        asked = [
            ("/do", {"token": "x", "verb": "roll"}),
            ("/do", {"token": "x", "verb": "fly"}),
            ("/sit", {"player": "Zoe"}),
            ("/sit", {"player": 3}),
        ]
        answers = [page.evaluate(ask, one) for one in asked]
        foreign = page.request.post(
            f"{address}/sit", data={"player": "Ann"}, headers={"origin": "http://elsewhere"}
        )

    assert answers == [
        [403, "no-seat"], [409, "not-now"], [409, "seat-taken"], [400, "bad-json"],
    ]  # fmt: skip
    assert foreign.status == 403


def test_page_and_scoreboard_in_it_are_light_together(
    embedded_broker: Any, free_port: Callable[[], int], chromium: Any
) -> None:
    with (
        demo(embedded_broker, free_port()) as address,
        opened(chromium, "about:blank", locale="fr-FR") as page,
    ):
        line = Line(page)
        page.goto(address)
        page.wait_for_selector("body[data-ready] [data-name=Ann]")
        page.frame_locator("#scoreboard").locator(".card .digits").first.wait_for()

        # What the game tells meanwhile comes on top, more of it the longer the two take.
        assert 50_000 < line.file_bytes < MOST_BYTES - FIRST_STATE_BYTES
