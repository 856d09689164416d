"""The law of the settled: no sensor takes back what was played on or what people have said."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Corrected, Placed, Retracted
from engine.referee import RefereeState
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin
from tests.soaked import examples


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


@cases("""
a piece on which was played counts whatever falls later
    turn 6 e2; turn 6 b1; gone 1 toppled while placing -> board b1=red e2=blue; amended 1=e2
the piece of the turn that is going on may be taken back
    turn 6 e2; gone 1 -> board nothing
a topple after which people cleared the board holds
    turn 6 e2; roll 4; fall placing sure=0.9; cleared; gone 2 play went on -> scores Ann=3 Bob=-10
a blame stays when its piece would be taken away
    turn 6 e2; fall bump sure=0.98; blame player=Bob; gone 1 toppled while placing
    -> scores Ann=0 Bob=-10
a piece that was none may be taken back after the roll that was told late for it
    # Its own roll settles no turn: things at 350.9 s, seed 1400101, out of step for 42 turns.
    piece e2 p=0.98; roll 4 -> board e2=blue
    piece b1; gone 1 -> board b1=blue; turn Bob roll
a fall that counts again is said
    turn 6 e2; roll 4; fall placing p=0.9; fall bump -> scores Ann=0 Bob=0
    gone 3 -> scores Ann=3 Bob=-10
where no die is told the next piece settles the one before: after_s=4.0
    # A piece on c3 was taken back four turns later (rough, seed 1500001).
    start untold; piece c3; piece e2 after_s=4.0; gone 1 -> board e2=red c3=blue
where no die is told the next piece settles the one before: p=0.6 after_s=4.0
    start untold; piece c3; piece e2 p=0.6 after_s=4.0; gone 1 -> board e2=blue
where no die is told the next piece settles the one before: after_s=1.0
    start untold; piece c3; piece e2 after_s=1.0; gone 1 -> board e2=blue
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)
