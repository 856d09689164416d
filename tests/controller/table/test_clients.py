import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.mqtt.topics import SensorTrouble
from controller.table.clients import MOST_CLIENTS, ConnectedClients


def said(role: str = "display", **fields: object) -> bytes:
    return json.dumps({"role": role, **fields}).encode()


def test_who_says_so_is_there_until_it_says_goodbye() -> None:
    clients = ConnectedClients()
    clients.update("hall", said(name="Hall"), 0.0)
    assert clients.there(1e9)["hall"].name == "Hall"
    clients.update("hall", b"", 1.0)

    assert clients.there(1.0) == {}


def test_who_is_silent_for_longer_than_its_lease_has_gone() -> None:
    clients = ConnectedClients()
    clients.update("hall", said(lease_s=60), 0.0)
    clients.update("hall", said(lease_s=60), 50.0)

    assert set(clients.there(110.0)) == {"hall"}
    assert clients.there(110.1) == {}


def test_they_are_counted_by_what_they_do() -> None:
    clients = ConnectedClients()
    for number, role in enumerate(("display", "controller", "display")):
        clients.update(str(number), said(role), 0.0)

    assert clients.by_role(1.0) == {"display": 2, "controller": 1}


def test_what_they_want_people_to_see_to_is_told_as_long_as_they_are_there() -> None:
    clients = ConnectedClients()
    clients.update("hall", said(name="Hall"), 0.0)
    clients.update("dice-1", said("controller", trouble="Charge the die.", lease_s=60), 0.0)
    assert clients.trouble(60.0) == SensorTrouble("client", "Charge the die.")

    assert clients.trouble(60.1) is None


def test_a_code_is_told_on_as_it_came_and_nothing_is_filled_into_a_clients_words() -> None:
    clients = ConnectedClients()
    words = "{owner.__class__} of {owner}"
    clients.update("d", said(trouble=words, code="die_low", args={"owner": "red"}), 0.0)

    assert clients.trouble(0.0) == SensorTrouble("client", words, "die_low", {"owner": "red"})


def test_the_troubles_of_two_clients_are_told_in_words_only() -> None:
    clients = ConnectedClients()
    clients.update("a", said(trouble="Charge the die.", code="die_low"), 0.0)
    clients.update("b", said(trouble="Shake the die.", code="die_lost"), 0.0)

    assert clients.trouble(0.0) == SensorTrouble("client", "Charge the die. Shake the die.")


@pytest.mark.parametrize(
    "args", [{"n": None}, {"n": [1]}, {"n": "x" * 201}, dict.fromkeys("abcdefghi", 1), "red"]
)
def test_arguments_that_no_sentence_has_make_a_presence_unreadable(args: object) -> None:
    clients = ConnectedClients()
    clients.update("a", said(trouble="Charge the die.", code="die_low", args=args), 0.0)

    assert clients.there(0.0) == {}


@pytest.mark.parametrize(
    "payload",
    [b"no json", b"[]", b'{"role":"spy"}', b"{}", b"\xff", b'{"role":"\xff"}', b"[" * 9999],
)
def test_what_cannot_be_read_says_nothing(payload: bytes) -> None:
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
