"""What is asked and pressed: each press counts once, for the prompt it was meant for."""

import pytest

from pages.prompts.prompts import Button, Prompt, Prompts

AGAIN = Prompt("Press the board down.", buttons=(Button("again", "Again"), Button("stop", "Stop")))


@pytest.fixture
def prompts() -> Prompts:
    prompts = Prompts()
    prompts.put(AGAIN)
    return prompts


def test_the_first_press_wins_and_more_words_about_the_prompt_leave_it_alone(
    prompts: Prompts,
) -> None:
    assert prompts.press(1, "again")
    assert not prompts.press(1, "stop")
    prompts.amend(Prompt("Press the board down.", noticed="It moves."))

    assert prompts.now.number == 1
    assert prompts.pressed == "again"


def test_a_press_is_over_with_its_prompt(prompts: Prompts) -> None:
    prompts.press(1, "again")
    prompts.put(AGAIN)

    assert prompts.pressed == ""
    assert not prompts.press(1, "again")
    assert prompts.press(2, "again")


@pytest.mark.parametrize(("number", "name"), [(0, "again"), (2, "again"), (-1, "again"), (1, "x")])
def test_what_is_not_there_cannot_be_pressed(prompts: Prompts, number: int, name: str) -> None:
    assert not prompts.press(number, name)
    assert prompts.pressed == ""
    assert not Prompts().press(0, "")


def test_an_end_is_said_once_and_keeps_what_was_seen(prompts: Prompts) -> None:
    prompts.amend(Prompt("Press the board down.", seen="d4"))
    prompts.end("The samples ended.")
    prompts.end("That was all.")

    assert (prompts.now.words, prompts.now.seen) == ("The samples ended.", "d4")
    assert not prompts.farewell.is_set()
    assert prompts.fetched().last
    assert prompts.farewell.is_set()
