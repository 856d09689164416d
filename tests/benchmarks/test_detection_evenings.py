"""An evening is recorded once, with all that people saw, and is the evening that was played."""

import json
from pathlib import Path
from typing import Any

import pytest

from controller.app.wiring import pipeline
from controller.replay.replay import line_of
from engine.events import HumanInput
from hw.traces.recording import Recording
from lab.people.eyewitness import Eyewitness
from tests.benchmarks import detection_evenings
from tests.benchmarks.detection_evenings import plays, recorded
from tests.benchmarks.detection_games import Game
from tests.benchmarks.detection_kinds import KINDS
from tests.benchmarks.detection_lived import Recalled, lived
from tests.recorded import simulate_game

USUAL = KINDS[0]
LIVELY = next(kind for kind in KINDS if kind.name == "lively")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evenings that end with their time and not with their round."""
    monkeypatch.setattr(detection_evenings, "REST_OF_ROUND_S", 0.0)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """An evening that ends with its time."""
    folder = tmp_path_factory.mktemp("evening")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detection_evenings, "REST_OF_ROUND_S", 0.0)
        return recorded(USUAL, "calm", folder, seed=3, index=1, spread=1.5, seconds=25.0)


def test_what_is_recorded_is_the_evening_of_that_seed(game: Game, tmp_path: Path) -> None:
    other, truth = simulate_game(
        3, "calm", tmp_path, seconds=25.0, spread=1.5, turned_imu=True, two_colours=False
    )

    assert game.truth.read_bytes() == truth.read_bytes()
    assert [e for e in lived(game.trace) if e["type"] != "summary"] == [
        e for e in lived(other) if e["type"] != "summary"
    ]


def test_a_detector_decides_on_the_recording_as_it_would_have_at_the_table(game: Game) -> None:
    recording = Recording.open(game.trace)
    table, live = pipeline(recording.tabletop), list[dict[str, Any]]()
    for step in range(1, 110):
        for item in recording.poll(0.25 * step):
            for output in table.feed(item):
                if not isinstance(output.cause, HumanInput):
                    live.append(line_of(output.cause, output.state))
    recording.close()
    decided = [line for line in lived(game.trace) if line["type"] not in ("summary", "question")]

    assert len(decided) > 2
    assert decided == live


def test_people_of_a_recording_know_what_they_had_seen_by_then(game: Game) -> None:
    assert game.seen is not None
    people = Recalled(game.seen)
    truth = [json.loads(line) for line in game.truth.read_text().splitlines()]
    first, second = [e for e in truth if e["type"] == "place"][:2]
    people.now(first["t"] + 0.5)

    def placed() -> list[float]:
        return [e["t"] for e in people.truth.entries if e["type"] == "place"]

    assert placed() == [first["t"]]
    assert people.answer("cell", first["t"], ("a1", first["cell"])) == first["cell"]
    people.now(second["t"] + 0.5)
    assert placed() == [first["t"], second["t"]]
    assert people.answer("blame", second["t"], ("none", "placing")) == "none"


@pytest.mark.usefixtures("short")
def test_each_kind_has_tables_of_its_own_that_come_again_with_the_seed(tmp_path: Path) -> None:
    def tables(seed: int) -> list[Any]:
        games = [
            play()
            for kind in (USUAL, LIVELY)
            for play in plays(kind, "rough", tmp_path, 1, seed=seed, seconds=1.0)
        ]
        recordings = [Recording.open(game.trace) for game in games]
        for recording in recordings:
            recording.close()
        return [recording.calibration for recording in recordings]

    first = tables(4)

    assert first[0] != first[1]
    assert tables(4) == first
    assert tables(5) != first


def test_an_evening_ends_with_its_round_so_that_its_score_can_be_compared(tmp_path: Path) -> None:
    game = recorded(USUAL, "rough", tmp_path, seed=3, index=0, spread=1.5, seconds=20.0)
    truth = [json.loads(line) for line in game.truth.read_text().splitlines()]
    cleared = next(e["t"] for e in truth if e["type"] == "cleared" and e["t"] > 20.0)

    assert 2.0 < truth[-1]["t"] - cleared < 4.5 or truth[-1]["t"] == cleared
    assert not any(e["type"] == "place" and e["t"] > cleared for e in truth)
    assert game.seen is not None
    people: Any = Recalled(game.seen)
    seen = Eyewitness(people, ["Ann"])
    assert seen.answer("cell", 5.0, ("a1",)) is None
