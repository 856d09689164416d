"""Voice commands: what is said counts as a tap on the one button that says it.

Chromium here has no ears and no service that understands speech: a recogniser of ours hears what
the test says. All behind it is the real page, and the real table obeys.
"""

import re
from typing import Any

import pytest

from pages.files import languages
from tests.pages.browser import BROWSER_NEEDED, axe_findings, wait_until
from tests.pages.home import EVERYBODY, Home, home, panel, picture, start_topple, tap, until

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

RECOGNISER = """
    Object.defineProperty(window, "isSecureContext", { value: true });
    window.ears = [];
    window.SpeechRecognition = class {
        constructor() { ears.push(this); }
        start() { this.open = true; }
        abort() { this.open = false; this.onend?.(); }
    };
    window.hear = (...ways) => {
        const result = Object.assign(ways.map((transcript) => ({ transcript })), { isFinal: true });
        ears.find(({ open }) => open).onresult({ results: [result], resultIndex: 0 });
    };
"""

LATE = """performance.getEntriesByType("resource").map(({ name }) => name)
    .filter((name) => name.includes("listening.js")).length"""

OPEN = "ears.filter(({ open }) => open).length"


def hear(phone: Any, *ways: str) -> None:
    """Something is said; the recogniser may have understood it in these ways."""
    phone.evaluate("(ways) => hear(...ways)", list(ways))


def settled(phone: Any, home: Home) -> None:
    """Until the phone shows what the table has, and may send again."""
    phone.wait_for_selector(f"body[data-rev='{home.table.board.rev}']:not(.busy)")


def listening(home: Home, go: str = "Start", seat: str | None = None, **look: Any) -> Any:
    """A phone in a game of Ann and Bob that takes voice commands."""
    phone = home.page(**look)
    phone.add_init_script(RECOGNISER)
    phone.goto(f"{home.phone_url}#{home.pin()}")
    panel(phone, "start")
    start_topple(phone, go=go)
    panel(phone, "seat")
    if seat is None:
        phone.locator("[data-panel=seat] .big").last.click()
    else:
        tap(phone, seat)
    panel(phone, "turn")
    tap(phone, "more")
    tap(phone, "voice")
    wait_until(phone, f"{OPEN} === 1")
    tap(phone, "more")
    return phone


def test_they_are_offered_only_where_the_browser_can_listen(home: Home) -> None:
    phone = home.everybody()
    tap(phone, "more")
    panel(phone, "more")

    # Without TLS no browser lends the microphone.
    assert phone.locator("[data-name=voice]").count() == 0


def test_they_are_off_until_somebody_wants_them_and_again_when_the_page_is_closed(
    home: Home,
) -> None:
    phone = home.page()
    phone.add_init_script(RECOGNISER)
    phone.goto(f"{home.phone_url}#{home.pin()}")
    panel(phone, "start")
    start_topple(phone)
    tap(phone, EVERYBODY)
    tap(phone, "more")
    assert phone.get_by_text("may send what is said to its own servers").is_visible()
    assert (phone.evaluate("ears.length"), phone.evaluate(LATE)) == (0, 0)
    picture(phone, "play-voice-more")
    tap(phone, "voice")
    wait_until(phone, f"{OPEN} === 1")
    assert phone.evaluate(LATE) == 1
    assert phone.evaluate("ears[0].lang") == "en-GB"
    assert axe_findings(phone) == []

    tap(phone, "voice_bar")
    wait_until(phone, f"{OPEN} === 0")
    tap(phone, "voice")
    wait_until(phone, f"{OPEN} === 1")
    phone.reload()
    panel(phone, "turn")
    assert phone.evaluate("ears.length") == 0
    assert phone.complaints == []


SAID = {
    "en": ("Start", "Rolled three!", "take it back", "five", "C three", "Undo", "I pass"),
    "de": (languages()["de"]["start_go"], "Drei gewürfelt.", "nimm das zurück", "eine fünf", "c 3",
           "Rückgängig", "Passe."),
    "fr": ("Commencer", "j'ai fait trois", "annule", "cinq", "C3", "Annuler", "je passe"),
}  # fmt: skip


@pytest.mark.parametrize("lang", SAID)
def test_rolls_cells_passes_and_undo_are_said_in_each_language(home: Home, lang: str) -> None:
    go, *said = SAID[lang]
    phone = listening(home, go, lang=lang)

    def then(words: str, true: Any) -> None:
        hear(phone, words)
        until(phone, lambda: true(home.table.board))
        settled(phone, home)

    then(said[0], lambda board: board.turn.die == 3)
    picture(phone, f"play-voice-{lang}")
    then(said[1], lambda board: board.turn.die is None)
    then(said[2], lambda board: board.turn.die == 5)
    then(said[4], lambda board: board.turn.die is None)
    then("6", lambda board: board.turn.die == 6)
    then(said[3], lambda board: "c3" in board.board)
    then("6", lambda board: board.turn.die == 6)
    first = home.table.board.turn.player
    then(said[5], lambda board: board.turn.player != first)
    assert phone.complaints == []


def test_it_was_somebody_is_an_answer_and_opens_the_dialog_that_takes_it(home: Home) -> None:
    phone = listening(home)
    hear(phone, "six")
    until(phone, lambda: home.table.board.phase == "act")
    home.table.place("c3")
    until(phone, lambda: "c3" in home.table.board.board)
    settled(phone, home)
    hear(phone, "six")
    until(phone, lambda: home.table.board.phase == "act")
    home.table.topple(sure=0.9)
    until(phone, lambda: home.table.board.phase == "clear")
    first = home.table.board.last.player
    other = {"Ann": "Bob", "Bob": "Ann"}[first]
    settled(phone, home)
    hear(phone, f"it was {other}")
    until(phone, lambda: home.table.board.last.player == other)

    panel(phone, "turn")
    assert home.table.board.last.cause == "bump"
    assert phone.complaints == []


def test_what_no_button_says_or_more_than_one_does_nothing_and_is_shown(home: Home) -> None:
    phone = listening(home)
    rev = home.table.board.rev
    for words in ("shall we pass the crisps", "End the game", "it was Bob", "leave the table", ""):
        hear(phone, words)
        phone.get_by_text(re.compile(f"Heard “{words}”")).wait_for()
    # Two buttons with the same words.
    phone.evaluate("""() => document.querySelector("#panel").append(
        ...[1, 2].map(() => document.querySelector("[data-name=die-3]").cloneNode(true)))""")
    hear(phone, "three")
    phone.get_by_text("Heard “three”").wait_for()

    assert home.table.board.rev == rev
    assert phone.locator("#panel").get_attribute("data-panel") == "turn"
    assert phone.complaints == []


def test_of_what_was_understood_the_likeliest_counts_that_a_button_says(home: Home) -> None:
    phone = listening(home)
    hear(phone, "role free", "rolled three", "four")

    until(phone, lambda: home.table.board.turn.die == 3)


def test_nobody_plays_for_another_one_by_voice(home: Home) -> None:
    phone = listening(home, seat="Ann")
    hear(phone, "six")
    until(phone, lambda: home.table.board.phase == "act")
    home.table.place("c3")
    until(phone, lambda: home.table.board.turn.player == "Bob")
    settled(phone, home)
    rev = home.table.board.rev
    hear(phone, "four")
    phone.get_by_text("Heard “four”").wait_for()

    assert home.table.board.rev == rev


def test_a_browser_that_will_not_listen_says_why_and_is_not_asked_again(home: Home) -> None:
    phone = listening(home)
    phone.evaluate("ears[0].onerror({ error: 'no-speech' })")
    phone.evaluate("ears[0].onend()")  # as browsers do after some silence
    assert phone.evaluate(OPEN) == 1
    phone.evaluate("ears[0].onerror({ error: 'not-allowed' })")
    phone.get_by_text("does not listen here").wait_for()

    assert phone.evaluate(OPEN) == 0
    assert phone.locator("[data-name=voice_bar]").count() == 0


def test_only_the_phones_page_may_have_the_microphone(home: Home) -> None:
    page = home.page()
    allowed = [
        page.goto(home.phone_url.replace("/play", path)).headers["permissions-policy"]
        for path in ("/play", "", "/evening")
    ]

    assert ["microphone=(self)" in policy for policy in allowed] == [True, False, False]
