"""The caller: what is called in a game, by which sounds of a pack, and what is heard of them.

Chromium has no ears here; what is looked at is which sounds were fetched, and when they were
started.
"""

import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scoreboard import Scoreboard
from pages.files import languages
from tests.pages.browser import (
    BROWSER_NEEDED,
    Evening,
    axe_findings,
    keep_pictures,
    wait_for_rev,
    wait_until,
)
from tests.pages.home import Home, home, tap, until
from tests.pages.scenes import over, scene, toppled, undecided
from tests.pages.sounds.called import boards
from tests.pages.sounds.test_callers import PACK, pack, sound

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

GAME = """\
start: Ann and Bob are playing. Here we go.
roll 6: Six for Ann. Any cell will do.
placed 1 c3: Bob, your turn.
roll 6: A six! Bob may play anywhere.
placed 2 c2: Ann, your turn.
roll 6: Six for Ann. Any cell will do.
placed 3 c4: Bob, your turn.
roll 6: A six! Bob may play anywhere.
placed 4 d1: Ann, your turn.
roll 6: A six! Ann may play anywhere.
placed 5 c5: Bob, your turn.
roll 6: 5 points for Ann: 5. A whole row! A six! Bob may play anywhere.
pass: Bob passes. Ann, your turn.
roll 6: Six for Ann. Any cell will do.
placed 6 c3: Bob, your turn.
roll 6: 3 points for Ann: 8. One more on the row. Six for Bob. Any cell will do.
correct 15 e5: Corrected: Ann is on e5. Ann has 5.
undo: Ann has 8.
pass: Bob would rather not. Ann, you need 8.
roll 6: A six! Ann may play anywhere.
placed 7 c3: Bob, your turn.
roll 6: 3 points for Ann: 11. One more on the row. A six! Bob may play anywhere.
toppled: Topple! Clear the board, please.
cleared: Ann, your turn.
roll 6: 3 points for Ann: 14. Bob loses 10 points: minus 10. A six! Ann may play anywhere.
placed 10 c3: Bob, your turn.
roll 6: Six for Bob. Any cell will do.
placed 11 c3: Ann, you need 2.
roll 6: A six! Ann may play anywhere.
placed 12 c3: Bob, your turn.
roll 6: Six for Bob. Any cell will do.
toppled: Topple! Oh, Bob. 3 points for Ann: 17. Bob loses 10 points: minus 20. Ann wins!
"""
"""The game of `tests.pages.sounds.called`: no line tells what was corrected before it stood."""

CALLED = """async (boards) => {
    const { Commentary, inWords } = await import("/static/commentary.js");
    const { soundsOf } = await import("/static/caller_pack.js");
    const { packs } = await (await fetch("/callers.json")).json();
    const commentary = new Commentary();
    return boards.map((board) => commentary.about(board).calls.map((call) => ({
        words: inWords(call, board),
        sounds: packs.map((pack) => soundsOf(pack, call, board)),
    })));
}"""

SOUNDS_OF = """async ([pack, call, board, everywhere]) => {
    const { soundsOf } = await import("/static/caller_pack.js");
    return soundsOf(pack, call, board, everywhere);
}"""

STARTED = """() => {
    window.started = [];
    const start = AudioBufferSourceNode.prototype.start;
    AudioBufferSourceNode.prototype.start = function (at) {
        window.started.push([at, this.buffer.duration]);
        return start.apply(this, [at]);
    };
}"""

FETCHED = """performance.getEntriesByType("resource")
    .map(({ name }) => decodeURIComponent(new URL(name).pathname))
    .filter((path) => path.startsWith("/callers/")).map((path) => path.slice(9))"""


@pytest.fixture(scope="module")
def house(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    """As for all files of tests, and the owner has caller packs."""
    own = tmp_path_factory.mktemp("callers")
    calls = '[calls]\nturn = "{player} go"\nwins = "{winners} wins"\n'
    pack(own / "mary", PACK + calls, "go", "wins", "red", "Blue", "1")
    sound(own / "mary/names/ada.wav")
    sound(own / "jingles/Ada.wav")
    pack(own / "torn", "name = 3")
    made = Evening(chromium, callers=own)
    yield made
    made.close()


def with_caller(evening: Evening, table: str, caller: str, board: Scoreboard, **look: Any) -> Any:
    """A scoreboard whose caller is switched on, with this choice."""
    evening.show(board, table)
    page = evening.open(path=f"t/{table}?lang={look.pop('lang', 'en')}", **look)
    page.evaluate("(id) => localStorage.setItem('topple-table.caller', id)", caller)
    page.evaluate(STARTED)
    wait_for_rev(page, board.rev)
    page.click("#commentator")
    return page


# --- what is called -------------------------------------------------------------------------------


def called(evening: Evening, game: list[Scoreboard]) -> Any:
    page = evening.open("nobody")
    return page.evaluate(CALLED, [msgspec.to_builtins(board) for board in game])


def test_a_short_game_is_called_as_it_stands_and_nothing_before(evening: Evening) -> None:
    steps = list(boards())
    found = called(evening, [board for _, board in steps])
    told = [
        f"{step}: {' '.join(one['words'] for one in calls)}\n"
        for (step, _), calls in zip(steps, found, strict=True)
        if calls
    ]

    assert "".join(told) == GAME


def test_every_call_of_a_game_is_said_by_every_pack_that_is_shipped(evening: Evening) -> None:
    found = called(evening, [board for _, board in boards()])
    shipped = [one["sounds"][: len(languages())] for calls in found for one in calls]

    assert len(shipped) > 40
    assert [sounds for each in shipped for sounds in each if not sounds] == []


def test_the_winner_is_called_once_the_questions_are_answered(evening: Evening) -> None:
    asked = undecided(2)
    final = msgspec.structs.replace(
        asked, result="final", pending=None, before_winner=(), seq=54, rev=54
    )
    other = msgspec.structs.replace(final, winners=("Björn",), seq=55, rev=55)
    before = msgspec.structs.replace(asked, phase="act", result=None, before_winner=(), seq=52)
    said = called(evening, [before, asked, final, final, other])
    wins = [[one["words"] for one in calls if "win" in one["words"]] for calls in said]

    assert wins == [[], ["Before the winner is called:"], ["Ada wins!"], [], ["Björn wins!"]]


def test_what_is_needed_is_called_only_when_the_score_stands(evening: Evening) -> None:
    def turn(*, provisional: bool) -> Scoreboard:
        board = scene(2, last=None, seq=41, rev=41)
        players = tuple(
            msgspec.structs.replace(one, score=96, provisional=provisional) for one in board.players
        )
        return msgspec.structs.replace(board, players=players)

    before = scene(2, turn=None, phase="clear")
    sure, unsure = (called(evening, [before, turn(provisional=p)]) for p in (False, True))

    assert "Björn, you need 4." in [one["words"] for one in sure[-1]]
    assert [one["words"] for one in unsure[-1]] == ["Björn, your turn."]


# --- which sounds say it --------------------------------------------------------------------------

NUMBERS = {str(n): f"/{n}" for n in (*range(101), 200, 300)}
PLAYERS = ({"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue", "green"]})


def say(evening: Evening, said: Any, values: Any, **more: Any) -> Any:
    page = evening.chromium.contexts[0].pages[0] if evening.chromium.contexts else None
    page = page or evening.open("nobody")
    clips = {**NUMBERS, "minus": "/minus", "go": "/go", "red": "/red", "player_2": "/2nd",
             "and": "/and", "c": "/c", **more.get("clips", {})}  # fmt: skip
    made = {"language": more.get("language", "en"), "clips": clips, "calls": {"it": said},
            "names": more.get("names", {}), "jingles": {}}  # fmt: skip
    call, board = {"id": "it", "values": values}, {"seq": more.get("seq", 0), "players": PLAYERS}
    return page.evaluate(SOUNDS_OF, [made, call, board, more.get("everywhere", {})])


@settings(max_examples=60)
@given(st.integers(-399, 399))
def test_the_sounds_of_a_number_are_that_number(house: Evening, n: int) -> None:
    sounds = [part.removeprefix("/") for part in say(house, "{n}", {"n": n})]
    sign = -1 if sounds[0] == "minus" else 1

    assert sign * sum(int(part) for part in sounds if part != "minus") == n
    assert len(sounds) <= 3


@settings(max_examples=60)
@given(st.lists(st.sampled_from(("go", "{n}", "{player}", "{x}", "gone", "toString")), min_size=1),
       st.integers(0, 999), st.sampled_from(("Ann", "Bob", "Eve")))  # fmt: skip
def test_a_call_is_said_by_sounds_that_are_there_or_not_at_all(
    house: Evening, parts: list[str], n: int, player: str
) -> None:
    found = say(house, " ".join(parts), {"n": n, "player": player})
    silent = {"{x}", "gone", "toString"} & {*parts} or ("{player}" in parts and player == "Eve")

    if silent or ("{n}" in parts and n >= 400):
        assert found is None
    else:
        assert len(found) >= len(parts)
        assert all(part.startswith("/") for part in found)


def test_a_player_is_called_by_name_or_else_by_colour_or_by_seat(evening: Evening) -> None:
    apart = unicodedata.normalize("NFD", "BJÖRN")

    assert say(evening, "{player}", {"player": "Ann"}) == ["/red"]
    assert say(evening, "{player}", {"player": "Bob"}) == ["/2nd"]
    assert say(evening, "{player}", {"player": "Ann"}, names={" ann": "/ann"}) == ["/ann"]
    assert say(evening, "{player}", {"player": "björn"}, everywhere={apart: "/b"}) == ["/b"]
    assert say(evening, "{winners}", {"winners": ["Ann", "Bob"]}) == ["/red", "/and", "/2nd"]


def test_of_several_ways_each_has_its_turn_and_plurals_are_those_of_the_language(
    evening: Evening,
) -> None:
    ways, forms = ["go", "go go"], {"one": "go", "other": "go go"}

    assert [len(say(evening, ways, {}, seq=seq)) for seq in (0, 1, 2)] == [1, 2, 1]
    # No point at all is one form in English and another in French.
    assert len(say(evening, forms, {"n": 0})) == 2
    assert len(say(evening, forms, {"n": 0}, language="fr")) == 1
    assert say(evening, "{cell}", {"cell": "c4"}) == ["/c", "/4"]


# --- what is heard --------------------------------------------------------------------------------


def fetched(page: Any) -> list[str]:
    found: list[str] = page.evaluate(FETCHED)
    return found


@pytest.mark.parametrize("lang", languages())
def test_where_the_browser_has_no_voice_the_pack_of_the_language_calls(
    evening: Evening, lang: str
) -> None:
    page = with_caller(evening, f"pack-{lang}", "", scene(2, turn=None), lang=lang)
    wait_until(page, "window.started.length === 1")
    assert fetched(page) == [f"{lang}/hello.mp3"]
    wait_until(page, "window.started[0][1] > 0.5")
    evening.show(scene(2, rev=41, seq=41, last=None), f"pack-{lang}")
    wait_until(page, "window.started.length === 3")

    assert fetched(page)[1:] == [f"{lang}/blue.mp3", f"{lang}/your_turn.mp3"]
    # One after the other, by the clock of the sound card.
    for (at_s, lasts_s), (next_s, _) in pairwise(page.evaluate("window.started")):
        assert next_s >= at_s + lasts_s
    assert page.complaints == []


def test_every_sound_that_is_shipped_is_one_that_the_browser_plays(evening: Evening) -> None:
    page = evening.open("nobody")
    lasts_s = page.evaluate(
        """async () => {
            const { packs } = await (await fetch("/callers.json")).json();
            const shipped = packs.filter(({ own }) => !own);
            const decoder = new OfflineAudioContext(1, 1, 44100);
            const lasts = async (address) => {
                const content = await (await fetch(address)).arrayBuffer();
                return (await decoder.decodeAudioData(content)).duration;
            };
            return Promise.all(shipped.flatMap(({ clips }) => Object.values(clips)).map(lasts));
        }"""
    )

    assert len(lasts_s) > 450
    assert min(lasts_s) > 0.1
    assert max(lasts_s) < 4.0


def test_a_pack_of_ones_own_calls_with_names_and_the_winner_has_a_jingle(
    evening: Evening,
) -> None:
    page = with_caller(evening, "own-pack", "mary", scene(2, turn=None))
    board = over(2)
    evening.show(scene(2, rev=41, seq=41, last=None, turn=None, phase="clear"), "own-pack")
    wait_for_rev(page, 41)
    final = toppled(2)
    evening.show(
        msgspec.structs.replace(final, phase="over", result="final", winners=("Ada",)), "own-pack"
    )
    wait_for_rev(page, final.rev)
    wait_until(page, "window.started.length === 3")

    assert fetched(page) == ["mary/names/ada.wav", "mary/wins.wav", "_/jingles/Ada.wav"]
    assert board.winners
    assert page.complaints == []


def test_what_a_pack_cannot_say_the_browsers_voice_says_in_its_place(evening: Evening) -> None:
    page = with_caller(evening, "mixed", "mary", scene(2, turn=None))
    # It has no sound for its greeting, and nobody else speaks yet.
    page.evaluate("import('/static/caller.js').then((caller) => caller.known())")
    page.evaluate(
        """() => {
            window.began = [];
            speechSynthesis.getVoices = () => [{ lang: "en", localService: false }];
            speechSynthesis.speak = (words) => {
                window.began.push(words.text);
                words.dispatchEvent(new Event("end"));
            };
        }"""
    )
    evening.show(toppled(2), "mixed")
    wait_for_rev(page, 42)
    wait_until(page, "window.began.length === 1")

    assert page.evaluate("window.began[0]").endswith("Clear the board, please.")
    assert page.evaluate("window.started") == []


def test_switched_off_it_falls_silent_at_once(evening: Evening) -> None:
    page = with_caller(evening, "hushed", "en", scene(2, turn=None))
    wait_until(page, "window.started.length === 1")
    page.evaluate(
        """() => {
            window.stopped = 0;
            const stop = AudioBufferSourceNode.prototype.stop;
            AudioBufferSourceNode.prototype.stop = function () {
                window.stopped++;
                stop.apply(this);
            };
        }"""
    )
    page.click("#commentator")
    evening.show(scene(2, rev=41, seq=41, last=None), "hushed")
    wait_for_rev(page, 41)

    assert page.evaluate("window.stopped") == 1
    assert page.evaluate("window.started.length") == 1


def test_a_page_that_nobody_has_touched_asks_for_a_touch_and_is_heard_after_it(
    evening: Evening,
) -> None:
    touched = with_caller(evening, "untouched", "en", scene(2, turn=None))
    page = touched.context.new_page()
    page.goto(touched.url)
    # What Playwright evaluates counts as a touch; so this is asked beside it.
    asked = touched.context.new_cdp_session(page)

    def until_page(expression: str) -> None:
        def true() -> bool:
            said = asked.send("Runtime.evaluate", {"expression": expression, "userGesture": False})
            return said["result"].get("value") is True

        until(page, true)

    button = "document.querySelector('#commentator')"
    until_page(f"{button}.ariaPressed === 'true' && document.body.dataset.rev === '40'")
    evening.show(scene(2, rev=41, seq=41, last=None), "untouched")
    until_page(f"{button}.textContent === 'Touch to hear'")
    until_page("navigator.userActivation.hasBeenActive === false")
    page.click("#commentator")
    page.evaluate(STARTED)
    wait_until(page, f"{button}.textContent === 'Caller on'")
    evening.show(scene(2, rev=42, seq=42, last=None, turn=None), "untouched")
    wait_for_rev(page, 42)
    evening.show(scene(2, rev=43, seq=43, last=None), "untouched")

    wait_until(page, "window.started.length >= 2")


# --- with a table that runs -----------------------------------------------------------------------


def calling_screen(home: Home) -> Any:
    """The big screen, once it has begun to call."""
    tv = home.page((1280, 720))
    tv.goto(f"{home.server.url}t/t1?lang=en")
    tv.evaluate("localStorage.setItem('topple-table.caller', 'en')")
    tv.evaluate(STARTED)
    tv.click("#commentator")
    until(tv, lambda: tv.evaluate("window.started.length") == 1)
    return tv


def test_what_a_phone_is_refused_is_called_on_the_big_screen(home: Home) -> None:
    phone = home.everybody()
    tv = calling_screen(home)
    refused = phone.evaluate(
        """async () => {
            const { command } = await import("/static/play_api.js");
            const { boot, game, rev } = await new Promise((done) => {
                const source = new EventSource("/t/t1/stream");
                source.addEventListener("table", (event) => {
                    source.close();
                    done(JSON.parse(event.data).board);
                });
            });
            return command("place", { boot, game, rev }, { cell: "c3" });
        }"""
    )
    until(tv, lambda: "en/roll_first.mp3" in fetched(tv))

    assert (refused["ok"], refused["reason"]) == (False, "not_rolled")
    tap(phone, "die-6")
    phone.wait_for_selector(".tower-board")
    until(tv, lambda: "en/anywhere.mp3" in fetched(tv))
    assert tv.complaints == []


def test_what_a_button_of_the_table_is_refused_is_called_on_the_big_screen(home: Home) -> None:
    home.everybody()
    tv = calling_screen(home)
    home.table.press("pass")
    until(tv, lambda: "en/roll_first.mp3" in fetched(tv))

    assert tv.complaints == []


# --- where it is chosen ---------------------------------------------------------------------------


@pytest.mark.parametrize("lang", languages())
def test_the_caller_is_chosen_with_its_licence_on_a_page_that_fits(
    evening: Evening, lang: str
) -> None:
    page = evening.open(path=f"sounds?lang={lang}")
    page.wait_for_selector("body[data-callers]")
    assert "CC0" in page.locator("#about-caller").inner_text()
    assert "torn" in page.locator("#refused").inner_text()
    page.evaluate(STARTED)
    page.click("#listen")
    wait_until(page, "window.started.length >= 5")
    assert {path.split("/")[0] for path in fetched(page)} == {lang}
    page.select_option("#callers", "mary")
    said = page.locator("#about-caller").inner_text()
    assert "ours" in said
    assert "ada" in said
    page.reload()
    page.wait_for_selector("body[data-callers]")
    assert page.locator("#callers").input_value() == "mary"
    page.select_option("#callers", lang)
    for _ in keep_pictures(page, f"caller-{lang}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    assert axe_findings(page) == []
    assert page.complaints == []
