"""What `health` says of colours by weight."""

from typing import Any

import pytest

from controller.app.wiring import pipeline
from controller.table.piece_marks import THIRD, LostMark, piece_marks, pieces_tell
from engine.pieces import ColourMass, PieceSet, Weighing
from engine.referee.position import Position
from lab.people.simulation import SimulatedEvening
from lab.twin.sets import SetName
from tests.engine.referee.script import begin

PLAIN: dict[str, Any] = {"mass_mean_g": 3.5, "mass_std_g": 0.5}
MARKED = PLAIN | {
    "colours": {
        "red": {"mass_mean_g": 3.0, "mass_std_g": 0.03},
        "blue": {"mass_mean_g": 4.0, "mass_std_g": 0.03},
    }
}


def test_before_the_first_game_the_calibration_speaks() -> None:
    marks = piece_marks(MARKED, Position())

    assert piece_marks(PLAIN, Position()) is None
    assert marks is not None
    assert marks.masses_g == {"red": 3.0, "blue": 4.0}
    assert 0.9999 < marks.certainty <= 1.0
    assert marks.lost == []
    assert (pieces_tell(PLAIN, Position()), pieces_tell(MARKED, Position())) == ("none", "all")


def test_what_a_game_has_taught_is_said_when_nobody_weighed() -> None:
    taught = {name: ColourMass(g, 0.02, 0.05, "learned", 9.0)
              for name, g in (("red", 3.0), ("blue", 3.2))}  # fmt: skip
    given = PieceSet.of(PLAIN)
    position = Position(given=given, pieces=PieceSet(given.other, taught))

    marks = piece_marks(PLAIN, position)

    assert marks is not None
    assert marks.masses_g == {"red": 3.0, "blue": 3.2}
    assert 0.8 < marks.certainty < 0.99


def test_a_washer_is_missed_from_the_third_time_on() -> None:
    given = PieceSet.of(MARKED)
    light = (Weighing("blue", 3.01, 0.05),) * THIRD

    twice = piece_marks(MARKED, Position(given=given, weighed=light[1:]))
    thrice = piece_marks(MARKED, Position(given=given, weighed=light))

    assert twice is not None
    assert twice.lost == []
    assert thrice is not None
    assert thrice.lost == [LostMark("blue", "red", THIRD)]


@pytest.mark.slow
@pytest.mark.parametrize(("pieces", "named"), [("lost-washer", 1), ("marked", 0)])
def test_a_washer_that_is_lost_is_named_within_an_evening_and_no_other(
    pieces: SetName, named: int
) -> None:
    """Four such evenings (950001 to 950004) named it after 191 to 292 s of play."""
    evening = SimulatedEvening.begin(
        950003, "calm", players=2, two_colours=False, target=40, pieces=pieces
    )
    table, now_s = pipeline(evening.tabletop), 0.0
    while now_s < 300.0:
        now_s += 0.25
        for item in evening.poll(now_s):
            table.feed(item)
    marks = piece_marks(evening.tabletop.piece.masses, table.state.position)

    assert marks is not None
    assert len(marks.lost) == named


THREE = [
    {"name": name, "colours": [colour]}
    for name, colour in (("Ann", "red"), ("Bob", "blue"), ("Cat", "pink"))
]


@pytest.mark.parametrize(
    ("begun", "told"),
    [
        ({}, "none"),
        ({"masses": PLAIN}, "none"),
        ({"masses": MARKED}, "all"),
        ({"players": THREE, "masses": MARKED}, "some"),
    ],
)
def test_in_a_game_the_colours_in_play_say_what_pieces_tell(begun: Any, told: str) -> None:
    assert pieces_tell(MARKED, begin(**begun).state.position) == told


def test_colours_that_a_game_has_taught_say_what_pieces_tell() -> None:
    table = begin(options={"dice": "untold"}, masses={**PLAIN, "mass_mean_g": 4.0})
    for at, cell in enumerate(("a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2", "d2", "e2")):
        table.placed(cell, mass_g=(3.5, 4.5)[at % 2])
    assert pieces_tell(PLAIN, table.state.position) == "none"
    table.say("cleared")

    assert pieces_tell(PLAIN, table.state.position) == "all"
