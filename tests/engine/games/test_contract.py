"""One contract, every game: what holds for all of them."""

import json
import random
from importlib import import_module
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.errors import IllegalAction
from engine.games.chance import pick
from engine.games.registry import GAMES
from engine.scoreboard import MARKS
from tests.engine.games.helpers import (
    code_of,
    opened,
    random_player,
    random_states,
    refusal_of,
    starts_of,
    states_of,
)
from tests.soaked import examples

ALL = pytest.mark.parametrize("game", list(GAMES))

junk = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
WORDS = ["start", "roll", "place", "pass", "topple", "draw", "play", "discard", "buzz", "nobuzz"]
FIELDS = ["value", "colour", "cell", "player", "cause", "size", "card", "cards", "correct"]
MORE_FIELDS = ["piece", "compartment", "dots", "drawn", "give", "first", "racks", "reshuffle"]
START_FIELDS = ["players", "red", "black", "x", "o", "deck", "pieces", "match", "firstdraw"]
actions = st.builds(
    lambda kind, data: {"type": kind, **data},
    st.sampled_from([*WORDS, "end", "next_round", "fly"]) | junk,
    st.dictionaries(st.sampled_from(FIELDS + MORE_FIELDS), junk, max_size=4),
)


def conserved(game: str, state: Any) -> bool:
    """Whether all that is in the box is somewhere, exactly once, as box.py of its tests counts."""
    folder = type(GAMES[game].rules).__module__.split(".")[-2]
    box = import_module(f"tests.engine.games.{folder}.box")
    return bool(box.is_complete(state))


@ALL
def test_a_game_states_its_facts(game: str) -> None:
    kind, rules = GAMES[game], GAMES[game].rules

    assert rules.id == game
    assert rules.title
    assert all(len(values) > 1 for values in rules.options.values())
    assert 1 <= kind.seats[0] <= kind.seats[1] <= len(MARKS)
    assert all(side in kind.example for side in kind.sides or ("players",))


@ALL
def test_every_random_game_keeps_to_the_contract(game: str) -> None:
    rules = GAMES[game].rules
    for variant in range(len(starts_of(game))):
        states = random_states(game, seed=variant, steps=250, variant=variant)
        names = set(rules.view(states[0]).get("racks", {})) | set(rules.scores(states[0]))
        for state in states:
            over = rules.is_over(state)
            assert bool(rules.legal_actions(state)) != over
            assert not (over and rules.current_player(state))
            assert over or not rules.winners(state)
            assert set(rules.winners(state)) <= names or not names
            assert conserved(game, state)


@ALL
def test_views_are_plain_json(game: str) -> None:
    rules = GAMES[game].rules
    for state in random_states(game, seed=5, steps=60):
        for view in (rules.view(state), rules.public_view(state), rules.player_view(state, "Ann")):
            assert json.loads(json.dumps(view)) == view
            assert msgspec.json.decode(msgspec.json.encode(view)) == view


@ALL
@examples(10)
@given(data=st.data())
def test_all_legal_actions_are_accepted_and_the_state_is_untouched(
    game: str, data: st.DataObject
) -> None:
    rules, state = GAMES[game].rules, data.draw(states_of(game))
    before = msgspec.json.encode(rules.view(state))

    for action in rules.legal_actions(state):
        assert code_of(rules, state, action) is None, action
    assert msgspec.json.encode(rules.view(state)) == before


@ALL
@examples(20)
@given(data=st.data())
def test_senseless_actions_are_refused_with_a_code_and_words(
    game: str, data: st.DataObject
) -> None:
    rules, state = GAMES[game].rules, data.draw(states_of(game, steps=12))
    before = rules.view(state)
    legal = list(rules.legal_actions(state))
    broken = st.builds(
        lambda action, field, value: {**action, field: value},
        st.sampled_from(legal) if legal else actions,
        st.sampled_from(FIELDS + MORE_FIELDS),
        junk,
    )

    code_of(rules, state, data.draw(actions | broken))

    assert rules.view(state) == before


@ALL
@examples(25)
@given(data=st.data())
def test_senseless_starts_are_refused_with_a_code_and_words(game: str, data: st.DataObject) -> None:
    fields = st.sampled_from([*START_FIELDS, "target", "variant", "rolloff", "first", "racks"])
    start = data.draw(st.sampled_from(starts_of(game)))
    senseless = start | data.draw(st.dictionaries(fields, junk, max_size=3))

    refusal = refusal_of(GAMES[game].rules.start, senseless)

    assert refusal is None or (refusal.code and refusal.message)


@ALL
def test_second_start_unknown_action_and_unknown_option_have_their_codes(game: str) -> None:
    rules, state = GAMES[game].rules, opened(game, seed=1)

    assert code_of(rules, state, {"type": "start"}) == "already_started"
    assert code_of(rules, state, {"type": "fly"}) == "unknown_action"
    assert code_of(rules, state, {"type": ["place"]}) == "unknown_action"
    assert code_of(rules, state, {}) == "unknown_action"
    with pytest.raises(IllegalAction) as caught:
        opened(game, seed=1, options={"dance": True})
    assert caught.value.code == "bad_option"


@ALL
def test_nothing_but_words_after_the_end(game: str) -> None:
    rules, chance = GAMES[game].rules, random.Random(2).random
    state = opened(game, seed=2)
    while not rules.is_over(state):
        last = GAMES[game].player(state, chance)
        state = rules.apply(state, last)

    assert code_of(rules, state, last) == "game_over"
    assert rules.current_player(state) is None


@ALL
def test_the_same_seed_plays_the_same_game(game: str) -> None:
    first, second = (random_states(game, seed=9, steps=80) for _ in range(2))

    assert list(map(GAMES[game].rules.view, first)) == list(map(GAMES[game].rules.view, second))


class Evening(RuleBasedStateMachine):
    """Play, try nonsense, undo and redo in any order: only accepted actions count."""

    game = ""

    @initialize(seed=st.integers(0, 999), variant=st.integers(0, 3))
    def begin(self, seed: int, variant: int) -> None:
        self.played_by = GAMES[self.game].rules
        self.chance = random.Random(seed).random
        self.start = opened(self.game, seed, variant)
        self.states = [self.start]
        self.actions: list[Any] = []
        self.undone: list[tuple[Any, Any]] = []

    @precondition(lambda self: not self.played_by.is_over(self.states[-1]))
    @rule(nth=st.integers(0, 400))
    def act(self, nth: int) -> None:
        legal = self.played_by.legal_actions(self.states[-1])
        action = GAMES[self.game].outcomes.redrawn(
            self.states[-1], legal[nth % len(legal)], self.chance
        )
        self.states.append(self.played_by.apply(self.states[-1], action))
        self.actions.append(action)
        self.undone.clear()

    @rule(action=actions)
    def try_nonsense(self, action: dict) -> None:
        before = self.played_by.view(self.states[-1])
        if code_of(self.played_by, self.states[-1], action) is None:
            assert action["type"] in WORDS
        assert self.played_by.view(self.states[-1]) == before

    @precondition(lambda self: self.actions)
    @rule()
    def undo(self) -> None:
        self.undone.append((self.states.pop(), self.actions.pop()))

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        state, action = self.undone.pop()
        again = self.played_by.apply(self.states[-1], action)
        assert self.played_by.view(again) == self.played_by.view(state)
        self.states.append(again)
        self.actions.append(action)

    @invariant()
    def nothing_is_lost(self) -> None:
        if hasattr(self, "states"):
            assert conserved(self.game, self.states[-1])

    def teardown(self) -> None:
        if not hasattr(self, "states"):
            return
        replayed = self.start
        for action in self.actions:
            replayed = self.played_by.apply(replayed, action)
        assert self.played_by.view(replayed) == self.played_by.view(self.states[-1])


def evening(game: str) -> type:
    made: Any = type(f"Evening_{game}", (Evening,), {"game": game})
    case: type = made.TestCase
    made.TestCase.settings = settings(examples(10), stateful_step_count=30)
    return case


for game_id in GAMES:
    globals()[f"Test_{game_id}_Evening"] = evening(game_id)


@ALL
def test_decent_player_beats_the_random_one(game: str) -> None:
    rules, won, lost = GAMES[game].rules, 0, 0
    for seed in range(10):
        chance = random.Random(seed).random
        state, decent = opened(game, seed), ("Ann", "Bob")[seed % 2]
        while not rules.is_over(state):
            ours = rules.current_player(state) == decent
            choose = GAMES[game].player if ours else random_player(GAMES[game])
            state = rules.apply(state, choose(state, chance))
        won += rules.winners(state) == (decent,)
        lost += decent not in rules.winners(state)

    assert won >= 8
    assert lost <= 1


def test_pick_takes_every_item_equally_often() -> None:
    chance = random.Random(0).random
    counts = [0] * 4
    for _ in range(4000):
        counts[pick(range(4), chance)] += 1

    assert all(900 < count < 1100 for count in counts)
