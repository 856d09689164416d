"""What a request makes this machine do: limited, kept, beside the loop, and as the docs say."""

import asyncio
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Mount, Route

from engine.results import Results
from pages.app import application
from pages.costly import MOST_KEPT, MOST_WAITING, MOST_WAITING_EACH, CostlyWork
from pages.feed import Feed
from pages.game.games import Games
from pages.guard import HERE, RequestRefused
from pages.health.metrics import Metrics
from pages.hosts import HostNames
from pages.mirror import Mirror
from tests.controller.whole_games import whole_game
from tests.pages.loops import finished
from tests.pages.phone.test_play import Server


class Maker:
    """Makes one thing, once it may."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.made: list[int] = []

    def make(self) -> bytes:
        assert self.may.wait(10)
        self.made.append(threading.get_ident())
        return b"made"


def test_what_was_made_is_not_made_again_and_never_on_the_loop() -> None:
    maker = Maker()
    maker.may.set()

    async def twice() -> None:
        work = CostlyWork()
        asked = [work.made(maker.make, f"10.0.0.{n}", keep_as="code") for n in range(4)]
        assert set(await asyncio.gather(*asked)) == {b"made"}

    finished(twice())
    assert len(maker.made) == 1
    assert maker.made[0] != threading.get_ident()


@pytest.mark.parametrize(
    ("addresses", "most"),
    [(lambda _n: "10.0.0.1", MOST_WAITING_EACH), (lambda n: f"10.0.0.{n}", MOST_WAITING),
     (lambda _n: HERE, MOST_WAITING)],
    ids=["one address", "many addresses", "this machine"],
)  # fmt: skip
def test_few_may_wait(addresses: Callable[[int], str], most: int) -> None:
    maker = Maker()

    async def crowd() -> int:
        work = CostlyWork()
        asked = [
            asyncio.ensure_future(work.made(maker.make, addresses(n))) for n in range(most + 3)
        ]
        await asyncio.sleep(0)
        refused = [one for one in asked if one.done()]
        for one in refused:
            with pytest.raises(RequestRefused, match="too much"):
                one.result()
        maker.may.set()
        await asyncio.gather(*asked, return_exceptions=True)
        assert await work.made(maker.make, addresses(0)) == b"made"
        return len(refused)

    assert finished(crowd()) == 3


def test_what_cannot_be_made_frees_its_place() -> None:
    def broken() -> bytes:
        raise OSError("no such file")

    async def often() -> None:
        work = CostlyWork()
        for _ in range(2 * MOST_WAITING):
            with pytest.raises(OSError, match="no such file"):
                await work.made(broken, "10.0.0.1")

    finished(often())


def test_of_many_contents_the_latest_are_kept() -> None:
    made: list[int] = []

    def maker(n: int) -> Callable[[], bytes]:
        return lambda: made.append(n) or b"x"  # type: ignore[func-returns-value]

    async def many() -> None:
        work = CostlyWork()
        for n in (*range(MOST_KEPT + 1), MOST_KEPT, 0):
            await work.made(maker(n), "10.0.0.1", keep_as=str(n))

    finished(many())
    assert made == [*range(MOST_KEPT + 1), 0]


# --- the table of requests -----------------------------------------------------------------------

DOCS = Path(__file__).parents[2] / "docs" / "security.md"
TABLE = DOCS.read_text("utf-8").partition("### Requests to the pages")[2].partition("\n## ")[0]
ROWS = [line.split(" | ") for line in TABLE.splitlines() if line.startswith("| `/")]
WHO = {path: row[1] for row in ROWS for path in re.findall(r"`(/[^`]*)`", row[0])}
LIMITS = {path: row[3] for row in ROWS for path in re.findall(r"`(/[^`]*)`", row[0])}

BODIES: dict[str, Any] = {
    "join": {"pin": "wrong"}, "seat": {"player": "Ada"}, "give": {"give": True},
    "profile": {"stay": True}, "do": {"verb": "undo", "id": "0123456789ab"},
}  # fmt: skip


def routes() -> list[Route | Mount]:
    pages: Any = application(Feed(lambda _key: b"{}"), league=lambda: b"{}", names=HostNames("x"),
                             metrics=Metrics("known to few", Mirror))  # fmt: skip
    return list(pages.app.app.routes)


def test_the_table_has_every_route_and_no_other() -> None:
    assert sorted(WHO) == sorted({route.path for route in routes()})


@pytest.mark.parametrize("path", [path for path, who in WHO.items() if not who.startswith("all")])
def test_a_stranger_is_refused_what_is_not_for_all(path: str) -> None:
    name = path.removeprefix("/t/{table}/")
    posts = any(route.path == path and "POST" in (route.methods or ()) for route in routes()
                if isinstance(route, Route))  # fmt: skip
    body = BODIES.get(name.removeprefix("play/"), {}) if posts else None
    status, _, _ = Server().ask(name, body, under="")

    assert status in (401, 403)


@pytest.mark.parametrize("path", [path for path, limit in LIMITS.items() if "work" in limit])
def test_what_is_work_goes_the_one_way_that_limits_it(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only module that calls `to_thread` or draws at a request is `pages.costly`."""
    asked: list[str] = []

    async def awaited(_self: object, _make: object, whose: str, keep_as: str = "") -> bytes:
        asked.append(whose + keep_as)
        return b'{"films":[],"moves":{"result":{"ended":"2026-11-28"}}}'

    monkeypatch.setattr("pages.costly.CostlyWork.awaited", awaited)
    evening = Results("t1", "boot-1", (whole_game("topple", 0)[0],))
    server = Server(league=lambda: b"{}", games=Games(results={"t1": evening}.get))
    token = server.join()
    name = path.removeprefix("/t/{table}/")
    query = "?id=g1&seq=3" if name.startswith("game") else ""
    status, _, _ = server.ask(f"{name}{query}", token=token, under="")

    assert (status, len(asked)) == (200, 2 if "twice" in LIMITS[path] else 1)
