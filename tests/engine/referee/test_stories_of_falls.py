"""Falls that the weights of the next round show, and whose they were; no die is told."""

from dataclasses import replace
from math import nan

import pytest

from engine.events import Cleared, ToppleCause, Toppled, ToppleKind
from engine.referee.ledger import Ledger, Move, MoveKind, index_of
from engine.referee.stories import _early, _players
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script
from tests.engine.referee.test_stories import ANN_G, BOB_G, EQUAL, untold


@pytest.mark.parametrize(
    ("ends", "early"),
    [
        ([("placing", "")], 1),
        ([("bump", "")], 0),
        ([("bump", ""), ("placing", "denied")], 0),
        ([("placing", ""), ("bump", "denied")], 1),
    ],
)
def test_a_turn_that_a_bump_left_open_may_have_passed_on_the_tower_that_stood(
    ends: list[tuple[str, str]], early: int
) -> None:
    """Rule T20: who was to play plays on; after a fall while placing the board was empty."""
    falls = [Move(2, 9.0, MoveKind.TOPPLE, {"cause": why}, void=void) for why, void in ends]
    ledger: Ledger = (
        Move(1, 1.0, MoveKind.PLACE),
        *falls,
        Move(4, 20.0, MoveKind.CLEARED),
        Move(5, 30.0, MoveKind.TURN, {"player": "Bob", "weighed": True}),
        Move(6, 30.0, MoveKind.PLACE),
    )
    assert _early(ledger) == early


def high_tower(table: Script) -> Script:
    """Ann and Bob have placed four pieces each; Ann is to play."""
    for at, cell in enumerate(("a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2")):
        table.placed(cell, mass_g=(ANN_G, BOB_G)[at % 2])
    return table


def fell(table: Script, p: float) -> Toppled:
    """A fall three seconds after the last piece, of a piece that went off the table."""
    t_s = table.t_s + 3.0
    return Toppled(90, t_s, t_s + 8.0, ToppleKind.OFF_BOARD, ToppleCause.PLACING, p, 0.95, 1, 0.99)


def perhaps(table: Script, p: float) -> None:
    """The board is cleared, and the sensors believe by so much that something had fallen."""
    fall = fell(table, p)
    table.t_s = fall.decided_s
    table.see(Cleared(table.t_s, table.t_s + 0.5, fall))


def paid(table: Script) -> list[str]:
    return [name for name, points in table.scores.items() if points < 0]


@pytest.mark.parametrize(("mass_g", "pays"), [(BOB_G, "Bob"), (ANN_G, "Ann")])
def test_what_a_hand_lets_go_as_others_fall_by_it_says_whose_hand_it_was(
    mass_g: float, pays: str
) -> None:
    """Ann had passed in silence, and Bob knocked pieces off with his (rough, seed 1700006)."""
    table = high_tower(untold())
    table.see(fell(table, 0.6))
    table.placed("e5", mass_g=mass_g, at=table.t_s + 3.6)

    assert paid(table) == [pays]


def test_what_is_left_of_a_tower_that_came_down_is_nobodys_piece() -> None:
    """Hands gathered what lay about, and its weight spoke against a piece before (seed 1700001)."""
    table = high_tower(untold())
    table.see(replace(fell(table, 0.98), cause=ToppleCause.BUMP, rested=0.9995))
    table.t_s += 9.0
    table.cleared()
    left = table.placed("c3", 0.57, mass_g=BOB_G)
    assert left in sources(table)
    table.toppled("bump", after_s=0.3)
    table.retracted(left)

    assert left not in sources(table)
    assert table.state.applied()[9].cell == "c2"


def sources(table: Script) -> list[int | None]:
    """Numbers of the events whose pieces are weighed as somebody's."""
    state = table.state
    return [state.ledger[index_of(state.ledger, ref)].source for ref in _players(state)]


def test_who_is_blamed_has_bumped_now_and_not_in_the_round_before() -> None:
    table = high_tower(untold(EQUAL))
    table.see(fell(table, 0.6))
    (old,) = table.questions
    table.t_s += 12.0
    table.cleared()
    table.placed("e5", mass_g=4.0)
    t_s = table.t_s + 1.0
    table.see(Toppled(
        95, t_s, t_s + 0.5, ToppleKind.COLLAPSE, ToppleCause.BUMP, 0.9, 0.9, None, 0.99, nan, nan
    ))  # fmt: skip
    table.say("blame", player="Bob")

    assert old in (*table.questions, *table.doubts)
    bumped = [a for a in table.state.applied().values() if a.cause == "bump"]
    assert [(each.player, each.status) for each in bumped] == [("Bob", "confirmed")]


def test_the_number_of_a_doubted_fall_is_used_once() -> None:
    table = high_tower(untold())
    perhaps(table, 0.35)
    table.placed("e5", mass_g=ANN_G)
    refs = [move.ref for move in table.state.ledger]

    assert len(refs) == len(set(refs))
    assert table.state.next_ref == max(refs) + 1


@cases("""
a fall charged to the wrong player moves with the pass before it
    # Ann had passed in silence and Bob's piece fell; then Ann began (normal, seed 1500002).
    start untold masses=apart; marked a1 b1 c1 d1 e1 a2 b2 c2
    fall placing sure=0.95 p=0.98 after_s=3.0 fallen=1 rested=0.99
    -> scores Ann=-5 Bob=3
    wait 12.0; emptied; piece e5 mass_g=3.5 -> scores Ann=8 Bob=-10; board e5=blue
a piece that is taken off later says nothing of who let others fall
    start untold masses=apart; marked a1 b1 c1 d1 e1 a2 b2 c2
    fall placing sure=0.95 p=0.6 after_s=3.0 fallen=1 rested=0.99
    piece e5 after_s=9.0 mass_g=4.5 -> scores Ann=-5 Bob=3
a fall of which people said who made it moves by no weight
    start untold masses=apart; marked a1 b1 c1 d1 e1 a2 b2 c2
    fall placing sure=0.95 p=0.98 after_s=3.0 fallen=1 rested=0.99
    blame player=Ann; wait 12.0; emptied; piece e5 mass_g=4.5 -> scores Ann=-5 Bob=0
a fall that was doubted counts once who begins the next round shows it
    # Ann's piece slid straight off; it looked as if people had stopped (normal, 1500005).
    start untold masses=apart; marked a1 b1 c1 d1 e1 a2 b2 c2; perhaps 0.35 -> scores Ann=5 Bob=0
    -> turn Ann act
    piece e5 mass_g=4.5 -> scores Ann=-5 Bob=3; board e5=red; silent nothing; asks nothing
who agreed to stop has not let anything fall by the same weights
    start untold masses=apart; marked a1 b1 c1 d1 e1 a2 b2 c2; perhaps 0.35; piece e5 mass_g=3.5
    piece e4 mass_g=4.5 -> scores Ann=5 Bob=0; board e4=red e5=blue
where colours weigh the same a doubted fall is left to the question
    start untold masses=alike; marked a1 b1 c1 d1 e1 a2 b2 c2; perhaps 0.35 -> asks blame-10
    piece e5 mass_g=4.0 -> scores Ann=5 Bob=0
what came down with a fall was the hand's that made it fall
    # Its turn was looked for after the fall, and the pass before taken back (calm, 1700011).
    start untold masses=apart; marked a1 b1 c1 d1 e1 a2 b2 c2; piece d2 mass_g=4.5 -> turn Ann act
    wait 4.0; piece e4 p=0.8 mass_g=3.5; gone 10 gone
    fall placing kind=off_stack p=0.95 sure=0.95 after_s=-0.1 fallen=1 -> scores Ann=-5 Bob=3
    -> silent Bob
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)
