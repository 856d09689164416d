import random
from itertools import islice
from typing import Any

import pytest

from engine.games.playthrough import play_through, transcript
from engine.games.registry import GAMES
from engine.games.topple.rules import TOPPLE
from engine.games.triple_topper_toe.cube import DECK
from tests.engine.games.helpers import opened, random_states, starts_of
from tests.rules_cases import play


@pytest.mark.parametrize("game", list(GAMES))
def test_every_position_of_every_variant_can_be_drawn_as_text(game: str) -> None:
    for variant in range(len(starts_of(game))):
        for state in random_states(game, seed=1, steps=60, variant=variant):
            rows = GAMES[game].board_in_words(state)
            assert len({len(row.rstrip()) > 0 for row in rows}) == 1


@pytest.mark.parametrize("game", list(GAMES))
def test_every_action_is_one_line_that_names_somebody(game: str) -> None:
    for step in play_through(game, random.Random(3).random):
        words = GAMES[game].in_words(step.before, step.action, step.after)
        assert "\n" not in words
        assert any(name in words for name in ("Ann", "Bob", "Cat", "Round", "begins"))


def test_a_drawn_or_discarded_card_is_not_named() -> None:
    for step in play_through("triple-topper-toe", random.Random(3).random):
        if step.action["type"] in ("draw", "discard"):
            words = GAMES["triple-topper-toe"].in_words(*step)
            assert not any(card in words for card in DECK)


def test_points_and_their_ways_are_said() -> None:
    steps: list[dict[str, Any]] = [
        {"type": "roll", "value": 1},
        {"type": "place", "colour": "pink", "cell": "c3"},
    ]
    start = {
        "type": "start",
        "players": [{"name": "Ann", "colours": ["pink"]}, {"name": "Bob", "colours": ["blue"]}],
        "first": "Ann",
    }
    actions: list[Any] = [start]
    for _ in range(4):
        actions += [*steps, {"type": "roll", "value": 1}, {"type": "pass"}]
    states = play("topple", actions)

    words = [
        GAMES["topple"].in_words(*step)
        for step in zip(states[:-1], actions[1:], states[1:], strict=True)
    ]

    assert words[0] == "Ann rolls a 1"
    assert words[3] == "Bob passes"
    assert words[-3] == "Ann places pink on c3: 4 points (stack c3 4)"


def test_topples_and_stopped_rounds_are_said() -> None:
    state = opened("topple", seed=1)
    state = TOPPLE.apply(state, {"type": "roll", "value": 1})
    colour = TOPPLE.legal_actions(state)[-1]["colour"]
    state = TOPPLE.apply(state, {"type": "place", "colour": colour, "cell": "c3"})
    for action, said in [
        ({"type": "topple", "cause": "bump", "player": "Bob"}, "Bob topples the tower by a bump"),
        ({"type": "end_round"}, "The round is stopped; round 2 begins"),
    ]:
        assert said in GAMES["topple"].in_words(state, action, TOPPLE.apply(state, action))


def test_quiz_answers_are_said() -> None:
    state = opened("triple-topper-toe", seed=1, variant=1)
    buzz = {"type": "buzz", "player": "o", "correct": False}
    after = GAMES["triple-topper-toe"].rules.apply(state, buzz)

    assert GAMES["triple-topper-toe"].in_words(state, buzz, after) == "Bob answers wrong"


def test_unfinished_transcript_says_so() -> None:
    steps = islice(play_through("topolo", random.Random(1).random), 5)

    assert list(transcript("topolo", steps))[-1].startswith("not finished: ")
