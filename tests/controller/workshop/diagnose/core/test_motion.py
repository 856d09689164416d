from dataclasses import replace

import pytest

from controller.workshop.diagnose.core.figures import imu_figures
from controller.workshop.diagnose.core.findings import Severity
from controller.workshop.diagnose.core.motion import (
    PivotFigures,
    imu_findings,
    panel_findings,
    pivot_findings,
)
from engine.samples import SensorReport
from hw.source import ImuService
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, rest


def kinds(*faults: str, warm_c: float | None = None) -> list[str]:
    stretch = rest(*faults)
    imu = imu_figures(stretch, CALIBRATION, warm_c)
    return [finding.kind for finding in imu_findings(stretch, CALIBRATION, imu)]


@pytest.mark.parametrize(
    ("faults", "found"),
    [
        ((), []),
        pytest.param(("imu wrong scale 2",), ["imu_wrong_scale"], marks=pytest.mark.slow),
        (("imu turned 90",), ["imu_axes"]),
        pytest.param(("imu turned 12",), ["imu_mounting"], marks=pytest.mark.slow),
        pytest.param(("imu turned 2",), [], marks=pytest.mark.slow),
        (("gyro bias 5",), ["gyro_bias"]),
        pytest.param(("gyro bias 0.3",), [], marks=pytest.mark.slow),
    ],
)
def test_each_fault_of_the_inertial_sensor_has_its_name_from_its_limit_on(
    faults: tuple[str, ...], found: list[str]
) -> None:
    """`test_examine.py` has the other faults on tables drawn widely."""
    assert kinds(*faults) == found


@pytest.mark.slow
def test_the_wrong_range_is_named_and_a_gyroscope_beyond_the_data_sheet_is_broken() -> None:
    ranged, broken = (
        imu_findings(stretch, CALIBRATION, imu_figures(stretch, CALIBRATION))
        for stretch in (rest("imu wrong scale 0.5"), rest("gyro bias 40"))
    )

    assert "+-4 g" in ranged[0].sentence
    assert broken[0].severity is Severity.FAULT


@pytest.mark.parametrize(("warm_c", "found"), [(31.0, []), (140.0, ["imu_temperature"])])
def test_an_impossible_temperature_is_found(warm_c: float, found: list[str]) -> None:
    assert kinds(warm_c=warm_c) == found


@pytest.mark.parametrize(
    ("pivot", "severity"),
    [
        (None, None),
        (PivotFigures(0.14, 0.02), None),
        (PivotFigures(0.45, 0.05), Severity.NOTE),
        (PivotFigures(1.2, 0.1), Severity.WARNING),
        (PivotFigures(1.2, 0.9), None),
    ],
)
def test_a_rough_pivot_is_found_once_it_is_certain(
    pivot: PivotFigures | None, severity: Severity | None
) -> None:
    found = pivot_findings(pivot)

    assert [f.severity for f in found] == ([severity] if severity else [])


def test_a_panel_that_cannot_be_used_is_named_with_what_to_check() -> None:
    absent = SensorReport(1.0, "panel", ok=False, reason="No buttons; look at the group gpio")
    stuck = SensorReport(1.0, "button.pass", ok=False, reason="The pass button is down; free it")
    freed = SensorReport(2.0, "button.pass", ok=True)

    (found,) = panel_findings(replace(rest(), reports=(absent, stuck, freed)))
    assert (found.sensor, found.sentence, found.check) == (
        "panel", "No buttons; look at the group gpio", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [(9, 11, []), (9, 12, ["imu_bus_errors"]), (9, 1, []), (9, 3, ["imu_bus_errors"])],
)
def test_reads_that_fail_are_counted_from_a_restart_of_the_reader_on(
    before: int, after: int, found: list[str]
) -> None:
    stretch = rest()
    imu = imu_figures(stretch, CALIBRATION)
    counted = ImuService(before), ImuService(after)

    assert [f.kind for f in imu_findings(stretch, CALIBRATION, imu, *counted)] == found
