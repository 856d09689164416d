from math import nan

from controller.workshop.diagnose.core.findings import (
    Diagnosis,
    Finding,
    ImuFigures,
    Severity,
    worst_first,
)

IMU = ImuFigures(nan, nan, nan, nan, (nan, nan, nan), nan, 0)


def finding(severity: Severity, kind: str) -> Finding:
    return Finding(severity, "imu", kind, "It is so.", "Look there.")


def diagnosis(*severities: Severity) -> Diagnosis:
    found = [finding(severity, str(number)) for number, severity in enumerate(severities)]
    return Diagnosis(worst_first(found), (), IMU, 10.0)


def test_the_worst_comes_first_and_equals_keep_their_order() -> None:
    found = diagnosis(Severity.NOTE, Severity.WARNING, Severity.FAULT, Severity.WARNING)

    assert [f.kind for f in found.findings] == ["2", "1", "3", "0"]


def test_notes_leave_a_table_healthy() -> None:
    assert diagnosis(Severity.NOTE).healthy
    assert diagnosis().verdict == "The table is healthy."


def test_the_verdict_counts_what_is_wrong() -> None:
    found = diagnosis(Severity.FAULT, Severity.WARNING, Severity.WARNING, Severity.NOTE)

    assert not found.healthy
    assert found.verdict == (
        "The table is not healthy: 1 fault and 2 warnings. Begin with the first."
    )
    assert diagnosis(Severity.WARNING).verdict == "The table is not healthy: 1 warning."
