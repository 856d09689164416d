"""People who watch the screen say what is wrong on it, once, and nothing about what is right."""

from random import Random
from typing import Any

from lab.people.objecting import NOTICED_S, Objecting
from tests.engine.referee.script import Script

SEEN = [
    {"t": 4.0, "type": "turn", "player": 0, "roll": 4},
    {"t": 6.0, "type": "place", "cell": "a2", "ended_in_topple": False},
]


def watching(watches: float = 1.0) -> Objecting:
    return Objecting(("Ann", "Bob"), watches, Random(1))


def one_piece(cell: str = "a2") -> Script:
    """Ann has rolled at 4 s, and the table sees her piece at 6 s."""
    script = Script().start()
    script.turn(4, cell)
    return script


def test_nobody_objects_to_a_screen_that_is_right() -> None:
    script, people = one_piece(), watching()
    known = [*SEEN, {"t": 8.0, "type": "turn", "player": 1, "roll": 3}]

    assert people.look(known, script.state, 8.0 + NOTICED_S + 0.1) is None


def test_the_wrong_player_in_turn_is_objected_to_once_it_has_been_wrong_for_a_while() -> None:
    script, people = Script().start(first=1), watching()

    assert people.look(SEEN[:1], script.state, 4.0 + NOTICED_S - 0.1) is None
    later_s = 4.0 + NOTICED_S + 0.1
    assert people.look(SEEN[:1], script.state, later_s) == ("turn", {"player": "Ann"})
    assert people.look(SEEN[:1], script.state, later_s + 0.5) is None


def test_nobody_objects_to_a_table_that_was_only_a_little_quicker() -> None:
    """It had told the piece as the hand let go; the word moved all turns (normal, 1200009)."""
    script, people = Script().start(), watching()
    script.say("roll", value=4)
    script.placed("a2")

    assert people.look(SEEN[:1], script.state, 4.0 + NOTICED_S + 0.1) is None
    assert people.look(SEEN[:1], script.state, script.t_s + NOTICED_S + 0.1) is not None


def test_the_objection_is_obeyed() -> None:
    script = Script().start(first=1)
    objection = watching().look(SEEN[:1], script.state, 10.0)
    assert objection is not None
    script.say(objection[0], **objection[1])

    assert script.state.position.player == "Ann"


def test_a_piece_on_the_wrong_cell_is_corrected() -> None:
    script, people = one_piece("b1"), watching()
    objection = people.look(SEEN, script.state, 9.0)
    assert objection is not None
    script.say(objection[0], **objection[1])

    assert list(script.board) == ["a2"]
    assert people.look(SEEN, script.state, 9.5) is None


def test_a_fall_while_placing_that_the_table_missed_is_told() -> None:
    script = one_piece()
    fall: dict[str, Any] = {"t": 7.0, "type": "topple", "cause": "placing", "player": 0}
    objection = watching().look([*SEEN, fall], script.state, 10.0)

    assert objection == ("topple", {"cause": "placing", "player": "Ann"})
    assert script.say(*objection[:1], **objection[1]).refused is None
    assert script.scores == {"Ann": -10, "Bob": 0}


def test_a_fall_that_was_none_is_denied_once_play_has_gone_on() -> None:
    script, people = one_piece(), watching()
    script.toppled()
    known = [*SEEN, {"t": 12.0, "type": "turn", "player": 1, "roll": 3}]
    objection = people.look(known, script.state, 12.0 + NOTICED_S + 0.1)
    assert objection is not None
    script.say(objection[0], **objection[1])

    assert script.state.position.phase == "roll"
    assert script.scores == {"Ann": 0, "Bob": 0}


def test_the_fall_of_the_round_before_was_one_whatever_falls_now() -> None:
    """A fall 100 s ago was denied as the next one came, and its points went (calm, 1200075)."""
    script, people = one_piece(), watching()
    script.toppled()
    script.cleared()
    script.say("roll", value=6)
    rolled_s = script.t_s
    script.placed("e2")
    script.toppled("bump", after_s=12.0)
    known = [{"t": rolled_s, "type": "turn", "player": 1, "roll": 6}]

    assert script.state.position.clearing
    assert people.look(known, script.state, script.t_s + NOTICED_S) is None


def test_a_round_that_was_cleared_is_past() -> None:
    script = one_piece("b1")
    known = [*SEEN, {"t": 12.0, "type": "cleared"}]

    assert watching().look(known, script.state, 20.0) is None


def test_who_does_not_look_says_nothing_and_draws_nothing() -> None:
    people = watching(0.0)
    before = people.chance.getstate()

    assert people.look(SEEN[:1], Script().start(first=1).state, 10.0) is None
    assert people.chance.getstate() == before
