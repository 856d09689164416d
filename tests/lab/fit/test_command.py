"""The command that fits a recording, on evenings of simulated people."""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from controller.common.errors import BadInput
from hw.calibrating.design import drawn_starter
from hw.source import play
from hw.traces.recorder import Recorder
from hw.traces.recording import Recording
from lab.fit import command as fit
from lab.fit import telling
from lab.fit.assumptions import Answer, judged
from lab.fit.estimates import Estimate
from lab.fit.evening import Evening
from lab.fit.fitted import read_table
from lab.fit.report import page
from lab.fit.signals import evening_of
from lab.twin.parameters import preset_parameters


@pytest.fixture(scope="module")
def evening(calm_recording: Path) -> Iterator[Evening]:
    recording = Recording.open(calm_recording)
    yield evening_of(recording.calibration, play(recording))
    recording.close()


def test_a_calm_evening_is_told_with_intervals_and_a_verdict(evening: Evening) -> None:
    out = io.StringIO()
    found = fit.fit_of("calm.mcap", evening)
    telling.print_fit(found, out)
    words = " ".join(out.getvalue().split())

    assert found.figures["friction_band_deg"].high < 0.2
    assert found.figures["period_s"].seen
    assert "Intervals hold 90 %" in words
    assert re.search(r"Of \d+ assumptions of our simulation this table agrees with", words)
    assert "not seen in this recording: needs" in words


def test_signals_of_a_calm_evening_know_who_touched_when(evening: Evening) -> None:
    assert len(evening.placements) > 20
    assert 0.6 < evening.free.mean() < 0.95
    inside = [np.searchsorted(evening.t_s, piece.t_s - 0.1) for piece in evening.placements]
    assert evening.free[inside].mean() < 0.1


def test_the_document_is_json_without_nan(evening: Evening) -> None:
    document = telling.as_document(fit.fit_of("calm.mcap", evening))

    told = json.loads(json.dumps(document, allow_nan=False))
    assert {each["family"] for each in told["figures"]} >= {"noise", "hands"}
    assert {each["answer"] for each in told["verdicts"]} <= set(Answer)


def test_the_command_writes_the_twin_and_a_page(calm_recording: Path, tmp_path: Path) -> None:
    table, report, out = tmp_path / "table.json", tmp_path / "fit.html", io.StringIO()

    code = fit.run(calm_recording, as_json=True, table=table, report=report, out=out)

    assert code == 0
    assert json.loads(out.getvalue())["type"] == "fit"
    assert read_table(table.read_bytes(), "table.json")[1].body.friction_band_deg < 0.2
    assert "<svg" in report.read_text()
    assert "http" not in report.read_text()


def test_what_a_table_contradicts_is_named_with_what_follows(evening: Evening) -> None:
    found = fit.fit_of("<b>.mcap", evening)
    odd = judged([Estimate("friction_band_deg", 0.9, 0.8, 1.0, 20)])
    lines = list(telling.closing(replace(found, verdicts=odd)))
    html = page(replace(found, verdicts=odd))

    assert "contradicts 1" in lines[0]
    assert "measured 0.9 (0.8 to 1). Wider: clean and re-point the tip" in lines[1]
    assert "Fit of &lt;b&gt;.mcap" in html
    assert 'class="contradicts"' in html


def test_three_seconds_are_too_short_and_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "short.mcap"
    with Recorder.create(path, preset_parameters("calm").calibration):
        pass

    with pytest.raises(BadInput, match=r"short\.mcap: only 0\.0 s of samples .* needs 30 s"):
        fit.run(path)


def test_a_table_of_one_cell_has_nothing_to_fit(tmp_path: Path) -> None:
    path = tmp_path / "starter.mcap"
    with Recorder.create(path, drawn_starter()):
        pass

    with pytest.raises(BadInput, match="no inertial sensor"):
        fit.run(path)
