"""A replay prints what the table would have decided, in the form of docs/traces.md."""

import io
import json
from typing import Any

import pytest

from controller.replay.in_step import TrueTurn
from controller.replay.replay import lines, print_table
from controller.table.pipeline import Pipeline
from engine.events import (
    Cleared,
    Corrected,
    Dismissed,
    Fault,
    HumanInput,
    Placed,
    Restored,
    Retracted,
    Reweighed,
    Suspected,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.troubles import CELL_REPEATS
from hw.source import Item
from tests.controller.scripted import ScriptedDetector, until
from tests.engine.referee.script import ANN_AND_BOB, TWO_COLOURS

START = HumanInput(1.0, "start", {"players": ANN_AND_BOB, "target": 100, "first": 1})


def roll(t_s: float, value: int) -> HumanInput:
    return HumanInput(t_s, "roll", {"value": value})


ON_E2 = Placed(1, 3.0, 3.4, "e2", 0.99)
EVENTS = (
    Placed(1, 3.12345678, 3.4, "e2", 0.9987, (("e1", 0.0013),), 3.0),
    Placed(2, 6.0, 6.4, "c3", 0.8, (("c2", 0.1),)),
    Corrected(2, 7.0, "c3", 0.97, (("c2", 0.03),)),
    Reweighed(2, 7.2, 3.1, 0.05),
    Retracted(2, 8.8, "toppled while placing"),
    Toppled(3, 8.0, 9.0, ToppleKind.OFF_BOARD, ToppleCause.PLACING, 0.99, fallen=1),
    Fault.of(9.5, "scale.2", CELL_REPEATS(n="C2")),
    Restored(9.6, "scale.2"),
    Cleared(15.0, 15.5, Toppled(4, 14.0, 15.5, ToppleKind.OFF_BOARD, ToppleCause.PLACING, 0.2)),
)
ITEMS = (START, roll(2.0, 4), until(4.0), roll(5.0, 1), until(10.0), until(16.0))


def turn(
    t_s: float, decided_s: float, player: str | None, probability: float | None = 0.99, *, rev: int
) -> dict[str, Any]:
    return {
        "type": "turn", "t": t_s, "decided": decided_s,
        "player": player, "probability": probability, "rev": rev,
    }  # fmt: skip


def found_of(*items: Item, events: tuple[TableEvent, ...] = (ON_E2,)) -> list[dict[str, Any]]:
    return list(lines(Pipeline(ScriptedDetector(*events)), items))


def replayed(*, dice: bool = True) -> list[dict[str, Any]]:
    return list(lines(Pipeline(ScriptedDetector(*EVENTS)), ITEMS, dice=dice))


def test_the_lines_are_those_of_the_format() -> None:
    expected = [
        {"type": "score", "t": 1.0, "scores": {"Ann": 0, "Bob": 0}},
        turn(1.0, 1.0, "Bob", rev=1),
        {
            "type": "placed",
            "id": 1,
            "t": 3.1235,
            "decided": 3.4,
            "cell": "e2",
            "confidence": 0.9987,
            "alternatives": [["e1", 0.0013]],
            "colour": "red",
        },
        turn(3.1235, 3.4, "Ann", rev=3),
        {
            "type": "placed",
            "id": 2,
            "t": 6.0,
            "decided": 6.4,
            "cell": "c3",
            "confidence": 0.8,
            "alternatives": [["c2", 0.1]],
            "colour": "blue",
        },
        {
            "type": "question",
            "t": 6.4,
            "id": "cell-5",
            "kind": "cell",
            "ref": 2,
            "text": "Where did Ann's piece go?",
        },
        turn(6.0, 6.4, "Bob", rev=5),
        {
            "type": "corrected",
            "ref": 2,
            "decided": 7.0,
            "cell": "c3",
            "confidence": 0.97,
            "alternatives": [["c2", 0.03]],
        },
        {"type": "retracted", "ref": 2, "decided": 8.8, "reason": "toppled while placing"},
        turn(8.8, 8.8, "Ann", rev=8),
        {
            "type": "toppled",
            "id": 3,
            "t": 8.0,
            "decided": 9.0,
            "kind": "off_board",
            "cause": "placing",
            "confidence": 0.99,
            "cause_confidence": 1.0,
            "fallen": 1,
        },
        {"type": "score", "t": 9.0, "scores": {"Ann": -10, "Bob": 3}},
        turn(8.0, 9.0, "Bob", rev=9),
        {
            "type": "fault",
            "t": 9.5,
            "sensor": "scale.2",
            "reason": CELL_REPEATS(n="C2").sentence,
            "code": "cell_repeats",
            "args": {"n": "C2"},
        },
        {"type": "restored", "t": 9.6, "sensor": "scale.2"},
        {"type": "cleared", "t": 15.0, "decided": 15.5},
        {
            "type": "summary",
            "scores": {"Ann": -10, "Bob": 3},
            "winners": [],
            "duration_s": 16.0,
            "placements": 1,
            "topples": 1,
            "asked": 1,
        },
    ]

    assert replayed() == expected


def test_without_dice_turns_pass_with_the_placements() -> None:
    found = replayed(dice=False)

    assert [line["colour"] for line in found if line["type"] == "placed"] == ["red", "blue"]
    assert found[-1]["scores"] == {"Ann": -10, "Bob": 3}


IN_TWO_COLOURS = HumanInput(1.0, "start", {"players": TWO_COLOURS, "target": 100, "first": 0})


@pytest.mark.parametrize(
    ("items", "colour"),
    [
        ((START,), "red"),
        ((), None),
        ((IN_TWO_COLOURS, roll(2.0, 4), HumanInput(2.5, "colour", {"colour": "green"})), "green"),
    ],
    ids=["nobody rolled for it", "before a game it has none", "announced"],
)
def test_a_placement_has_the_colour_that_the_table_gives_it(
    items: tuple[Item, ...], colour: str | None
) -> None:
    found = found_of(*items, until(4.0))

    assert next(line for line in found if line["type"] == "placed").get("colour") == colour
    assert bool(found[-1]["scores"]) is bool(items)


def test_every_question_the_table_would_ask_is_a_line_and_is_counted() -> None:
    unsure = Toppled(3, 8.0, 9.0, ToppleKind.OFF_BOARD, ToppleCause.BUMP, 0.99)
    rolls = (roll(11.0, 1), roll(13.0, 1), roll(15.0, 4))
    events = (EVENTS[0], EVENTS[1], unsure, Cleared(10.0, 10.5))
    found = found_of(*ITEMS[:5], until(10.8), *rolls, events=events)

    asked = [line for line in found if line["type"] == "question"]
    assert [(line["kind"], line["ref"]) for line in asked] == [
        ("cell", 2),
        ("blame", 3),
        ("placed", None),  # a piece that was not seen has no number
    ]
    assert asked[1]["t"] == 9.0
    assert asked[1]["text"] == "Pieces fell. Who bumped the table?"
    assert found[-1]["asked"] == 3


def test_a_cause_that_is_believed_is_no_question() -> None:
    believed = Toppled(3, 8.0, 9.0, ToppleKind.OFF_BOARD, ToppleCause.PLACING, 0.9, 0.87)
    found = found_of(*ITEMS, events=(EVENTS[0], believed))

    assert [line for line in found if line["type"] == "question"] == []
    assert found[-1]["asked"] == 0
    assert found[-1]["scores"] == {"Ann": -10, "Bob": 3}


def test_a_turn_is_a_line_whenever_it_or_how_sure_it_is_changes() -> None:
    fall = Toppled(
        3, 8.0, 9.0, ToppleKind.OFF_BOARD, ToppleCause.BUMP, 0.98, 0.98, fallen=1, rested=0.7
    )
    said = (HumanInput(10.0, "turn", {"player": "Bob"}), HumanInput(12.0, "end"))
    pipeline = Pipeline(ScriptedDetector(EVENTS[0], fall, Cleared(9.1, 9.4)))
    found = list(lines(pipeline, (*ITEMS[:3], until(9.5), *said)))
    turns = [line for line in found if line["type"] == "turn"]

    assert [(line["t"], line["decided"]) for line in turns] == [
        (1.0, 1.0), (3.1235, 3.4), (8.0, 9.0), (9.1, 9.4), (10.0, 10.0), (12.0, 12.0),
    ]  # fmt: skip
    assert [(line["player"], line["probability"]) for line in turns] == [
        ("Bob", 0.99), ("Ann", 0.99), ("Ann", 0.7), ("Ann", 0.99), ("Bob", 0.99), (None, None),
    ]  # fmt: skip


def test_in_a_game_by_hand_nobodys_turn_is_a_guess_and_none_is_printed() -> None:
    start = HumanInput(1.0, "start", {"game": "topolo", "red": "Ann", "black": "Bob"})

    assert "turn" not in [line["type"] for line in found_of(start, events=())]


def test_beside_the_truth_the_summary_says_how_long_the_table_was_out_of_step() -> None:
    truth = [TrueTurn(2.0, 1), TrueTurn(5.0, 0), TrueTurn(9.5, 1), TrueTurn(12.0, 0)]
    found = list(lines(Pipeline(ScriptedDetector(*EVENTS)), ITEMS, truth=truth))

    # Ann's second turn, of which the table never hears.
    assert (found[-1]["out_of_step_s"], found[-1]["out_of_step_turns"]) == (4.0, 1)
    assert "out_of_step_s" not in replayed()[-1]
    out = io.StringIO()
    print_table(found, out)
    assert "out of step for 4 s" in out.getvalue()


def test_the_page_for_people_ends_with_the_final_score() -> None:
    out = io.StringIO()
    print_table(replayed(), out)
    page = out.getvalue()

    assert "red on e2" in page
    assert "99.8 %" in page  # 0.9987, never rounded up to certainty
    assert "80.0 % ?" in page
    assert "? Where did Ann's piece go?" in page
    assert page.splitlines()[-1].endswith("Ann -10  Bob 3")


@pytest.mark.parametrize(
    "recording", ["rough_recording", pytest.param("calm_recording", marks=pytest.mark.slow)]
)
def test_a_recorded_game_is_replayed_to_its_end(
    recording: str, request: pytest.FixtureRequest
) -> None:
    from controller.app.wiring import replay

    out = io.StringIO()
    assert replay(request.getfixturevalue(recording), as_json=True, out=out) == 0
    found = [json.loads(line) for line in out.getvalue().splitlines()]

    assert found[-1]["type"] == "summary"
    assert found[-1]["wall_s"] > 0
    assert found[-1]["placements"] > 28
    assert all("colour" in line for line in found if line["type"] == "placed")
    decided = [line["decided"] for line in found if "decided" in line]
    assert decided == sorted(decided)


SUSPICIONS = (
    Suspected(1, 3.12345678, 3.4, 0.61239, ToppleKind.OFF_BOARD),
    Dismissed(1, 4.0),
)


def test_a_suspicion_and_its_end_are_lines_and_words_and_no_topples() -> None:
    found = found_of(START, until(5.0), events=SUSPICIONS)
    out = io.StringIO()
    print_table(found, out)

    assert found[2:4] == [
        {
            "type": "suspected",
            "id": 1,
            "t": 3.1235,
            "decided": 3.4,
            "probability": 0.6124,
            "kind": "off_board",
        },
        {"type": "dismissed", "ref": 1, "decided": 4.0},
    ]
    told = ["score", "turn", "suspected", "dismissed", "summary"]
    assert [line["type"] for line in found] == told
    assert found[-1]["topples"] == 0
    for words in ("1 may have toppled (off_board)", "61.2 %", "1 had not"):
        assert words in out.getvalue()
