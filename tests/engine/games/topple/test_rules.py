import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IllegalAction
from engine.games.chance import pick
from engine.games.topple.rules import TOPPLE, ToppleState, rolloff_winner
from engine.tabletop import CELLS, PIECES_PER_COLOUR
from tests.engine.games.helpers import refusal_of
from tests.rules_cases import cases_of, play, run_case
from tests.soaked import examples

ANN_BOB = [{"name": "Ann", "colours": ["pink"]}, {"name": "Bob", "colours": ["blue"]}]
CAT = {"name": "Cat", "colours": ["yellow"]}
START = {"type": "start", "players": ANN_BOB, "target": 40, "first": "Ann"}
TWO_COLOUR_START = {
    "type": "start",
    "variant": "two-colour",
    "players": [
        {"name": "Ann", "colours": ["pink", "yellow"]},
        {"name": "Bob", "colours": ["blue", "green"]},
    ],
    "target": 30,
    "first": "Bob",
}
YOUNG_START = {
    "type": "start",
    "variant": "young",
    "players": [*ANN_BOB, CAT],
    "target": None,
    "first": "Cat",
}
STARTS = [START, TWO_COLOUR_START, YOUNG_START]


def roll(value: int) -> dict:
    return {"type": "roll", "value": value}


def place(colour: str, cell: str) -> dict:
    return {"type": "place", "colour": colour, "cell": cell}


def topple(cause: str, player: str, **more: str) -> dict:
    return {"type": "topple", "cause": cause, "player": player, **more}


def after(*actions: dict, start: dict = START, **options: object) -> dict:
    return TOPPLE.view(play("topple", [start, *actions], options)[-1])


def code_of(state: ToppleState, action: dict) -> str | None:
    refusal = refusal_of(TOPPLE.apply, state, action)
    return refusal.code if refusal else None


@pytest.mark.parametrize("case", cases_of("topple"))
def test_worked_case(case: dict) -> None:
    run_case(case)


# --- Hypothesis: whole games -------------------------------------------------------------------

options = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in TOPPLE.options.items()}
)


def reported_topples(state: ToppleState) -> list[dict]:
    """Every topple that people could report now."""
    staying = [p for at, p in enumerate(state.match.players) if at not in state.out]
    bumps = [topple("bump", player) for player in staying] if any(state.board) else []
    bumps += [{"type": "end_round"}] if any(state.board) else []
    placing = [{"type": "topple", "cause": "placing"}] if state.phase == "act" else []
    return bumps + placing


def random_game(start: dict, rules: dict, seed: int, steps: int) -> list[ToppleState]:
    chance = random.Random(seed).random
    states = [TOPPLE.start(start, rules)]
    while len(states) < steps and not TOPPLE.is_over(states[-1]):
        state = states[-1]
        reports = reported_topples(state)
        fell = reports and chance() < 0.05
        action = pick(reports if fell else list(TOPPLE.legal_actions(state)), chance)
        states.append(TOPPLE.apply(state, action))
    return states


games = st.builds(
    random_game,
    st.sampled_from(STARTS),
    options,
    st.integers(0, 2**32),
    st.integers(1, 400),
)


@examples(25)
@given(games)
def test_no_piece_is_ever_made_or_lost(states: list[ToppleState]) -> None:
    for state in states:
        on_board = Counter(colour for stack in state.board for colour in stack)
        for colour, left in zip(state.match.colours, state.left, strict=True):
            assert left >= 0
            assert on_board[colour] + left == PIECES_PER_COLOUR


@examples(25)
@given(games)
def test_legal_actions_are_accepted_and_only_they(states: list[ToppleState]) -> None:
    state = states[-1]
    before = TOPPLE.view(state)
    legal = TOPPLE.legal_actions(state)
    tried = [
        *(roll(value) for value in range(8)),
        *(place(colour, cell) for colour in (*state.match.colours, "grey") for cell in CELLS),
        {"type": "pass"},
    ]

    for action in tried:
        assert (code_of(state, action) is None) == (action in legal), action
    assert TOPPLE.view(state) == before


@examples(25)
@given(games)
def test_changes_are_what_the_scores_gained(states: list[ToppleState]) -> None:
    for earlier, later in pairwise(states):
        if later.match.target is None:
            continue
        before, view = TOPPLE.view(earlier), TOPPLE.view(later)
        gained = {
            colour: points - before["colour_scores"][colour]
            for colour, points in view["colour_scores"].items()
            if points != before["colour_scores"][colour]
        }
        assert view["last"].get("changes", {}) == gained


@examples(25)
@given(games)
def test_the_game_ends_only_with_a_round_and_has_winners(states: list[ToppleState]) -> None:
    for state in states:
        assert TOPPLE.is_over(state) == bool(TOPPLE.winners(state))
        if TOPPLE.is_over(state):
            assert state.round_end is not None
            assert state.round_end.game_over
            assert TOPPLE.current_player(state) is None
            assert not TOPPLE.legal_actions(state)


# --- rules the given cases leave open ----------------------------------------------------------


def test_young_winner_is_the_last_one_in() -> None:
    states = play(
        "topple",
        [YOUNG_START, roll(1), topple("placing", "Cat"), roll(1), topple("placing", "Ann")],
    )

    assert TOPPLE.winners(states[-1]) == ("Bob",)
    assert TOPPLE.scores(states[-1]) == {}


def test_young_player_who_is_out_cannot_topple_again() -> None:
    state = play("topple", [YOUNG_START, roll(1), topple("placing", "Cat"), roll(1)])[-1]
    state = TOPPLE.apply(state, place("pink", "c3"))

    assert code_of(state, topple("bump", "Cat")) == "player_out"


def test_unnamed_colour_of_a_fallen_piece_is_one_with_pieces_left() -> None:
    turns = []
    for cell in CELLS[:12]:
        turns += [roll(6), place("blue", cell), roll(6), {"type": "pass"}]

    view = after(*turns, roll(6), topple("placing", "Bob"), start=TWO_COLOUR_START)

    assert view["last"]["changes"] == {"green": -10, "pink": 3}


def test_untold_die_needs_no_roll_and_allows_every_cell() -> None:
    state = TOPPLE.start(START, {"dice": "untold"})
    assert len(TOPPLE.view(state)["cells"]) == 25
    assert code_of(state, roll(3)) == "dice_untold"

    state = TOPPLE.apply(state, place("pink", "d2"))

    assert (state.phase, TOPPLE.current_player(state)) == ("act", "Bob")
    assert TOPPLE.current_player(TOPPLE.apply(state, {"type": "pass"})) == "Ann"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"variant": "blindfold"}, "bad_variant"),
        ({"first": "Zoe"}, "bad_first"),
        ({"first": None}, "bad_first"),
        ({"target": True}, "bad_target"),
        ({"target": None}, "bad_target"),
        ({"variant": "young"}, "bad_target"),
        ({"players": [*ANN_BOB, {"name": "Ann", "colours": ["green"]}]}, "bad_players"),
        ({"rolloff": [{"Ann": 3, "Bob": 3}]}, "bad_rolloff"),
        ({"rolloff": [{"Ann": 3}]}, "bad_rolloff"),
        ({"rolloff": [{"Ann": 3, "Bob": 7}]}, "bad_rolloff"),
    ],
)
def test_start_that_cannot_be_played_is_refused(change: dict, code: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        TOPPLE.start(START | change)

    assert caught.value.code == code


@pytest.mark.parametrize("rules", [{"share": "thrice"}, {"dance": True}, {"floor_zero": 1}])
def test_unknown_house_rule_is_refused(rules: dict) -> None:
    with pytest.raises(IllegalAction) as caught:
        TOPPLE.start(START, rules)

    assert caught.value.code == "bad_option"


def test_rolloff_without_a_winner_yet_decides_nothing() -> None:
    assert rolloff_winner(["Ann", "Bob"], [{"Ann": 2, "Bob": 2}]) is None
    assert rolloff_winner(["Ann", "Bob"], []) is None


@pytest.mark.parametrize(
    ("actions", "next_player"),
    [
        ((roll(1), place("pink", "c3")), "Bob"),
        ((roll(1), place("pink", "c3"), roll(1)), "Bob"),
        ((roll(1), place("pink", "c3"), roll(1), place("blue", "c3")), "Ann"),
    ],
)
def test_after_a_round_that_was_stopped_the_next_in_turn_begins(
    actions: tuple[dict, ...], next_player: str
) -> None:
    view = after(*actions, {"type": "end_round"})

    assert (view["round"], view["current"]) == (2, next_player)
    assert view["round_end"]["reason"] == "agreed"


def test_a_colour_without_pieces_can_be_neither_placed_nor_fall_while_placing() -> None:
    state = TOPPLE.start(TWO_COLOUR_START)
    for _ in range(PIECES_PER_COLOUR):
        for action in (roll(6), place("blue", "a1"), roll(6), {"type": "pass"}):
            state = TOPPLE.apply(state, action)
    state = TOPPLE.apply(state, roll(6))

    assert code_of(state, place("blue", "a1")) == "no_piece_left"
    assert code_of(state, topple("placing", "Bob", colour="blue")) == "no_piece_left"
    assert code_of(state, topple("placing", "Bob", colour="green")) is None


def test_the_only_player_with_pieces_plays_on_alone() -> None:
    state = TOPPLE.start(START)
    for _ in range(PIECES_PER_COLOUR):
        for action in (roll(6), place("pink", "a1"), roll(6), {"type": "pass"}):
            state = TOPPLE.apply(state, action)
    state = TOPPLE.apply(TOPPLE.apply(state, roll(6)), place("blue", "b1"))

    assert TOPPLE.current_player(state) == "Bob"
    assert TOPPLE.view(state)["round"] == 1


@pytest.mark.parametrize(("rule", "counted"), [("best", -3), ("sum", -10)])
def test_with_two_colours_the_score_is_that_of_the_house_rule(rule: str, counted: int) -> None:
    fallen = [TWO_COLOUR_START, roll(1), topple("placing", "Bob", colour="green")]
    state = play("topple", fallen, {"two_colour_winner": rule})[-1]

    assert TOPPLE.scores(state)["Bob"] == (0 if rule == "best" else counted)


# --- a piece of another player's (beyond the book) -------------------------------------------


def test_a_die_that_was_told_wrongly_is_told_again() -> None:
    again = {**roll(5), "again": True}

    assert after(roll(4), again, place("pink", "a5")) == after(roll(5), place("pink", "a5"))
    assert after(again) == after(roll(5))


def test_who_bumps_the_only_piece_off_as_it_is_let_go_pays_and_its_player_begins_anew() -> None:
    bumped = topple("bump", "Bob")
    view = after(roll(6), {**bumped, "fell": True})

    assert view["player_best"] == {"Ann": 0, "Bob": -10}
    assert (view["round"], view["current"], view["die"]) == (2, "Ann", None)
    for fell in (False, None, 1, "yes"):
        state = play("topple", [START, roll(6)])[-1]
        assert code_of(state, {**bumped, "fell": fell}) == "empty_board"


FOREIGN = {**place("blue", "a5"), "foreign": True}


def test_a_foreign_piece_scores_for_its_own_colour_and_ends_the_turn() -> None:
    turns = []
    for at, cell in enumerate(("a1", "a2", "a3", "a4")):
        turns += [roll(6), place(("pink", "blue")[at % 2], cell)]
    view = after(*turns, roll(6), FOREIGN)

    assert view["player_best"] == {"Ann": 0, "Bob": 5}
    assert (view["current"], view["left"]) == ("Bob", {"pink": 10, "blue": 9})


@pytest.mark.parametrize("house", ["previous_turn", "last_placer"])
def test_after_a_foreign_piece_the_bonus_goes_to_whoever_placed_it(house: str) -> None:
    view = after(roll(6), FOREIGN, roll(6), topple("placing", "Bob"), bonus_to=house)

    assert view["player_best"] == {"Ann": 3, "Bob": -10}


def test_an_own_piece_that_is_called_foreign_is_an_own_piece() -> None:
    own = place("pink", "a5")

    assert after(roll(6), {**own, "foreign": True}) == after(roll(6), own)


def test_a_foreign_piece_must_be_of_a_colour_in_play_and_be_called_so() -> None:
    state = play("topple", [START, roll(6)])[-1]

    assert code_of(state, {**FOREIGN, "colour": "gold"}) == "not_your_colour"
    assert code_of(state, place("blue", "a5")) == "not_your_colour"
