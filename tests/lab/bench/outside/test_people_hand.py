"""People who move the pieces: asked without hurry, and judged only by what they confirm."""

import io
from typing import Any

import pytest

from lab.bench.outside.deeds import HAND_VERBS, coloured
from lab.bench.outside.hands import BegunAgain, LeftOut
from lab.bench.outside.people_hand import WORDS, PeopleHand, listen_to_keys, words_for
from lab.bench.prompts import AGAIN, DONE, DROPPED, SKIP, SpokenPrompts
from lab.bench.steps import Lean, Touch
from tests.controller.conftest import wait_until


def asked() -> tuple[PeopleHand, SpokenPrompts]:
    prompts = SpokenPrompts(io.StringIO())
    hand = PeopleHand(prompts)
    hand.ask("place", coloured("d4", "red"), "place_one, 1 of 1")
    return hand, prompts


def test_nothing_is_done_until_somebody_says_so() -> None:
    hand, prompts = asked()

    assert prompts.now.words == "Place a red piece on d4, let it go, hands off."
    assert hand.answer(told=True) is None
    prompts.press(1, DONE)
    answer = hand.answer(told=True)
    assert answer is not None
    assert answer.released_ago_s is None


def test_people_can_begin_again_and_skip_at_every_deed() -> None:
    hand, prompts = asked()
    assert [button.name for button in prompts.now.buttons] == [DONE, AGAIN, SKIP, DROPPED]
    prompts.press(1, AGAIN)
    with pytest.raises(BegunAgain):
        hand.answer(told=False)

    hand, prompts = asked()
    prompts.press(1, SKIP)
    with pytest.raises(LeftOut, match="skipped: Place a red piece on d4"):
        hand.answer(told=False)


def test_who_drops_a_piece_is_asked_once_more_unless_the_table_has_told_something() -> None:
    hand, prompts = asked()
    prompts.press(1, DROPPED)

    assert hand.answer(told=False) is None
    assert (prompts.now.number, prompts.pressed) == (2, "")
    prompts.press(2, DROPPED)
    with pytest.raises(BegunAgain, match="dropped"):
        hand.answer(told=True)


@pytest.mark.parametrize(
    ("typed", "pressed"),
    [("\n", DONE), ("a\n", AGAIN), ("S\n", SKIP), ("d\n", DROPPED), ("what?\n", "")],
)
def test_the_terminal_answers_too(typed: str, pressed: str) -> None:
    _, prompts = asked()
    listen_to_keys(prompts, io.StringIO(typed))

    wait_until(prompts.gone.is_set, "the end of the terminal")
    assert prompts.pressed == pressed


def test_when_nobody_can_answer_any_more_the_case_is_left_out() -> None:
    hand, prompts = asked()
    prompts.gone.set()
    with pytest.raises(LeftOut, match="nobody has confirmed it"):
        hand.answer(told=False)
    prompts.fetched()
    assert hand.answer(told=False) is None, "a phone is there"


@pytest.mark.parametrize(
    ("verb", "value", "words"),
    [
        ("touch", Touch("c3"), "at c3 for a moment"),
        ("lean", Lean(), "for three seconds"),
        ("broker", "down", "down (down: pull it"),
        ("clear", True, "hands off"),
    ],
)
def test_each_deed_has_its_words(verb: str, value: Any, words: str) -> None:
    assert words in words_for(verb, value)


def test_people_are_asked_for_deeds_only() -> None:
    assert set(WORDS) <= {*HAND_VERBS, "weight_off", "wait"}
