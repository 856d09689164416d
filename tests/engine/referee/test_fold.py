"""The versions of the game, and what opens and ends one."""

from engine.referee import expectation
from engine.referee.fold import fold
from engine.referee.ledger import Move, MoveKind
from tests.engine.referee.script import begin


def test_with_an_untold_die_the_turn_passes_with_each_placement() -> None:
    game = begin(options={"dice": "untold"})
    game.placed("e2")
    game.placed("c3")

    assert game.board == {"e2": ["blue"], "c3": ["red"]}
    assert expectation(game.state).legal_cells is None


def test_the_young_version_has_no_scores() -> None:
    game = begin(target=None)
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()

    assert game.scores == {}
    assert game.state.position.over


def test_what_was_taken_back_is_as_if_never_said() -> None:
    position = begin().state.position
    step = fold(position, Move(9, 3.0, MoveKind.ROLL, {"value": 4}, void="mistyped"))

    assert step.refusal is not None
    assert (step.after, step.applied) == (position, ())


def test_a_refused_move_leaves_the_position_as_it_was() -> None:
    position = begin().state.position
    step = fold(position, Move(9, 3.0, MoveKind.PASS))

    assert step.refusal is not None
    assert step.refusal.code == "not_rolled"
    assert step.after is position
