"""The way to the table, typed or scanned."""

import io
import re

import pytest

from pages.phone import invite
from pages.phone.invite import address_for_phones, qr_code, qr_in_terminal, reachable


@pytest.mark.parametrize(
    ("asked", "bound", "told"),
    [
        ("tower.local:8080", "0.0.0.0", "tower.local:8080"),  # noqa: S104
        ("192.168.1.7:8080", "0.0.0.0", "192.168.1.7:8080"),  # noqa: S104
        ("127.0.0.1:8080", "192.168.1.7", "192.168.1.7:8080"),
        ("localhost:8080", "fd00::7", "[fd00::7]:8080"),
        ("", "127.0.0.1", "127.0.0.1:8080"),
    ],
)
def test_phones_are_told_an_address_that_leads_here(asked: str, bound: str, told: str) -> None:
    assert address_for_phones(asked, bound, 8080) == told


def test_served_everywhere_the_screen_names_the_machines_address_in_the_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(invite, "_address_in_the_network", lambda: "192.168.1.7")
    found = address_for_phones("127.0.0.1:8080", "0.0.0.0", 8080)  # noqa: S104

    assert found == "192.168.1.7:8080"
    reached = [reachable(each) for each in (found, "127.0.0.1:8080", "[::1]:8080")]
    assert reached == [True, False, False]


def test_the_qr_code_is_a_drawing_of_its_own_for_each_pin() -> None:
    first, second = (
        qr_code(f"http://192.168.1.7:8080/t/t1/play#{pin}").decode() for pin in ("123456", "123457")
    )

    assert first.startswith("<svg")
    assert re.search(r'viewBox="0 0 \d+ \d+"', first)
    assert "style=" not in first
    assert first != second
    assert "123456" not in first


def test_on_a_terminal_the_qr_code_is_drawn_in_characters() -> None:
    first, second = io.StringIO(), io.StringIO()
    qr_in_terminal("http://192.168.1.7:8095/#k7pm2xwd", first)
    qr_in_terminal("http://192.168.1.7:8095/#k7pm2xwe", second)

    assert len(first.getvalue().splitlines()) >= 12
    assert first.getvalue() != second.getvalue()
