"""The risk map: points of the rules beside the tilt of this very table."""

import math
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table.riskmap import risk_map, weighed_tilt
from controller.table.tension import tension
from engine.detect.body import Stacks
from engine.events import HumanInput
from engine.games.topple.hints import placement_points
from engine.referee import RefereeState, handle_input
from engine.scoreboard import document
from engine.tabletop import CELLS, level
from tests.controller.evenings import START, TABLETOP


def after(*said: tuple[str, dict[str, Any]]) -> RefereeState:
    state = RefereeState()
    for number, (verb, data) in enumerate(said):
        ruling = handle_input(state, HumanInput(3.0 * number, verb, data))
        assert ruling.refused is None
        state = ruling.state
    return state


def game(*cells: str, **more: Any) -> RefereeState:
    start = {**START.data, "options": {"dice": "untold"}, **more}
    return after(("start", start), *(("place", {"cell": cell}) for cell in cells))


def test_before_the_roll_every_cell_is_weighed_and_after_it_only_the_legal_ones() -> None:
    told = ("start", dict(START.data))
    rolled = after(told, ("roll", {"value": 3}))

    assert set(risk_map(after(told), TABLETOP) or {}) == set(CELLS)
    assert set(risk_map(rolled, TABLETOP) or {}) == {c for c in CELLS if level(c) == 3}


def test_after_a_second_roll_the_cells_are_those_of_the_next_player() -> None:
    twice = after(("start", dict(START.data)), ("roll", {"value": 3}), ("roll", {"value": 1}))

    assert set(risk_map(twice, TABLETOP) or {}) == {"c3"}


def test_the_points_are_those_of_the_rules() -> None:
    state = game("c3", "d3", "c2", "d4", "c4", "b3", "c3", "c5", "d2", "b2", "d3", "c3")
    found = risk_map(state, TABLETOP) or {}

    for cell, hint in found.items():
        assert hint.points == placement_points(state.position.game_state, cell, "red")
    assert any(hint.points for hint in found.values())


def test_the_far_corner_is_riskier_the_counterweight_less_so_and_a_heavy_board_least() -> None:
    state = game("e3", "e3", "d3", "e4")
    heavy = replace(TABLETOP, empty_moment_gmm=(0.0, 0.0, -40_000.0))
    found, heavy_map = risk_map(state, TABLETOP) or {}, risk_map(state, heavy) or {}

    assert found["e5"].risk > found["c3"].risk > found["a2"].risk
    assert heavy_map["e5"].risk < found["e5"].risk


@given(
    stacks=st.dictionaries(st.sampled_from(CELLS), st.integers(1, 4), max_size=8),
    cell=st.sampled_from(CELLS),
)
def test_the_tilt_is_the_direction_of_the_first_moment(stacks: dict[str, int], cell: str) -> None:
    body = Stacks(TABLETOP)
    for ref, at in enumerate(at for at, height in stacks.items() for _ in range(height)):
        body.put(ref, at)
    piece = TABLETOP.piece.mass_mean_g * TABLETOP.cell_pitch_mm
    all_pieces = {**stacks, cell: stacks.get(cell, 0) + 1}
    x = sum(n * ("abcde".index(at[0]) - 2) for at, n in all_pieces.items()) * piece
    y = sum(n * (int(at[1]) - 3) for at, n in all_pieces.items()) * piece

    tilt_rad = weighed_tilt(TABLETOP, stacks)(cell)
    body.put(-1, cell)
    assert tilt_rad == pytest.approx(math.atan2(math.hypot(x, y), -body.body().moment_z_gmm))


@pytest.mark.parametrize(
    "state",
    [
        RefereeState(),
        after(("start", {"game": "topolo", "red": "Ann", "black": "Bob"})),
        handle_input(game("c3"), HumanInput(99.0, "topple", {"cause": "placing"})).state,
    ],
    ids=["no game", "no tower", "the board is cleared"],
)
def test_without_a_tower_there_is_no_map_and_no_meter(state: RefereeState) -> None:
    assert risk_map(state, TABLETOP) is None
    assert tension(state, TABLETOP) is None


def test_with_two_colours_the_better_one_counts_until_one_is_announced() -> None:
    hands = [
        {"name": "Ann", "colours": ["red", "pink"]},
        {"name": "Bob", "colours": ["blue", "green"]},
    ]
    state = game(players=hands)
    for number, colour in enumerate(("red", "blue", "red", "green")):
        placed = {"cell": "c3", "colour": colour}
        state = handle_input(state, HumanInput(20.0 + number, "place", placed)).state
    announced = handle_input(state, HumanInput(40.0, "colour", {"colour": "pink"})).state
    points = {
        colour: placement_points(state.position.game_state, "c3", colour)
        for colour in ("red", "pink")
    }

    assert points["red"] > points["pink"]
    assert (risk_map(state, TABLETOP) or {})["c3"].points == points["red"]
    assert (risk_map(announced, TABLETOP) or {})["c3"].points == points["pink"]


def test_the_document_grows_by_little() -> None:
    state = game("c3", "b3", "c2", "d3")
    plain = document(state, table="t1", boot="b")
    hinted = document(state, table="t1", boot="b", hints=risk_map(state, TABLETOP))

    assert plain.hints is None
    assert len(msgspec.json.encode(hinted)) - len(msgspec.json.encode(plain)) < 900
    assert all(0.0 <= hint.risk <= 1.0 for hint in (hinted.hints or {}).values())
