"""Pages as they go over the line: in one language, compressed once, kept by what is in them."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from pages import packed
from pages.app import application
from pages.feed import Feed
from pages.files import FILES, languages
from pages.hosts import HostNames


@pytest.fixture
def client() -> TestClient:
    pages = application(Feed(lambda _key: b"{}"), names=HostNames("table"))
    return TestClient(pages, base_url="http://table.local", headers={"accept-language": ""})


def parts_of(html: str) -> list[str]:
    return re.findall(r'(?:src|href)="(/static/packed/[^"]+)"', html)


@pytest.mark.parametrize(
    ("path", "cookie", "preferred", "lang"),
    [
        ("/t/t1", "", "", "en"),
        ("/t/t1", "", "it-IT, de-CH;q=0.9, fr;q=0.8", "de"),
        ("/t/t1", "fr", "de", "fr"),
        ("/t/t1?lang=de", "fr", "en", "de"),
        ("/t/t1?lang=xx", "../en", "fr", "fr"),
        ("/nowhere", "", "de", "de"),
    ],
)
def test_a_page_is_in_the_language_asked_for_or_chosen_or_preferred(
    client: TestClient, path: str, cookie: str, preferred: str, lang: str
) -> None:
    cookies = {"language": cookie} if cookie else {}
    client.cookies.update(cookies)
    answer = client.get(path, headers={"accept-language": preferred, "accept": "text/html"})
    (words,) = (client.get(at).text for at in parts_of(answer.text) if "languages" in at)

    assert f'<html lang="{lang}">' in answer.text
    assert words.startswith(f'export const LANGUAGES = {{"{lang}":')
    assert [other for other in languages() if f'"{other}":{{"' in words] == [lang]
    assert {"accept-language", "cookie"} <= {*re.split(", *", answer.headers["vary"])}


def test_all_that_a_page_names_is_kept_for_ever_and_the_page_is_asked_for_each_time(
    client: TestClient,
) -> None:
    page = client.get("/t/t1")
    parts = {at: client.get(at) for at in parts_of(page.text)}

    assert page.headers["cache-control"] == "no-cache"
    assert [Path(at).name for at in parts] == ["table.css", "languages.js", "feed.js", "table.js"]
    for at, part in parts.items():
        assert part.status_code == 200
        assert part.headers["cache-control"] == packed.FOR_EVER
        assert part.headers["content-type"].startswith("text/css" if ".css" in at else "text/java")
        assert part.headers["x-content-type-options"] == "nosniff"


def test_who_has_the_page_already_gets_a_line_and_in_another_language_the_page(
    client: TestClient,
) -> None:
    mark = client.get("/t/t1").headers["etag"]
    same = client.get("/t/t2", headers={"if-none-match": mark})
    other = client.get("/t/t1?lang=de", headers={"if-none-match": mark})
    lost = client.get("/nowhere", headers={"if-none-match": mark, "accept": "text/html"})

    assert (same.status_code, same.content) == (304, b"")
    assert (other.status_code, lost.status_code) == (200, 404)


def test_only_who_can_read_it_gets_it_compressed(client: TestClient) -> None:
    for path in ("/t/t1", *parts_of(client.get("/t/t1").text)):
        small = client.get(path, headers={"accept-encoding": "br, gzip"})
        plain = client.get(path, headers={"accept-encoding": "identity"})

        assert small.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert small.content == plain.content
        assert int(small.headers["content-length"]) < 0.7 * len(plain.content)
        assert "accept-encoding" in small.headers["vary"]


def test_nothing_is_compressed_that_somebody_says(client: TestClient) -> None:
    for path in ("/t/t1/evening.json", "/t/t1/play/me", "/t/t1/play/invite", "/clock", "/healthz"):
        assert "content-encoding" not in client.get(path).headers, path


def test_a_changed_file_has_another_address_and_an_old_page_gets_the_new_one(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = parts_of(client.get("/t/t1?lang=de").text)
    words = msgspec.json.decode(FILES["de.json"].read_bytes()) | {"title": "Kipptisch"}
    path = tmp_path / "words" / "de.json"
    path.parent.mkdir()
    path.write_bytes(msgspec.json.encode(words))
    monkeypatch.setitem(FILES, path.name, path)
    after = parts_of(client.get("/t/t1?lang=de").text)
    old = client.get(before[1])

    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, False]
    assert "Kipptisch" in old.text
    assert old.headers["cache-control"] == "no-cache"
    assert old.content == client.get(after[1]).content


def test_a_script_that_came_with_an_update_is_found_without_a_restart(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(FILES, "dom.js")  # as if it had not been there when the server began

    assert client.get("/t/t1").status_code == 200
    assert FILES["dom.js"].name == "dom.js"
    with pytest.raises(KeyError):
        FILES["never.js"]


@pytest.mark.parametrize(
    "path", ["x/xx/table.js", "x/en/table.html", "x/en/app.js", "x/en/dom.js",
             "x/xx/feed.js", "x/en/../../table.js", "en/table.js"],
)  # fmt: skip
def test_nothing_else_is_there(client: TestClient, path: str) -> None:
    assert client.get(f"/static/packed/{path}").status_code == 404


def test_a_page_is_made_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.get("/t/t1")
    read: list[Any] = []
    monkeypatch.setattr(packed, "served", read.append)

    for path in ("/t/t1", "/t/t2", *parts_of(client.get("/t/t1").text)):
        assert client.get(path).status_code == 200
    assert read == []
