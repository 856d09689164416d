"""Every way of people and every odd table that detection is measured on is there and is odd."""

import numpy as np
import pytest

from lab.people.ways import USUAL
from lab.twin.drawing import draw
from lab.twin.parameters import preset_parameters
from tests.benchmarks.detection_kinds import (
    KINDS,
    ODD,
    ODD_TABLES,
    OTHER_PEOPLE,
    fitted_kind,
    group_of,
)

PLAIN = preset_parameters("normal")


@pytest.mark.parametrize("name", ODD_TABLES)
def test_an_odd_table_differs_from_the_plain_one_or_something_goes_wrong_with_it(name: str) -> None:
    odd = ODD_TABLES[name]

    assert odd.change(PLAIN) != PLAIN or odd.faults


def test_usual_people_sit_at_odd_tables_and_other_people_at_usual_ones() -> None:
    for kind in KINDS:
        assert (kind.ways != USUAL) == (kind.group == OTHER_PEOPLE)
        assert (kind.name in ODD_TABLES) == (kind.group == ODD)


def test_a_fitted_table_is_the_same_every_evening_but_for_what_its_owner_measured() -> None:
    kind, rng = fitted_kind(PLAIN), np.random.default_rng(1)
    first, second = (kind.odd.change(draw(rng, "rough")) for _ in range(2))

    assert group_of(kind.name) == ODD
    assert first.body == second.body == PLAIN.body
    assert first.calibration != second.calibration
