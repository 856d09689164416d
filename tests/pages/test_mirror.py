from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.mqtt import topics
from controller.mqtt.client import ConnectionStatus, Message
from controller.mqtt.topics import Publication, SensorTrouble, TableStatus
from engine.results import GameResult, Results
from engine.scoreboard import Scoreboard
from pages.mirror import (
    FILTERS,
    MOST_SUSPICIONS,
    MOST_TABLES,
    STALE_AFTER_S,
    Mirror,
    supersedes,
)
from tests.pages.scenes import asked, film_of, scene, suspicion, toppled

UP = ConnectionStatus(up=True, text="connected")


def message(publication: Publication, *, retained: bool = False) -> Message:
    return Message(publication.topic, publication.payload, retained)


def hearing(*publications_: Publication, at_s: float = 0.0, retained: bool = False) -> Mirror:
    mirror = Mirror().connected(UP)
    for publication in publications_:
        mirror = mirror.updated(message(publication, retained=retained), at_s)
    return mirror


def status(phase: Any = "ready", *troubles: SensorTrouble, simulated: bool = False) -> Publication:
    document = TableStatus("boot-1", phase, "", "0.1", simulated, troubles)
    return topics.status("t1", document)


ONLINE = topics.availability("t1", online=True)
OFFLINE = topics.availability("t1", online=False)
REAL = msgspec.structs.replace(scene(), simulated=False)


def test_a_table_at_work_needs_no_notice() -> None:
    mirror = hearing(ONLINE, status(), topics.state(REAL))

    assert mirror.notices("t1", 1.0) == ()
    assert mirror.view("t1", 1.0).board == REAL


@pytest.mark.parametrize(
    ("mirror", "expected"),
    [
        (hearing(ONLINE).connected(ConnectionStatus(up=False, text="gone")), ("no_broker",)),
        (hearing(), ("unknown",)),
        (hearing(ONLINE, OFFLINE), ("offline",)),
        (hearing(ONLINE, status("degraded")), ("degraded",)),
        (hearing(ONLINE, status("init")), ("init",)),
        (hearing(ONLINE, status("stopping")), ("stopping",)),
        (hearing(ONLINE, topics.state(scene())), ("simulated",)),
        (hearing(ONLINE, status(simulated=True)), ("simulated",)),
        (hearing(OFFLINE, status("degraded", simulated=True)), ("offline", "simulated")),
    ],
)
def test_each_state_of_the_connection_has_its_notice(
    mirror: Mirror, expected: tuple[str, ...]
) -> None:
    assert mirror.notices("t1", 1.0) == expected


@pytest.mark.parametrize("retained", [False, True])
def test_a_silent_table_is_stale_and_any_message_freshens_it(retained: bool) -> None:
    mirror = hearing(ONLINE, topics.state(REAL), at_s=100.0, retained=retained)
    late_s = 100.0 + STALE_AFTER_S + 1

    assert mirror.notices("t1", late_s - 2) == ()
    assert mirror.notices("t1", late_s) == ("stale",)
    for said in (topics.health("t1", {"v": 1}), topics.trace("t1", {"v": 1})):
        later = mirror.updated(message(said), late_s)
        assert later.notices("t1", late_s + 1) == ()
        assert later.view("t1", late_s).board == REAL
    # What was retained before does not freshen.
    old = message(topics.health("t1", {"v": 1}), retained=True)
    assert mirror.updated(old, late_s).notices("t1", late_s) == ("stale",)


def test_the_last_score_is_shown_whatever_happens_to_the_table() -> None:
    mirror = hearing(ONLINE, topics.state(REAL), OFFLINE)
    mirror = mirror.connected(ConnectionStatus(up=False, text="gone"))

    assert mirror.view("t1", 999.0).board == REAL
    assert mirror.view("t1", 999.0).notices == ("no_broker", "offline")
    # After a new connection nobody is online until heard again.
    mirror = mirror.connected(UP)
    assert mirror.notices("t1", 1.0) == ("unknown",)
    assert mirror.view("t1", 1.0).board == REAL
    assert mirror.updated(message(ONLINE, retained=True), 2.0).notices("t1", 2.0) == ()


def test_troubles_are_told_with_their_codes() -> None:
    trouble = SensorTrouble("recording", "3 steps are missing", "recording_slow", {"n": 3})

    assert hearing(ONLINE, status("degraded", trouble)).view("t1", 0.0).troubles == (trouble,)


def test_health_is_kept_whole_with_figures_nobody_here_knows() -> None:
    figures = {"v": 1, "sensors": {"imu": {"ok": True}}, "link": {"crc_errors": 2}}
    mirror = hearing(ONLINE, topics.health("t1", figures), OFFLINE)
    view = mirror.health("t1", 1.0, support=True)

    assert view.health == figures
    assert (view.notices, view.support) == (("offline",), True)
    assert mirror.health("t2", 1.0).health is None


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        (asked(2), scene(), False),
        (scene(), scene(boot="boot-2", rev=0, seq=0), True),
        (scene(), scene(game="game-2", rev=0, seq=0), True),
    ],
    ids=["an echo of the past", "a new boot", "a new game"],
)
def test_a_newer_state_and_a_new_boot_or_game_replace_what_was_shown(
    first: Scoreboard, second: Scoreboard, taken: bool
) -> None:
    mirror = hearing(topics.state(first), topics.state(second))

    assert mirror.view("t1", 0.0).board == (second if taken else first)


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("topple/1/t1/state", b"no JSON"),
        ("topple/1/t1/state", b'{"table":"t1"}'),
        ("topple/1/t1/state", topics.state(scene()).payload.replace(b'"t1"', b'"t2"', 1)),
        ("topple/1/t1/state", b'"' + b"x" * 70_000 + b'"'),
        ("topple/1/t1/status", b"[]"),
        ("topple/1/t1/status", b'{"boot":"\xff"}'),
        ("topple/1/t1/health", b'{"a":' * 5000),
        ("topple/2/t1/state", topics.state(scene()).payload),
        ("topple/1/t1/cmd/roll", b"{}"),
        ("somewhere/else", b"{}"),
    ],
)
def test_what_cannot_be_used_changes_nothing(topic: str, payload: bytes) -> None:
    mirror = hearing(ONLINE, topics.state(scene()))

    assert mirror.updated(Message(topic, payload, retained=False), 5.0) is mirror


def test_a_forgotten_table_disappears_from_the_list() -> None:
    mirror = hearing(ONLINE, topics.state(scene()))
    for row in ("state", "availability", "status"):
        mirror = mirror.updated(Message(f"topple/1/t1/{row}", b"", retained=False), 1.0)

    assert mirror.lines(1.0) == ()


def test_a_publisher_gone_mad_cannot_fill_the_memory() -> None:
    mirror = Mirror()
    for number in range(MOST_TABLES + 10):
        mirror = mirror.updated(message(topics.availability(f"t{number}", online=True)), 0.0)
    many = [suspicion("suspected", number) for number in range(200)]
    suspicious = hearing(ONLINE, topics.state(scene()), *many)

    assert len(mirror.lines(0.0)) == MOST_TABLES
    assert len(suspicious.tables["t1"].suspicions) == MOST_SUSPICIONS
    assert not any("cmd" in one or "reply" in one or "#" in one for one in FILTERS)


def test_the_list_shows_every_table_by_name_with_its_scores() -> None:
    mirror = hearing(ONLINE, topics.state(scene(2)))
    mirror = mirror.updated(message(topics.availability("a-table", online=False)), 0.0)
    first, second = mirror.lines(0.0)

    assert (first.table, first.notices, first.players) == ("a-table", ("offline",), ())
    assert [(name, score) for name, score, _, _ in second.players] == [("Ada", 64), ("Björn", 38)]
    assert second.turn == "Björn"


def suspected_after(*publications_: Publication, at_s: float = 0.5) -> float | None:
    return hearing(ONLINE, topics.state(scene()), *publications_).view("t1", at_s).suspected


ONE, TWO = suspicion("suspected", 7, probability=0.8), suspicion("suspected", 8)
NOT_ONE, NOT_TWO = suspicion("dismissed", 7), suspicion("dismissed", 8)


@pytest.mark.parametrize(
    ("said", "at_s", "shown"),
    [
        ((), 0.5, None),
        ((TWO,), 0.5, 0.6),
        ((TWO, NOT_ONE), 0.5, 0.6),
        ((TWO, NOT_TWO), 0.5, None),
        # Of several the likeliest is shown, and all must end.
        ((ONE, TWO), 0.5, 0.8),
        ((ONE, TWO, NOT_ONE), 0.5, 0.6),
        ((ONE, TWO, NOT_TWO, NOT_ONE), 0.5, None),
        # One whose end was lost is believed no longer than it is valid.
        ((TWO,), 5.9, 0.6),
        ((TWO,), 6.0, None),
        ((suspicion("suspected", valid_s=1.0),), 1.0, None),
        # It outlives what else is decided meanwhile.
        ((TWO, suspicion("corrected", ref=3), topics.state(scene(rev=41, seq=42))), 0.5, 0.6),
    ],
)
def test_a_suspicion_is_shown_until_it_is_dismissed_or_too_old(
    said: tuple[Publication, ...], at_s: float, shown: float | None
) -> None:
    assert suspected_after(*said, at_s=at_s) == shown


@pytest.mark.parametrize(
    "board",
    [
        toppled(2),
        scene(phase="over", rev=41, seq=41),
        scene(game="game-2", rev=0, seq=0),
        scene(boot="boot-2"),
    ],
)
def test_the_end_of_round_or_game_ends_every_suspicion(board: Scoreboard) -> None:
    suspicions = suspicion("suspected", 7), suspicion("suspected", 8)

    assert suspected_after(*suspicions, topics.state(board)) is None


@pytest.mark.parametrize(
    "odd",
    [
        suspicion("suspected", game="game-0"),
        suspicion("suspected", probability=7),
        suspicion("suspected", valid_s=1e9),
        suspicion("suspected", valid_s="long"),
        suspicion("suspected", id=None),
        suspicion("dismissed", id=[]),
        topics.event("t1", {"seq": 1}),
        topics.event("t1", []),
    ],
)
def test_no_suspicion_is_made_of_what_is_none(odd: Publication) -> None:
    assert suspected_after(odd) is None
    assert suspected_after(suspicion("suspected"), odd) == 0.6


def test_an_event_kept_by_a_broker_is_of_the_past() -> None:
    mirror = hearing(ONLINE, topics.state(scene()))

    assert mirror.updated(message(suspicion("suspected"), retained=True), 0.1) is mirror


REVISIONS = st.builds(
    lambda boot, game, rev, seq: msgspec.structs.replace(
        scene(), boot=boot, game=game, rev=rev, seq=seq
    ),
    st.sampled_from(["b1", "b2"]), st.sampled_from(["g1", "g2"]),
    st.integers(0, 3), st.integers(0, 3),
)  # fmt: skip


@given(REVISIONS, REVISIONS)
def test_of_two_states_of_one_game_the_older_never_wins_twice(
    one: Scoreboard, other: Scoreboard
) -> None:
    if (one.boot, one.game) == (other.boot, other.game) and supersedes(one, other):
        same = (one.rev, one.seq) == (other.rev, other.seq)

        assert supersedes(other, one) is same


def test_a_film_is_offered_whichever_came_first_and_only_with_its_game() -> None:
    film = topics.film("t1", film_of(toppled()))
    early, late = hearing(film, topics.state(toppled())), hearing(topics.state(toppled()), film)
    other = late.updated(message(topics.state(scene(2, game="game-2"))), 1.0)

    assert early.view("t1", 1.0).film == late.view("t1", 1.0).film == toppled().seq
    assert other.view("t1", 1.0).film is None
    assert other.film("t1") is None


@pytest.mark.parametrize("payload", [b"{}", b'{"tilt_deg":1}', b"\xff", b"null", b""])
def test_what_is_no_film_keeps_the_last_and_an_empty_one_takes_it_away(payload: bytes) -> None:
    mirror = hearing(topics.state(toppled()), topics.film("t1", film_of(toppled())))
    later = mirror.updated(Message("topple/1/t1/film", payload, retained=False), 1.0)

    assert later.view("t1", 1.0).film == (toppled().seq if payload else None)


def test_results_are_kept_as_told_and_what_is_none_changes_nothing() -> None:
    told = Results(
        "t1", "boot-1", (GameResult("g1", "topple", 3, "2026-11-22T20:00:00+00:00", ()),)
    )
    mirror = hearing(topics.availability("t1", online=True), topics.results(told))
    spoilt = mirror.updated(Message("topple/1/t1/results", b"[]", retained=False), 1.0)

    assert mirror.results("t1") == spoilt.results("t1") == told
    assert mirror.results("attic") is None
    assert (
        mirror.updated(Message("topple/1/t1/results", b"", retained=False), 1.0).results("t1")
        is None
    )
