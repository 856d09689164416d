"""Memory: what undo leads back to, and what never was."""

from lab.bench.people_memory import Memory, Step
from tests.lab.bench.test_people_account import begun, board, laid, say, undo


def test_a_step_that_is_known_better_takes_the_place_of_the_old_one() -> None:
    first, second = Step(1, "roll", 1.0), Step(2, "place", 2.0)
    memory = Memory().with_step(first).with_step(second)
    assert memory.with_step(Step(1, "roll", 1.0, void=True)).steps[1] is second
    assert len(memory.with_step(Step(3, "pass", 3.0)).steps) == 3


def test_what_never_was_is_in_no_memory_and_undo_passes_it() -> None:
    people = begun()
    say(people, "roll", value=3)
    laid(people, "d4")
    people.happened({"type": "remove", "t": 3.0, "where": "board", "cell": "d4", "n": 1})
    laid(people, "b2", 5.0)
    undo(people, "place", "b2")
    undo(people, "place")  # the table still knows the piece that was taken back
    assert board(people) == {}
    say(people, "redo")
    say(people, "redo")
    assert board(people) == {"b2": ["red"]}
