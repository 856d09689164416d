"""What the rig says aloud, and when it takes a deed as done."""

import io

from lab.bench.prompts import DONE, SpokenPrompts


def test_nothing_is_done_before_it_was_asked_and_each_prompt_once() -> None:
    prompts = SpokenPrompts(io.StringIO())
    assert not prompts.pressed
    prompts.ask("Place a piece.")
    assert not prompts.pressed
    assert prompts.press(1, DONE)
    assert prompts.pressed == DONE
    prompts.ask("Place another.")
    assert not prompts.pressed
    assert not prompts.press(1, DONE)
    assert not prompts.pressed


def test_the_terminal_says_progress_words_and_what_was_seen() -> None:
    out = io.StringIO()
    prompts = SpokenPrompts(out)
    prompts.ask("Place a piece.", "3 of 8")
    prompts.tell("placed d4")

    assert out.getvalue() == "[3 of 8] Place a piece.\n    seen: placed d4\n"
    assert prompts.now.seen == "placed d4"
