"""What the rest of an uncalibrated table tells, and what it cannot."""

from dataclasses import replace

import numpy as np
import pytest

from controller.workshop.diagnose.core.findings import Finding, Severity
from controller.workshop.diagnose.core.presses import CellPress
from controller.workshop.diagnose.core.provisional import forgiven, provisional, restated, unweighed
from hw.building.design import drawn_table
from hw.stretch import NO_IMU, NO_SCALE, Stretch

DRAWN = drawn_table()
TARE = (120_000, -40_000, 7, 250_000)


def rest(accel: tuple[int, int, int] = (0, 0, 16384), saturated: int | None = None) -> Stretch:
    t_s = np.arange(400) * 0.0125
    counts = np.array(TARE) + np.arange(400)[:, None] % 3 - 1
    if saturated is not None:
        counts[:, saturated] = 2**23 - 1
    raw = np.tile([*accel, 131, -262, 0], (400, 1))
    return Stretch(
        0.0, 5.0, DRAWN.scale_samples(t_s, counts), DRAWN.imu_samples(t_s, raw.astype(np.int32))
    )


def test_zeros_and_the_gyroscope_at_rest_are_taken_from_the_rest() -> None:
    found = provisional(DRAWN, rest())

    assert found.scale.tare_counts == pytest.approx(TARE, abs=1)
    assert found.scale.counts_per_gram == DRAWN.scale.counts_per_gram
    assert found.imu.gyro_bias_dps == pytest.approx((1.0, -2.0, 0.0))


@pytest.mark.parametrize(
    ("accel", "believed"),
    [((800, 0, 17000), True), ((0, 16384, 0), False), ((0, 0, -16384), False)],
)
def test_a_small_offset_is_the_chips_and_a_large_one_its_mounting(
    accel: tuple[int, int, int], believed: bool
) -> None:
    found = provisional(DRAWN, rest(accel))
    felt_g = restated(rest(accel), found).imu.accel_g[0]

    assert (found.imu.accel_bias_g != DRAWN.imu.accel_bias_g) is believed
    assert (felt_g == pytest.approx((0, 0, 1))) is believed


def test_what_says_nothing_keeps_the_drawings_zero() -> None:
    dead = replace(rest(), scale=NO_SCALE, imu=NO_IMU)

    assert provisional(DRAWN, dead) == DRAWN
    assert provisional(DRAWN, rest(saturated=2)).scale.tare_counts[2] == 0.0


def test_a_known_weight_on_uncalibrated_cells_is_only_a_press() -> None:
    found = unweighed(CellPress(1, rest(), 100.0), provisional(DRAWN, rest()))

    assert found.weight_g is None
    assert found.stretch.scale.mass_g[0] == pytest.approx([0.0] * 4, abs=0.01)


def test_a_turned_sign_is_forgiven_and_nothing_else() -> None:
    turned = Finding(Severity.FAULT, "scale.1", "wires_swapped", "a", "b")
    stuck = Finding(Severity.FAULT, "scale.2", "cell_stuck", "a", "b")
    first, second = forgiven([turned, stuck])

    assert (first.severity, second) == (Severity.NOTE, stuck)
    assert "No harm" in first.check
