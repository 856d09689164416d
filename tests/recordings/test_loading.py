"""A real scale while coffee is poured and stirred: a table of it is well, and the twin like it."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from engine.samples import Floats, ScaleSamples
from hw.source import play
from lab.people.simulation import SimulatedEvening
from tests.planted_tables import PATHS
from tests.recordings.signals import COFFEE_COUNTS_PER_GRAM, COFFEE_HZ, coffee
from tests.recordings.tables import RealCell, live, recorded_table
from tests.soaked import soaked

pytestmark = pytest.mark.recordings_apart

POURED_S = ((11.5, 15.5), (57.0, 62.0), (82.0, 87.0), (102.0, 107.0), (122.0, 127.5))
HAND_G, SETTLED_G = 4.0, 0.5
"""A step from one conversion to the next is a hand's; from where it comes to rest, no hand's."""
APART_S = 0.5
LEAST_STEPS = 4


def brewed() -> tuple[Floats, Floats]:
    """Times and load, g."""
    t_s, counts = coffee("brew")
    return t_s, (counts - np.median(counts[:100])) / COFFEE_COUNTS_PER_GRAM


@dataclass(frozen=True)
class Handled:
    """What hands do to a load, as a chip at 11.65 SPS shows it.

    Attributes:
        largest_g: from one conversion to the next, of the middle one of the hands.
        most_g: of all hands.
        wavers_hz: turns of the load up and down.
        settles: conversions from the last of its steps until the load is where it stays.
    """

    largest_g: float
    most_g: float
    wavers_hz: float
    settles: float


def handled(t_s: Floats, load_g: Floats) -> Handled:
    steps = np.diff(load_g)
    fast = np.flatnonzero(np.abs(steps) > HAND_G)
    hands = np.split(fast, np.flatnonzero(np.diff(t_s[fast]) > APART_S) + 1)
    largest, wavers, settles = [], [], []
    for each in hands:
        first, last = each[0], each[-1]
        after = load_g[last + 1 : last + 25]
        if last - first + 1 < LEAST_STEPS or len(after) < 12:
            continue
        moved = steps[first : last + 1]
        largest.append(np.abs(moved).max())
        turns = np.count_nonzero(np.diff(np.sign(moved)))
        wavers.append(turns / 2 / (t_s[last] - t_s[first]))
        off = np.abs(after[:12] - np.median(after[6:12])) > SETTLED_G
        settles.append(np.flatnonzero(off)[-1] + 1 if off.any() else 0)
    largest_g, wavers_hz, settling = map(np.median, (largest, wavers, settles))
    return Handled(float(largest_g), max(largest), float(wavers_hz), float(settling))


def played_by_the_twin(seed: int, seconds: float) -> tuple[Floats, Floats]:
    """The weight on a normal table while people play, as such a chip would convert it."""
    evening = SimulatedEvening.begin(seed, "normal")
    rows = [i for i in play(evening, 1.0, seconds) if isinstance(i, ScaleSamples)]
    t_s = np.concatenate([row.t_s for row in rows])
    weight_g = np.concatenate([row.mass_g.sum(axis=1) for row in rows])
    ends = np.searchsorted(t_s, np.arange(t_s[0], t_s[-1], 1 / COFFEE_HZ))
    means = [np.nanmean(weight_g[a:b]) for a, b in pairwise(ends)]
    return t_s[ends[:-1]], np.array(means)


@pytest.mark.slow
def test_hands_of_the_twin_are_as_fast_as_a_real_one_on_a_scale() -> None:
    """That one stirs: no hand that places is rougher, but some at the twin are as rough."""
    real, twin = handled(*brewed()), handled(*played_by_the_twin(31, 150.0))

    assert twin.largest_g < real.largest_g < twin.most_g
    assert twin.wavers_hz == pytest.approx(real.wavers_hz, rel=0.5)
    assert twin.settles <= real.settles + 1


def test_what_is_poured_comes_slower_than_any_hand_and_is_noisier_than_rest() -> None:
    t_s, load_g = brewed()
    for begin_s, end_s in POURED_S:
        while_s = (t_s > begin_s) & (t_s < end_s)
        load, at_s = load_g[while_s], t_s[while_s]
        risen = (load - load[0]) / (load[-1] - load[0])
        rising = (risen > 0.1) & (risen < 0.9)
        curve = np.polyval(np.polyfit(at_s[rising], load[rising], 3), at_s[rising])

        assert 2.0 < at_s[rising][-1] - at_s[rising][0] < 3.4
        assert load.max() - load[-1] < 1.0
        assert 0.4 < (load[rising] - curve).std() < 0.8
        assert np.abs(np.diff(load)).max() < HAND_G


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("seconds", soaked((24.0, 310.0), but=(24.0,)))
def test_no_cell_is_called_ill_because_loads_come_and_a_hand_stirs(
    path: str, seconds: float
) -> None:
    """Of four that stand under one plate, with the load in its middle."""
    cell = RealCell(coffee("brew")[1], COFFEE_HZ, 4 * COFFEE_COUNTS_PER_GRAM)
    said = live(recorded_table(path, [cell] * 4), seconds)

    assert said.troubles == set()
    assert said.healths[-1]["sensors"]["scale.0"]["rate_hz"] == pytest.approx(COFFEE_HZ, abs=0.15)
