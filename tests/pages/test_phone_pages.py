"""The phone page in Debian's Chromium, against a running table and Mosquitto with its roles.

Getting in, who may not, and Topple. See `home.py` for who is who.
"""

import contextlib
import http.server
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.mqtt.client import Message
from pages.server import ScoreboardServer
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.pages.browser import BROWSER
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
from tests.pages.running import HALF_SURE, RunningTable

pytestmark = BROWSER
__all__ = ["home"]  # a fixture


# --- getting in --------------------------------------------------------------------------------


def test_the_big_screen_shows_pin_and_qr_code_and_a_phone_that_watches_sees_neither(
    home: Home,
) -> None:
    screen, phone = home.page((1280, 720)), home.page()
    screen.goto(home.server.screen_url("t1"))
    phone.goto(home.phone_url.removesuffix("/play"))

    screen.wait_for_selector(".invite-qr")
    assert screen.locator(".invite-pin").inner_text().replace(" ", "") == home.pin()
    picture(screen, "invite-1280x720")
    phone.wait_for_selector("a.invite-chip")
    assert phone.locator(".invite-card").is_hidden()
    assert home.pin() not in phone.content().replace(" ", "")


def test_the_pin_typed_on_the_big_keys_lets_a_phone_in(home: Home) -> None:
    page = home.page()
    page.goto(home.phone_url)
    panel(page, "join")
    for digit in home.pin():
        tap(page, digit)

    panel(page, "start")
    picture(page, "play-start")
    cookie = next(c for c in page.context.cookies() if c["name"] == "topple_phone")
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/t/t1")
    assert page.complaints == []


def test_a_scanned_pin_is_taken_off_the_address(home: Home) -> None:
    page = home.joined()

    assert page.url == home.phone_url


def test_wrong_pins_are_counted_and_then_nothing_is_compared(home: Home) -> None:
    page = home.page()
    page.goto(home.phone_url)
    panel(page, "join")
    wrong = "000000" if home.pin() != "000000" else "111111"
    for left in (4, 3, 2, 1):
        page.keyboard.type(wrong)
        words = "One try left" if left == 1 else f"{left} tries left"
        page.get_by_text(words).wait_for()
    page.keyboard.type(wrong)
    page.get_by_text("Too many wrong PINs").wait_for()
    with page.expect_response("**/play/join") as answered:
        page.keyboard.type(home.pin())

    assert answered.value.status == 429
    page.get_by_text("Too many wrong PINs").wait_for()
    assert page.locator("[data-panel=join]").count() == 1


def test_a_new_pin_from_the_big_screen_ends_all_sessions(home: Home) -> None:
    phone = home.joined()
    before = home.pin()
    screen = home.page((1280, 720))
    screen.goto(home.server.screen_url("t1"))
    screen.locator(".invite-renew").click()
    until(screen, lambda: home.pin() != before)
    phone.reload()
    panel(phone, "join")


def test_a_kiosk_is_led_by_its_file_to_a_page_that_shows_the_pin(
    home: Home, tmp_path: Path
) -> None:
    file = tmp_path / "screen.html"
    server = ScoreboardServer(
        home.broker.address("controller"), port=0, phones="screen", screen_file=file
    )
    server.start()
    try:
        wait_until(lambda: "t1" in server._mirror.tables, "the table to be heard")
        screen, guest = home.page((1280, 720)), home.page((1280, 720))
        screen.goto(f"file://{file}")
        screen.wait_for_url(server.url)  # no token is left in the address
        screen.locator(".table-card").click()
        screen.wait_for_selector(".invite-qr")
        picture(screen, "own-screen-1280x720")
        guest.goto(f"{server.url}t/t1")
        guest.wait_for_selector("a.invite-chip")

        assert guest.locator(".invite-pin").count() == 0
    finally:
        server.stop()


# --- requests that no page of ours makes ----------------------------------------------------------


def send(home: Home, name: str, body: bytes, **headers: str) -> tuple[int, Any]:
    """A POST as somebody might make it by hand."""
    request = urllib.request.Request(  # noqa: S310 - our own
        f"{home.server.url}t/t1/play/{name}", body, method="POST",
        headers={"content-type": "application/json", **headers},
    )  # fmt: skip
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


ACT = {"verb": "undo", "id": "0123456789ab", "seen": {"boot": "boot-1", "game": None, "rev": 0}}


def test_without_the_pin_nothing_can_be_done(home: Home) -> None:
    origin = home.server.url.rstrip("/")
    status, answer = send(home, "do", json.dumps(ACT).encode(), origin=origin)

    assert (status, answer["code"]) == (401, "not-joined")
    assert home.table.board.rev == 0


def test_a_page_of_somebody_else_cannot_act_with_the_phones_cookie(home: Home) -> None:
    page = home.joined()
    start_topple(page)
    panel(page, "seat")
    cookie = next(c for c in page.context.cookies() if c["name"] == "topple_phone")
    board = home.table.board
    end = {**ACT, "verb": "end", "seen": {"boot": "boot-1", "game": board.game, "rev": board.rev}}
    body, with_cookie = json.dumps(end).encode(), {"cookie": f"topple_phone={cookie['value']}"}
    status, answer = send(home, "do", body, origin="http://evil.example", **with_cookie)
    assert (status, answer["code"]) == (403, "cross-site")
    # In the very browser that has joined, from a page in the same network.
    with a_foreign_page() as url:
        evil, sent = page.context.new_page(), []
        evil.on("request", lambda request: sent.append(request.method))
        evil.goto(url)
        said = evil.evaluate(
            """([url, body]) => fetch(url, {
                method: "POST", mode: "no-cors", credentials: "include", body,
            }).then(() => "answered", (error) => String(error))""",
            [f"{home.phone_url}/do", body.decode()],
        )
        assert "POST" in sent
        assert said == "TypeError: Failed to fetch"
    assert home.table.board.phase == "roll"

    origin = f"http://127.0.0.1:{home.server.port}"
    assert send(home, "do", body, origin=origin, **with_cookie)[1]["ok"] is True
    assert home.table.board.phase == "over"


@contextlib.contextmanager
def a_foreign_page() -> Iterator[str]:
    """An empty page of somebody else."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>nothing to see</p>")

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://evil.local:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_a_display_has_nothing_to_act_with(home: Home) -> None:
    display = ScoreboardServer(home.broker.address("display"), port=0)
    display.start()
    try:
        wait_until(lambda: "t1" in display._mirror.tables, "the table to be heard")
        page = home.page()
        page.goto(f"{display.url}t/t1/play")
        page.get_by_text("This scoreboard only shows").wait_for()
        assert display._commander is None
        assert not any("reply" in topic for topic in display._mqtt._subscriptions)
    finally:
        display.stop()


def test_a_scoreboard_without_the_right_to_act_says_why_nothing_happens(home: Home) -> None:
    # Its owner wants phones, but gave it the display's password: the broker drops its commands.
    server = ScoreboardServer(home.broker.address("display"), port=0, phones="screen")
    server.start()
    try:
        wait_until(lambda: "t1" in server._mirror.tables, "the table to be heard")
        page = home.page()
        pin = server._phones._doors["t1"].desk._pin
        page.goto(f"{server.url}t/t1/play#{pin}")
        panel(page, "start")
        start_topple(page)
        page.get_by_text("may this scoreboard send commands").wait_for()
        assert home.table.board.phase == "idle"
    finally:
        server.stop()


# --- Topple ----------------------------------------------------------------------------------


def test_a_question_is_answered_by_one_tap_on_the_board(home: Home) -> None:
    page = home.everybody()
    tap(page, "die-6")
    panel(page, "turn")
    page.wait_for_selector(".tower-board")
    home.table.place("b3", 0.74, HALF_SURE)
    panel(page, "question")
    picture(page, "play-question")
    best, second = (page.locator(f"[data-cell={cell}]") for cell in ("b3", "b4"))

    assert best.get_attribute("class").split()[-2:] == ["best", "meant"]
    assert "most likely" in best.get_attribute("aria-label")
    # The best is the first to be reached by keyboard and screen reader.
    assert page.locator("button.cell").first.get_attribute("data-cell") == "b3"
    assert best.bounding_box()["width"] >= 48
    second.click()
    page.wait_for_selector("[data-panel=turn]")
    assert [p.colour for p in home.table.board.board["b4"]] == ["pink"]
    assert home.table.board.pending is None
    assert page.complaints == []


def test_any_piece_on_the_board_is_corrected_and_undone_across_a_restart(home: Home) -> None:
    page = home.everybody()
    for cell in ("c3", "d3", "b3"):
        tap(page, "die-6")
        page.wait_for_selector("[data-panel=turn] .tower-board")
        home.table.place(cell)
        page.wait_for_selector("[data-name=die-6]")
    assert set(home.table.board.board) == {"c3", "d3", "b3"}

    tap(page, "fix")
    picture(page, "play-correct")
    tap(page, "c3")
    tap(page, "a1")
    page.get_by_text("Done.").wait_for()
    assert set(home.table.board.board) == {"a1", "d3", "b3"}
    rev = home.table.board.rev
    home.restart(page)
    page.wait_for_selector("[data-name=undo][aria-disabled=false]")
    tap(page, "undo")
    page.get_by_text("Done.").wait_for()

    assert set(home.table.board.board) == {"c3", "d3", "b3"}
    assert home.table.board.boot == "boot-2"
    assert home.table.board.rev > rev
    tap(page, "redo")
    page.wait_for_selector(f"body[data-rev='{rev + 2}']")
    assert set(home.table.board.board) == {"a1", "d3", "b3"}


def test_a_piece_lies_where_the_die_forbids_it_and_one_tap_puts_both_right(home: Home) -> None:
    page = home.everybody()
    tap(page, "die-3")
    page.wait_for_selector("[data-panel=turn] .tower-board")
    home.table.place("c1")
    page.wait_for_selector("[data-name=die-6]")
    tap(page, "fix")
    tap(page, "c1")
    page.locator("[data-cell=a1]").wait_for()
    picture(page, "play-fix-piece")
    assert page.locator("[data-cell=a1]").get_attribute("aria-label").endswith("the die was a 5")
    assert page.locator("[data-cell=a3] .cell-die").count() == 0
    assert page.locator("button[data-cell=c1]").count() == 0
    tap(page, "a1")
    page.get_by_text("Done.").wait_for()

    assert set(home.table.board.board) == {"a1"}
    panel(page, "turn")
    assert page.complaints == []


def test_without_sensors_pieces_are_entered_by_hand_and_a_topple_is_told(home: Home) -> None:
    page = home.everybody()
    tap(page, "die-3")
    page.wait_for_selector(".tower-board")
    assert page.locator("button.cell").count() == 8
    picture(page, "play-place")
    tap(page, "c1")
    page.wait_for_selector("[data-name=die-6]")
    assert [p.colour for p in home.table.board.board["c1"]] == ["pink"]
    tap(page, "It toppled!")
    tap(page, "Ann bumped the table")
    page.get_by_text("Clear the board").wait_for()
    assert home.table.board.players[0].score == -10
    picture(page, "play-clear")
    tap(page, "The board is clear")
    page.wait_for_selector("[data-name=die-6]")

    assert home.table.board.round == 2


def test_a_seated_phone_is_asleep_while_others_play(home: Home) -> None:
    page = home.joined()
    start_topple(page)
    tap(page, "Bob")
    page.get_by_text("Ann is playing").wait_for()

    assert page.locator("[data-name=die-6]").count() == 0
    other = home.joined(seat="Ann")
    other.get_by_text("Your roll").wait_for()
    tap(other, "Roll for me")
    page.wait_for_selector("#news:has-text('Ann rolled')")


def test_two_colours_the_colour_is_chosen_before_the_piece(home: Home) -> None:
    page = home.joined()
    page.locator("[data-name=two]").check()
    start_topple(page)
    tap(page, EVERYBODY)
    tap(page, "die-6")
    second = home.table.board.players[0].colours[1]
    tap(page, f"colour-{second}")
    page.wait_for_selector(f"[data-name=colour-{second}][aria-pressed=true]")
    picture(page, "play-colours")
    home.table.place("c3")
    page.wait_for_selector("[data-name=die-6]")

    assert [p.colour for p in home.table.board.board["c3"]] == [second]


def test_a_rematch_is_one_tap_and_everybody_keeps_their_seat(home: Home) -> None:
    page = home.joined()
    start_topple(page, ("Ann", "Bob"))
    tap(page, "Bob")
    tap(page, "more")
    tap(page, "End the game")
    tap(page, "Yes, end it")
    first, players = home.table.board.game, home.table.board.players
    picture(page, "play-rematch")
    tap(page, "rematch")
    page.get_by_text("Your roll").wait_for()  # Ann began before

    board = home.table.board
    assert board.game != first
    assert [(p.name, p.colours) for p in board.players] == [(p.name, p.colours) for p in players]
    assert page.locator("#who").inner_text() == "Bob"
    assert page.complaints == []


def test_a_phone_that_speaks_for_all_is_not_asked_who_it_is_after_a_reload(home: Home) -> None:
    page = home.everybody()
    panel(page, "turn")
    page.reload()
    page.wait_for_selector("[data-panel=turn], [data-panel=seat]")

    assert page.locator("#panel").get_attribute("data-panel") == "turn"
    assert page.locator("#who").inner_text() == "All of us"


def test_back_closes_what_is_open_and_never_leaves_the_table(home: Home) -> None:
    page = home.everybody()
    address = page.url
    tap(page, "more")
    tap(page, "End the game")
    panel(page, "end")
    for _ in range(4):
        page.go_back()
        panel(page, "turn")
    assert page.url == address
    tap(page, "fix")
    panel(page, "fix")
    page.go_back()
    panel(page, "turn")

    assert page.url == address
    assert home.table.board.phase == "roll"


def test_a_press_on_an_old_screen_does_nothing_and_is_told_kindly(home: Home) -> None:
    page = home.everybody()
    page.wait_for_selector("[data-name=die-6]")
    # The press is held back, as on a bad line; the table goes on meanwhile.
    held: list[Any] = []
    page.route("**/play/do", lambda route: held.append(route))  # noqa: PLW0108 - it marks handlers
    tap(page, "die-6")
    page.wait_for_selector("body.busy")
    assert page.locator("[data-name=die-1]").get_attribute("aria-disabled") == "true"
    home.table.live.receive(started_anew())
    until(page, lambda: home.table.board.rev > 1)
    held[0].continue_()
    page.get_by_text("The game has gone on meanwhile").wait_for()

    assert home.table.board.turn.die is None


def started_anew() -> Message:
    """Somebody else begins another game."""
    data = {"game": "topple", "replace": True, "players": [
        {"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]}  # fmt: skip
    return Message("topple/1/t1/cmd/start", json.dumps({"data": data}).encode(), retained=False)


def test_the_table_gone_the_page_says_so_and_sends_nothing(home: Home) -> None:
    page = home.everybody()
    page.wait_for_selector("[data-name=die-6]")
    home.table.stop()
    page.get_by_text("The table is offline").wait_for()
    picture(page, "play-offline")
    assert page.locator("[data-name=die-6]").get_attribute("aria-disabled") == "true"
    home.table = RunningTable(home.broker.address("table"), home.journal, "boot-2")
    page.wait_for_selector("[data-name=die-6][aria-disabled=false]")
    tap(page, "die-6")
    page.wait_for_selector(".tower-board")

    assert home.table.board.turn.die == 6


def test_a_reply_that_got_lost_is_not_done_twice(home: Home) -> None:
    page = home.everybody()
    page.wait_for_selector("[data-name=die-6]")
    sent: list[str] = []

    def lose_the_first_answer(route: Any) -> None:
        sent.append(route.request.post_data)
        # The test's own resolver does not know the name that the browser was told.
        url = route.request.url.replace("tower.local", "127.0.0.1")
        host = f"tower.local:{home.server.port}"
        answer = route.fetch(url=url, headers={**route.request.headers, "host": host})
        route.abort() if len(sent) == 1 else route.fulfill(response=answer)

    page.route("**/play/do", lose_the_first_answer)
    tap(page, "die-6")
    page.get_by_text("Done.").wait_for()

    assert len(sent) == 2
    assert sent[0] == sent[1]
    # The start and one roll.
    assert home.table.board.undo_depth == 2
