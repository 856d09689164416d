import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.mqtt.topics import SensorTrouble
from controller.table.clients import MOST_CLIENTS, ConnectedClients


def said(role: str = "display", **fields: object) -> bytes:
    return json.dumps({"role": role, **fields}).encode()


def test_who_says_so_is_there_until_it_says_goodbye_or_its_lease_is_over() -> None:
    clients = ConnectedClients()
    clients.update("hall", said(name="Hall"), 0.0)
    assert clients.there(1e9)["hall"].name == "Hall"
    clients.update("hall", b"", 1.0)
    assert clients.there(1.0) == {}

    clients.update("hall", said(lease_s=60), 0.0)
    clients.update("hall", said(lease_s=60), 50.0)
    assert set(clients.there(110.0)) == {"hall"}
    assert clients.there(110.1) == {}


def test_what_they_want_people_to_see_to_is_told_as_long_as_they_are_there() -> None:
    clients = ConnectedClients()
    clients.update("hall", said(name="Hall"), 0.0)
    clients.update("dice-1", said("controller", trouble="Charge the die.", lease_s=60), 0.0)
    assert clients.trouble(60.0) == SensorTrouble("client", "Charge the die.")

    assert clients.trouble(60.1) is None


WORDS = "{owner.__class__} of {owner}"
TWO = {
    "a": said(trouble="Charge the die.", code="die_low"),
    "b": said(trouble="Shake the die.", code="die_lost"),
}


@pytest.mark.parametrize(
    ("heard", "told"),
    [
        # A code is told on as it came, and nothing is filled into a client's words.
        (
            {"d": said(trouble=WORDS, code="die_low", args={"owner": "red"})},
            SensorTrouble("client", WORDS, "die_low", {"owner": "red"}),
        ),
        # The troubles of two are told in words only.
        (TWO, SensorTrouble("client", "Charge the die. Shake the die.")),
        ({"hall": said(name="Hall")}, None),
    ],
)
def test_what_they_want_people_to_see_to_is_told(
    heard: dict[str, bytes], told: SensorTrouble | None
) -> None:
    clients = ConnectedClients()
    for client, payload in heard.items():
        clients.update(client, payload, 0.0)

    assert clients.trouble(0.0) == told


def broken(args: object) -> bytes:
    return said(trouble="Charge the die.", code="die_low", args=args)


@pytest.mark.parametrize(
    "payload",
    [
        *map(broken, [{"n": None}, {"n": [1]}, {"n": "x" * 201}]),
        *map(broken, [dict.fromkeys("abcdefghi", 1), "red"]),
        *[b"no json", b"[]", b'{"role":"spy"}', b"{}", b"\xff", b'{"role":"\xff"}', b"[" * 9999],
    ],
)
def test_what_cannot_be_read_and_arguments_that_no_sentence_has_say_nothing(
    payload: bytes,
) -> None:
    clients = ConnectedClients()
    clients.update("hall", payload, 0.0)

    assert clients.there(0.0) == {}


def test_memory_is_bounded_and_those_who_are_there_are_still_heard() -> None:
    clients = ConnectedClients()
    for number in range(MOST_CLIENTS + 10):
        clients.update(str(number), said(), 0.0)
    clients.update("0", said("controller"), 1.0)

    assert clients.by_role(1.0) == {"display": MOST_CLIENTS - 1, "controller": 1}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=40))))
def test_no_payload_can_break_the_list(heard: list[tuple[str, bytes]]) -> None:
    clients = ConnectedClients()
    for client, payload in heard:
        clients.update(client, payload, 0.0)

    assert set(clients.there(0.0)) <= set("abc")
