"""The verbs that the referee would accept are those that it accepts."""

from typing import Any

import pytest

from engine.acceptable import acceptable
from tests.engine.referee.script import TWO_COLOURS, Script, begin


def test_before_a_game_one_may_only_start() -> None:
    assert acceptable(Script().state) == {"any": ("start",)}


def test_who_is_in_turn_rolls_then_places_or_passes() -> None:
    table = begin()
    assert acceptable(table.state)["Ann"] == ("roll",)

    table.say("roll", value=3)
    assert acceptable(table.state)["Ann"] == ("place", "pass")


def test_while_the_board_is_cleared_nobody_is_in_turn() -> None:
    table = begin()
    table.turn(3, "c1")
    table.say("topple", cause="placing")

    assert set(acceptable(table.state)) == {"any"}
    assert "cleared" in acceptable(table.state)["any"]


@pytest.mark.parametrize("verb", ["undo", "turn", "correct", "end"])
def test_what_everybody_may_say_is_accepted(verb: str) -> None:
    table = begin()
    table.turn(3, "c1")
    placed = table.state.next_ref - 1
    data: dict[str, dict[str, Any]] = {
        "correct": {"ref": placed, "cell": "a3"}, "turn": {"player": "Bob"},
    }  # fmt: skip

    assert verb in acceptable(table.state)["any"]
    assert table.say(verb, **data.get(verb, {})).refused is None


def test_of_two_colours_one_is_named_unless_every_weight_tells_it() -> None:
    plain = {"mass_mean_g": 4.0, "mass_std_g": 0.5}
    colours = ("blue", "green", "red", "yellow")
    marked = plain | {
        "colours": {
            c: {"mass_mean_g": 3.5 + at, "mass_std_g": 0.04} for at, c in enumerate(colours)
        }
    }
    for masses, named in ((None, True), (plain, True), (marked, False)):
        table = begin(TWO_COLOURS, variant="two-colour", **({"masses": masses} if masses else {}))

        assert ("colour" in acceptable(table.state)["Ann"]) == named


def test_after_a_second_roll_the_next_player_is_offered_all_but_the_colour_of_a_piece_to_come() -> (
    None
):
    table = begin(TWO_COLOURS, variant="two-colour")
    table.say("roll", value=3)
    table.say("roll", value=2)
    can = acceptable(table.state)

    assert set(can) == {"any", "Bob"}
    assert can["Bob"] == ("place", "pass")
    for verb, data in (("place", {"cell": "d3", "colour": "red"}), ("pass", {})):
        assert table.say(verb, player="Bob", **data).refused is None
        table.say("undo")
