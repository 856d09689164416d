"""The documents behind the pages that look back, and the code that leads a phone to one."""

from pages.evening.keepsakes import Keepsakes
from pages.phone.invite import evening_url, qr_code
from tests.pages.test_app import get

FILM, RESULTS = b'{"seq":42}', b'{"games":[{"game":"g1"}]}'
KEPT = Keepsakes({"t1": FILM}.get, {"t1": RESULTS}.get)


def test_they_are_given_as_the_table_told_them_or_there_are_none() -> None:
    assert get("/t/t1/film.json", keepsakes=KEPT)[2] == FILM.decode()
    assert get("/t/t1/evening.json", keepsakes=KEPT)[2] == RESULTS.decode()
    status, _, words = get("/t/attic/film.json", keepsakes=KEPT)
    assert (status, words.startswith("Nothing has fallen")) == (404, True)
    assert get("/t/attic/evening.json", keepsakes=KEPT)[2] == '{"games":[]}'


def test_the_code_leads_to_the_evening_as_this_browser_reaches_it() -> None:
    status, headers, drawing = get("/t/attic/evening.svg")

    assert (status, headers["content-type"]) == (200, "image/svg+xml")
    assert drawing == qr_code(evening_url("table.local", "attic")).decode()
