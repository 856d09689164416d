"""Whatever comes over the network is read, or refused in words; nothing behind it is surprised."""

import json
from datetime import UTC
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.league.databases import open_database
from controller.league.result_messages import LARGEST, TableResults, Unusable, read
from controller.league.store import Store
from controller.table.resultbook import MOST_GAMES
from engine.results import GameResult, PlayerResult, Results
from tests.controller.league.tables import NOW, Table

TOPIC = "topple/1/attic/results"


def document(**fields: Any) -> bytes:
    told = json.loads(Table("attic").ends(("Ann", 5), ("Bob", 3)).said().payload)
    told["games"][0] |= fields.pop("game", {})
    return json.dumps(told | fields).encode()


def test_a_document_of_the_contract_is_understood_and_later_fields_are_passed_over() -> None:
    """A bridge may have given the table another name; times are kept in UTC."""
    payload = document(weather="fair", game={"moon": 3, "ended": "2026-11-21T12:00:00+05:00"})
    found = read("topple/1/club-attic/results", payload, NOW.astimezone(UTC))

    assert isinstance(found, TableResults)
    assert (found.table, found.boot) == ("club-attic", "attic-boot-1")
    assert found.games[0].played == "2026-11-21T07:00:00+00:00"
    assert [(seat.name, seat.won) for seat in found.games[0].seats] == [
        ("Ann", True),
        ("Bob", False),
    ]


def twice() -> bytes:
    """One game two times."""
    told = json.loads(document())
    told["games"] *= 2
    return json.dumps(told).encode()


@pytest.mark.parametrize(
    ("topic", "payload", "why", "words"),
    [
        (TOPIC, b"", "malformed", "no list of results"),
        (TOPIC, b"\xff\xfe", "malformed", "no list of results"),
        (TOPIC, b"[" * 20_000, "malformed", "no list of results"),
        (TOPIC, b'{"v":1}', "malformed", "table is missing"),
        (TOPIC, document(game={"rev": 2**60}), "malformed", "a number is too large"),
        (TOPIC, document(game={"game": ""}), "malformed", "an id is empty"),
        (TOPIC, document(game={"game": "a\u0000b"}), "malformed", "not printable"),
        (TOPIC, document(game={"players": [{"name": " ", "score": 1}]}), "malformed", "no name"),
        (TOPIC, document(game={"players": [{"name": "A", "score": 1}] * 99}), "malformed", "99"),
        (TOPIC, b"x" * 70_000, "too_large", "70000 bytes"),
        (TOPIC, document().replace(b'"Ann"', b'"\\ud800"'), "malformed", "no list of results"),
        (TOPIC, twice(), "malformed", "twice"),
        (TOPIC, document(v=2), "newer", "speaks version 2 of the contract, this league knows 1"),
        ("topple/2/attic/results", b"{}", "newer", "update the league"),
        ("topple/1/A B/results", b"{}", "no_table", "no table's topic"),
        ("topple/1/attic/more/results", b"{}", "no_table", "no table's topic"),
    ],
)
def test_what_cannot_be_used_is_named(topic: str, payload: bytes, why: str, words: str) -> None:
    found = read(topic, payload, NOW)

    assert isinstance(found, Unusable)
    assert found.why == why
    assert words.replace("no name", "without a name") in found.reason
    assert found.reason.isprintable()
    assert len(found.reason) < 400


def test_a_full_document_fits_even_with_long_names() -> None:
    players = tuple(PlayerResult("ä" * 128, 100) for _ in range(4))
    games = tuple(
        GameResult(f"g{n}", "topple", 1, "", players, ("ä" * 128,)) for n in range(MOST_GAMES)
    )
    payload = msgspec.json.encode(Results("attic", "b", games))

    assert isinstance(read(TOPIC, payload, NOW), TableResults)


_NUMBERS = st.integers(-LARGEST, LARGEST)
_PLAYERS = st.builds(PlayerResult, name=st.text(max_size=20), score=st.none() | _NUMBERS)
_GAMES = st.builds(
    GameResult,
    game=st.text(max_size=12), kind=st.text(max_size=12), rev=_NUMBERS, ended=st.text(max_size=30),
    players=st.lists(_PLAYERS, max_size=5).map(tuple),
    winners=st.lists(st.text(max_size=5), max_size=2).map(tuple),
)  # fmt: skip
_DOCUMENTS = st.builds(
    Results, table=st.text(max_size=5), boot=st.text(max_size=12),
    games=st.lists(_GAMES, max_size=3).map(tuple),
)  # fmt: skip


@given(st.binary(max_size=300) | _DOCUMENTS.map(msgspec.json.encode))
def test_anything_is_read_or_refused_and_what_is_read_can_be_kept(payload: bytes) -> None:
    found = read(TOPIC, payload, NOW)

    if isinstance(found, Unusable):
        assert found.reason
        return
    store = Store(open_database(":memory:"))
    store.write([found], NOW)
    kept = {game.game for game in store.games()}
    store.close()
    assert kept == {game.game for game in found.games if game.over and game.seats}
