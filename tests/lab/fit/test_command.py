"""The command that fits a recording, on evenings of simulated people."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from controller.common.errors import BadInput
from controller.workshop.calibrate.core.design import drawn_starter
from hw.traces.recorder import Recorder
from lab.fit import command as fit
from lab.fit.evening import EveningSignals
from lab.fit.fitted import read_table
from lab.twin.parameters import preset_parameters


@pytest.mark.slow
def test_signals_of_a_calm_evening_know_who_touched_when(evening: EveningSignals) -> None:
    assert len(evening.placements) > 20
    assert 0.6 < evening.free.mean() < 0.95
    inside = [np.searchsorted(evening.t_s, piece.t_s - 0.1) for piece in evening.placements]
    assert evening.free[inside].mean() < 0.1


@pytest.mark.slow
def test_the_command_writes_the_twin_and_a_page(calm_recording: Path, tmp_path: Path) -> None:
    table, report, out = tmp_path / "table.json", tmp_path / "fit.html", io.StringIO()

    code = fit.run(calm_recording, as_json=True, table=table, report=report, out=out)

    assert code == 0
    assert json.loads(out.getvalue())["type"] == "fit"
    assert read_table(table.read_bytes(), "table.json")[1].body.friction_band_deg < 0.2
    assert "<svg" in report.read_text()
    assert "http" not in report.read_text()


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
