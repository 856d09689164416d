from dataclasses import replace

import numpy as np
import pytest

from lab.fit.evening import Raw
from lab.fit.hands import LATE_S, contacts, fitted
from tests.lab.fit.evenings import TICKS, Truth, swung_evening, with_hands


def test_a_hand_is_as_long_and_as_heavy_as_it_was() -> None:
    evening = with_hands(swung_evening(Truth()), 0.4, 10.0)
    found = {each.name: each for each in fitted(evening)}

    assert found["contact_s_typical"].value + LATE_S == pytest.approx(0.425, abs=0.03)
    assert found["press_g_most_typical"].value == pytest.approx(10.3, abs=0.6)
    assert found["turn_s_typical"].value == pytest.approx(TICKS * 0.025, abs=0.01)


def test_without_placements_there_are_no_hands() -> None:
    evening = swung_evening(Truth())

    assert list(contacts(evening)) == []
    assert "15 placements" in fitted(evening)[0].note


def test_a_shaken_table_rings_at_its_frequency() -> None:
    evening = swung_evening(Truth(friction_deg=1.0))
    accel = evening.accel.values.copy()
    for first in range(8 * TICKS // 2, len(accel) - 80, 8 * TICKS):
        since = np.arange(60) / 320
        accel[first : first + 60, 2] += 0.3 * np.sin(2 * np.pi * 12 * since) * np.exp(-since / 0.1)
    shaken = replace(evening, accel=Raw(evening.accel.t_s, accel))
    found = {each.name: each for each in fitted(shaken)}

    assert found["ring_hz_typical"].value == pytest.approx(12.0, abs=1.5)
    assert found["shakes_per_min"].low > 10.0
