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


OURS = {"host": "tower:8080"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "tower:8080", "origin": "http://tower:8080"}, None),
        ({"host": "Tower.local", "origin": "http://tower.local"}, None),
        ({"host": "tower", "origin": "https://tower", "sec-fetch-site": "same-origin"}, None),
        ({"host": "[::1]:8080", "origin": "http://[::1]:8080"}, None),
        ({**OURS, "origin": "http://evil.example"}, 403),
        ({**OURS, "origin": "http://tower:8081"}, 403),
        ({**OURS, "origin": "http://tower:8080.evil.example"}, 403),
        ({**OURS, "origin": "http://evil@tower:8080"}, 403),
        ({**OURS, "origin": "null"}, 403),
        ({**OURS, "origin": ""}, 403),
        (OURS, 403),
        ({"origin": "http://tower"}, 403),
        ({"host": "", "origin": "http://"}, 403),
        ({"host": "tower", "origin": "http://tower", "sec-fetch-site": "cross-site"}, 403),
        ({"host": "tower", "origin": "http://tower", "sec-fetch-site": "same-site"}, 403),
        ({"host": "tower", "origin": "http://tower", "sec-fetch-site": "none"}, 403),
        # What a form can send.
        ({"host": "a", "origin": "http://a", "content-type": "text/plain"}, 415),
        ({"host": "a", "origin": "http://a", "content-type": ""}, 415),
        (
            {
                "host": "a",
                "origin": "http://a",
                "content-type": "application/x-www-form-urlencoded",
            },
            415,
        ),
    ],
)
def test_our_own_page_may_ask_and_nobody_elses(headers: dict[str, str], status: int | None) -> None:
    if status is None:
        check_same_site({**JSON, **headers})
        return
    with pytest.raises(RequestRefused) as refused:
        check_same_site({**JSON, **headers})

    assert refused.value.status == status
    assert (refused.value.code == "cross-site") is (status == 403)


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
def test_one_household_device_is_one_client_and_nobody_is_one_too(
    client: str, counted_as: str
) -> None:
    assert client_of(request(client)) == counted_as
    assert client_of(Request({"type": "http", "client": None, "headers": []})) == ""
