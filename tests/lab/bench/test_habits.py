"""People of other ways in a script: their habits are done, and its end is what the script says."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from controller.common.errors import BadScenario
from engine.tabletop import level
from lab.bench.observed import Run
from lab.bench.running import play
from lab.bench.scenario_files import read
from lab.bench.targets import prepared
from lab.people.ways import WAYS, drawn

PLACING = "  - turns: [3 d4, 2 c2, 3 b4]\n"
FALLING = """  - place: c3
  - {place: d4, pause: 0.5}
  - knock_off: d4
  - clear: yes
  - cleared: yes
"""


ONLY_HANDS = """\
restarts: false
account: {encore: no, people: no, why: What hands do is looked at.}
"""


def played(people: str, steps: str = PLACING, seed: int = 1) -> Run:
    text = f"about: People.\npeople: {people}\n{ONLY_HANDS}seeds: [{seed}]\nsteps:\n{steps}"
    return play(read(text, "people", "people.yaml")[0])


def happened(run: Run, kind: str) -> list[dict[str, Any]]:
    return [entry for entry in run.truth if entry["type"] == kind]


def cells(run: Run) -> list[str]:
    return [entry["cell"] for entry in happened(run, "place")]


def cleared_after_s(people: str) -> float:
    run = played(people, FALLING)
    return float(happened(run, "remove")[0]["t"]) - float(happened(run, "topple")[0]["t"])


def test_usual_people_do_what_the_script_says_and_nothing_else() -> None:
    run = played("usual")

    assert Counter(entry["type"] for entry in run.truth) == {"place": 3}
    assert cells(run) == ["d4", "c2", "b4"]


def test_a_piece_that_is_slid_ends_where_the_script_says_and_came_from_a_neighbour() -> None:
    run = played("{slides: 1}")

    assert cells(run) == ["d4", "c2", "b4"]
    assert all(entry["slid_from"] != entry["cell"] for entry in happened(run, "place"))


@pytest.mark.slow
def test_a_piece_that_is_taken_again_lay_on_a_cell_of_its_roll_and_ends_where_it_should() -> None:
    run = played("{relifts: 1}")
    taken = [entry["cell"] for entry in happened(run, "remove")]

    assert cells(run) == ["d4", "c2", "b4"]
    assert [level(cell) for cell in taken] == [level(cell) for cell in cells(run)]
    assert all(first != last for first, last in zip(taken, cells(run), strict=True))


def test_who_says_exactly_where_a_piece_lies_does_not_slide_it() -> None:
    run = played("{slides: 1}", "  - place: {cell: d4, offset_mm: [2, 1]}\n")

    assert [entry["offset"] for entry in happened(run, "place")] == [[2.0, 1.0]]


def test_a_piece_that_is_to_slip_slips_at_once() -> None:
    run = played("{relifts: 1, slides: 1}", "  - place: {cell: e3, slip: offedge}\n")

    assert [entry["mode"] for entry in happened(run, "place")] == ["offedge"]
    assert happened(run, "remove") == []


@pytest.mark.slow
def test_people_clear_at_once_or_stare_first_whatever_the_script_usually_waits() -> None:
    assert cleared_after_s("at-once") < 1.0
    assert 5.0 < cleared_after_s("usual") < 8.0
    assert cleared_after_s("staring") > 10.0


@pytest.mark.slow
def test_the_board_is_lifted_or_cleared_by_both_hands_and_is_empty_then() -> None:
    lifted = played("lifting", PLACING + "  - clear: yes\n")
    both, one = (
        played(f"{{clearing: [{way}]}}", PLACING + "  - clear: yes\n")
        for way in ("both_hands", "one_slow")
    )

    assert len(happened(lifted, "lift_board")) == 1
    assert len(happened(lifted, "cleared")) == 1
    assert happened(both, "cleared")[0]["t"] < happened(one, "cleared")[0]["t"]


@pytest.mark.slow
def test_restless_people_drum_walk_and_lay_things_down_all_the_while() -> None:
    run = played("{drums: 10, walks: 10, arms: 10, things: 10}", "  - wait: 40\n")
    bumps = Counter(entry["target"] for entry in happened(run, "bump"))
    things = [entry for entry in happened(run, "touch") if entry["target"] == "base"]

    assert bumps["tap"]
    assert bumps["walk"]
    assert happened(run, "lean")
    assert things


@pytest.mark.slow
def test_hasty_people_place_two_pieces_within_little_more_than_the_hand_needs() -> None:
    hasty, usual = (
        [entry["t"] for entry in happened(played(people), "place")]
        for people in ("{in_haste: 1}", "usual")
    )

    assert hasty[2] - hasty[1] < 0.5 * (usual[2] - usual[1])


@pytest.mark.slow
def test_one_seed_is_one_run_and_another_is_another() -> None:
    once, again, other = (played("lively", seed=seed) for seed in (4, 4, 5))

    assert once.truth == again.truth != other.truth


@pytest.mark.slow
def test_people_of_an_evening_have_the_ways_of_the_scenario() -> None:
    def touched(people: str) -> set[str]:
        text = f"about: An evening.\npeople: {people}\n{ONLY_HANDS}evening: {{seconds: 20}}\n"
        run = play(read(text, "x", "x.yaml")[0])
        return {entry["target"] for entry in happened(run, "touch")}

    assert "base" in touched("{things: 20}")
    assert "base" not in touched("usual")


def test_drawn_people_are_those_of_the_seed() -> None:
    text = "about: An evening.\ntable: calm\npeople: drawn\nevening: {seconds: 20}\nseeds: [3]\n"
    case = read(text, "x", "x.yaml")[0]
    evening = prepared(case, "sim").evening

    assert evening is not None
    assert evening.people._ways == drawn(Random(3))
    assert evening.people._ways not in WAYS.values()


@pytest.mark.parametrize(
    ("people", "problem"),
    [
        ("livly", "line 2: people: it cannot be 'livly'; did you mean lively?"),
        ("[lifting, calm]", "line 2: people.1: it cannot be 'calm'; known are at-once, both-hands"),
        ("{slide: 0.5}", "line 2: people.slide: there is no such key; did you mean slides?"),
        ("{tricks: 1}", "line 2: people.tricks: there is no such key; known are stare_s, clearing"),
        ("{slides: 3}", "line 2: people.slides: it must be a number at most 1"),
        ("{clearing: [throw]}", "people.clearing.0: it cannot be 'throw'; known are both_hands"),
        ("pressing-late", "line 2: people: these habits are of evenings; in a script the steps"),
    ],
)
def test_a_habit_that_nobody_has_is_named_with_its_key_and_what_can_stand_there(
    people: str, problem: str
) -> None:
    with pytest.raises(BadScenario) as told:
        played(people)

    assert problem in str(told.value)


def test_habits_of_words_can_be_given_to_an_evening() -> None:
    text = "about: An evening.\npeople: pressing-late\nevening: {seconds: 40}\n"

    assert read(text, "x", "x.yaml")[0].scenario.people == "pressing-late"


@pytest.mark.slow
def test_the_last_piece_can_be_corrected_without_knowing_its_number() -> None:
    denied = PLACING + "  - correct: {ref: last, nothing: true}\n"
    run, restored = played("usual", denied), played("usual", denied + "  - undo: yes\n")

    assert [list(run_of) for run_of in (_board(run), _board(restored))] == [
        ["c2", "d4"],
        ["b4", "c2", "d4"],
    ]


def _board(run: Run) -> dict[str, Any]:
    board = run.newest("state")["board"]
    return {cell: board[cell] for cell in sorted(board)}
