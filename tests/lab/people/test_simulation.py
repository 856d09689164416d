import dataclasses
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from controller.app.wiring import pipeline
from controller.table.pipeline import Pipeline
from engine.events import HumanInput
from engine.games.topple.rules import Topple
from engine.referee.position import Position
from engine.samples import ImuSamples, ScaleSamples
from hw.source import item_time_s, play
from hw.traces.recording import Recording
from lab.people.simulation import SimulatedEvening, endless_evening
from lab.people.ways import USUAL, WAYS, Ways, together
from lab.twin.drawing import draw
from lab.twin.faults import FaultKind, InjectedFault
from lab.twin.parameters import Preset
from tests.benchmarks.detection_judge import placements_of
from tests.recorded import simulate_game


def played(
    seed: int, preset: Preset, seconds: float, **options: Any
) -> tuple[SimulatedEvening, list]:
    evening = SimulatedEvening.begin(seed, preset, **options)
    return evening, list(play(evening, 1.0, seconds))


def inputs(items: list) -> list[HumanInput]:
    return [item for item in items if isinstance(item, HumanInput)]


MANY = together(("things", "restless", "second-thoughts", "lifting"))


def fingerprint(preset: Preset, seconds: float, spread: float, ways: Ways) -> str:
    """Of all counts, and of all times to the microsecond."""
    parameters = draw(np.random.default_rng(77), preset, spread=spread, turned_imu=True)
    faults = [
        InjectedFault(kind, 2.0 + index, 2.8 + index, cell=index % 4, size=1.5)
        for index, kind in enumerate(FaultKind)
    ]
    faults = faults if spread else []
    _, items = played(11, preset, seconds, parameters=parameters, faults=faults, ways=ways)
    known = hashlib.sha256()
    for item in items:
        if isinstance(item, ScaleSamples | ImuSamples):
            known.update(np.rint(1e6 * item.t_s).astype("<i8").tobytes())
            known.update(item.raw.astype("<i4").tobytes())
        else:
            known.update(f"{item_time_s(item):.6f} {item}".encode())
    return known.hexdigest()[:16]


@pytest.mark.parametrize(
    ("preset", "spread", "ways", "known"),
    [
        ("calm", 0.0, USUAL, "a7d7cc83581326f9"),
        ("normal", 1.0, USUAL, "96a1714a882a2caf"),
        ("rough", 1.0, USUAL, "d14a1f00fcf4671f"),
        (
            "normal",
            0.0,
            MANY,
            "9a1905c00d54e39b",
        ),
        ("rough", 0.0, WAYS["lively"], "67441b57e2af0eb5"),
    ],
)
def test_a_seed_gives_the_recording_it_always_gave(
    preset: Preset, spread: float, ways: Ways, known: str
) -> None:
    """Figures and bug reports name seeds; who makes the twin faster must not change them."""
    assert fingerprint(preset, 30.0, spread, ways) == known


def test_people_say_what_the_trace_format_knows_in_the_order_of_the_game() -> None:
    evening, items = played(2, "calm", 90.0, players=4)
    said = inputs(items)

    assert said[0].type == "start"
    assert len(said[0].data["players"]) == 4
    assert said[0].data["target"] == 100
    assert {item.type for item in said} <= {"start", "roll", "pass", "blame", "cleared"}
    assert all(1 <= item.data["value"] <= 6 for item in said if item.type == "roll")
    times = [item_time_s(item) for item in said]
    assert times == sorted(times)
    turns = [entry for entry in evening.truth() if entry["type"] == "turn"]
    assert len(turns) == sum(item.type == "roll" for item in said)


def test_the_true_scores_are_those_of_the_rules() -> None:
    evening, items = played(5, "normal", 120.0, players=2, two_colours=False)

    start = inputs(items)[0]
    names = [player["name"] for player in start.data["players"]]
    rules = Topple()
    players = start.data["players"]
    options = {"target": 100, "variant": "standard"}
    first = names[start.data["first"]]
    state = rules.start({"type": "start", "players": players, "first": first, **options})
    for entry in _actions(evening.truth()):
        if entry["type"] == "turn":
            action = {"type": "roll", "value": entry["roll"]}
        elif entry["type"] == "topple" and entry["cause"] == "bump":
            action = {"type": "topple", "cause": "bump", "player": names[entry["player"]]}
        else:
            told = {"pass": (), "place": ("colour", "cell"), "topple": ("cause",)}
            action = {key: entry[key] for key in ("type", *told[entry["type"]])}
        state = rules.apply(state, action)
    assert evening.truth()[-1]["scores"] == dict(rules.scores(state))


def _actions(truth: list[dict]) -> list[dict]:
    """Entries that are actions of the game; a placement that fell is its topple only."""
    kinds = ("turn", "pass", "place", "topple")
    return [e for e in truth if e["type"] in kinds and not e.get("ended_in_topple")]


def test_how_often_it_is_polled_changes_nothing() -> None:
    coarse = SimulatedEvening.begin(9, "rough")
    fine = SimulatedEvening.begin(9, "rough")
    heard = list(play(coarse, 2.0, 60.0))
    said = inputs(list(play(fine, 0.033, 60.0)))

    assert fine.truth() == coarse.truth()
    assert said == inputs(heard)


@pytest.mark.slow
def test_towers_grow_high_and_still_topple() -> None:
    highest, topples = [], Counter[str]()
    for seed in (1, 2):
        evening, _ = played(seed, "normal", 360.0)
        count = 0
        for entry in evening.truth():
            count = 0 if entry["type"] == "cleared" else count + (entry["type"] == "place")
            highest.append(count)
            if entry["type"] == "topple":
                topples[entry["cause"]] += 1
    assert max(highest) >= 18
    assert 2 <= topples.total() <= 12
    assert set(topples) <= {"placing", "bump"}


def test_a_game_ends_with_a_winner_and_an_empty_board() -> None:
    evening, items = played(1, "calm", 1500.0, players=2, two_colours=False, target=5)

    assert evening.ended
    assert evening.people.winners
    assert evening.tower.pieces.count == 0
    assert evening.truth()[-1]["winners"] == list(evening.people.winners)
    assert item_time_s(items[-1]) < 1500.0


def test_people_who_do_not_tell_the_die_roll_it_and_play_by_it_all_the_same() -> None:
    evening, items = played(4, "calm", 60.0, tell_dice=False)
    heard, heard_items = played(4, "calm", 60.0)

    assert not [item for item in inputs(items) if item.type == "roll"]
    assert [item for item in inputs(heard_items) if item.type == "roll"]
    assert [entry for entry in evening.truth() if entry["type"] == "turn"]
    assert evening.truth() == heard.truth()


def test_a_recorded_game_is_a_trace_with_its_truth_that_the_judge_can_read(tmp_path: Path) -> None:
    trace, truth = simulate_game(3, "normal", tmp_path, seconds=90.0)

    recording = Recording.open(trace)
    items = list(play(recording))
    assert recording.simulated
    assert recording.notices == ()
    assert item_time_s(items[-1]) == pytest.approx(90.0, abs=0.3)
    entries = [json.loads(line) for line in truth.read_text().splitlines()]
    events = [
        entry | {"type": "placed", "id": number, "decided": entry["t"] + 0.3, "confidence": 1.0}
        for number, entry in enumerate(entries)
        if entry["type"] == "place" and not entry["ended_in_topple"]
    ]
    found = placements_of(entries, events)
    assert len(found.stand) > 8
    assert len(found.right) == len(found.stand)
    assert all(true["colour"] == event["colour"] for true, event in found.pairs)


@pytest.mark.slow
def test_wide_tables_can_be_played_too(tmp_path: Path) -> None:
    for seed in range(3):
        trace, _ = simulate_game(
            seed, "rough", tmp_path, seconds=45.0, spread=2.0, turned_imu=True, inverted_cells=True
        )
        recording = Recording.open(trace)
        assert len(inputs(list(play(recording)))) > 4
        recording.close()


# --- set up again in the middle of a game --------------------------------------------------------


def decided(evening: SimulatedEvening, rules: Pipeline, seconds: float) -> Position:
    """Where a table stands that has watched an evening."""
    for item in play(evening, 0.25, seconds):
        rules.feed(item)
    return rules.state.position


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "stopped_s"), [(1, 40.0), (2, 95.0)])
def test_an_evening_set_up_again_goes_on_as_its_people_and_its_table_know_it(
    seed: int, stopped_s: float
) -> None:
    evening = endless_evening(seed, "calm")
    rules = pipeline(evening.tabletop)
    unfinished = decided(evening, rules, stopped_s)
    again = endless_evening(seed, "calm", unfinished=(unfinished, 7))

    stood = sum(len(stack) for stack in unfinished.game_state.board)
    assert stood == again.tower.pieces.count > 0
    resumed = pipeline(again.tabletop, rules.state, resume_s=stopped_s)
    now = decided(again, resumed, 40.0)
    assert now.game_state.match == unfinished.game_state.match
    assert now.game_state != unfinished.game_state
    assert now.game_state.board == again.people.game.board
    assert now.rules.scores(now.game_state) == again.people.scores


def test_a_round_that_is_over_is_cleared_first_and_another_game_is_left_alone() -> None:
    evening = endless_evening(1, "calm")
    state = decided(evening, pipeline(evening.tabletop), 15.0)
    cleared = dataclasses.replace(state, clearing=True)
    again = endless_evening(1, "calm", unfinished=(cleared, 7))
    assert again.tower.pieces.count == 2
    items = play(again, 0.1, 60.0)
    assert next(item.type for item in items if isinstance(item, HumanInput)) == "cleared"
    assert again.tower.pieces.count == 0

    other = dataclasses.replace(state, game_state=object())
    fresh = endless_evening(1, "calm", unfinished=(other, 7))
    assert fresh.tower.pieces.count == 0
    items = play(fresh, 0.1, 60.0)
    assert next(item.type for item in items if isinstance(item, HumanInput)) == "start"
