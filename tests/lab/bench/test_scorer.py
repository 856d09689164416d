"""The people's score sheet: cases worked out by hand from docs/rules.md."""

from typing import Any

import pytest

from lab.bench.scorer import AgainstTheRules, ScoreSheet

ANN, BOB, CLEO = ({"name": n, "colours": [c]} for n, c in zip("ABC", ("red", "blue", "green")))  # noqa: B905


def begun(*cells: str, **start: Any) -> ScoreSheet:
    sheet = ScoreSheet.begin({"players": [ANN, BOB], "target": 40, **start})
    for cell in cells:
        laid(sheet, cell)
    return sheet


def laid(sheet: ScoreSheet, cell: str) -> int:
    if sheet.rules["dice"] == "told":
        sheet.roll(6)
    return sheet.place(cell, sheet.hands[sheet.current][0])


def test_a_completed_row_scores_three_and_the_other_own_tops() -> None:
    sheet = begun("c3", "b3", "d3", "a3")
    assert laid(sheet, "e3") == 3 + 2  # c3 and d3 (T8)


def test_adding_to_a_full_row_scores_one_and_the_other_own_tops() -> None:
    sheet = begun("c3", "b3", "d3", "a3", "e3")
    assert laid(sheet, "c3") == 1 + 2  # a3 and b3 (T9)


def test_a_stack_scores_from_the_fourth_piece_with_buried_ones() -> None:
    sheet = begun("c3", "c3", "c3")
    assert laid(sheet, "c3") == 2  # T11, T12
    assert laid(sheet, "c3") == 3


@pytest.mark.parametrize(("share", "points"), [("each", 5), ("once", 4)])
def test_a_piece_common_to_a_row_and_a_stack_counts_for_each(share: str, points: int) -> None:
    sheet = begun("c3", "b3", "d3", "a3", "e3", "c3", "c3", options={"share": share})
    assert laid(sheet, "c3") == points  # T13: row 3, stack 2


def test_two_rows_completed_at_once_score_for_themselves() -> None:
    sheet = begun("b3", "d3", "c2", "c4", "a3", "e3", "c1", "c5")
    assert laid(sheet, "c3") == 10  # T14


def test_who_topples_while_placing_pays_and_the_turn_before_gains() -> None:
    sheet = begun("d4")
    sheet.roll(3)
    sheet.topple("placing", None)
    assert sheet.scores == {"A": 3, "B": -10}
    assert (sheet.phase, sheet.current, sheet.seen) == ("clear", 0, {})  # left of Bob (T20)


def test_the_first_turn_of_a_round_gives_no_bonus_and_a_bump_gives_none() -> None:
    first = begun()
    first.roll(6)
    first.topple("placing", None)
    assert first.scores == {"A": -10, "B": 0}  # T18
    bumped = begun("d4")
    bumped.roll(2)
    bumped.topple("bump", 0)
    assert bumped.scores == {"A": -10, "B": 0}  # T27
    assert bumped.current == 1  # the interrupted player begins


@pytest.mark.parametrize(
    ("rule", "scores"),
    [("previous_turn", {"A": 0, "B": 3, "C": -10}), ("last_placer", {"A": 3, "B": 0, "C": -10})],
)
def test_the_bonus_goes_where_the_house_says(rule: str, scores: dict[str, int]) -> None:
    sheet = begun("d4", players=[ANN, BOB, CLEO], options={"bonus_to": rule})
    sheet.roll(5)
    sheet.pass_()
    sheet.roll(6)
    sheet.topple("placing", None)
    assert sheet.scores == scores  # T17


@pytest.mark.parametrize(("rule", "starter"), [("continue", 0), ("same", 1), ("rotate", 0)])
def test_the_next_round_begins_where_the_house_says(rule: str, starter: int) -> None:
    sheet = begun("d4", "d4", first=1, options={"next_starter": rule})
    sheet.roll(6)
    sheet.topple("placing", None)  # Bob, who began
    assert sheet.current == starter


@pytest.mark.parametrize(("tie", "winners"), [("shared", ("A", "B")), ("another_round", ())])
def test_equal_totals_share_the_win_or_play_on(tie: str, winners: tuple[str, ...]) -> None:
    sheet = begun(target=2, options={"tie": tie, "dice": "untold"}, players=[ANN, BOB, CLEO])
    for cell in ("c3", "c3", "c3", "c3", "c3", "b2"):
        laid(sheet, cell)
    sheet.topple("bump", 2)
    assert sheet.scores == {"A": 2, "B": 2, "C": -10}
    assert (sheet.winners, sheet.over) == (winners, bool(winners))


def test_two_colours_have_scores_of_their_own() -> None:
    both = [{"name": "A", "colours": ["red", "green"]}, {"name": "B", "colours": ["blue", "pink"]}]
    sheet = ScoreSheet.begin({"players": both, "variant": "two-colour"})
    sheet.roll(3)
    sheet.place("d4", "green")
    sheet.roll(3)
    sheet.topple("placing", None, "pink")
    assert sheet.points == {"red": 0, "green": 3, "blue": 0, "pink": -10}  # T32, T33
    assert sheet.scores == {"A": 3, "B": 0}  # the better one (T31)


def test_young_people_count_nothing_and_the_last_one_in_wins() -> None:
    sheet = begun("d4", variant="young")
    sheet.roll(3)
    sheet.topple("placing", None)
    assert (sheet.winners, sheet.phase) == (("A",), "over")  # T36
    assert sheet.scores == {"A": None, "B": None}


def test_a_player_without_pieces_is_skipped_and_the_last_piece_ends_the_round() -> None:
    sheet = begun(target=1000, options={"dice": "untold"})
    sheet.pass_()
    while sheet.left("blue"):
        laid(sheet, "c3")
    assert (sheet.current, sheet.left("red")) == (0, 1)  # Bob has placed one more
    laid(sheet, "c3")
    assert (sheet.phase, len(sheet.seen["c3"])) == ("clear", 24)  # T21


def test_the_rules_refuse_what_they_forbid() -> None:
    sheet = begun(options={"pass": "not_on_one"})
    with pytest.raises(AgainstTheRules):
        sheet.pass_()  # T5
    sheet.roll(1)
    with pytest.raises(AgainstTheRules):
        sheet.pass_()  # T4
    with pytest.raises(AgainstTheRules):
        sheet.place("a1", "red")  # T2
    with pytest.raises(AgainstTheRules):
        sheet.place("c3", "blue")
