"""What a phone does for its player: buzz, stay awake, speak their language, be an app."""

import json
from typing import Any

import msgspec

from pages.files import languages
from tests.pages.browser import BROWSER_NEEDED, wait_until
from tests.pages.home import (
    EVERYBODY,
    Home,
    home,
    panel,
    picture,
    start_topple,
    tap,
    until,
)
from tests.pages.scenes import film_of, toppled

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

WATCHED = """
    window.buzzed = [];
    window.awake = 0;
    navigator.vibrate = (pattern) => window.buzzed.push(pattern);
    Object.defineProperty(navigator, "wakeLock", { value: {
        request: async () => {
            window.awake++;
            return { released: false, release() { window.awake--; this.released = true; } };
        },
    } });
"""
"""In the place of a buzzer and of a lock that needs HTTPS."""


def joined(home: Home) -> Any:
    phone = home.joined()
    phone.add_init_script(WATCHED)
    phone.reload()
    panel(phone, "start")
    return phone


def test_it_stays_awake_while_a_game_runs_and_no_longer(home: Home) -> None:
    phone = joined(home)
    before = phone.evaluate("window.awake")
    start_topple(phone)
    until(phone, lambda: home.table.board.phase == "roll")
    wait_until(phone, "window.awake === 1")
    tap(phone, "more")
    tap(phone, "End the game")
    tap(phone, "Yes, end it")

    assert before == 0
    wait_until(phone, "window.awake === 0")


def test_it_buzzes_when_its_player_is_to_play_and_not_for_others(home: Home) -> None:
    phones = {"Ann": joined(home), "Bob": joined(home)}
    start_topple(phones["Ann"])
    until(phones["Ann"], lambda: home.table.board.phase == "roll")
    for name, phone in phones.items():
        tap(phone, name)
        panel(phone, "turn")
        phone.evaluate("window.buzzed = []")
    first = home.table.board.turn.player
    (second,) = set(phones) - {first}
    tap(phones[first], "die-6")
    until(phones[first], lambda: home.table.board.phase == "act")
    home.table.place("c3")
    wait_until(phones[second], "window.buzzed.length === 1")

    assert phones[first].evaluate("window.buzzed") == []


def test_its_menu_has_the_language_and_the_browser_remembers(home: Home) -> None:
    phone = joined(home)
    start_topple(phone)
    until(phone, lambda: home.table.board.phase == "roll")
    tap(phone, "Bob")
    for tag in (*sorted(set(languages()) - {"en"}), "en"):
        tap(phone, "more")
        phone.locator(f"[data-name='language-{tag}']").click()
        wait_until(phone, f"document.documentElement?.lang === '{tag}'")
        phone.reload()
        wait_until(phone, f"document.documentElement?.lang === '{tag}'")
        phone.wait_for_selector("#bar:not([hidden])")

    assert "lang=" not in phone.url
    # It says in one sentence how a die is paired, in the colour of who holds it.
    tap(phone, "more")
    colour = next(one.colours[0] for one in home.table.board.players if one.name == "Bob")
    phone.locator("#panel .note", has_text=f"topple-table dice --pair {colour} ").wait_for()
    assert phone.complaints == []
    # An address with a language goes before what was chosen.
    phone.goto(f"{home.phone_url}?lang=fr")
    wait_until(phone, "document.documentElement?.lang === 'fr'")


def test_it_can_be_put_on_the_home_screen(home: Home) -> None:
    page = home.page()
    page.goto(home.phone_url)
    link = page.locator("link[rel=manifest]").get_attribute("href")
    answer = page.evaluate(
        "(link) => fetch(link).then(async (r) => [r.headers.get('content-type'), await r.text()])",
        link,
    )
    manifest = json.loads(answer[1])

    assert "json" in answer[0]
    assert manifest["display"] == "standalone"
    assert page.evaluate("(src) => fetch(src).then((r) => r.ok)", manifest["icons"][0]["src"])
    assert "start_url" not in manifest  # the table's own page


def test_after_a_topple_it_shows_the_film_and_goes_on(home: Home) -> None:
    phone = joined(home)
    start_topple(phone)
    tap(phone, EVERYBODY)
    tap(phone, "die-6")
    until(phone, lambda: home.table.board.phase == "act")
    home.table.topple()
    until(phone, lambda: home.table.board.phase == "clear")
    board = home.table.board
    seen = film_of(msgspec.structs.replace(toppled(), game=board.game, seq=board.seq))
    home.table.live._announcer.film(seen)
    tap(phone, "Watch the fall")
    phone.locator("#film:not([hidden]) canvas").wait_for()
    picture(phone, "play-film-390x844")

    assert phone.locator("#film canvas").get_attribute("aria-label").endswith("0.6 s of hope")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone.get_by_role("button", name="Close").click()
    tap(phone, "The board is clear")
    until(phone, lambda: home.table.board.phase == "roll")
    assert phone.complaints == []


def test_who_wants_to_stay_has_a_record_on_the_evenings_page_until_it_is_switched_off(
    home: Home,
) -> None:
    phone = joined(home)
    start_topple(phone)
    tap(phone, "Ann")
    tap(phone, "more")
    box = phone.locator("[data-name=stay]")
    assert not box.is_checked()
    box.check()
    phone.get_by_text("Your games count from now on").wait_for()
    tap(phone, "End the game")
    tap(phone, "Yes, end it")
    until(phone, lambda: home.table.board.phase == "over")
    tap(phone, "Start")
    until(phone, lambda: home.table.board.phase == "roll")
    evening, stranger = phone.context.new_page(), home.page()
    for page in (evening, stranger):
        page.goto(home.phone_url.replace("/play", "/evening"))
        page.wait_for_selector("body[data-ready]")
    assert evening.locator("#staying li h3").all_inner_texts() == ["Ann"]
    # Who has not joined sees no names.
    assert stranger.locator("#staying").is_hidden()
    picture(evening, "profiles-390x844")

    tap(phone, "more")
    phone.locator("[data-name=stay]:checked").uncheck()
    phone.get_by_text("Your record is deleted").wait_for()
    evening.reload()
    evening.wait_for_selector("body[data-ready]")
    assert evening.locator("#staying").is_hidden()
    assert phone.complaints == []


def test_why_something_is_not_allowed_is_said_in_the_language_of_the_phone(home: Home) -> None:
    phone = home.joined(lang="fr-FR")
    start_topple(phone, go="Commencer")
    tap(phone, "Ann")
    panel(phone, "turn")
    reply = {"ok": False, "rev": 1, "code": "illegal", "reason": "clear_first", "msg": "English"}
    phone.route("**/play/do", lambda route: route.fulfill(json=reply))
    tap(phone, "die-6")

    phone.get_by_text("Il faut d’abord débarrasser le plateau.").wait_for()  # noqa: RUF001
    phone.unroute("**/play/do")
    reply["reason"] = "a_rule_of_tomorrow"
    phone.route("**/play/do", lambda route: route.fulfill(json=reply))
    tap(phone, "die-6")
    phone.get_by_text("English.").wait_for()
