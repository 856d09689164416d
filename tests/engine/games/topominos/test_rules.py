from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IllegalAction
from engine.games.checks import MOST_TARGET
from engine.games.topominos.pieces import ALTERNATIVE, DEFAULT
from engine.games.topominos.rules import TOPOMINOS
from engine.games.topominos.state import TopominosState
from tests.engine.games.helpers import code_of, random_states, states_of
from tests.rules_cases import cases_of, play, run_case
from tests.soaked import examples

ROW, MIDDLE, CORNER, CENTRE = "111000000", "000111000", "100000000", "000010000"
PIECES = [ROW, MIDDLE, ROW, CORNER, CENTRE, MIDDLE, ROW, ROW, ROW, ROW, CORNER, CENTRE, ROW]
START = {
    "type": "start",
    "players": ["Ann", "Bob"],
    "first": "Ann",
    "pieces": PIECES,
    "racks": {"Ann": [0, 1, 2, 3, 4], "Bob": [5, 6, 7, 8, 9]},
    "match": None,
}


def place(piece: int, compartment: int, dots: str) -> dict:
    return {"type": "place", "piece": piece, "compartment": compartment, "dots": dots}


def end(*drawn: int) -> dict:
    return {"type": "end", "drawn": list(drawn)}


def after(*actions: dict, **start: object) -> TopominosState:
    return play("topominos", [START | start, *actions])[-1]


@pytest.mark.parametrize("case", cases_of("topominos"))
def test_worked_case(case: dict) -> None:
    run_case(case)


def test_each_set_has_56_pieces() -> None:
    assert len(DEFAULT) == len(ALTERNATIVE) == 56


def naive_placements(
    view: dict, pieces: list[str], opened: int | None
) -> set[tuple[int, int, str]]:
    """Placements from the view alone: grids, turns and flips instead of numbers."""
    if view["phase"] not in ("turn", "placing"):
        return set()
    found = set()
    for number in range(1, 10):
        stack = view["board"].get(str(number))
        begun = stack is not None
        if view["mode"] == "B" and not begun:
            continue
        if view["mode"] == "A" and number != opened:
            continue
        below = np.array(list(stack["dots"] if stack else "0" * 9), dtype=int)
        for piece in view["racks"][view["current"]]:
            grid = np.array(list(pieces[piece]), dtype=int).reshape(3, 3)
            for face in (grid, grid.T):
                for turns in range(4):
                    lying = np.rot90(face, turns).ravel()
                    if (below + lying).max() < 2:
                        found.add((piece, number, "".join(map(str, lying))))
    return found


@examples(25)
@given(states_of("topominos", steps=80))
def test_placements_are_those_of_the_naive_rules(state: TopominosState) -> None:
    texts = [format(pattern, "09b") for pattern in state.match.patterns]
    view = TOPOMINOS.view(state)
    opened = None if state.opened is None else state.opened + 1

    legal = {
        (action["piece"], action["compartment"], action["dots"])
        for action in TOPOMINOS.legal_actions(state)
        if action["type"] == "place"
    }

    assert legal == naive_placements(view, texts, opened)


@examples(25)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_turn_scores_are_nines_and_touched_stacks_added_up_from_the_moves(
    seed: int, variant: int
) -> None:
    """Count a whole game again from the placements alone."""
    states = random_states("topominos", seed, 150, variant)
    stacks: dict[int, int] = {}
    touched: set[int] = set()
    nines = 0
    for before, state in pairwise(states):
        kind = state.last["type"]
        if kind == "place":
            at = next(n for n in range(9) if before.dots[n] != state.dots[n])
            held = set(before.racks[before.current]) - set(state.racks[before.current])
            stacks[at] = stacks.get(at, 0) + state.match.patterns[held.pop()].bit_count()
            touched.add(at)
            if stacks[at] == 9:
                touched.discard(at)
                del stacks[at]
                nines += 1
            assert state.last["nine"] == (at not in stacks)
        elif kind == "end":
            assert state.last["points"] == 9 * nines + sum(stacks[at] for at in touched)
        elif kind == "next_round":
            stacks = {}
        if kind in ("end", "pass"):
            touched, nines = set(), 0


@examples(25)
@given(states_of("topominos", steps=80))
def test_nobody_sees_racks_of_others_or_the_bag(state: TopominosState) -> None:
    public, mine = TOPOMINOS.public_view(state), TOPOMINOS.player_view(state, "Ann")
    racks = dict(zip(state.match.players, state.racks, strict=True))

    assert public["racks"] == {name: len(rack) for name, rack in racks.items()}
    assert public["bag"] == mine["bag"] == len(state.bag)
    assert mine["racks"] == public["racks"] | {"Ann": list(racks["Ann"])}
    visible = {key: value for key, value in public.items() if key not in ("racks", "bag")}
    assert visible == {k: v for k, v in TOPOMINOS.view(state).items() if k in visible}


def test_first_player_must_place_in_the_opening_turn_only() -> None:
    exchange = {"type": "pass", "give": [], "drawn": []}
    state = TOPOMINOS.start(START)
    assert code_of(TOPOMINOS, state, exchange) == "must_place"

    state = after(place(0, 1, ROW), end(10))

    assert code_of(TOPOMINOS, state, exchange) is None


def test_option_b_is_not_mixed_with_a_new_compartment_until_a_nine() -> None:
    state = after(place(0, 1, ROW), end(10), place(5, 1, MIDDLE))
    assert code_of(TOPOMINOS, state, place(6, 2, ROW)) == "stack_needed"

    state = TOPOMINOS.apply(state, place(6, 1, "000000111"))

    assert TOPOMINOS.view(state)["completed"] == 1
    assert code_of(TOPOMINOS, state, place(7, 2, ROW)) is None


def test_emptied_rack_must_draw_one_and_may_then_stop() -> None:
    nine = (place(0, 5, ROW), place(1, 5, MIDDLE), place(2, 5, "000000111"))
    state = after(*nine, place(3, 5, CORNER), place(4, 5, CENTRE))
    assert state.phase == "draw"
    assert code_of(TOPOMINOS, state, end()) == "must_draw"
    assert code_of(TOPOMINOS, state, {"type": "draw", "piece": 3}) == "bad_draw"

    state = TOPOMINOS.apply(state, {"type": "draw", "piece": 12})

    assert code_of(TOPOMINOS, state, {"type": "draw", "piece": 10}) == "rack_not_empty"
    assert code_of(TOPOMINOS, state, end(10)) == "bad_draw"
    assert TOPOMINOS.scores(TOPOMINOS.apply(state, end(10, 11))) == {"Ann": 11, "Bob": 0}


def test_next_round_is_opened_by_a_winner_with_full_racks() -> None:
    short = START | {"pieces": PIECES[:10], "match": {"rounds": 2}}
    goes_out = (place(0, 1, ROW), place(1, 1, MIDDLE), place(2, 1, "000000111"),
                place(3, 2, CORNER), place(4, 2, CENTRE), end())  # fmt: skip
    state = play("topominos", [short, *goes_out, place(6, 3, ROW), end()])[-1]
    racks = {"Ann": [5, 6, 7, 8, 9], "Bob": [0, 1, 2, 3, 4]}
    opening = {"type": "next_round", "first": "Ann", "racks": racks}
    assert (state.phase, TOPOMINOS.current_player(state)) == ("between", None)

    assert code_of(TOPOMINOS, state, place(5, 1, MIDDLE)) == "round_over"
    assert code_of(TOPOMINOS, state, opening | {"first": "Bob"}) == "bad_first"
    assert code_of(TOPOMINOS, state, opening | {"racks": {"Ann": [5]}}) == "bad_racks"

    state = TOPOMINOS.apply(state, opening)

    assert (state.round, state.phase, TOPOMINOS.current_player(state)) == (2, "turn", "Ann")
    assert TOPOMINOS.scores(state) == {"Ann": 11, "Bob": -9}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"players": []}, "bad_players"),
        ({"players": ["Ann", "Ann"]}, "bad_players"),
        ({"players": ["A", "B", "C", "D", "E"]}, "bad_players"),
        ({"pieces": "wooden"}, "bad_pieces"),
        ({"pieces": ["000000000"] * 20}, "bad_pieces"),
        ({"racks": {"Ann": [0, 1, 2, 3, 4]}}, "bad_racks"),
        ({"racks": {"Ann": [0, 1, 2, 3, 4], "Bob": [4, 5, 6, 7, 8]}}, "bad_racks"),
        ({"racks": {"Ann": [0, 1, 2, 3], "Bob": [4, 5, 6, 7]}}, "bad_racks"),
        ({"racks": {"Ann": [0, 1, 2, 3, 99], "Bob": [4, 5, 6, 7, 8]}}, "bad_racks"),
        ({"match": {"rounds": 0}}, "bad_match"),
        ({"match": {"points": MOST_TARGET + 1}}, "bad_match"),
        ({"match": {"hours": 2}}, "bad_match"),
        ({"first": "Zoe"}, "bad_first"),
        ({"firstdraw": [{"Ann": 10, "Bob": 12}]}, "bad_first"),
        ({"firstdraw": [{"Ann": 0, "Bob": 12}]}, "bad_firstdraw"),
        ({"firstdraw": [{"Ann": 12}]}, "bad_firstdraw"),
        ({"firstdraw": [{"Ann": 10, "Bob": 11}]}, "bad_firstdraw"),
    ],
)
def test_start_that_cannot_be_played_is_refused(change: dict, code: str) -> None:
    with pytest.raises(IllegalAction) as caught:
        TOPOMINOS.start(START | change)

    assert caught.value.code == code
