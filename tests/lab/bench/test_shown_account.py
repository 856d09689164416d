"""Trace, film and tension held against the tower: true ones agree, each wrong one is named."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lab.bench.observed import Mark, Run, TowerSignals
from lab.bench.running import play
from lab.bench.scenario_files import read
from lab.bench.shown_account import _tilt_off, shown_differs
from tests.lab.bench.spoiling import Document, spoilt

CASE = """about: Pieces on one side, a while to look at them, and a fall.
drawn: 0
restarts: no
steps:
  - turns: [6 e4, 6 d4, 6 e4, 6 d4, 6 e3]
  - wait: 20
  - roll: 6
  - {place: e4, pause: 0.3}
  - {knock_off: e4, pause: 6}
"""


@pytest.fixture(scope="module")
def true() -> Run:
    return play(read(CASE, "case", "case.yaml")[0])


def _pair(turn: Callable[[float, float], tuple[float, float]], key: str) -> Any:
    def changed(document: Document) -> bool:
        pairs = document[key]
        many = isinstance(pairs[0], list)
        document[key] = [turn(*pair) for pair in pairs] if many else turn(*pairs)
        return True

    return changed


def _swapped_cells(point: Document) -> bool:
    one, two, *others = point["cells_g"]
    point["cells_g"] = [two, one, *others]
    return True


def _tension(**change: Any) -> Callable[[Document], bool]:
    def changed(state: Document) -> bool:
        if state["tension"] is not None:
            state["tension"] |= change
        return True

    return changed


def _in_radians(state: Document) -> bool:
    if state["tension"] is not None:
        state["tension"]["tilt_deg"] = math.radians(state["tension"]["tilt_deg"])
    return True


WRONG = {
    "a wrong sign in the trace": ("trace", _pair(lambda x, y: (-x, y), "tilt_deg"), "tilt_deg[0]"),
    "radians in the trace": (
        "trace", _pair(lambda x, y: (math.radians(x), math.radians(y)), "tilt_deg"), "tilt_deg[",
    ),
    "swapped axes in the trace": ("trace", _pair(lambda x, y: (y, x), "tilt_deg"), "tilt_deg["),
    "swapped load cells": ("trace", _swapped_cells, "trace: cells_g[0]"),
    "a sum that is none": ("trace", lambda p: p.update(mass_g=1.0) is None, "trace: mass_g[0]"),
    "a wrong sign in the film": ("film", _pair(lambda x, y: (x, -y), "tilt_deg"), "film: tilt_deg"),
    "the film of another event": ("film", lambda f: f.update(seq=1) is None, "film: of event 1"),
    "a film in which another board stood": (
        "film", lambda f: f["before"].update(stacks={"a1": ["red"]}) is None, "film: before it",
    ),
    "a steepest tilt that no frame has": (
        "film", lambda f: f.update(steepest_deg=0.1) is None, "film: steepest_deg is 0.1",
    ),
    "radians in tension": ("state", _in_radians, "state: tension.tilt_deg"),
    "tension outside its limits": ("state", _tension(low=0.9, value=0.2), "state: tension is"),
}  # fmt: skip


@pytest.mark.slow
def test_what_a_true_table_shows_is_so(true: Run) -> None:
    assert true.signals is not None
    assert {"trace", "film"} <= {message.suffix for message in true.sent}
    assert shown_differs(true) == ()


@pytest.mark.slow
@pytest.mark.parametrize("what", WRONG)
def test_what_is_not_so_is_named(true: Run, what: str) -> None:
    suffix, change, words = WRONG[what]
    wrong = replace(true, sent=spoilt(true.sent, suffix, change))

    assert words in "; ".join(shown_differs(wrong))
    disturbed = replace(wrong, marks=(Mark(1.0, "unplugged cell C0", "fault"),))
    assert shown_differs(disturbed) == ()
    assert shown_differs(replace(wrong, signals=None)) == ()


FRAME_S = 0.025


@pytest.mark.parametrize(
    ("late_s", "sign", "is_so"),
    [(0.02, 1, True), (-0.02, 1, True), (0.1, 1, False), (0.0, -1, False)],
)
def test_a_film_of_a_board_that_swings_may_be_a_frame_off_and_no_more(
    late_s: float, sign: int, is_so: bool
) -> None:
    def tilt_deg(t_s: Any) -> Any:
        return np.column_stack([np.sin(8.0 * t_s), np.cos(8.0 * t_s)]) * 10.0

    long_s, t_s = np.arange(0.0, 6.0, 0.01), np.arange(1.0, 5.0, FRAME_S)
    true = TowerSignals(long_s, np.zeros((len(long_s), 4)), tilt_deg(long_s))
    shown = sign * tilt_deg(t_s - late_s)

    assert (not [*_tilt_off("film", shown, true, t_s.tolist(), FRAME_S)]) is is_so
    assert [*_tilt_off("film", shown, true, t_s.tolist())]
