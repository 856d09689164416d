"""The benchmark of the fit counts what it says, and its tables are what they are said to be."""

import numpy as np
import pytest
from rich.console import Console

from lab.fit.estimates import Estimate, missing
from lab.fit.fit import fitted
from lab.twin.parameters import preset_parameters
from tests.benchmarks import fit
from tests.lab.fit.evenings import Truth, swung_evening

SEEN = Estimate("friction_band_deg", 0.14, 0.12, 0.16, 20)


def test_only_what_was_seen_and_is_known_is_judged() -> None:
    found = [SEEN, missing("seat_step_mm", 0, "clearings"), Estimate("press_g_typical", 1, 0, 2, 9)]
    (judged,) = fit.judged(found, {"friction_band_deg": 0.17, "seat_step_mm": 0.02})

    assert not judged.hit
    assert judged.off == pytest.approx(-0.03 / (0.02 / 1.645))


def test_coverage_is_counted_for_each_figure_and_for_all() -> None:
    evenings = [fit.judged([SEEN], {SEEN.name: truth}) for truth in (0.13, 0.14, 0.2)]
    console = Console(width=120, record=True)
    console.print(fit.sheet("Twins", evenings))
    words = " ".join(console.export_text().split())

    assert "friction_band_deg 3/3 2/3 21 to 94 %" in words
    assert "all 3/3 2/3" in words


def test_a_truth_has_names_that_are_fitted() -> None:
    names = {each.name for found in fitted(swung_evening(Truth(), 0, 8)).values() for each in found}

    assert set(fit.truth_of(preset_parameters("calm"))) <= names


def test_hands_of_a_truth_file_are_told_without_what_was_nudged() -> None:
    entries = [
        {"type": "place", "mode": None, "t_contact": t, "t_release": t + 0.4, "mass": 3.0,
         "offset": [2.0, -2.0], "seat": [0.01 * number, 0.0]}
        for number, t in enumerate((1.0, 5.0, 9.0))
    ]  # fmt: skip
    entries.append({**entries[0], "mode": "nudged", "t_release": 9.0})
    truth = fit.truth_of_hands(entries, 180.0)

    assert truth["contact_s_typical"] == pytest.approx(0.4)
    assert truth["place_scatter_mm"] == pytest.approx(np.hypot(2.0, 60 * 0.005 / 0.6745), rel=0.01)
    assert fit.truth_of_hands(entries[:1], 180.0) == {}
