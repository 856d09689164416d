"""`topple-table diagnose --step N` while a table is built: there is no calibration yet."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from controller.app import wiring
from controller.common.errors import BadInput
from controller.workshop.diagnose import command as diagnosis
from controller.workshop.diagnose.command import run
from controller.workshop.pace import Pace
from engine.samples import ImuSamples, ScaleSamples
from hw.building.assembly import CALIBRATED_FROM, STEPS
from hw.building.design import drawn_table
from hw.calibration import Calibration
from hw.source import Item
from lab.diagnosing import TwinHelper
from lab.twin.drawing import draw
from lab.twin.fault_words import parse_fault
from lab.twin.parameters import TwinParameters
from lab.twin.source import OverTower
from lab.twin.tower import Tower

BUILDING = [step for step in STEPS if step.parts and step.number < CALIBRATED_FROM]


class Built(OverTower):
    """A tower that somebody has just built, as its own counts come: only the drawing is known."""

    def __init__(self, tower: Tower, drawn: Calibration) -> None:
        super().__init__(tower, drawn)

    def poll(self, until_s: float) -> list[Item]:
        return [self._restated(item) for item in self.tower.poll(until_s)]

    def _restated(self, item: Item) -> Item:
        if isinstance(item, ScaleSamples):
            return self.calibration.scale_samples(item.t_s, item.raw, item.valid)
        if isinstance(item, ImuSamples):
            return self.calibration.imu_samples(item.t_s, item.raw)
        return item


def parameters(seed: int, *, inverted: bool = False) -> TwinParameters:
    """A table like the drawing, with cells, chips and pivot of its own."""
    chance = np.random.default_rng([seed, 77])
    drawn = draw(chance, "calm", turned_imu=False, inverted_cells=inverted)
    at = drawn_table().imu.position_mm
    return replace(
        drawn,
        imu=replace(drawn.imu, position_mm=at),
        calibration=replace(drawn.calibration, imu=replace(drawn.calibration.imu, position_mm=at)),
    )


class Workshop:
    """A fresh configuration, and a simulated table in place of the one that is being built."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, tower: Tower) -> None:
        self.config = folder / "table.toml"
        self.config.write_text('[source]\nkind = "bridge"\ncalibration = "calibration.json"\n')
        now_s = [0.0]

        def source(_chosen: object, start: Calibration | None = None) -> Built:
            assert start is not None
            return Built(tower, start)

        def pause(seconds: float) -> None:
            now_s[0] += max(seconds, 0.1)

        patch.setattr(wiring, "source", source)
        patch.setattr(diagnosis, "Person", lambda _out: TwinHelper(tower))
        patch.setattr(diagnosis, "Pace", partial(Pace, clock=lambda: now_s[0], pause=pause))

    def diagnose(self, **options: Any) -> tuple[int, dict[str, Any]]:
        out = io.StringIO()
        code = run(self.config, as_json=True, out=out, **options)
        return code, json.loads(out.getvalue())


def workshop(
    folder: Path, patch: pytest.MonkeyPatch, seed: int = 1, faults: Sequence[str] = ()
) -> Workshop:
    return Workshop(folder, patch, Tower(parameters(seed), seed, list(map(parse_fault, faults))))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("step", BUILDING, ids=lambda step: step.title)
def test_a_sound_table_passes_each_step_before_it_is_calibrated(
    step: Any, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, found = workshop(tmp_path, monkeypatch, seed).diagnose(step=step.number)

    assert [finding["sentence"] for finding in found["findings"]] == []
    assert code == 0
    assert not found["calibrated"]


@pytest.mark.parametrize(
    ("step", "fault", "kind"),
    [
        (4, "stuck cell C1", "cell_stuck"),
        (4, "noisy supply", "noisy_supply"),
        (5, "swapped cells cell C0", "cells_swapped"),
        (7, "imu missing", "imu_missing"),
        (7, "imu upside down", "imu_upside_down"),
        (8, "switch closed", "switch_stuck"),
        (9, "imu yawed", "imu_disagrees"),
    ],
)
def test_what_was_built_wrongly_is_named_without_a_calibration(
    step: int, fault: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, found = workshop(tmp_path, monkeypatch, faults=[fault]).diagnose(step=step)

    assert kind in [finding["kind"] for finding in found["findings"]]
    assert code == 1


@pytest.mark.parametrize(("band_deg", "kinds"), [(0.9, ["pivot_rough"]), (None, [])])
def test_a_pivot_is_measured_without_a_calibration(
    band_deg: float | None, kinds: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = parameters(1 if band_deg else 2)
    band_deg = band_deg or drawn.body.friction_band_deg
    table = replace(drawn, body=replace(drawn.body, friction_band_deg=band_deg))
    code, found = Workshop(tmp_path, monkeypatch, Tower(table, 1)).diagnose(step=10)

    assert (code, [finding["kind"] for finding in found["findings"]]) == (bool(kinds), kinds)
    assert found["friction_deg"] == pytest.approx(band_deg, rel=0.1)


def test_a_cell_that_counts_backwards_is_a_note_since_calibration_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = next(
        each for seed in range(1, 30)
        if min((each := parameters(seed, inverted=True)).scale.counts_per_gram) < 0
    )  # fmt: skip
    code, found = Workshop(tmp_path, monkeypatch, Tower(turned, 1)).diagnose(step=5)

    assert code == 0
    assert {finding["kind"] for finding in found["findings"]} == {"wires_swapped"}
    assert all("No harm" in finding["check"] for finding in found["findings"])


def test_the_step_of_the_calibration_wants_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="there is none yet; run topple-table calibrate first"):
        workshop(tmp_path, monkeypatch).diagnose(step=CALIBRATED_FROM)


def test_the_report_says_that_grams_are_a_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.StringIO()
    run(workshop(tmp_path, monkeypatch).config, step=4, out=out)

    assert "Not calibrated yet" in out.getvalue()


@pytest.mark.slow
def test_a_pivot_that_no_sensor_saw_swing_is_not_called_healthy() -> None:
    out = io.StringIO()

    assert run(None, faults=["imu missing"], step=10, out=out) == 1
    assert "The inertial sensor" in out.getvalue()
