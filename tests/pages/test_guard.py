"""What a request must be before anybody looks at it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from pages.guard import RequestRefused, check_same_site, client_of

JSON = {"content-type": "application/json"}


def request(client: str = "127.0.0.1", **headers: str) -> Request:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "client": (client, 5), "headers": pairs})


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "tower:8080", "origin": "http://tower:8080"},
        {"host": "Tower.local", "origin": "http://tower.local"},
        {"host": "tower", "origin": "https://tower", "sec-fetch-site": "same-origin"},
        {"host": "[::1]:8080", "origin": "http://[::1]:8080"},
    ],
)
def test_our_own_page_may_ask(headers: dict[str, str]) -> None:
    check_same_site({**JSON, **headers})


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "tower:8080", "origin": "http://evil.example"},
        {"host": "tower:8080", "origin": "http://tower:8081"},
        {"host": "tower:8080", "origin": "http://tower:8080.evil.example"},
        {"host": "tower:8080", "origin": "http://evil@tower:8080"},
        {"host": "tower:8080", "origin": "null"},
        {"host": "tower:8080", "origin": ""},
        {"host": "tower:8080"},
        {"origin": "http://tower"},
        {"host": "", "origin": "http://"},
        {"host": "tower", "origin": "http://tower", "sec-fetch-site": "cross-site"},
        {"host": "tower", "origin": "http://tower", "sec-fetch-site": "same-site"},
        {"host": "tower", "origin": "http://tower", "sec-fetch-site": "none"},
    ],
)
def test_a_page_of_somebody_else_may_not(headers: dict[str, str]) -> None:
    with pytest.raises(RequestRefused) as refused:
        check_same_site({**JSON, **headers})

    assert (refused.value.status, refused.value.code) == (403, "cross-site")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_refused(kind: str) -> None:
    with pytest.raises(RequestRefused) as refused:
        check_same_site({"host": "a", "origin": "http://a", "content-type": kind})

    assert refused.value.status == 415


@given(st.text(max_size=40), st.text(max_size=40))
def test_only_an_origin_that_names_the_host_passes_and_none_is_too_strange(
    host: str, origin: str
) -> None:
    with pytest.raises(RequestRefused):
        check_same_site({**JSON, "host": host, "origin": f"http://{host}x"})
    try:
        check_same_site({**JSON, "host": host, "origin": origin})
    except RequestRefused:
        return
    assert origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


@pytest.mark.parametrize(
    ("client", "counted_as"),
    [
        ("192.168.1.7", "192.168.1.7"),
        ("::ffff:192.168.1.7", "192.168.1.7"),
        ("2001:db8::1234:5", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_one_household_device_is_one_client(client: str, counted_as: str) -> None:
    assert client_of(request(client)) == counted_as


def test_nobody_is_a_client_too() -> None:
    assert client_of(Request({"type": "http", "client": None, "headers": []})) == ""
