from collections import Counter
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from pages.files import FILES, PageFiles
from tests.pages.scripts import page_files

PAGES = Path(__file__).parents[2] / "pages"


def served() -> TestClient:
    return TestClient(Starlette(routes=[Mount("/static", PageFiles())]))


def test_every_file_beside_a_page_is_served_by_its_name() -> None:
    lying = [path for path in PAGES.glob("*/*") if path.is_file() and ".py" not in path.suffix]

    assert Counter(FILES.values()) == Counter(lying)


def test_no_two_have_the_same_name() -> None:
    endings = {path.suffix for path in FILES.values()}
    names = [path.name for ending in sorted(endings) for path in page_files(ending)]

    assert [name for name, number in Counter(names).items() if number > 1] == []


def test_a_file_that_has_not_changed_is_not_sent_again() -> None:
    first = served().get("/static/table.js")
    again = served().get("/static/table.js", headers={"if-none-match": first.headers["etag"]})

    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def test_the_servers_own_parts_are_not_served() -> None:
    for path in ("play.py", "phone/play.py", "phone/play.js", "app.py", "../app.py", "", "phone"):
        assert served().get(f"/static/{path}").status_code == 404, path
