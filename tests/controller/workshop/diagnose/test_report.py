import io
import json
from dataclasses import replace
from math import nan

from controller.workshop.diagnose.core.findings import (
    CellFigures,
    Diagnosis,
    Finding,
    ImuFigures,
    Severity,
)
from controller.workshop.diagnose.report import json_line, print_report

CELL = CellFigures(81.2, 110_000.0, 103.4, 0.1034, 0.02, -0.3, 812, 812, 0, 1, 0)
SILENT = CellFigures(nan, nan, nan, nan, nan, nan, 0, 0, 0, 0, 0)
IMU = ImuFigures(199.6, 1.002, 0.003, 0.09, (0.1, -0.4, 0.0), 0.2, 1996, 31.4)


def diagnosis(*findings: Finding) -> Diagnosis:
    return Diagnosis(findings, (CELL, SILENT, CELL, CELL), IMU, 10.0, ("press C0",))


FINDING = Finding(
    Severity.FAULT, "scale.1", "cell_silent", "Load cell C1 does not answer.", "Check its plug.",
    "0 counts", "800", ("scale.2",),
)  # fmt: skip


def printed(found: Diagnosis) -> str:
    out = io.StringIO()
    print_report(found, out, simulated=True)
    return out.getvalue()


def test_the_report_shows_figures_findings_and_the_verdict() -> None:
    text = printed(diagnosis(FINDING))

    assert "a simulated table for 10 s" in text
    assert "FAULT  Load cell C1 does not answer." in text
    assert "Check its plug." in text
    assert "Measured: 0 counts; accepted: 800." in text
    assert text.rstrip().endswith("The table is not healthy: 1 fault.")


def test_a_finding_whose_sentence_says_what_to_check_leaves_no_empty_line() -> None:
    whole = Finding(Severity.WARNING, "panel", "panel", "No buttons; look at the group gpio", "")
    lines = [line.rstrip() for line in printed(diagnosis(whole)).splitlines()]

    at = next(at for at, line in enumerate(lines) if line.endswith(whole.sentence))
    with_check = printed(diagnosis(replace(whole, check="Look."))).splitlines()
    assert len(with_check) == len(lines) + 1
    assert with_check[at + 1].strip() == "Look."


def test_each_row_says_how_its_sensor_is() -> None:
    rows = [line.split() for line in printed(diagnosis(FINDING)).splitlines()]

    assert ["C0", "81.2", "103", "0.103", "-0.30", "+0.0", "0", "1", "ok"] in rows
    assert ["C1", *["-"] * 5, "0", "0", "fault"] in rows
    assert [row[-1] for row in rows if row[:1] == ["C2"]] == ["fault"]
    assert ["imu", "199.6", "1.002", "0.2", "3.0", "0.09", "-0.40", "31", "ok"] in rows


def test_json_has_null_where_nothing_was_measured() -> None:
    document = json.loads(json_line(diagnosis(FINDING)))

    assert document["healthy"] is False
    assert document["cells"][1]["rate_hz"] is None
    assert document["findings"][0]["severity"] == "fault"
    assert document["imu"]["bias_dps"] == [0.1, -0.4, 0.0]
    assert "\n" not in json_line(diagnosis(FINDING))
