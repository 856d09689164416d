import json

import msgspec

from controller import publications
from controller.announcer import STATE_EVERY_S, Announcer, Identity, software
from tests.controller.evenings import START, Evening, Wire


def test_a_storm_of_changes_is_published_at_most_twenty_times_a_second() -> None:
    wire = Wire()
    announcer = Announcer(wire, Identity("t1", "b"))
    board = Evening(START).table.board
    for step in range(1000):
        announcer.state(msgspec.structs.replace(board, rev=step))
        announcer.flush(step * 0.001)
    announcer.flush(2.0)

    assert wire.rows().count("state") <= 1.0 / STATE_EVERY_S + 2
    assert wire.last("state")["rev"] == 999


def test_a_new_connection_gets_the_newest_even_before_it_was_sent() -> None:
    evening = Evening()
    newer = msgspec.structs.replace(evening.table.board, rev=99)
    evening.announcer.state(newer)
    born = {publication.topic: publication for publication in evening.announcer.birth()}

    assert json.loads(born["topple/1/t1/state"].payload)["rev"] == 99
    assert born["topple/1/t1/availability"].payload == b"online"
    assert all(publication.retain for publication in born.values())


def test_the_farewell_is_offline() -> None:
    announcer = Announcer(Wire(), Identity("t1", "b"))

    assert announcer.farewell() == [publications.availability("t1", online=False)]


def test_the_software_says_its_version() -> None:
    assert software()
