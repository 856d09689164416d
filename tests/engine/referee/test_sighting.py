"""How one sighting is read: cell, colour, and how sure."""

from random import Random
from typing import Any

import pytest

from engine.acceptable import acceptable
from engine.referee.state import refolded
from tests.engine.referee.script import TWO_COLOURS, Script, begin


def test_an_unsure_placement_counts_provisionally_and_is_asked_about() -> None:
    game = begin()
    game.say("roll", value=4)
    game.placed("e2", 0.8, alternatives=(("e4", 0.15), ("c3", 0.05)))

    assert game.board == {"e2": ["blue"]}
    (question,) = game.state.questions()
    values = [choice.value for choice in question.choices]
    assert values[:2] == ["e2", "e4"]
    assert "c3" not in values  # the die does not allow it
    assert values[-3:] == ["fell", "none", "unknown"]


def test_a_cell_the_die_does_not_allow_gives_way_to_the_best_that_it_does() -> None:
    game = begin()
    game.say("roll", value=3)
    game.placed("e2", 0.94, alternatives=(("d2", 0.05),))

    assert game.board == {"d2": ["blue"]}
    assert game.questions == ["cell-3"]


def test_an_impossible_cell_without_alternative_gives_way_to_the_nearest() -> None:
    game = begin()
    game.say("roll", value=5)
    game.placed("d2", 0.94)

    assert game.board == {"e1": ["blue"]}
    assert game.questions == ["cell-3"]


def test_where_rolls_are_told_late_a_certain_piece_was_placed_with_another_die() -> None:
    """People tell rolls late, early and wrongly; a piece on a wrong cell they would not leave."""
    game = begin()
    game.placed("d4")
    game.say("roll", value=3)  # told late
    game.say("roll", value=5)
    game.placed("d2", 0.97)

    assert game.board == {"d4": ["blue"], "d2": ["red"]}
    assert game.questions == []


def test_else_a_piece_on_another_level_is_asked_about_however_certain() -> None:
    game = begin()
    game.say("roll", value=5)
    game.placed("d2", 0.97)

    assert game.questions == ["cell-3"]


def test_a_die_that_people_have_corrected_is_believed_against_the_sensors() -> None:
    game = begin()
    game.say("roll", value=3)
    game.placed("d2", 0.97)
    game.say("correct", ref=2, value=5)

    assert game.board == {"e1": ["blue"]}
    assert game.questions == ["cell-3"]


def test_correcting_the_die_brings_the_seen_cell_back() -> None:
    game = begin()
    game.say("roll", value=5)
    game.placed("d2", 0.97)
    game.say("correct", ref=2, value=3)

    assert game.board == {"d2": ["blue"]}
    assert game.questions == []


def test_a_placement_without_cell_is_asked_about() -> None:
    game = begin()
    game.say("roll", value=2)
    game.placed(None, 0.6)

    (question,) = game.state.questions()
    assert [choice.value for choice in question.choices] == [
        "c2", "b3", "d3", "c4", "fell", "none", "unknown",
    ]  # fmt: skip
    game.say("answer", value="d3")
    assert game.board == {"d3": ["blue"]}


def test_where_nothing_was_seen_every_cell_the_die_allows_can_be_answered() -> None:
    game = begin()
    game.say("roll", value=6)
    game.placed(None, 0.6)

    (question,) = game.state.questions()
    assert len(question.choices) == 25 + len(("fell", "none", "unknown"))
    game.say("answer", value="e5")
    assert game.board == {"e5": ["blue"]}


@pytest.mark.parametrize(("stands", "asked"), [(0.97, False), (0.7, True)])
def test_where_the_die_allows_one_cell_only_a_piece_that_stands_is_not_asked_about(
    stands: float, *, asked: bool
) -> None:
    """A table without inertial sensor tells no cell; after a one there is nothing to ask."""
    game = begin()
    game.say("roll", value=1)
    game.placed(None, 0.0, stands=stands)

    assert game.board == {"c3": ["blue"]}
    assert bool(game.questions) is asked
    (applied,) = [one for one in game.state.applied().values() if one.type == "placed"]
    assert applied.confidence == stands


def test_the_colour_announced_is_the_colour_placed() -> None:
    game = begin(TWO_COLOURS)
    game.say("roll", value=4)
    game.say("colour", colour="green")
    game.placed("e2")

    assert game.board == {"e2": ["green"]}


def test_without_a_word_the_colour_with_more_pieces_left_is_assumed() -> None:
    game = begin(TWO_COLOURS)
    for cell in ("e2", "e2", "a2"):
        game.turn(4, cell)

    assert game.board["a2"] == ["green"]


# --- a piece that weighs like another player's -----------------------------------------------

MASSES = {
    "mass_mean_g": 4.0, "mass_std_g": 0.5,
    "colours": {
        "blue": {"mass_mean_g": 3.5, "mass_std_g": 0.04},
        "red": {"mass_mean_g": 4.5, "mass_std_g": 0.04},
    },
}  # fmt: skip
BLUE_G, RED_G = 3.5, 4.5


def wrong_piece(**start: Any) -> Script:
    """Ann, who plays blue, has told her roll herself, and her piece weighs like one of Bob's."""
    game = begin(**{"masses": MASSES, **start})
    game.say("roll", value=5, player="Ann")
    game.placed("a1", mass_g=RED_G)
    return game


def test_a_piece_that_weighs_like_anothers_in_a_certain_turn_is_asked_about() -> None:
    game = wrong_piece()

    (question,) = game.state.questions()
    assert (question.id, question.text) == ("colour-3", "Did Ann place a red piece?")
    assert [choice.value for choice in question.choices] == ["red", "blue", "unknown"]
    assert sum(choice.p or 0.0 for choice in question.choices) == pytest.approx(1.0, abs=1e-3)
    assert question.cell == "a1"
    assert game.board == {"a1": ["blue"]}  # until somebody says so
    assert "asked" in game.types


def test_pieces_that_weigh_the_same_are_never_asked_about() -> None:
    game = wrong_piece(masses={"mass_mean_g": 4.0, "mass_std_g": 0.5})

    assert game.questions == []


def test_the_wrong_piece_lies_there_in_its_own_colour_once_people_say_so() -> None:
    game = wrong_piece()
    game.say("answer", question="colour-3", value="red")

    assert game.board == {"a1": ["red"]}
    assert game.questions == []
    assert game.state.applied()[3].weighs is None
    assert game.state.position.player == "Bob"
    left = game.state.position.rules.view(game.state.position.game_state)["left"]
    assert left == {"blue": 12, "red": 11}


def test_the_colour_people_saw_scores_from_then_on() -> None:
    game = wrong_piece()
    for name, cell in (("Bob", "a2"), ("Ann", "a3"), ("Bob", "a4")):
        game.say("roll", value=6, player=name)
        game.placed(cell, mass_g=RED_G if name == "Bob" else BLUE_G)
    game.say("roll", value=6, player="Ann")
    game.placed("b1", mass_g=BLUE_G)
    game.say("roll", value=6, player="Bob")
    game.placed("a5", mass_g=RED_G)
    assert game.scores == {"Ann": 0, "Bob": 5}  # a row, and two other red tops

    game.say("answer", question="colour-3", value="red")
    assert game.scores == {"Ann": 0, "Bob": 6}


def test_a_piece_that_is_said_to_be_ones_own_is_drawn_as_such_and_stays() -> None:
    game = wrong_piece()
    game.say("answer", value="blue")

    assert game.board == {"a1": ["blue"]}
    assert game.questions == []
    assert game.state.applied()[3].weighs is None


def test_what_nobody_knows_of_a_colour_stays_as_it_was_and_leaves_the_cell_to_be_asked() -> None:
    game = begin(masses=MASSES)
    game.say("roll", value=5, player="Ann")
    game.placed("a1", 0.5, alternatives=(("e5", 0.45),), mass_g=RED_G)
    assert game.questions == ["cell-3", "colour-3"]
    game.say("answer", question="colour-3", value="unknown")

    assert game.board == {"a1": ["blue"]}
    assert game.questions == ["cell-3"]


def test_an_answer_about_the_colour_says_nothing_of_the_cell() -> None:
    game = begin(masses=MASSES)
    game.say("roll", value=5, player="Ann")
    game.placed("a1", 0.5, alternatives=(("e5", 0.45),), mass_g=RED_G)
    game.say("answer", question="colour-3", value="red")

    assert game.questions == ["cell-3"]
    assert game.ruling.amendments == ()


def test_undo_asks_about_the_colour_again_under_the_same_number() -> None:
    game = wrong_piece()
    before = game.state.position
    game.say("answer", value="red")
    game.say("undo")
    assert game.questions == ["colour-3"]
    assert game.state.position == before

    game.say("redo")
    assert game.board == {"a1": ["red"]}


def test_a_last_piece_on_which_no_points_hang_is_not_asked_about() -> None:
    game = begin(masses=MASSES)
    cells = [f"{file}{rank}" for rank in (1, 2, 3, 4) for file in "abcde"][:19]
    for at, cell in enumerate([*cells[:4], *cells[5:9], *cells[10:14], *cells[15:19], *["a1"] * 7]):
        game.say("roll", value=6, player=("Ann", "Bob")[at % 2])
        game.placed(cell, mass_g=(BLUE_G, RED_G)[at % 2])
    game.say("roll", value=6, player="Bob")
    game.placed("b5", mass_g=BLUE_G)

    assert game.questions == []


def test_nobody_is_asked_about_colours_where_there_are_no_points() -> None:
    game = wrong_piece(variant="young", target=None)

    assert game.questions == []


def test_the_wrong_piece_that_falls_at_once_costs_whoever_placed_it() -> None:
    game = wrong_piece()
    game.say("answer", value="red")
    game.toppled()

    assert game.scores == {"Ann": -10, "Bob": 0}


def test_a_piece_entered_by_hand_is_asked_about_once_it_was_weighed() -> None:
    game = begin(masses=MASSES)
    game.say("roll", value=5, player="Ann")
    game.say("place", cell="a1")
    game.placed("a1", mass_g=RED_G)

    assert game.questions == ["colour-3"]
    assert "asked" in game.types


# --- a lost washer ---------------------------------------------------------------------------


def rounds_with_a_light_piece(game: Script, light: tuple[int, ...], rounds: int = 1) -> list[str]:
    """Ten pieces a round, rolls by name; those of Bob with these numbers have lost a washer.

    What is asked is answered: they are Bob's own.
    """
    asked = list[str]()
    for _ in range(rounds):
        for at in range(10):
            name, mass_g = (("Ann", BLUE_G), ("Bob", RED_G))[at % 2]
            game.say("roll", value=5, player=name)
            game.placed(("a1", "e5", "a5", "e1")[at % 4], mass_g=BLUE_G if at in light else mass_g)
            asked += game.questions
            for question in game.questions:
                game.say("answer", question=question, value="red")
        game.say("cleared")
        for question in game.questions:
            game.say("answer", question=question, value="none")
        game.say("turn", player="Ann")
    return asked


def test_a_lost_washer_is_asked_about_twice_and_held_possible_in_later_rounds() -> None:
    game = begin(masses=MASSES)

    assert len(rounds_with_a_light_piece(game, (3,))) == 1
    assert len(rounds_with_a_light_piece(game, (7,))) == 1
    assert rounds_with_a_light_piece(game, (5,), rounds=2) == []
    named = [each for each in game.state.applied().values() if each.type == "placed"]
    assert {each.weighs for each in named} == {None}


def test_what_was_learned_of_a_lost_washer_is_undone_with_the_answer_and_done_again() -> None:
    game = begin(masses=MASSES)
    rounds_with_a_light_piece(game, (3,), rounds=2)
    after = game.state
    pieces = after.position.pieces
    assert pieces is not None
    assert list(pieces.odd) == ["red"]

    assert refolded(after, after.ledger).position == after.position
    while game.state.position.weighed:
        game.say("undo")
        assert game.ruling.refused is None
    while game.state.ledger != after.ledger:
        game.say("redo")
    assert game.state.position == after.position


def test_a_colour_that_was_announced_is_asked_about_when_the_weight_is_that_of_the_other() -> None:
    game = two_colours()
    game.say("colour", colour="blue")
    game.placed("a1", mass_g=4.5)

    (question,) = game.state.questions()
    assert [choice.value for choice in question.choices] == ["green", "blue", "unknown"]
    game.say("answer", value="green")
    assert game.board == {"a1": ["green"]}


# --- two colours of one player ---------------------------------------------------------------


def two_colours(apart_g: float = 1.0) -> Script:
    """Ann plays blue and green, Bob red and yellow; each colour weighs so much more."""
    colours = {
        name: {"mass_mean_g": 3.5 + at * apart_g, "mass_std_g": 0.04}
        for at, name in enumerate(("blue", "green", "red", "yellow"))
    }
    masses = {"mass_mean_g": 5.0, "mass_std_g": 1.1, "colours": colours}
    options = {"dice": "untold"}
    return begin(TWO_COLOURS, variant="two-colour", options=options, masses=masses)


def test_colours_a_gram_apart_are_right_in_every_piece_and_never_asked_about() -> None:
    game = two_colours()
    weights = {"blue": 3.5, "green": 4.5, "red": 5.5, "yellow": 6.5}
    chance = Random(38)
    cells = [f"{file}{rank}" for rank in (1, 2, 3, 4, 5) for file in "abcde"]
    hands = (["blue", "green"] * 10, ["red", "yellow"] * 10)
    for hand in hands:
        chance.shuffle(hand)
    for turn in range(40):
        colour, cell = hands[turn % 2][turn // 2], cells[turn % 25]
        assert "colour" not in acceptable(game.state)[("Ann", "Bob")[turn % 2]]
        game.placed(cell, mass_g=chance.gauss(weights[colour], 0.08))
        assert game.board[cell][-1] == colour
        assert game.questions == []


def test_colours_that_weigh_the_same_are_guessed_and_may_be_told_as_before() -> None:
    game, unweighed = two_colours(apart_g=0.0), two_colours(apart_g=0.0)
    for cell in ("a1", "a2", "a3", "b1", "b2", "b3"):
        assert "colour" in acceptable(game.state)[game.state.position.player or ""]
        game.placed(cell, mass_g=3.5)
        unweighed.placed(cell)

    assert game.board == unweighed.board
    assert game.questions == []


def test_the_piece_that_fell_costs_the_colour_that_it_weighed() -> None:
    for mass_g, colour in ((3.5, "blue"), (4.5, "green")):
        game = two_colours()
        number = game.placed("a1", mass_g=mass_g)
        game.retracted(number, "fell")
        game.toppled()

        view = game.state.position.rules.view(game.state.position.game_state)
        assert view["colour_scores"][colour] == -10
