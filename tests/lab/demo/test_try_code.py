"""The QR code of the page on which visitors play."""

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from lab.demo.try_page import TryPage
from lab.demo.visitors import Visitors


def client(host: str) -> TestClient:
    page = TryPage("t1", Visitors(("Ann", "Bob")), ("127.0.0.1", 8080))
    return TestClient(Starlette(routes=page.routes()), base_url=f"http://{host}")


@pytest.mark.parametrize(("host", "leads_here"), [("tower.local:8080", True), ("localhost", False)])
def test_a_code_is_shown_where_a_phone_reaches_the_page(host: str, *, leads_here: bool) -> None:
    assert client(host).get("/t/t1/try/state").json()["qr"] is leads_here


def test_the_code_is_a_drawing_of_the_address_that_was_asked_for() -> None:
    one, other = (client(host).get("/t/t1/try/qr.svg") for host in ("tower.local", "attic.local"))

    assert one.headers["content-type"] == "image/svg+xml"
    assert one.content.startswith(b"<svg")
    assert one.content != other.content
