"""The own screen and nobody else is taken for it."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from controller import cli
from pages.scoreboard.screen import OwnScreen, ScreenFileError

URL = "http://127.0.0.1:8080/"


def request(path: str = "/", query: str = "", cookie: str = "", **headers: str) -> Request:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request(
        {"type": "http", "client": ("127.0.0.1", 5), "path": path, "query_string": query.encode(),
         "headers": [(b"host", b"127.0.0.1:8080"), (b"cookie", cookie.encode()), *pairs],
         "scheme": "http", "server": ("127.0.0.1", 8080)}
    )  # fmt: skip


def opened(screen: OwnScreen, address: str) -> Any:
    """What a browser gets that opens an address."""
    path, _, query = address.removeprefix(URL).partition("?")
    return screen.greet(request(f"/{path}", query))


def test_the_printed_address_makes_a_browser_the_own_screen_and_shows_no_token_afterwards() -> None:
    screen, other = OwnScreen(URL, 8080), OwnScreen("http://127.0.0.1:8081/", 8081)
    answer = opened(screen, screen.address("t/t1") + "&lang=de")
    cookie = answer.headers["set-cookie"]
    others = opened(other, "?" + other.address().partition("?")[2]).headers["set-cookie"]

    assert (answer.status_code, answer.headers["location"]) == (303, "/t/t1?lang=de")
    assert {"httponly", "samesite=strict", "path=/"} <= {*cookie.lower().split("; ")}
    assert screen.proves(request(cookie=cookie.partition(";")[0]))
    # Two scoreboards on one machine do not take each other's cookie.
    assert cookie.partition("=")[0] != others.partition("=")[0]
    # An address without a token is left to the pages.
    assert screen.greet(request("/t/t1", "lang=de")) is None


def test_no_address_of_this_machine_and_no_guess_is_proof() -> None:
    screen, other = OwnScreen(URL, 8080), OwnScreen(URL, 8080)
    theirs = other.address().partition("?")[2]
    answer = screen.greet(request("/", theirs))

    assert not screen.proves(request())
    assert not screen.proves(request(query=theirs))
    assert not screen.proves(request(cookie="topple_screen_8080=; topple_screen_8081=x"))
    assert not screen.proves(request(query="screen=%ff%00\N{SNOWMAN}"))
    assert answer is not None
    assert answer.headers["location"] == "/"
    assert "set-cookie" not in answer.headers


def test_a_file_leads_here_is_for_its_owner_only_and_outlives_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "screen.html"
    first = OwnScreen(URL, 8080, file)
    (address,) = re.findall(r'url=(\S+)"', file.read_text())
    again = OwnScreen(URL, 8080, file)

    assert file.stat().st_mode & 0o777 == 0o600
    assert first.address("t/t1") == f"{URL}t/t1"  # the token stands in the file alone
    assert again.proves(request(query=address.partition("?")[2]))
    assert [path.name for path in tmp_path.iterdir()] == ["screen.html"]


@pytest.mark.parametrize("spoilt", ["others", "nonsense"])
def test_a_token_that_others_may_have_read_is_not_used_again(tmp_path: Path, spoilt: str) -> None:
    file = tmp_path / "screen.html"
    OwnScreen(URL, 8080, file)
    before = file.read_text()
    if spoilt == "others":
        file.chmod(0o644)
    else:
        file.write_text("<p>something else")
    OwnScreen(URL, 8080, file)

    assert file.read_text() != before
    assert "?screen=" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_address_can_be_had_from_the_file_for_a_browser_on_a_desktop(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "screen.html"
    screen = OwnScreen(URL, 8080, file)
    assert cli.main(["screen", str(file)]) == 0
    address = capsys.readouterr().out.strip()

    assert screen.proves(request(query=address.partition("?")[2]))
    assert cli.main(["screen", str(tmp_path / "none")]) == 2
    assert "are the pages running on this machine?" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScreenFileError, match=r"no/screen\.html: No such file.*name a file"):
        OwnScreen(URL, 8080, tmp_path / "no" / "screen.html")
