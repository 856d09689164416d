"""The law of the settled: no sensor takes back what was played on or what people have said."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Corrected, Placed, Retracted
from engine.referee import RefereeState
from tests.engine.referee.script import Script, begin
from tests.soaked import examples


def test_a_piece_on_which_was_played_counts_whatever_falls_later() -> None:
    game = begin()
    event = game.turn(6, "e2")
    game.turn(6, "b1")
    game.see(Retracted(event, game.t_s + 1.0, "toppled while placing"))

    assert game.board == {"e2": ["blue"], "b1": ["red"]}
    assert game.ruling.amendments == ((event, "e2"),), "the detector must know that it stands"


def test_the_piece_of_the_turn_that_is_going_on_may_be_taken_back() -> None:
    game = begin()
    event = game.turn(6, "e2")
    game.see(Retracted(event, game.t_s + 1.0, "taken back"))

    assert game.board == {}


def test_a_topple_after_which_people_cleared_the_board_holds() -> None:
    game = begin()
    game.turn(6, "e2")
    game.say("roll", value=4)
    event = game.toppled("placing", sure=0.9)
    game.say("cleared")
    scores = game.scores
    game.see(Retracted(event, game.t_s + 1.0, "play went on"))

    assert game.scores == scores == {"Ann": 3, "Bob": -10}


def test_a_blame_stays_when_its_piece_would_be_taken_away() -> None:
    game = begin()
    event = game.turn(6, "e2")
    game.toppled("bump", sure=0.98)
    game.say("blame", player="Bob")
    game.see(Retracted(event, game.t_s + 1.0, "toppled while placing"))

    assert game.scores == {"Ann": 0, "Bob": -10}


def test_a_piece_that_was_none_may_be_taken_back_after_the_roll_that_was_told_late_for_it() -> None:
    """Its own roll settles no turn: things at 350.9 s, seed 1400101, out of step for 42 turns."""
    game = begin()
    hovered = game.placed("e2", 0.98)
    game.say("roll", value=4)
    assert game.board == {"e2": ["blue"]}
    game.placed("b1")
    game.see(Retracted(hovered, game.t_s + 1.0, "taken back"))

    assert game.board == {"b1": ["blue"]}
    assert game.state.position.player == "Bob"


def test_a_fall_that_is_none_any_more_is_said() -> None:
    """A normal table, family people, seed 3, at 823.6 s: ten points came back without a word."""
    game = begin()
    game.turn(6, "e2")
    game.say("roll", value=4)
    game.toppled()
    game.cleared()
    piece = game.placed("c3")
    game.toppled(sure=0.9)
    assert game.scores == {"Ann": -7, "Bob": -10}
    game.retracted(piece)

    assert game.scores == {"Ann": 3, "Bob": -10}
    told = game.ruling.outcomes[0]
    assert (told.type, told.data["of"]) == ("corrected", "nothing")
    assert told.data["changes"] == {"Ann": 10}
    assert game.state.last == told, "displays show it as the last thing that happened"


def test_a_fall_that_counts_again_is_said() -> None:
    game = begin()
    game.turn(6, "e2")
    game.say("roll", value=4)
    game.toppled(p=0.9)
    surer = game.toppled("bump")
    assert game.scores == {"Ann": 0, "Bob": 0}
    game.retracted(surer)

    assert game.scores == {"Ann": 3, "Bob": -10}
    told = [(o.type, o.data.get("of"), o.player) for o in game.ruling.outcomes[:2]]
    assert told == [("retracted", None, None), ("corrected", "toppled", "Bob")]


turns = st.lists(st.sampled_from(["a1", "b1", "c3", "d4", "e5"]), min_size=2, max_size=8)


@examples(25)
@given(turns, st.data())
def test_points_of_a_settled_turn_change_by_no_event_that_takes_a_piece(
    cells: list[str], data: Any
) -> None:
    game = begin()
    events = [game.turn(6, cell) for cell in cells]
    settled = data.draw(st.sampled_from(events[:-1]))
    reason = data.draw(st.sampled_from(["gone", "taken back", "toppled while placing"]))
    before = game.scores, game.board
    game.see(Retracted(settled, game.t_s + 1.0, reason))

    assert (game.scores, game.board) == before


seen_later = st.lists(
    st.one_of(
        st.tuples(st.just("retracted"), st.integers(0, 7)),
        st.tuples(st.just("toppled"), st.sampled_from(["placing", "bump"])),
        st.tuples(st.just("placed"), st.sampled_from(["a1", "b1", "c3", "d4", "e5"])),
        st.tuples(st.just("cleared"), st.none()),
        st.tuples(st.just("corrected"), st.integers(0, 7)),
    ),
    min_size=1,
    max_size=5,
)


@examples(50)
@given(turns, seen_later)
def test_points_of_settled_turns_change_by_nothing_that_sensors_see_but_of_their_own_cells(
    cells: list[str], later: list[tuple[str, Any]]
) -> None:
    game = begin()
    events = [game.turn(6, cell) for cell in cells]
    # On the roll of the last piece the one before it was played on.
    settled = set(events[:-1])

    def points() -> dict[int, int | None]:
        applied = game.state.applied()
        refs = {m.source: m.ref for m in game.state.ledger if m.source in settled}
        return {event: applied[ref].points for event, ref in refs.items() if ref in applied}

    before = points()
    moved: set[int] = set()
    for what, value in later:
        match what:
            case "retracted":
                # The last one stays: without it nobody has played on the one before.
                game.retracted(events[value % (len(events) - 1)], "toppled while placing")
            case "toppled":
                game.toppled(value)
            case "placed":
                game.placed(value)
            case "cleared":
                game.cleared()
            case _:
                moved.add(events[value % len(events)])
                game.see(Corrected(events[value % len(events)], game.t_s + 1.0, "d2", 0.99))
    first = min(moved, default=len(events) + 1)

    # A cell that was corrected is that turn's own; pieces after it may stand on or beside it.
    assert {e: p for e, p in points().items() if e < first} == {
        e: p for e, p in before.items() if e < first
    }


@pytest.mark.parametrize(
    ("after_s", "p", "stays"), [(4.0, 0.99, True), (4.0, 0.6, False), (1.0, 0.99, False)]
)
def test_where_no_die_is_told_the_next_piece_settles_the_one_before(
    after_s: float, p: float, stays: bool
) -> None:
    """A piece on c3 was taken back four turns later (rough, seed 1500001)."""
    game = begin(options={"dice": "untold"})
    piece = game.placed("c3")
    game.placed("e2", p, at=game.t_s + after_s)
    game.retracted(piece)

    assert ("c3" in game.board) is stays


TELLS_OF_A_FALL = {"toppled", "corrected", "retracted"}

SEEN: Mapping[str, Callable[[Script, list[int]], object]] = {
    "rolled": lambda game, _: game.say("roll", value=6),
    "placed": lambda game, seen: seen.append(game.placed("c3")),
    "perhaps placed": lambda game, seen: seen.append(game.placed("a1", 0.6)),
    "fell": lambda game, seen: seen.append(game.toppled("placing", p=0.9)),
    "bumped": lambda game, seen: seen.append(game.toppled("bump")),
    "cleared": lambda game, _: game.cleared(),
    "latest was none": lambda game, seen: game.retracted(seen[-1]),
    "one before was none": lambda game, seen: game.retracted(seen[-2]),
    "one before stands again": lambda game, seen: game.see(
        Placed(seen[-2], game.t_s, game.t_s + 0.3, "c3", 0.99)
    ),
    "latest lies elsewhere": lambda game, seen: game.see(
        Corrected(seen[-1], game.t_s + 1.0, "d2", 0.99)
    ),
}
"""What may happen next at a table: the game, and the numbers of the events so far."""


@pytest.mark.parametrize("first", SEEN)
def test_whatever_sensors_see_no_fall_counts_otherwise_without_a_word(first: str) -> None:
    for rest in product(SEEN, repeat=2):
        game = begin()
        seen = [game.turn(6, "e2"), game.toppled()]
        game.cleared()
        for what in (first, *rest):
            before = charged(game.state)
            SEEN[what](game, seen)
            if what != "rolled" and charged(game.state) != before:
                assert TELLS_OF_A_FALL & set(game.types), (first, *rest)


def charged(state: RefereeState) -> list[tuple[int, str | None, str | None]]:
    """The falls that count, whom they cost points, and why."""
    falls = (each for each in state.applied().values() if each.type == "toppled")
    return [(each.ref, each.player, each.cause) for each in falls]
