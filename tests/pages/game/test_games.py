"""The documents of a finished game: asked of the table once, checked, and given to all alike."""

import json
from typing import Any

import msgspec
import pytest

from controller.table.commands import CommandDesk, Reply
from controller.table.film import Film
from controller.table.game_moves import PACKED_LIMIT, Told, game_moves, packed
from controller.table.pipeline import Pipeline
from controller.table.resultbook import ResultBook
from controller.table.shelf import GameShelf, InMemory
from engine.results import Results, result
from pages.game.games import Games
from pages.guard import RequestRefused
from tests.controller.evenings import TABLETOP, Detector
from tests.controller.whole_games import played_through
from tests.pages.scenes import film_of, scene
from tests.pages.test_app import get

STATE = played_through("topolo", 4)
ENDED = result(STATE, "2026-11-22T20:06:00+00:00")
assert ENDED is not None
RESULTS = Results("t1", "b", (ENDED,))


class Table:
    """A table's desk, asked directly; it counts."""

    def __init__(self) -> None:
        self.store, self.asked = InMemory(), list[tuple[str, dict[str, Any]]]()
        assert ENDED is not None
        moves = game_moves(STATE, ENDED, TABLETOP, Told())
        self.store.keep_moves(ENDED.game, packed(moves))
        self.store.keep_film(film_of(scene(2, game=ENDED.game, seq=7)))
        self.desk = CommandDesk(
            Pipeline(Detector()), shelf=GameShelf(self.store), results=ResultBook([ENDED])
        )

    async def ask(self, _table: str, verb: str, key: str, data: dict[str, Any]) -> Reply | None:
        self.asked.append((verb, data))
        payload = msgspec.json.encode({"id": key, "client": "p", "data": data})
        return self.desk.receive(verb, payload, t_s=0.0, unix_s=0.0).reply

    def games(self, **more: Any) -> Games:
        return Games(self.ask, {"t1": RESULTS}.get, **more)


def test_the_last_game_is_told_and_asked_for_once_while_it_stays_the_same() -> None:
    table = Table()
    games = table.games()
    status, headers, body = get("/t/t1/game.json", games=games)
    assert get("/t/t1/game.json?id=topolo-4", games=games)[2] == body

    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(body)["moves"]["result"]["game"] == "topolo-4"
    assert json.loads(body)["films"] == [7]
    assert [verb for verb, _ in table.asked] == ["moves"]
    assert ENDED is not None
    later = Results("t1", "b", (msgspec.structs.replace(ENDED, rev=ENDED.rev + 1),))
    corrected = Games(table.ask, {"t1": later}.get, work=games.work)
    assert get("/t/t1/game.json", games=corrected)[0] == 200
    assert len(table.asked) == 2


def test_the_film_of_the_last_fall_which_comes_after_the_end_is_not_missed() -> None:
    table, films = Table(), list[Film]()
    games = table.games(film=lambda _table: films[-1] if films else None)
    before = get("/t/t1/game.json", games=games)[2]
    last = film_of(scene(2, game="topolo-4", seq=9))
    table.store.keep_film(last)
    assert get("/t/t1/game.json", games=games)[2] == before

    films.append(last)
    assert json.loads(get("/t/t1/game.json", games=games)[2])["films"] == [7, 9]


def test_the_past_is_asked_for_anew_when_the_results_change_and_not_before() -> None:
    table = Table()
    games = table.games()
    first = get("/t/t1/past.json", games=games)[2]
    assert get("/t/t1/past.json", games=games)[2] == first
    assert [game["game"] for game in json.loads(first)["games"]] == ["topolo-4"]
    assert [verb for verb, _ in table.asked] == ["past"]

    table.desk.receive("forget", b'{"data":{"player":"Ann"}}', t_s=0.0, unix_s=0.0)
    later = Games(table.ask, {"t1": Results("t1", "b", ())}.get, work=games.work)
    assert json.loads(get("/t/t1/past.json", games=later)[2]) == {"games": []}


def test_a_film_is_told_as_it_was_published_and_another_is_not_there() -> None:
    games = Table().games()

    assert json.loads(get("/t/t1/game/film.json?seq=7", games=games)[2])["seq"] == 7
    assert get("/t/t1/game/film.json?seq=8", games=games)[0] == 404
    for wrong in ("", "?seq=x", "?seq=-1", f"?seq={'9' * 99}"):
        assert get(f"/t/t1/game/film.json{wrong}", games=games)[0] == 400


def test_the_file_is_an_attachment_named_by_table_and_day_with_its_films_inside() -> None:
    status, headers, page = get("/t/t1/game.html", games=Table().games())

    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert headers["content-disposition"] == 'attachment; filename="topple-t1-2026-11-22.html"'
    kept = json.loads(page.partition('id="kept">')[2].partition("</script>")[0])
    assert (kept["table"], list(kept["told"])) == ("t1", ["7"])


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/t/t1/game.json?id=long-ago", 404, "not-kept"),
        ("/t/attic/game.json", 404, "no-game"),
        ("/t/NO/game.json", 404, "no-table"),
        (f"/t/t1/game.json?id={'x' * 65}", 404, "no-game"),
        ("/t/t1/game.html?id=long-ago", 404, "not-kept"),
    ],
)
def test_what_is_not_there_has_a_code_and_words(path: str, status: int, code: str) -> None:
    found, _, body = get(path, games=Table().games())

    assert (found, json.loads(body)["code"]) == (status, code)
    assert json.loads(body)["msg"]


def test_a_display_a_silent_table_and_one_that_gives_no_answer_are_told_apart() -> None:
    async def nothing(*_: Any) -> Reply | None:
        return None

    table = Table()
    silent = table.games(silent=lambda _table: True)
    dumb = Games(nothing, {"t1": RESULTS}.get)
    display = Games(results={"t1": RESULTS}.get)
    told = [json.loads(get("/t/t1/game.json", games=games)[2]) for games in (silent, dumb, display)]

    assert [one["code"] for one in told] == ["silent", "silent", "only-shows"]
    assert table.asked == []


@pytest.mark.parametrize(
    "moves",
    ["", "not base64", packed.__doc__ or "", "eJwDAAAAAAE=", "A" * PACKED_LIMIT],
    ids=range(5),
)
def test_moves_that_cannot_be_read_are_refused_and_not_kept(moves: str) -> None:
    async def wrong(*_: Any) -> Reply | None:
        return Reply(ok=True, rev=1, moves=moves, past=moves)

    games = Games(wrong, {"t1": RESULTS}.get)
    for name in ("game", "game", "past"):
        status, _, body = get(f"/t/t1/{name}.json", games=games)
        assert (status, json.loads(body)["code"]) == (502, "newer-table")


def test_who_asks_too_often_is_turned_away_by_code() -> None:
    async def busy(*_: Any) -> Reply | None:
        raise RequestRefused(503, "busy", "too much")

    assert json.loads(get("/t/t1/game.json", games=Games(busy, {"t1": RESULTS}.get))[2])["code"] == "busy"  # fmt: skip # noqa: E501
