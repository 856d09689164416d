import numpy as np
import pytest

from controller.workshop.diagnose.core.cells import cell_findings, rate_finding
from controller.workshop.diagnose.core.figures import cell_figures
from controller.workshop.diagnose.core.findings import Finding, Severity
from engine.samples import SensorReport
from hw.stretch import Stretch, gather
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, rest, tower


def findings(stretch: Stretch, *, common_noise: bool = False) -> list[Finding]:
    cells = [cell_figures(stretch, CALIBRATION, cell) for cell in range(4)]
    return cell_findings(stretch, CALIBRATION, cells, common_noise=common_noise)


def kinds(stretch: Stretch) -> list[tuple[str, str]]:
    return [(finding.kind, finding.sensor) for finding in findings(stretch)]


@pytest.mark.parametrize(
    ("faults", "found"),
    [
        (["saturated cell C0"], [("cell_saturated", "scale.0")]),
        pytest.param(
            ["stuck dout low cell C3"], [("dout_stuck_low", "scale.3")], marks=pytest.mark.slow
        ),
        (["wrong rate cell C1"], [("wrong_rate", "scale.1")]),
        pytest.param(
            ["saturated cell C0", "stuck cell C2"],
            [("cell_saturated", "scale.0"), ("cell_stuck", "scale.2")],
            marks=pytest.mark.slow,
        ),
        # What all cells share is said once.
        ([f"noisy cell {cell}" for cell in (1, 2, 3, 4)], [("cell_noisy", "scale")]),
        (["no scale"], [("scale_silent", "scale")]),
        ([], []),
    ],
)
def test_broken_cells_are_named_each_with_one_finding(
    faults: list[str], found: list[tuple[str, str]]
) -> None:
    """`test_examine.py` has each fault on tables drawn widely."""
    assert kinds(rest(*faults)) == found


def test_a_scale_that_fell_silent_is_not_called_good() -> None:
    table = tower()
    items = table.poll(5.0)

    assert kinds(gather(items, 0.0, 10.0)) == [("scale_silent", "scale")]


def test_what_a_source_says_about_a_cell_is_passed_on_until_it_is_back() -> None:
    said = SensorReport(1.0, "scale.1", ok=False, reason="HX711 2 has 6 V. Check its regulator.")
    stretch, back = rest(), SensorReport(2.0, "scale.1", ok=True)

    lost = findings(gather([stretch.scale, stretch.imu, said], 0.0, 10.0))
    assert lost[0].sentence == said.reason
    assert findings(gather([stretch.scale, stretch.imu, said, back], 0.0, 10.0)) == []


def test_noise_of_all_cells_together_is_not_told_of_each() -> None:
    stretch = rest("noisy cell C1")

    assert findings(stretch, common_noise=True) == []


def test_lost_conversions_are_found() -> None:
    stretch = rest()
    keep = np.arange(len(stretch.scale.t_s)) % 10 != 0
    scale = type(stretch.scale)(
        stretch.scale.t_s[keep],
        stretch.scale.mass_g[keep],
        stretch.scale.raw[keep],
        stretch.scale.valid[keep],
    )

    assert kinds(gather([scale, stretch.imu], 0.0, 10.0)) == [("conversions_missed", "scale")]


@pytest.mark.parametrize(
    ("rate_hz", "strapped_hz", "severity"),
    [
        (10.5, 10, None),
        (10.8, 10, None),
        (11.68, 10, Severity.NOTE),
        (82.02, 80, None),
        (93.7, 80, Severity.NOTE),
        (97.0, 80, Severity.FAULT),
        (62.0, 80, Severity.FAULT),
        (10.5, 80, Severity.FAULT),
        (82.0, 10, Severity.FAULT),
        (float("nan"), 80, None),
    ],
)
def test_rates_of_real_chips_pass_and_the_wrong_strap_does_not(
    rate_hz: float, strapped_hz: float, severity: Severity | None
) -> None:
    found = rate_finding(1, rate_hz, strapped_hz)

    assert (found.severity if found else None) is severity
    if found and (rate_hz, strapped_hz) == (10.5, 80):
        assert "RATE strap were on 10" in found.sentence
        assert "RATE pin" in found.check
