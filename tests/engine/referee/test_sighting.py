"""How one sighting is read: cell, colour, and how sure."""

from tests.engine.referee.script import TWO_COLOURS, begin


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
    game.placed("e2", 0.97, alternatives=(("d2", 0.02),))

    assert game.board == {"d2": ["blue"]}
    assert game.questions == ["cell-3"]


def test_an_impossible_cell_without_alternative_gives_way_to_the_nearest() -> None:
    game = begin()
    game.say("roll", value=5)
    game.placed("d2", 0.97)

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
