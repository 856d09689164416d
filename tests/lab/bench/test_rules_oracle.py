"""The rules oracle: cases worked out by hand from docs/rules.md.

Beside them tests/engine/games/topple/test_rules_oracle.py holds it against the played games and,
at random, against the engine.
"""

from typing import Any

import pytest

from lab.bench.rules_oracle import Oracle

ANN, BOB, CLEO = ({"name": n, "colours": [c]} for n, c in zip("ABC", ("red", "blue", "green")))  # noqa: B905


def begun(*cells: str, options: dict[str, Any] | None = None, **start: Any) -> Oracle:
    wanted = {"players": [ANN, BOB], "target": 40, "first": "A", **start}
    game = Oracle(wanted, options or {})
    for cell in cells:
        laid(game, cell)
    return game


def does(game: Oracle, kind: str, **more: Any) -> None:
    action = {"type": kind, **more}
    assert game.allows(action)
    game.apply(action)


def laid(game: Oracle, cell: str) -> int:
    if game.told:
        does(game, "roll", value=6)
    does(game, "place", cell=cell, colour=game.hands[game.current][0])
    assert game.last is not None
    return int(game.last["points"])


def test_a_completed_row_scores_three_and_the_other_own_tops() -> None:
    game = begun("c3", "b3", "d3", "a3")
    assert laid(game, "e3") == 3 + 2  # c3 and d3 (T8)


def test_adding_to_a_full_row_scores_one_and_the_other_own_tops() -> None:
    game = begun("c3", "b3", "d3", "a3", "e3")
    assert laid(game, "c3") == 1 + 2  # a3 and b3 (T9)


def test_a_stack_scores_from_the_fourth_piece_with_buried_ones() -> None:
    game = begun("c3", "c3", "c3")
    assert laid(game, "c3") == 2  # T11, T12
    assert laid(game, "c3") == 3


@pytest.mark.parametrize(("share", "points"), [("each", 5), ("once", 4)])
def test_a_piece_common_to_a_row_and_a_stack_counts_for_each(share: str, points: int) -> None:
    game = begun("c3", "b3", "d3", "a3", "e3", "c3", "c3", options={"share": share})
    assert laid(game, "c3") == points  # T13: row 3, stack 2


def test_two_rows_completed_at_once_score_for_themselves() -> None:
    game = begun("b3", "d3", "c2", "c4", "a3", "e3", "c1", "c5")
    assert laid(game, "c3") == 10  # T14


def test_who_topples_while_placing_pays_and_the_turn_before_gains() -> None:
    game = begun("d4")
    does(game, "roll", value=3)
    does(game, "topple", cause="placing")
    assert game.scores() == {"A": 3, "B": -10}
    assert (game.phase, game.current, game.lying) == ("clear", "A", {})  # left of Bob (T20)


def test_the_first_turn_of_a_round_gives_no_bonus_and_a_bump_gives_none() -> None:
    first = begun()
    does(first, "roll", value=6)
    does(first, "topple", cause="placing")
    assert first.scores() == {"A": -10, "B": 0}  # T18
    bumped = begun("d4")
    does(bumped, "roll", value=2)
    does(bumped, "topple", cause="bump", player="A")
    assert bumped.scores() == {"A": -10, "B": 0}  # T27
    assert bumped.current == "B"  # the interrupted player begins


def test_who_bumps_the_only_piece_off_as_it_is_let_go_pays_and_its_player_rolls_anew() -> None:
    game = begun(options={"first_move_bonus": "previous_round"})
    does(game, "roll", value=6)
    does(game, "topple", cause="bump", player="B", fell=True)
    assert game.scores() == {"A": 0, "B": -10}  # T16, T27
    assert game.current == "A"
    does(game, "cleared")
    does(game, "roll", value=6)
    does(game, "topple", cause="placing")
    assert game.scores() == {"A": -10, "B": -10}  # no turn was completed before this one


@pytest.mark.parametrize(
    ("rule", "scores"),
    [("previous_turn", {"A": 0, "B": 3, "C": -10}), ("last_placer", {"A": 3, "B": 0, "C": -10})],
)
def test_the_bonus_goes_where_the_house_says(rule: str, scores: dict[str, int]) -> None:
    game = begun("d4", players=[ANN, BOB, CLEO], options={"bonus_to": rule})
    does(game, "roll", value=5)
    does(game, "pass")
    does(game, "roll", value=6)
    does(game, "topple", cause="placing")
    assert game.scores() == scores  # T17


@pytest.mark.parametrize(("rule", "starter"), [("continue", "A"), ("same", "B"), ("rotate", "A")])
def test_the_next_round_begins_where_the_house_says(rule: str, starter: str) -> None:
    game = begun("d4", "d4", first="B", options={"next_starter": rule})
    does(game, "roll", value=6)
    does(game, "topple", cause="placing")  # Bob, who began
    assert game.current == starter


@pytest.mark.parametrize(("tie", "winners"), [("shared", ["A", "B"]), ("another_round", [])])
def test_equal_totals_share_the_win_or_play_on(tie: str, winners: list[str]) -> None:
    game = begun(target=2, options={"tie": tie, "dice": "untold"}, players=[ANN, BOB, CLEO])
    for cell in ("c3", "c3", "c3", "c3", "c3", "b2"):
        laid(game, cell)
    does(game, "topple", cause="bump", player="C")
    assert game.scores() == {"A": 2, "B": 2, "C": -10}
    assert (game.winners, game.phase == "over") == (winners, bool(winners))


def test_two_colours_have_scores_of_their_own() -> None:
    both = [{"name": "A", "colours": ["red", "green"]}, {"name": "B", "colours": ["blue", "pink"]}]
    game = begun(players=both, variant="two-colour")
    does(game, "roll", value=3)
    does(game, "place", cell="d4", colour="green")
    does(game, "roll", value=3)
    does(game, "topple", cause="placing", colour="pink")
    assert game.score == {"red": 0, "green": 3, "blue": 0, "pink": -10}  # T32, T33
    assert game.scores() == {"A": 3, "B": 0}  # the better one (T31)


def test_young_people_count_nothing_and_the_last_one_in_wins() -> None:
    game = begun("d4", variant="young")
    does(game, "roll", value=3)
    does(game, "topple", cause="placing")
    assert (game.winners, game.phase) == (["A"], "over")  # T36
    assert game.scores() == {"A": None, "B": None}


def test_a_player_without_pieces_is_skipped_and_the_last_piece_ends_the_round() -> None:
    game = begun(target=1000, options={"dice": "untold"})
    does(game, "pass")
    while game.left("blue"):
        laid(game, "c3")
    assert (game.current, game.left("red")) == ("A", 1)  # Bob has placed one more
    laid(game, "c3")
    assert (game.phase, len(game.lying["c3"])) == ("clear", 24)  # T21


def test_the_rules_refuse_what_they_forbid() -> None:
    game = begun(options={"pass": "not_on_one"})
    assert not game.allows({"type": "pass"})  # T5
    does(game, "roll", value=1)
    assert not game.allows({"type": "roll", "value": 1})
    assert not game.allows({"type": "pass"})  # T4
    assert not game.allows({"type": "place", "cell": "a1", "colour": "red"})  # T2
    assert not game.allows({"type": "place", "cell": "c3", "colour": "blue"})
    assert not game.allows({"type": "topple", "cause": "bump", "player": "A"})  # T27


def test_a_bump_of_which_nobody_is_named_costs_nobody_and_a_stop_neither() -> None:
    for action in ({"type": "topple", "cause": "bump", "player": None}, {"type": "end_round"}):
        game = begun("d4")
        assert game.allows(action)
        game.apply(action)
        assert (game.scores(), game.phase, game.current) == ({"A": 0, "B": 0}, "clear", "B")
        does(game, "cleared")
        assert game.phase == "roll"


def test_a_round_is_taken_up_from_the_document_that_shows_its_beginning() -> None:
    players = [{**ANN, "score": 7, "colour_scores": {}, "out": False},
               {**BOB, "score": -3, "colour_scores": {}, "out": False}]  # fmt: skip
    state = {"players": players, "turn": {"player": "B"}, "round": 3, "phase": "roll", "target": 9}
    game = Oracle.shown(state, {})
    assert (game.scores(), game.current, game.phase) == ({"A": 7, "B": -3}, "B", "roll")
    does(game, "end")
    assert game.phase == "over"
