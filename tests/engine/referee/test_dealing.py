"""What the table does when players leave chance to it."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import HumanInput
from engine.games.registry import GAMES
from engine.referee import (
    RefereeState,
    choices,
    dealt,
    handle_input,
    in_one_spelling,
    rematch,
    spelled_out,
)
from engine.scoreboard import seats

HANDS = (("Ann", "red"), ("Bob", "blue"), ("Cleo", "green"))
HAND_GAMES = ("topolo", "triple-topper-toe", "topominos")
BY_HAND = pytest.mark.parametrize("game", HAND_GAMES)
CHANCE = random.Random(5).random


def start_of(game: str, **more: Any) -> HumanInput:
    data = {name: value for name, value in GAMES[game].example.items() if name != "type"}
    return HumanInput(0.0, "start", {"game": game, **data, **more})


def said(state: RefereeState, verb: str, data: dict[str, Any], t_s: float = 1.0) -> RefereeState:
    ruling = handle_input(
        state, dealt(state, rematch(state, spelled_out(HumanInput(t_s, verb, data))), CHANCE)
    )
    assert ruling.refused is None
    return ruling.state


def begun(game: str, **more: Any) -> RefereeState:
    return said(RefereeState(), "start", dict(start_of(game, **more).data), 0.0)


@BY_HAND
def test_a_bare_start_is_completed_so_that_it_can_be_played(game: str) -> None:
    state = begun(game)

    assert state.position.player is not None
    assert choices(state)


@pytest.mark.slow
@BY_HAND
def test_the_choices_can_be_sent_back_as_they_are_until_the_end(game: str) -> None:
    state, pick = begun(game), random.Random(3)
    for _ in range(3000):
        if state.position.over:
            break
        state = said(state, "action", dict(pick.choice(choices(state))))

    assert state.position.phase == "over"
    assert choices(state) == ()


@BY_HAND
def test_no_choice_names_what_chance_decides(game: str) -> None:
    state, pick = begun(game), random.Random(4)
    for _ in range(60):
        for action in choices(state):
            assert not set(GAMES[game].outcomes.by_chance.get(action["type"], ())) & set(action)
        state = said(state, "action", dict(pick.choice(choices(state))))


def test_choices_hold_each_action_once() -> None:
    state, pick = begun("topominos", match={"rounds": 3}), random.Random(6)
    for _ in range(60):
        found = [repr(action) for action in choices(state)]
        assert len(found) == len(set(found))
        state = said(state, "action", dict(pick.choice(choices(state))))


def test_what_was_drawn_stands_in_the_input_itself() -> None:
    first = dealt(RefereeState(), start_of("triple-topper-toe"), CHANCE)

    assert len(first.data["deck"]) == 125
    assert "type" not in first.data
    assert handle_input(RefereeState(), first) == handle_input(RefereeState(), first)


def test_who_lets_the_table_deal_cannot_choose_a_piece_or_probe_the_bag() -> None:
    state = begun("topominos")
    piece = state.position.rules.view(state.position.game_state)["racks"][state.position.player][0]
    state = said(state, "action", next(dict(a) for a in choices(state) if a["piece"] == piece))
    wish = [state.position.rules.view(state.position.game_state)["bag"][-1]]
    drawn = {tuple(_drawn_for(state, wish, random.Random(seed).random)) for seed in range(20)}

    assert len(drawn) > 1
    assert tuple(_drawn_for(state, [999], CHANCE)) != (999,)


def _drawn_for(state: RefereeState, wish: list[int], chance: Any) -> list[int]:
    said_ = HumanInput(2.0, "action", {"type": "end", "drawn": wish})
    found: list[int] = dealt(state, said_, chance).data["action"]["drawn"]
    return found


def test_who_brings_real_pieces_says_what_was_drawn() -> None:
    given_start = dict(dealt(RefereeState(), start_of("topominos"), CHANCE).data)
    given_start.pop("dealt")
    state = said(RefereeState(), "start", given_start, 0.0)
    state = said(state, "action", next(dict(a) for a in choices(state) if a["type"] == "place"))
    bag = state.position.rules.view(state.position.game_state)["bag"]

    assert _drawn_for(state, [bag[-1]], CHANCE) == [bag[-1]]


def test_undo_and_redo_give_the_same_draw_again() -> None:
    state = said(begun("triple-topper-toe"), "action", {"type": "draw"})
    before = state.position.game_state
    state = handle_input(state, HumanInput(2.0, "undo")).state
    state = handle_input(state, HumanInput(3.0, "redo")).state

    assert state.position.game_state == before


def test_the_die_of_topple_is_real() -> None:
    start = HumanInput(0.0, "start", {"players": [{"name": "Ann", "colours": ["red"]}]})
    roll = HumanInput(1.0, "roll", {})

    assert dealt(RefereeState(), start, CHANCE) == start
    assert dealt(begun("topolo"), roll, CHANCE).data == {}


def test_a_start_inside_an_action_is_dealt_too() -> None:
    action = {"type": "start", "game": "triple-topper-toe", "x": "Ann", "o": "Bob"}
    state = said(RefereeState(), "action", {"action": action}, 0.0)

    assert state.position.game_kind == "triple-topper-toe"


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 70) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
secrets = (names for game in GAMES.values() for names in game.outcomes.secret.values())
fields = sorted({name for names in secrets for name in names} | {"type", "action"})


@given(
    game=st.sampled_from(HAND_GAMES),
    kind=st.sampled_from(("draw", "discard", "end", "pass", "next_round", "place", "start", "x")),
    data=st.dictionaries(st.sampled_from(fields) | st.text(max_size=3), anything, max_size=4),
)
def test_nonsense_is_left_for_the_rules_to_refuse(
    game: str, kind: str, data: dict[str, Any]
) -> None:
    state = begun(game)
    for verb in ("action", "start", "pass"):
        spoken = HumanInput(1.0, verb, {"type": kind, "game": game, **data})
        ruling = handle_input(state, dealt(state, spelled_out(spoken), CHANCE))
        assert ruling.refused is not None or ruling.state.rev == state.rev + 1


@BY_HAND
def test_a_rematch_is_the_same_game_with_the_same_people_dealt_anew(game: str) -> None:
    state = begun(game)
    after = said(state, "start", {"again": True, "replace": True})

    assert set(seats(after)) == set(seats(state))
    assert after.position.game_kind == game
    assert after.ledger[0].data["options"] == state.ledger[0].data["options"]
    assert choices(after)
    assert after.game_id != state.game_id
    assert {**after.ledger[0].data, "action": None} == {**state.ledger[0].data, "action": None}


def test_in_a_rematch_of_a_game_with_sides_these_change() -> None:
    state = begun("topolo")
    after = said(state, "start", {"again": True, "replace": True})

    assert tuple(seats(after)) == tuple(reversed(seats(state)))


def test_a_rematch_of_topple_keeps_colours_target_and_house_rules_and_the_next_begins() -> None:
    players = [{"name": name, "colours": [colour]} for name, colour in HANDS]
    rules = {"dice": "untold"}
    state = said(
        RefereeState(), "start", {"players": players, "target": 70, "first": 2, "options": rules}
    )
    after = said(state, "start", {"again": True, "replace": True, "id": "second"})

    assert seats(after) == seats(state)
    assert after.game_id == "second"
    before, now = state.ledger[0].data, after.ledger[0].data
    assert (now["action"], now["options"]) == ({**before["action"], "first": "Ann"}, rules)


def test_a_rematch_before_the_first_game_is_refused_like_a_start_without_players() -> None:
    state = RefereeState()
    ruling = handle_input(state, rematch(state, HumanInput(0.0, "start", {"again": True})))

    assert ruling.refused is not None
    assert ruling.refused.code == "bad_players"


def test_a_colour_of_topple_is_the_same_in_capitals() -> None:
    players = [
        {"name": "Red", "colours": ["Red", "PINK "]},
        {"name": "Bob", "colours": ["Blue", 3]},
    ]
    began = in_one_spelling(RefereeState(), HumanInput(0.0, "start", {"players": players}))

    assert [player["colours"] for player in began.data["players"]] == [["red", "pink"], ["blue", 3]]
    assert [player["name"] for player in began.data["players"]] == ["Red", "Bob"]


@pytest.mark.parametrize("colour", ["red", "RED", " Red "])
def test_later_a_colour_is_as_the_game_has_it_which_an_older_table_may_have_begun(
    colour: str,
) -> None:
    players = [{"name": "Ann", "colours": ["blue"]}, {"name": "Bob", "colours": ["Red"]}]
    state = handle_input(RefereeState(), HumanInput(0.0, "start", {"players": players})).state
    place = {"type": "place", "cell": "c3", "colour": colour}
    for verb, data in (("place", place), ("action", {"action": place}), ("action", place)):
        told = in_one_spelling(state, HumanInput(1.0, verb, data)).data
        assert told.get("action", told)["colour"] == "Red"


@pytest.mark.parametrize("colour", ["purple", None, 3, ["Red"]])
def test_what_is_no_colour_of_the_game_stays_as_it_was_said(colour: Any) -> None:
    state = begun("topple")
    for data in ({"colour": colour}, {"action": {"colour": colour}}, {"players": colour}):
        for verb in ("place", "action", "start"):
            for game in (state, RefereeState(), begun("topolo")):
                assert in_one_spelling(game, HumanInput(1.0, verb, data)).data == data
