"""Random games with random house rules, action by action, against the second writing."""

import json
import random

import pytest

from engine.games.chance import Chance, pick
from engine.games.registry import GAMES
from engine.games.topple.rules import TOPPLE
from engine.games.topple.state import ToppleState
from engine.record import first_difference
from tests.engine.games.helpers import starts_of
from tests.engine.games.topple.oracle import Oracle
from tests.rules_cases import record_lines_of
from tests.soaked import soaked

GAMES_PER_TEST = 20
# Not compared: without the roll there is nothing in the given rules to compare with.
COMPARED = {name: values for name, values in TOPPLE.options.items() if name != "dice"}


def by_words(action: dict) -> tuple[str, ...]:
    return tuple(str(value) for value in action.values())


def random_action(state: ToppleState, oracle: Oracle, chance: Chance) -> dict:
    staying = [name for name in oracle.names if name not in oracle.out]
    if oracle.board and chance() < 0.03:
        return {"type": "topple", "cause": "bump", "player": pick(staying, chance)}
    if oracle.die is not None and chance() < 0.03:
        return {"type": "topple", "cause": "placing", "player": oracle.current}
    return dict(pick(TOPPLE.legal_actions(state), chance))


@pytest.mark.parametrize("batch", soaked(range(8), but=(0, 1)))
def test_random_games_agree_with_the_second_writing_of_the_rules(batch: int) -> None:
    ends = 0
    for seed in range(batch * GAMES_PER_TEST, (batch + 1) * GAMES_PER_TEST):
        chance = random.Random(seed).random
        rules = {name: pick(values, chance) for name, values in COMPARED.items()}
        start = dict(
            GAMES["topple"].outcomes.completed(None, starts_of("topple")[seed % 3], chance)
        )
        start["target"] = start["target"] and pick((5, 20, 60), chance)
        state, oracle = TOPPLE.start(start, rules), Oracle(start, rules)
        for _ in range(300):
            assert first_difference(oracle.view(), TOPPLE.view(state)) is None, (seed, rules)
            legal = map(dict, TOPPLE.legal_actions(state))
            assert sorted(legal, key=by_words) == sorted(oracle.legal(), key=by_words)
            if TOPPLE.is_over(state):
                ends += 1
                break
            action = random_action(state, oracle, chance)
            state = TOPPLE.apply(state, action)
            oracle.apply(action)

    assert ends > GAMES_PER_TEST / 4


def test_the_second_writing_agrees_with_the_played_games() -> None:
    """The oracle is worth something only if it is right itself."""
    oracle: Oracle | None = None
    for text in record_lines_of("topple"):
        entry = json.loads(text)
        if "reject" in entry:
            continue
        if entry["n"] == 0:
            oracle = Oracle(entry["action"], entry["options"])
        else:
            assert oracle is not None
            oracle.apply(entry["action"])
        assert oracle is not None
        assert first_difference(entry["expect"], oracle.view()) is None, entry["n"]
