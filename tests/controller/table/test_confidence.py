import json
from typing import Any

import pytest

from controller.table.confidence import KEPT, ConfidenceTracker
from controller.table.pipeline import Output
from engine.events import HumanInput, Placed
from engine.referee import RefereeState
from tests.controller.evenings import PLACED, START, Evening, samples
from tests.outcomes import outcome

STATE = RefereeState()


def seen(ref: int, confidence: float = 0.98, status: str = "provisional") -> Output:
    cause = Placed(ref, 1.0, 1.2, "c3", confidence)
    data = {"ref": ref, "cell": "c3", "status": status}
    return Output(cause, STATE, STATE, (outcome(ref, 1.2, "placed", "Ann", data),))


def word(ref: int, verb: str = "correct", cell: str | None = "d3") -> Output:
    data: dict[str, Any] = {"ref": ref, "was": "c3", "cell": cell}
    return Output(
        HumanInput(2.0, verb), STATE, STATE, (outcome(99, 2.0, "corrected", "Ann", data),)
    )


def watching(*outputs: Output) -> ConfidenceTracker:
    watch = ConfidenceTracker()
    for output in outputs:
        watch.output(output)
    return watch


def test_before_the_first_placement_nothing_is_claimed() -> None:
    document = ConfidenceTracker().document()

    assert (document.placements, document.mean_confidence, document.recalibrate) == (0, None, False)


def test_what_was_to_be_expected_stands_beside_what_came_of_it() -> None:
    document = watching(seen(1, 0.9), seen(2, 0.7, "asked"), word(2, "answer")).document()

    assert (document.placements, document.asked, document.corrected) == (2, 1, 1)
    assert document.mean_confidence == pytest.approx(0.8)
    assert document.expected_wrong == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("words", "corrected"),
    [([word(1, "answer", cell="c3")], 0), ([word(1), word(1, cell=None)], 1)],
    ids=["an answer that agrees", "corrected twice"],
)
def test_a_placement_is_corrected_once_at_most(words: list[Output], corrected: int) -> None:
    assert watching(seen(1), *words).document().corrected == corrected


@pytest.mark.parametrize(
    ("placements", "corrected", "advised"),
    [(50, 3, True), (50, 2, False), (19, 3, False), (20, 3, True)],
)
def test_calibration_is_advised_when_people_correct_often_enough_to_tell(
    placements: int, corrected: int, advised: bool
) -> None:
    outputs = [seen(ref) for ref in range(placements)] + [word(ref) for ref in range(corrected)]

    assert watching(*outputs).document().recalibrate is advised


def test_the_advice_goes_away_when_the_table_sees_well_again() -> None:
    bad = [seen(ref) for ref in range(KEPT)] + [word(ref) for ref in range(10)]
    good = [seen(ref) for ref in range(100, 100 + KEPT)]

    assert watching(*bad).document().recalibrate is True
    assert watching(*bad, *good).document().recalibrate is False


def test_a_real_correction_at_the_table_is_counted_in_its_health() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), events=(PLACED,))
    evening.step(6.0)
    ref = evening.table.board.last.ref if evening.table.board.last else None
    evening.command("correct", id="c1", data={"ref": ref, "nothing": True})
    evening.step(7.0)
    evening.step(60.0)
    health = evening.wire.last("health")

    assert (health["sureness"]["placements"], health["sureness"]["corrected"]) == (1, 1)
    assert json.dumps(health)
