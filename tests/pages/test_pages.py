"""The pages in Debian's Chromium, fed over MQTT: what people see.

Pictures of all scenes are kept in `test-output/pages`, or in the folder TOPPLE_SCREENSHOTS.
"""

from itertools import combinations
from typing import Any

import msgspec
import pytest

from controller.mqtt import topics
from engine.public_events import LastShown
from engine.scoreboard import Scoreboard
from tests.pages.browser import (
    BROWSER,
    Evening,
    each_size,
    keep_pictures,
    wait_for_rev,
    wait_until,
)
from tests.pages.scenes import (
    SCENES,
    asked,
    broken_off,
    by_hand,
    hinted,
    over,
    scene,
    toppled,
    toppled_clear,
    trace,
)
from tests.soaked import soaked

pytestmark = BROWSER


WORDS_AT_TAKE_OFF = """() => {
    window.flights = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...how) {
        const words = () => document.querySelector('.moment.toppled .big')?.textContent;
        if (this.matches('.world .piece')) queueMicrotask(() => window.flights.push(words()));
        return animate.apply(this, how);
    };
}"""
"""Keeps what the page says when each piece begins to fly: before anything is painted, and for
questions that come when on a busy machine the flight may be over."""


def numbers(page: Any) -> list[str]:
    return [text.replace("\N{EN DASH}", "-") for text in page.locator(".digits").all_inner_texts()]


def height_of(page: Any, selector: str) -> float:
    sizes = page.locator(selector).evaluate_all(
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    return float(min(sizes))


@pytest.mark.parametrize("players", soaked([2, 3, 4], but=[4], mark=pytest.mark.slow))
def test_scores_are_legible_from_three_metres_and_nothing_is_cut_off(
    evening: Evening, players: int
) -> None:
    table = f"legible-{players}"
    page = evening.shown(scene(players), table)

    for width, height in each_size(page):
        vmin = min(width, height) / 100
        assert numbers(page) == ["64", "38", "-10", "102"][:players]
        assert height_of(page, ".digits") >= 20 * vmin
        assert height_of(page, ".card .name") >= 6 * vmin
        for card in page.locator(".card").all():
            box, digits = card.bounding_box(), card.locator(".digits").bounding_box()
            assert box["x"] <= digits["x"]
            assert digits["x"] + digits["width"] <= box["x"] + box["width"] + 1
            assert box["y"] - 1 <= digits["y"]
            assert digits["y"] + digits["height"] <= box["y"] + box["height"] + 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.complaints == []


def test_the_whole_state_is_drawn_turn_die_cells_stacks_points_and_probability(
    evening: Evening,
) -> None:
    page = evening.shown(scene(2), "whole")

    assert page.locator(".card.now .name").inner_text() == "Björn"
    assert page.locator(".card.now .pill").inner_text() == "to play"
    assert page.locator(".card.provisional .name").inner_text() == "Ada"
    assert page.locator("#die svg").get_attribute("aria-label") == "Die shows 3"
    assert page.locator("[data-cell].allowed").count() == 8
    assert page.locator("[data-cell=c3] .piece").count() == 5
    assert page.locator(".piece").count() == sum(map(len, scene(2).board.values()))
    assert page.locator("[data-cell=c3] .piece.provisional").count() == 1
    assert page.locator("#history polyline").count() == 2
    ticker = page.locator("#ticker").inner_text().replace("\n", " ")
    for words in ("Ada placed on c3", "+7", "+4 added to rank 3", "+3 stack on c3", "98% sure",
                  "provisional"):  # fmt: skip
        assert words in ticker
    assert "simulated" in page.locator("#notices").inner_text()


def test_a_topple_says_so_while_it_flies_and_the_scores_stay(evening: Evening) -> None:
    page = evening.shown(scene(2), "flies", motion="no-preference")
    page.evaluate(WORDS_AT_TAKE_OFF)
    evening.show(toppled(2), "flies")
    wait_until(page, "window.flights.length > 5")
    assert set(page.evaluate("window.flights")) == {"Topple!"}
    assert page.locator(".allowed").count() == page.locator(".label").count() == 0
    wait_until(page, "document.querySelectorAll('.world .piece').length === 0")

    assert page.locator(".moment .big").inner_text() == "Topple!"
    assert numbers(page) == ["64", "38"]
    assert "Björn toppled it" in page.locator("#ticker").inner_text()


def test_a_topple_of_all_pieces_off_the_plate_says_so_until_the_next_move(evening: Evening) -> None:
    page = evening.shown(scene(2), "all-off", motion="no-preference")
    page.evaluate(WORDS_AT_TAKE_OFF)
    board = toppled_clear(2)
    evening.show(board, "all-off")
    wait_until(page, "window.flights.length > 5")
    assert set(page.evaluate("window.flights")) == {"Topple!"}
    wait_until(page, "document.querySelectorAll('.world .piece').length === 0")
    assert page.locator(".moment .big").inner_text() == "Topple!"
    assert page.locator(".moment .more").inner_text() == ""

    rolled = msgspec.structs.replace(board, rev=42, seq=46, phase="act",
                                     last=LastShown(type="rolled", player="Björn"))  # fmt: skip
    evening.show(rolled, "all-off")
    wait_for_rev(page, 42)

    assert page.locator(".moment").is_hidden()


TEXTS: dict[str, tuple[Scoreboard, dict[str, str], dict[str, int]]] = {
    "asked": (
        asked(3),
        {".option.best": "b3 71%", "#ticker .what": "Where is Ada's last piece?"},
        {".label.best": 1},
    ),
    "broken": (broken_off(), {".moment .big": "Nobody wins"}, {".confetti": 0}),
    "round-over": (
        scene(2, phase="clear", rev=41, seq=41),
        {".moment .big": "Round 2 is over", ".moment .more": "Clear the board"},
        {},
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_question_a_game_without_winner_and_a_finished_round_say_so(
    evening: Evening, name: str
) -> None:
    board, texts, counts = TEXTS[name]
    evening.show(board, name)
    page = evening.open(path="", motion="no-preference")
    # The list leads to the tables.
    page.locator(f"a[href='/t/{name}']").click()
    wait_for_rev(page, board.rev)

    assert {where: page.locator(where).inner_text() for where in texts} == texts
    assert {where: page.locator(where).count() for where in counts} == counts


def test_reduced_motion_is_respected(evening: Evening) -> None:
    page = evening.shown(scene(2), "calm", motion="reduce")
    evening.show(toppled(2), "calm")
    page.wait_for_selector(".moment.toppled")

    assert page.evaluate("document.getAnimations().length") == 0


def test_the_winner_is_named_over_the_last_board_with_final_scores(evening: Evening) -> None:
    board = over(4)
    page = evening.shown(board, "over", motion="no-preference")

    assert page.locator(".moment .big").inner_text() == "Ada wins!"
    assert page.locator(".card.won .name").inner_text() == "Ada"
    assert page.locator(".world .piece").count() == 48
    assert page.locator(".provisional").count() == 0
    assert "not final" not in page.locator("#players").inner_text()
    assert page.locator("#history polyline").count() == 4
    assert page.locator("#history").is_visible()
    assert page.locator(".confetti").count() == 1


ON_C3 = {"player": "Ada", "cell": "c3", "points": 7, "of": "placed"}
TOPPLED = {"player": "Ada", "of": "toppled", "cause": "placing", "changes": {"red": -10}}
CORRECTIONS: list[tuple[dict[str, Any], str]] = [
    ({"player": "Ada", "of": "nothing", "was": "c3"}, "Ada's piece on c3 was taken back"),
    ({"of": "nothing"}, "Taken back"),
    ({**ON_C3, "was": "c4"}, "Corrected: Ada on c3 +7"),
    ({**ON_C3, "was": "c3"}, "Settled: Ada on c3 +7"),
    (TOPPLED, "Ada toppled it Ada \N{MINUS SIGN}10"),
    ({**TOPPLED, "cause": "bump"}, "Ada bumped the table Ada \N{MINUS SIGN}10"),
    ({"player": "Ada", "of": "passed"}, "Ada passed"),
    ({"player": "Ada", "of": "fell"}, "Ada's piece did not stay"),
]


def test_a_card_says_what_its_player_still_needs_once_that_may_come_at_any_moment(
    evening: Evening,
) -> None:
    board = scene(4)
    shown = [
        msgspec.structs.replace(player, score=score)
        for player, score in zip(board.players, (96, 89, 90, 100), strict=True)
    ]
    board = msgspec.structs.replace(board, players=tuple(shown))
    page = evening.shown(board, "needs")
    cards = page.locator(".card")

    assert [cards.nth(at).locator(".needs").all_inner_texts() for at in range(4)] == [
        ["needs 4"], [], ["needs 10"], [],
    ]  # fmt: skip
    assert page.get_by_label("needs 4 to win").count() == 1
    for _ in keep_pictures(page, "needs"):
        pass


def test_a_table_never_heard_of_says_what_to_look_at_until_it_speaks(evening: Evening) -> None:
    page = evening.open("unheard")
    page.locator("#moment .big", has_text="Not heard from this table yet").wait_for()
    assert "switched on" in page.locator("#moment .more").inner_text()
    evening.show(scene(2), "unheard")
    wait_for_rev(page, 40)

    assert page.locator("#moment").is_hidden()
    assert page.locator(".card").count() == 2


def test_a_correction_says_what_became_of_the_move(evening: Evening) -> None:
    page = evening.open("corrected")
    for rev, (last, expected) in enumerate(CORRECTIONS, start=1):
        shown = LastShown(type="corrected", **last)
        evening.show(scene(2, last=shown, rev=rev, seq=rev), "corrected")
        wait_for_rev(page, rev)

        assert page.locator("#ticker").inner_text().replace("\n", " ") == expected


def test_topolo_is_drawn_with_its_sizes_and_what_is_left(evening: Evening) -> None:
    board = by_hand("topolo", 41)
    page = evening.shown(board, "topolo", size="800x480")
    assert board.view is not None

    assert page.locator("#tower").is_hidden()
    assert page.locator("[data-cell] .disc").count() == 41
    sizes = page.locator("[data-cell] .disc.red .size").all_text_contents()
    assert sorted(sizes) == sorted(p[-1] for p in board.view["board"].values() if "red" in p)
    assert page.locator(".square.latest").count() == 1
    assert "Ann 2S 7M 2L" in " ".join(page.locator(".board-notes").inner_text().split())
    assert page.complaints == []


def test_the_group_that_won_topolo_is_lit(evening: Evening) -> None:
    board = by_hand("topolo", 10_000)
    assert board.view is not None
    page = evening.shown(board, "topolo-won")
    cells = page.locator("[data-cell]:has(.square.won)")

    assert {cells.nth(at).get_attribute("data-cell") for at in range(cells.count())} == {
        *board.view["won"]
    }
    assert cells.count() > 1
    for _ in keep_pictures(page, "topolo-won"):
        pass


def test_the_cube_is_drawn_as_four_layers_with_the_winning_line(evening: Evening) -> None:
    board = by_hand("triple-topper-toe", 10_000)
    page = evening.shown(board, "cube")
    assert board.view is not None

    assert page.locator(".layer").count() == 4
    assert page.locator(".spot").count() == 64
    for seat in ("x", "o"):
        assert page.locator(f".spot .sign.{seat}").count() == board.view["marks"][seat]
    assert page.locator(".spot.won").count() == 4
    assert page.locator("#ticker").inner_text() == "Ann wins!"
    assert f"pile {board.view['pile']}" in page.locator(".board-notes").inner_text()
    assert page.complaints == []


def test_topominos_is_drawn_with_the_dots_as_they_lie(evening: Evening) -> None:
    board = by_hand("topominos", 24)
    page = evening.shown(board, "topominos")
    assert board.view is not None

    for number in range(1, 10):
        stack = board.view["board"].get(str(number), {"dots": ""})
        dots = page.locator(f"[data-compartment='{number}'] .pip.full")
        assert dots.count() == stack["dots"].count("1")
    assert page.locator(".compartment.touched").count() == len(board.view["touched"])
    assert f"bag {board.view['bag']}" in page.locator(".board-notes").inner_text()
    assert page.locator("#ticker").inner_text() == "Bob placed in compartment 8"
    assert page.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["topolo", "triple-topper-toe", "topominos"])
def test_no_board_is_cut_off_or_covers_the_scores(evening: Evening, game: str) -> None:
    board = by_hand(game, 30)
    page = evening.shown(board, f"fits-{game}")

    for width, _ in each_size(page):
        stage, notes = (page.locator(name).bounding_box() for name in ("#stage", ".board-notes"))
        players = page.locator("#players").bounding_box()
        assert notes["y"] + notes["height"] <= stage["y"] + stage["height"] + 1
        assert notes["x"] + notes["width"] <= width + 1
        assert page.locator(".board-svg").bounding_box()["height"] > 0.5 * stage["height"]
        beside = players["x"] + players["width"] <= stage["x"] + 1
        assert beside or players["y"] + players["height"] <= stage["y"] + 1


@pytest.mark.slow
def test_the_risk_map_lies_over_the_cells_and_h_hides_it(evening: Evening) -> None:
    board = hinted()
    page = evening.shown(board, "risk")
    assert board.hints is not None

    assert page.locator("[data-risk]").count() == len(board.hints) == 25
    for cell, hint in board.hints.items():
        chip = page.locator(f"[data-risk='{cell}']")
        assert chip.locator(".chance").text_content() == f"{100 * hint.risk:.0f}"
        assert chip.locator(".worth").count() == (hint.points > 0)
    assert page.locator(".legend-entry").count() == 3
    page.keyboard.press("h")
    assert page.locator("#legend").is_hidden()
    assert page.locator("[data-risk=c3]").is_hidden()
    page.keyboard.press("h")
    assert page.locator("#legend").is_visible()
    for _ in each_size(page):
        boxes = [chip.bounding_box() for chip in page.locator("[data-risk] .chip").all()]
        for one, other in combinations(boxes, 2):
            beside = abs(one["x"] - other["x"]) >= min(one["width"], other["width"]) - 1
            above = abs(one["y"] - other["y"]) >= min(one["height"], other["height"]) - 1
            assert beside or above
    evening.show(msgspec.structs.replace(board, hints=None, rev=board.rev + 1), "risk")
    wait_for_rev(page, board.rev + 1)
    assert page.locator("[data-risk]").count() == 0
    assert page.locator("#legend").is_hidden()
    assert page.complaints == []


def test_the_last_score_stays_when_table_or_page_lose_the_line(evening: Evening) -> None:
    page = evening.shown(scene(2), "lost")
    live = page.locator("#live")
    assert live.get_attribute("aria-live") == "polite"
    assert live.inner_text() == "Ada placed on c3. 7 points. Björn to play, die 3."
    evening.say(topics.availability("lost", online=False))
    page.wait_for_selector(".notice.offline")

    assert numbers(page) == ["64", "38"]
    assert "old" in page.locator("body").get_attribute("class")
    evening.say(topics.availability("lost", online=True))
    page.wait_for_selector(".notice.offline", state="detached")


def test_a_name_is_text_whatever_it_says(evening: Evening) -> None:
    board = scene(2)
    rude = msgspec.structs.replace(
        board.players[0], name="<img src=x onerror=alert(1)>", colours=("<b>",)
    )
    page = evening.shown(msgspec.structs.replace(board, players=(rude, *board.players[1:])), "rude")

    assert page.locator(".card .name").first.inner_text() == rude.name
    assert page.locator("img").count() == 0
    assert page.complaints == []


def tilted(table: str, x_deg: float, y_deg: float) -> Any:
    point = msgspec.structs.replace(trace(0.0, 0.0), tilt_deg=(x_deg, y_deg))
    return topics.trace(table, point)


@pytest.mark.slow
def test_the_tilt_is_live_and_leans_where_the_board_hangs(evening: Evening) -> None:
    page = evening.shown(scene(2), "tilting")
    assert page.locator("#bubble").is_hidden()
    evening.table.publish(tilted("tilting", 3.0, 0.0))
    wait_until(page, "document.querySelector('#bubble').dataset.tilt === '3.0'")
    east = page.locator("#bubble .marble").get_attribute("transform")
    evening.table.publish(tilted("tilting", 0.0, 9.0))
    wait_until(page, "document.querySelector('#bubble').dataset.tilt === '9.0'")
    west = page.locator("#bubble .marble").get_attribute("transform")

    # File e is at the right and rank 5 at the left of the picture, both at its back.
    assert east.startswith("translate(1")
    assert west.startswith("translate(-3")
    assert page.locator("#bubble.steep").count() == 1
    for picture in keep_pictures(page, "tilt-2"):
        assert picture.stat().st_size > 10_000
        evening.table.publish(tilted("tilting", 4.0, -1.0))
        page.wait_for_selector("#bubble")
    page.wait_for_selector("#bubble", state="hidden")
    assert page.complaints == []


def test_no_tilt_is_shown_over_a_board_that_does_not_hang(evening: Evening) -> None:
    page = evening.open("flat")
    for rev, game in enumerate(("topolo", "triple-topper-toe", "topominos"), start=1):
        board = msgspec.structs.replace(by_hand(game, 20), game=game)
        evening.show(msgspec.structs.replace(board, rev=2 * rev, seq=2 * rev), "flat")
        wait_for_rev(page, 2 * rev)
        evening.table.publish(tilted("flat", 3.0, 0.0))
        # The next document comes after the point of the trace.
        evening.show(msgspec.structs.replace(board, rev=2 * rev + 1, seq=2 * rev + 1), "flat")
        wait_for_rev(page, 2 * rev + 1)

        assert page.locator("#bubble").is_hidden()


@pytest.mark.slow
def test_pictures_are_kept_of_every_scene_at_every_size(evening: Evening) -> None:
    page = evening.open("pictures")
    for rev, (name, board) in enumerate(SCENES.items(), start=1):
        # Each is a game of its own, so that nothing has to move.
        evening.show(msgspec.structs.replace(board, game=name, rev=rev, seq=rev), "pictures")
        wait_for_rev(page, rev)
        for picture in keep_pictures(page, name):
            assert picture.stat().st_size > 10_000
