from dataclasses import replace

import numpy as np
import pytest

from lab.fit.evening import Content, load_of
from tests.lab.fit.evenings import PLAIN, TICKS, Truth, swung_evening


def test_a_run_never_spans_two_contents() -> None:
    evening = swung_evening(Truth(), swings=4)
    cut_s = float(evening.t_s[150])
    contents = (Content(-np.inf, cut_s, (), 0, 0), Content(cut_s, 99.0, ("c3",), 0, 1))
    runs = list(replace(evening, contents=contents).runs(evening.free, 10))

    assert [(run.start, run.stop) for run in runs] == [
        (1, TICKS), (101, 150), (150, 200), (201, 300), (301, 400)
    ]  # fmt: skip


def test_nobody_knows_what_lies_there_after_a_fall() -> None:
    evening = swung_evening(Truth(), swings=4)
    fallen = replace(evening, contents=(Content(-np.inf, 99.0, None, 0, 3),))

    assert fallen.load(slice(0, 10)) is None


def test_stacked_pieces_raise_the_moment() -> None:
    table = PLAIN.tabletop()
    mass_g, moment_z, inertia = load_of(table, ("a1", "a1"))

    assert mass_g == pytest.approx(2 * table.piece.mass_mean_g)
    lower = load_of(table, ("a1",))[1] - table.empty_moment_gmm[2]
    assert moment_z - table.empty_moment_gmm[2] > 2 * lower
    assert inertia[0, 0] > 0 > inertia[0, 1]
