from dataclasses import replace

import numpy as np
import pytest

from lab.fit.cells import fitted
from lab.fit.evening import Raw
from tests.lab.fit.evenings import Truth, swung_evening


@pytest.mark.slow
def test_the_wander_of_the_cells_is_found_again_as_often_as_its_interval_says() -> None:
    hits = []
    for seed, drift_g in enumerate(np.linspace(0.005, 0.03, 10).tolist()):
        found = fitted(swung_evening(Truth(drift_g=drift_g), seed, swings=20))[0]
        hits.append(found.low <= drift_g <= found.high)

    assert sum(hits) >= 7


def test_warmth_is_told_from_wander() -> None:
    still = fitted(swung_evening(Truth(drift_g=0.005)))[1]
    warm = fitted(swung_evening(Truth(drift_g=0.005, warmth_g_min=2.0)))[1]

    assert still.name == "weight_drift_g_per_min"
    assert still.low < 0.0 < still.high
    assert warm.low < 2.0 < warm.high
    assert warm.low > 0.0


def test_creep_needs_a_load() -> None:
    creep = fitted(swung_evening(Truth()))[2]

    assert not creep.seen
    assert "100 g or more" in creep.note


def test_a_dead_load_cell_gives_no_wander() -> None:
    evening = swung_evening(Truth())
    grams = evening.scale.values.copy()
    grams[:, 2] = np.nan

    found = fitted(replace(evening, scale=Raw(evening.scale.t_s, grams)))

    assert not any(each.seen for each in found)
