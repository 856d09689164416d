"""Why something was missed: what people did and what the table believed, in words."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.detection_figures import Miss
from tests.benchmarks.detection_games import Event, Game, Replayed
from tests.benchmarks.detection_reasons import GameSignals, reasons

PLACE: Event = {"type": "place", "t": 50.0, "cell": "c3", "level": 1, "k": 0}
FALL: Event = {
    "type": "topple", "t": 50.0, "t_detectable": 51.0, "kind": "off_stack", "cause": "bump",
    "fallen": 2, "off_board": 0,
}  # fmt: skip


def why(truth: list[Event], events: list[Event], sort: str = "missed", **heard: Any) -> str:
    game = Game("g", "twin", "calm", Path(), Path(), "made up", "lively")
    run = Replayed(game, events, truth, 0.0, 90.0)
    signals = GameSignals(**heard) if heard else None
    return "; ".join(reasons(Miss(sort, 50.0, "words", run), signals))


def weight(*steps: tuple[float, float]) -> dict[str, Any]:
    """Signals of a table that weighs as the last (time, grams) before says."""
    t_s = np.arange(0.0, 90.0, 0.0125)
    which = np.searchsorted([begin for begin, _ in steps], t_s, side="right") - 1
    grams = np.array([g for _, g in steps])[np.maximum(which, 0)]
    return {"scale": np.column_stack((t_s, grams)), "imu": np.zeros((0, 3))}


def test_a_table_that_waits_for_an_empty_board_says_so() -> None:
    toppled: Event = {"type": "toppled", "t": 20.0, "decided": 22.0, "kind": "off_board"}
    cleared: Event = {"type": "cleared", "t": 30.0, "decided": 31.0}

    assert "since 22.0 s, for a topple that was none" in why([PLACE], [toppled])
    fell = {**FALL, "t": 19.5}
    empty: Event = {"type": "cleared", "t": 29.0}
    assert "did not notice that it was empty" in why([fell, empty, PLACE], [toppled])
    assert "waited" not in why([fell, empty, PLACE], [toppled, cleared])


def test_what_people_did_there_is_told_and_what_they_did_elsewhere_is_not() -> None:
    hand: Event = {
        "type": "touch", "t": 47.0, "target": "base", "grams": 640.0, "dur": 4.0, "hand": True,
    }  # fmt: skip
    far: Event = {"type": "bump", "t": 20.0, "target": "walk", "n": 4, "amp": 0.3}
    words = why([far, hand, PLACE], [])

    assert "a hand of 640 g on the base plate (-3.0 to +1.0 s)" in words
    assert "walked" not in words


def test_a_topple_that_was_decided_too_late_is_told_with_its_lateness() -> None:
    late: Event = {"type": "toppled", "t": 58.5, "decided": 59.4, "kind": "off_stack"}
    gone: Event = {"type": "dismissed", "ref": 3, "decided": 52.0}
    words = why([FALL], [gone, late], "topple unseen")

    assert "decided 9.4 s after it fell, for 58.5 s" in words
    assert "suspected, and dismissed 2.0 s after it fell" in words
