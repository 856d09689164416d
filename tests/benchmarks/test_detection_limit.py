"""The Monte Carlo of the idealised limit gives the figures that were worked out apart from us."""

import numpy as np
import pytest

from tests.benchmarks.detection_limit import limit, preset_limit

PUBLISHED = ((0.15, 1.0), (0.3, 0.979), (0.5, 0.775))
"""docs/traces.md: friction band in degrees, share of right cells of 25."""


@pytest.mark.parametrize(("band_deg", "published"), PUBLISHED)
def test_friction_alone_explains_the_published_limit(band_deg: float, published: float) -> None:
    found = limit(np.random.default_rng(5), np.full(20_000, band_deg), offset_mm=2.5)

    assert found.untold == pytest.approx(published, abs=0.01)


def test_knowing_the_die_helps_and_so_do_later_rests() -> None:
    one, three = preset_limit("rough", 5000), preset_limit("rough", 5000, rests=3)

    assert one.told > one.untold + 0.05
    assert three.untold > one.untold + 0.05
    assert three.told > three.untold


def test_a_pivot_without_friction_leaves_nothing_to_guess() -> None:
    found = limit(np.random.default_rng(5), np.zeros(2000), offset_mm=1.0)

    assert found.untold == found.told == 1.0
