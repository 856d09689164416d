"""Living through an evening: people answer, rolls may be left out."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.tabletop import Tabletop
from tests.benchmarks import detection_evenings, detection_lived
from tests.benchmarks.detection_evenings import recorded
from tests.benchmarks.detection_games import Game
from tests.benchmarks.detection_kinds import KINDS
from tests.benchmarks.detection_lived import Line, lived, pipeline


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The beginning of an evening on which nobody can say what was rolled in time."""
    kind = next(kind for kind in KINDS if kind.name == "rolling")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detection_evenings, "REST_OF_ROUND_S", 0.0)
        folder = tmp_path_factory.mktemp("evening")
        return recorded(kind, "rough", folder, seed=5, index=0, spread=2.0, seconds=40.0)


def of_type(lines: list[Line], kind: str) -> list[Line]:
    return [line for line in lines if line["type"] == kind]


def test_an_evening_ends_with_a_summary_of_score_and_cost(game: Game) -> None:
    *_, summary = lived(game.trace, game.seen)

    assert summary["type"] == "summary"
    assert 39 < summary["duration_s"] <= 40
    assert summary["scores"].keys() >= {"Ann", "Bob"}
    assert summary["cpu_s"] > 0


def test_without_the_rolls_a_piece_is_less_sure(game: Game) -> None:
    told, untold = (of_type(lived(game.trace, dice=dice), "placed") for dice in (True, False))

    assert len(told) > 4
    assert sum(e["confidence"] for e in untold) / len(untold) < 0.9999
    assert told != untold


def test_what_is_asked_is_told_once_with_what_it_is_about(tmp_path: Path) -> None:
    """A detector that is sure of nothing asks about every piece; people know better."""
    kind = KINDS[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detection_evenings, "REST_OF_ROUND_S", 0.0)
        game = recorded(kind, "calm", tmp_path, seed=3, index=0, spread=1.5, seconds=30.0)
        patch.setattr(detection_lived, "pipeline", unsure)
        silent, answered = lived(game.trace), lived(game.trace, game.seen)
    placed = of_type(silent, "placed")
    asked = of_type(silent, "question")

    assert [q["ref"] for q in asked if q["kind"] == "cell"] == [e["id"] for e in placed]
    assert len({q["id"] for q in asked}) == len(asked)
    truth = [json.loads(line) for line in game.truth.read_text().splitlines()]
    assert answered[-1]["scores"] == truth[-1]["scores"]


def unsure(tabletop: Tabletop, *, priors: bool = True) -> Any:
    """A table that believes its eyes half."""
    from dataclasses import replace

    from engine.events import Placed

    table: Any = pipeline(tabletop, priors=priors)
    decided = table._detector.next_event

    def next_event(until_s: float = float("inf")) -> Any:
        event = decided(until_s)
        if isinstance(event, Placed) and event.cell is not None:
            return replace(event, confidence=0.5, alternatives=(("a1", 0.25), ("e5", 0.25)))
        return event

    table._detector.next_event = next_event
    return table
