from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.workshop.calibrate.core.steps import StepLook, StepState
from controller.workshop.calibrate.core.zeroing import LONGEST_S, ZeroWatch
from hw.source import samples_of
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower

PLAIN = preset_parameters("normal")


def watched(tower: Tower, seconds: float) -> tuple[ZeroWatch, StepLook]:
    zero, look, now_s = ZeroWatch(PLAIN.calibration), StepLook(StepState.WAITING, ""), tower.now_s
    end_s = now_s + seconds
    while now_s < end_s and look.state is not StepState.DONE:
        now_s += 0.1
        for item in samples_of(tower.poll(now_s)):
            zero.feed(item)
        look = zero.look()
    return zero, look


def test_an_empty_table_has_its_new_zero_within_ten_seconds() -> None:
    tares = (200_000.0, 204_000.0, 200_000.0, 200_000.0)
    wandered = replace(PLAIN, scale=replace(PLAIN.scale, tare_counts=tares))
    tower = Tower(wandered, 3)

    zero, look = watched(tower, LONGEST_S)

    assert look.state is StepState.DONE, look.text
    assert zero.seconds <= LONGEST_S
    assert zero.calibration is not None
    assert zero.calibration.scale.tare_counts == pytest.approx(tares, abs=150)
    assert zero.calibration.scale.counts_per_gram == PLAIN.calibration.scale.counts_per_gram


def piece(tower: Tower) -> None:
    tower.place("e1")
    tower.poll(9.0)


@pytest.mark.parametrize(
    ("lay", "words"),
    [(piece, "on the board"), (lambda t: t.put_weight(150.0, 60.0, 60.0), "take everything off")],
    ids=["a piece on the board", "a heavy thing on the plate"],
)
def test_what_lies_there_is_not_taken_for_nothing(lay: Callable[[Tower], None], words: str) -> None:
    tower = Tower(PLAIN, 3)
    lay(tower)

    zero, look = watched(tower, LONGEST_S)

    assert look.state is StepState.WRONG
    assert words in look.text
    assert zero.calibration is None
