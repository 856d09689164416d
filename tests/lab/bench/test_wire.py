"""The broker of the bench: it does what the program asked of it, and nothing else."""

from controller.mqtt import topics
from controller.mqtt.client import Message
from controller.mqtt.topics import Publication
from lab.bench.wire import TABLE, BenchWire

ONLINE = topics.availability(TABLE, online=True)


def table(wire: BenchWire) -> list[Message]:
    """A table process; what it hears."""
    heard: list[Message] = []
    wire.birth = lambda: [ONLINE]
    wire.on_message(heard.append)
    return heard


def kinds(wire: BenchWire) -> list[tuple[str, bytes, int, bool]]:
    return [(said.suffix, said.payload, said.qos, said.retain) for said in wire.sent]


def test_a_process_that_dies_leaves_its_last_will_for_late_joiners() -> None:
    wire = BenchWire()
    table(wire)
    wire.lose_table()
    wire.lose_table()

    assert kinds(wire) == [
        ("availability", b"online", 1, True),
        ("availability", b"offline", 1, True),
    ]
    assert wire.retained["availability"] == b"offline"


def test_a_table_hears_what_it_has_subscribed_to_and_nothing_while_it_is_dead() -> None:
    wire = BenchWire()
    heard = table(wire)
    wire.command("undo", b"{}")
    wire.command("undo/deep", b"{}")
    wire.deliver()
    wire.lose_table()
    wire.command("redo", b"{}")
    wire.deliver()
    table(wire)
    wire.deliver()

    assert [message.at.level for message in heard] == ["undo"]


def test_a_table_hears_its_own_health_and_at_its_next_connection_what_was_kept() -> None:
    wire = BenchWire()
    heard = table(wire)
    wire.publish(topics.health(TABLE, b"{}"))
    wire.deliver()
    wire.go_down()
    wire.come_up()
    wire.deliver()

    assert [(message.at.row, message.retained) for message in heard] == [
        ("health", False), ("health", True),
    ]  # fmt: skip


def test_while_the_broker_is_away_nothing_arrives_and_what_is_lost_for_good_is_counted() -> None:
    wire = BenchWire()
    heard = table(wire)
    wire.go_down()
    wire.publish(topics.event(TABLE, b"{}"))
    wire.publish(topics.health(TABLE, b"{}"))
    wire.command("undo", b"{}")
    assert (len(wire.sent), wire.missed, wire.dropped, heard) == (1, 2, 1, [])
    wire.come_up()

    assert kinds(wire)[1:] == [("availability", b"online", 1, True)]
    assert wire.sent[-1].connection == 1


def test_what_no_broker_takes_is_not_sent() -> None:
    wire = BenchWire()
    table(wire)
    name = f"topple/1/{TABLE}/state"
    wire.publish(Publication(name, b"x" * 70_000, 1, retain=True))

    assert list(wire.too_large) == [name]
    assert "state" not in wire.retained


def test_a_slow_broker_and_one_that_repeats() -> None:
    wire = BenchWire(delay_s=1.0, deliveries=2)
    heard = table(wire)
    wire.command("undo", b"{}", times=2)
    wire.now_s = 0.9
    wire.deliver()
    assert heard == []
    wire.now_s = 1.0
    wire.deliver()

    assert len(heard) == 4
