"""Every page in every language, size and state: not wider than its screen, nothing over another."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from controller.mqtt import topics
from controller.mqtt.topics import SensorTrouble, TableStatus
from engine.scoreboard import Scoreboard
from engine.troubles import CELL_NO_VALUES, IMU_SILENT
from hw.troubles import BUTTON_STUCK, RATE_SLOW
from pages.files import languages
from tests.controller.conftest import wait_until
from tests.pages.browser import (
    BROWSER_NEEDED,
    TWO_FRAMES,
    Evening,
    each_size,
    keep_pictures,
    wait_for_rev,
)
from tests.pages.scenes import (
    SCENES,
    asked,
    blamed,
    blamed_later,
    broken_off,
    doubted,
    idle,
    meant,
    over,
    scene,
    suspicion,
    toppled,
    trace,
    turn_asked,
    unwell,
    vitals,
)

pytestmark = BROWSER_NEEDED

OTHERS = sorted(set(languages()) - {"de"})
LANGUAGES = ["de", *(pytest.param(lang, marks=pytest.mark.soak) for lang in OTHERS)]
"""German has the longest words; the others are part of `make soak`."""

LONG = ("Wilhelmina-Charlotte von der Waterkant", "Maximilian Ōyama-Łukasiewicz", "WWWWWWWWWWWW",
        "Ottmarsbocholtermarktfrau-am-Brunnen-XIV")  # fmt: skip
"""As long as a name may be, with and without places to break it."""


def long_named(board: Any) -> Any:
    """The same moment among people with long names."""
    names = {player.name: LONG[seat] for seat, player in enumerate(board.players)}
    text = msgspec.json.encode(board).decode()
    for short, long in names.items():
        text = text.replace(f'"{short}"', f'"{long}"').replace(f'"{short} ', f'"{long} ')
    return msgspec.json.decode(text, type=type(board))


STATES: dict[str, Any] = {
    "waiting": idle(),
    "playing-2": scene(2),
    "playing-2-long": long_named(scene(2)),
    "playing-3": scene(3),
    "playing-4-long": long_named(scene(4)),
    "going-2": scene(2),
    "going-4-long": long_named(scene(4)),
    "asked-3": asked(3),
    "meant-3": meant(3),
    "turn-asked-2": turn_asked(2),
    "turn-asked-4": turn_asked(4, "clear"),
    "blamed-4-long": long_named(blamed(4)),
    "blamed-later-4-long": long_named(blamed_later(4)),
    "doubted-4-long": long_named(doubted(4)),
    "toppled-2": toppled(2),
    "toppled-4-long": long_named(toppled(4)),
    "round-over-3": msgspec.structs.replace(over(3), phase="clear", winners=()),
    "won-2": over(2),
    "won-4-long": long_named(over(4)),
    "broken-off": broken_off(),
    "hints": SCENES["hints"],
    "topolo": SCENES["topolo"],
    "cube": SCENES["cube"],
    "topominos": SCENES["topominos"],
}

FINDINGS = """
({ alone, apart, over, within }) => {
  const found = [], boxOf = (node) => node.getBoundingClientRect();
  const seen = (node) => node.checkVisibility() && boxOf(node).width > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen)
    .map((node) => ({ name: selector, node, box: boxOf(node) }));
  const text = ({ name, box }) =>
    `${name} ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`;
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) found.push(`the page is ${width} wide on ${innerWidth}`);
  const boxes = alone.flatMap(all);
  for (const one of boxes)
    if (one.box.left < -1 || one.box.right > innerWidth + 1 || one.box.top < -1)
      found.push(`off the screen: ${text(one)}`);
  if (getComputedStyle(document.body).overflowY === "hidden")
    for (const one of boxes)
      if (one.box.bottom > innerHeight + 1) found.push(`below the screen: ${text(one)}`);
  const boxed = apart.flatMap(all);
  boxed.forEach((one, at) => boxed.slice(at + 1).forEach((other) => {
    const inside = one.node.contains(other.node) || other.node.contains(one.node);
    if (!inside && meet(one.box, other.box))
      found.push(`${text(one)} lies on ${text(other)}`);
  }));
  for (const [upper, lower] of over)
    for (const one of all(upper)) {
      const under = all(lower).find((other) => meet(one.box, other.box));
      if (under) found.push(`${text(one)} covers ${text(under)}`);
    }
  for (const [outer, inner] of within)
    for (const one of all(outer))
      for (const box of [...one.node.querySelectorAll(inner)].filter(seen).map(boxOf)) {
        const across = box.left < one.box.left - 2 || box.right > one.box.right + 2;
        const along = box.top < one.box.top - 2 || box.bottom > one.box.bottom + 2;
        if (across || along) found.push(`${text({ name: inner, box })} leaves ${text(one)}`);
      }
  return found;
}
"""

CARDS = """() => [...document.querySelectorAll(".card")].flatMap((card) => {
  const one = (selector) => card.querySelector(selector), digits = one(".digits");
  const box = (node) => node.getBoundingClientRect(), name = one(".name"), found = [];
  if (name.scrollWidth > name.clientWidth + 1) found.push(`${name.textContent} is cut`);
  if (box(digits).width < 8) found.push("no score");
  const high = box(digits).top + box(digits).height * .2; // above it a line has no ink
  const low = box(digits).bottom - box(digits).height * .2;
  for (const words of [name, one(".pill")].filter(Boolean))
    if (box(words).right > box(digits).left + 2 && box(words).bottom > high && box(words).top < low)
      found.push(`${words.textContent} lies on ${digits.textContent}`);
  return found;
})"""


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_score_gives_way_before_a_name_or_a_word_does(evening: Evening, players: int) -> None:
    board = scene(players)
    text = msgspec.json.encode(board).decode()
    for short, long in zip(("Ada", "Björn"), ("Maximiliana-Luis", "Wolfeschlegelste"), strict=True):
        text = text.replace(f'"{short}"', f'"{long}"')
    board = msgspec.json.decode(text, type=type(board))
    shown = [msgspec.structs.replace(player, score=-110) for player in board.players]
    evening.show(msgspec.structs.replace(board, players=tuple(shown)), f"names-{players}")
    page = evening.open(path=f"t/names-{players}?lang=fr")
    wait_for_rev(page, board.rev)
    for size in each_size(page):
        assert page.evaluate(CARDS) == [], size


def test_a_name_written_from_the_right_keeps_its_beginning_and_turns_no_sign(
    evening: Evening,
) -> None:
    text = msgspec.json.encode(toppled(3)).decode()
    board = msgspec.json.decode(text.replace('"Björn"', '"محمد عبد الله"'), type=Scoreboard)
    page = evening.shown(board, "rtl")
    name, sign = page.locator(".card .name").nth(1), page.locator("#ticker .way b").first

    assert name.evaluate("node => getComputedStyle(node).direction") == "rtl"
    # Were its sign turned round, the minus would be the last that is drawn.
    assert page.locator("#ticker .way bdi").first.inner_text() == "محمد عبد الله"
    assert sign.evaluate("""node => {
        const range = document.createRange(), at = (first) => {
            range.setStart(node.firstChild, first);
            range.setEnd(node.firstChild, first + 1);
            return range.getBoundingClientRect().left;
        };
        return at(0) < at(1);
    }""")


HEADER = ["#title", "#round", ".tools a", ".tools button", ".notice", ".invite-chip"]
TABLE = {
    "alone": [*HEADER, ".card", "#ticker", "#stage", "#board", ".board-notes", "#die", "#history",
              "#bubble", "#legend", ".moment .big", ".moment .more"],
    "apart": [*HEADER, ".card", "#ticker", "#board", "#die", "#history", "#bubble", "#legend",
              ".moment .more"],
    "over": [
        *((overlay, drawn)
          for overlay in ("#die", "#history", "#bubble", "#legend")
          for drawn in ("[data-cell] .piece", "[data-cell] .wood", ".board-svg")),
        (".moment .big", ".card"),
        (".moment .big", "#ticker"),
        (".moment.over .big", "[data-cell] .piece"),
        (".moment.clear .big", "[data-cell] .piece"),
        (".moment.over .big", "#history"),
        (".moment.idle .more", "[data-cell] .wood"),
        (".pill.now", ".digits"),
    ],
    "within": [(".card", ".pill"), (".card", ".digits"), (".card", ".left"), (".card", "h2"),
               ("#ticker", ".option"), ("#ticker", ".points"), ("#ticker", ".sure"),
               (".players", ".card")],
}  # fmt: skip
PANELS = {
    "alone": [*HEADER, ".panel", ".table-card", "h2", "li", "dt", "dd", "p"],
    "apart": [*HEADER, ".panel", ".table-card"],
    "over": [],
    "within": [
        (".panel", "h2"),
        (".panel", "li"),
        (".panel", "dd"),
        (".panel", "th"),
        (".panel", "td"),
        (".table-card", "li"),
    ],
}


@pytest.fixture(scope="module")
def house(chromium: Any) -> Iterator[Evening]:
    """As of an evening with phones, so that the way to join stands in the heading."""
    made = Evening(chromium, phones="screen")
    wait_until(lambda: made.table.connection.up, "the table's connection")
    wait_until(lambda: made.server._mirror.broker.up, "the scoreboard's connection")
    yield made
    made.close()


BESIDE = """() => {
  const [chip] = document.querySelector(".invite-chip").getClientRects();
  return [...document.querySelectorAll("#title, .tools > *, #menu")]
    .flatMap((node) => [...node.getClientRects()])
    .some((box) => box.top < chip.bottom && box.bottom > chip.top);
}"""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_way_to_a_phone_stands_alone_in_no_line(evening: Evening, lang: str) -> None:
    table, alone = f"beside-{lang}", []
    for simulated in (False, True):
        evening.show(scene(2, simulated=simulated, rev=40 + simulated), table)
        page = evening.open(path=f"t/{table}?lang={lang}")
        wait_for_rev(page, 40 + simulated)
        page.wait_for_selector(".invite-chip")
        alone += [(size, simulated) for size in each_size(page) if not page.evaluate(BESIDE)]
        menus = page.locator("#menu")
        page.set_viewport_size({"width": 390, "height": 844})
        both = (page.locator(".invite-chip").bounding_box(), menus.bounding_box())
        assert abs(both[0]["y"] - both[1]["y"]) < both[0]["height"]

    assert alone == []


def findings(page: Any, name: str, what: Any) -> list[str]:
    """What is wrong at each size."""
    found = []
    for size in each_size(page):
        found += [f"{name} {size}: {one}" for one in page.evaluate(FINDINGS, what)]
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_scoreboard_fits_its_screen_and_covers_nothing(evening: Evening, lang: str) -> None:
    table = f"fits-{lang}"
    page, found = evening.open(path=f"t/{table}?lang={lang}"), []
    for rev, (state, board) in enumerate(STATES.items(), start=1):
        # Each is a game of its own, so that nothing has to move.
        evening.show(msgspec.structs.replace(board, game=state, rev=rev, seq=rev), table)
        wait_for_rev(page, rev)
        page.wait_for_selector(".invite-chip")
        if state.startswith("going"):
            evening.table.publish(suspicion("suspected", game=state, table=table, valid_s=60.0))
            page.wait_for_selector(".moment.going")
        # Last: a tilt that is four seconds old goes away.
        evening.table.publish(topics.trace(table, trace(0.0, 0.0)))
        if board.kind == "topple":
            page.wait_for_selector("#bubble")
        found += findings(page, state, TABLE)

    assert not found, "\n".join(found)
    assert page.complaints == []


QUESTIONS = {"meant-3": meant(3), "turn-asked-2": turn_asked(2),
             "turn-asked-4": turn_asked(4, "clear")}  # fmt: skip

CUT = """
() => [...document.querySelectorAll(".card .name")].filter((name) => {
  const text = document.createRange();
  text.selectNodeContents(name);
  return text.getBoundingClientRect().width > name.getBoundingClientRect().width + .1;
}).map((name) => name.textContent)
"""


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("state", QUESTIONS)
def test_a_question_is_seen_whole_without_scrolling(
    evening: Evening, state: str, lang: str
) -> None:
    table = f"seen-{state}-{lang}"
    evening.show(QUESTIONS[state], table)
    page, found = evening.open(path=f"t/{table}?lang={lang}"), []
    page.wait_for_selector(".ticker.asks")
    for size in each_size(page):
        bottom = page.evaluate("document.querySelector('.ticker').getBoundingClientRect().bottom")
        found += [f"{size}: down to {bottom}"] if bottom > size[1] + 1 else []

    assert not found, "\n".join(found)


def test_names_as_people_have_them_are_not_cut(evening: Evening) -> None:
    evening.show(turn_asked(2), "names")
    page = evening.open("names")
    page.wait_for_selector(".card .name")
    found = [(size, cut) for size in each_size(page) if (cut := page.evaluate(CUT))]
    # As the scoreboard stands beside the visitors' buttons on the page "Play".
    page.set_viewport_size({"width": 897, "height": 800})
    page.evaluate(TWO_FRAMES)

    assert found == []
    assert page.evaluate(CUT) == []


def test_who_has_won_is_read_from_afar_however_long_the_name(evening: Evening) -> None:
    page = evening.shown(long_named(over(2)), "winner")
    page.wait_for_selector(".moment.over .big")
    small = []
    for width, height in each_size(page):
        high = page.locator(".moment.over .big").evaluate(
            "n => parseFloat(getComputedStyle(n).fontSize)"
        )
        small += [(width, height, high)] if high < 0.05 * min(width, height) else []

    assert small == []


@pytest.mark.parametrize("lang", sorted(languages()))
def test_the_last_event_says_what_happened_however_long_the_name(
    evening: Evening, lang: str
) -> None:
    cut = []
    for name, board in (("placed", scene(4)), ("fell", toppled(2))):
        evening.show(long_named(board), f"{name}-{lang}")
        page = evening.open(path=f"t/{name}-{lang}?lang={lang}")
        wait_for_rev(page, board.rev)
        for size in each_size(page):
            # A third line is hidden; the depth of a letter is not half a line.
            hidden = (
                "n => (n.scrollHeight - n.clientHeight) / parseFloat(getComputedStyle(n).fontSize)"
            )
            if page.locator("#ticker .what").evaluate(hidden) > 0.5:
                cut.append((name, size))

    assert cut == []


TROUBLE = SensorTrouble(
    "scale.2", "Load cell C2 gives no valid values; check its plug and its supply"
)


MANY = (
    SensorTrouble.of("scale.2", CELL_NO_VALUES(n="C2")),
    SensorTrouble.of("imu", IMU_SILENT()),
    SensorTrouble.of("rates", RATE_SLOW(n="C1, C3", hz=10, wanted=80)),
    SensorTrouble.of("panel", BUTTON_STUCK(button="pass", seconds=30, pin=17)),
)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("state", ["degraded", "many", "offline", "stopping"])
def test_what_is_wrong_stands_beside_the_score_and_covers_nothing(
    evening: Evening, state: Any, lang: str
) -> None:
    table = f"wrong-{state}"
    evening.show(long_named(scene(4)), table)
    if state == "offline":
        evening.say(topics.availability(table, online=False))
    else:
        troubles = {"degraded": (TROUBLE,), "many": MANY}.get(state, ())
        phase: Any = "degraded" if troubles else state
        status = TableStatus("boot-1", phase, "", "0.1", simulated=False, troubles=troubles)
        evening.say(topics.status(table, status))
    page = evening.open(path=f"t/{table}?lang={lang}")
    wait_for_rev(page, 40)
    page.wait_for_selector(f".notice.{state}")
    list(keep_pictures(page, f"wrong-{state}-{lang}"))

    found = findings(page, state, TABLE)
    assert not found, "\n".join(found)


@pytest.fixture(scope="module")
def lonely(house: Evening) -> Iterator[Evening]:
    """An evening that has lost its broker in the middle of a game."""
    made = Evening(house.chromium)
    wait_until(lambda: made.table.connection.up, "the table's connection")
    made.show(scene(3))
    made.say(topics.health("t1", unwell()))
    wait_until(lambda: made.server._mirror.tables["t1"].health if "t1" in made.server._mirror.tables
               else None, "the health to be heard")  # fmt: skip
    made.lose_the_broker()
    wait_until(lambda: not made.server._mirror.broker.up, "the broker to be missed")
    yield made
    made.close()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_a_broker_every_page_still_fits(lonely: Evening, lang: str) -> None:
    found = []
    for path, what in (("t/t1", TABLE), ("t/t1/health", PANELS), ("", PANELS)):
        page = lonely.open(path=f"{path}?lang={lang}")
        page.wait_for_selector(".notice.no_broker")
        found += findings(page, f"{path} without a broker", what)
        page.close()

    assert not found, "\n".join(found)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_other_pages_fit_their_screens(evening: Evening, lang: str) -> None:
    found = []
    for table, health in (("fit", vitals()), ("ill", unwell())):
        evening.show(long_named(scene(4)), table)
        evening.say(topics.health(table, health))
    for path, ready in (
        ("t/fit/health", "body[data-ready=true]"),
        ("t/ill/health", "body[data-ready=true]"),
        ("", "a[href^='/t/ill']"),
        ("t/fit/play", "body"),
    ):
        page = evening.open(path=f"{path}?lang={lang}")
        page.wait_for_selector(ready)
        found += findings(page, path, PANELS)
        page.close()

    assert not found, "\n".join(found)
