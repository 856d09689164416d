"""A fifth game is one folder and one line: whoever asks the registry knows it at once."""

import json
import random
from itertools import pairwise
from typing import Any

import pytest

from engine.events import HumanInput
from engine.games.playthrough import play_through, transcript
from engine.games.registry import DEFAULT_GAME, GAMES
from engine.record import difference_of, score_lines
from engine.referee import RefereeState, choices, dealt, handle_input
from engine.scoreboard import document
from engine.summary import summary
from tests.engine.games import test_chance, test_contract, test_words
from tests.engine.games.fifth_game.kind import KIND
from tests.records import record_lines

HOUSE = {"heap": "low"}


def begun(game: str, **more: Any) -> RefereeState:
    """Opened by people who leave everything they can to the table."""
    state, chance = RefereeState(), random.Random(1).random
    said = HumanInput(0.0, "start", {"game": game, "players": ["Ann", "Bob"], **more})
    ruling = handle_input(state, dealt(state, said, chance))
    assert ruling.refused is None
    return ruling.state


def test_a_game_stands_under_its_record_id_and_the_default_is_among_them() -> None:
    assert [kind.rules.id for kind in GAMES.values()] == list(GAMES)
    assert GAMES[DEFAULT_GAME].by_sensors


def test_a_fifth_game_is_gone_after_the_test() -> None:
    assert KIND.rules.id not in GAMES


@pytest.mark.parametrize(
    "law",
    [
        test_contract.test_a_game_states_its_facts,
        test_contract.test_every_random_game_keeps_to_the_contract,
        test_contract.test_views_are_plain_json,
        test_contract.test_second_start_unknown_action_and_unknown_option_have_their_codes,
        test_contract.test_nothing_but_words_after_the_end,
        test_contract.test_the_same_seed_plays_the_same_game,
        test_chance.test_completed_start_can_be_played_at_once,
        test_chance.test_every_action_can_be_drawn_again_and_stays_legal,
        test_words.test_every_position_of_every_variant_can_be_drawn_as_text,
    ],
)
def test_the_laws_of_all_games_hold_for_a_fifth(fifth_game: str, law: Any) -> None:
    law(fifth_game)


def test_a_fifth_game_is_played_through_and_told(fifth_game: str) -> None:
    lines = list(transcript(fifth_game, play_through(fifth_game, random.Random(2).random)))

    assert lines[0] == "   0  Heap of Pearls begins; Ann to act"
    assert any("dips in and gets" in line for line in lines)
    assert lines[-2:-1] == ["      0 pearls"]
    assert lines[-1].startswith("result: Ann ")


def test_a_record_of_a_fifth_game_can_be_scored(fifth_game: str) -> None:
    steps = list(play_through(fifth_game, random.Random(3).random, HOUSE))
    lines = list(record_lines(fifth_game, "g", [step.action for step in steps], HOUSE))
    scored = list(score_lines(lines))

    assert scored[-1].state == steps[-1].after
    assert not any(difference_of(one) for one in scored)


def test_the_referee_deals_and_plays_a_fifth_game_and_takes_moves_back(fifth_game: str) -> None:
    state, chance = begun(fifth_game, options=HOUSE), random.Random(4).random
    before = [state]
    while not state.position.over:
        assert {"type": "dip"} in choices(state)
        said = HumanInput(float(len(before)), "action", {"action": {"type": "dip"}})
        state = handle_input(state, dealt(state, said, chance)).state
        before.append(state)
    shown = document(state, table="t1", boot="b")

    assert (shown.kind, shown.phase) == (fifth_game, "over")
    assert sum(player.score or 0 for player in shown.players) > 9
    assert set(shown.winners) <= {"Ann", "Bob"}
    assert len(summary(shown)) < 200
    for earlier, _ in reversed(list(pairwise(before))):
        state = handle_input(state, HumanInput(99.0, "undo", {})).state
        assert state.position.game_state == earlier.position.game_state


def test_what_a_fifth_game_hides_stays_hidden(fifth_game: str) -> None:
    state = begun(fifth_game)
    shown = document(state, table="t1", boot="b")

    assert state.ledger[0].data["dealt"] is True
    assert set(state.ledger[0].data["action"]["wishes"]) == {"Ann", "Bob"}
    assert shown.view == {"phase": "play", "heap": 60, "wishes": 2}
    assert [player.name for player in shown.players] == ["Ann", "Bob"]
    assert json.loads(summary(shown))["t"] == "Ann"
