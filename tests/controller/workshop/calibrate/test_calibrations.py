"""Calibration files survive whatever happens, and any of them comes back."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.common.errors import BadInput
from controller.workshop.calibrate.calibrations import Calibrations
from hw.building.design import drawn_table
from hw.calibration import Calibration, calibration_json, parse_calibration
from hw.errors import BadCalibration
from tests.controller.conftest import PATIENCE_S

NOW = datetime(2026, 11, 21, 14, 0, tzinfo=UTC)
TABLE = drawn_table()


def weighing(grams: float) -> Calibration:
    return replace(TABLE, empty_mass_g=grams)


def saved(store: Calibrations, *masses_g: float) -> None:
    for grams in masses_g:
        store.save(weighing(grams), NOW, "calibrate", f"weighs {grams:g}")


def test_the_newest_is_in_use_and_every_one_is_kept(tmp_path: Path) -> None:
    store = Calibrations(tmp_path / "calibration.json")

    saved(store, 181.0, 182.0)

    assert store.current() == weighing(182.0)
    assert [(each.number, each.in_use, each.words) for each in store.kept()] == [
        (1, False, "weighs 181"),
        (2, True, "weighs 182"),
    ]
    assert store.kept()[0].date == "2026-11-21T14-00-00Z"


def test_a_wrong_one_is_taken_back_and_the_one_before_it_too(tmp_path: Path) -> None:
    store = Calibrations(tmp_path / "calibration.json")
    saved(store, 181.0, 182.0, 183.0)

    store.take_back()
    wrong, back = store.take_back()

    assert (wrong.number, back.number) == (2, 1)
    assert store.current() == weighing(181.0)
    assert [each.taken_back for each in store.kept()] == [False, True, True]


def test_after_taking_back_a_new_one_has_a_new_number(tmp_path: Path) -> None:
    store = Calibrations(tmp_path / "calibration.json")
    saved(store, 181.0, 182.0)
    store.take_back()

    saved(store, 184.0)

    assert store.kept()[-1].number == 3
    assert store.current() == weighing(184.0)


def test_the_first_cannot_be_taken_back(tmp_path: Path) -> None:
    store = Calibrations(tmp_path / "calibration.json")
    saved(store, 181.0)

    with pytest.raises(BadInput, match="no earlier calibration"):
        store.take_back()
    assert store.current() == weighing(181.0)


def test_a_file_that_somebody_else_wrote_is_kept_before_it_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(calibration_json(weighing(179.0)))
    store = Calibrations(path)

    saved(store, 181.0)
    store.take_back()

    assert store.current() == weighing(179.0)


def test_a_damaged_file_is_refused_with_advice_that_helps(tmp_path: Path) -> None:
    store = Calibrations(tmp_path / "calibration.json")
    saved(store, 181.0, 182.0)
    store.path.write_text('{"version": 1')

    with pytest.raises(BadCalibration, match="--take-back"):
        store.current()
    store.take_back()

    assert store.current() == weighing(182.0)


def test_a_folder_that_cannot_be_written_leaves_the_one_in_use(tmp_path: Path) -> None:
    store = Calibrations(tmp_path / "calibration.json")
    saved(store, 181.0)
    before = sorted(tmp_path.rglob("*"))
    store.folder.rename(tmp_path / "elsewhere")
    (tmp_path / "calibration.d").write_text("in the way")

    with pytest.raises(OSError, match="calibration"):
        store.save(weighing(182.0), NOW, "calibrate", "")

    assert store.current() == weighing(181.0)
    assert len(sorted(tmp_path.rglob("*"))) == len(before) + 1


SAVE_FOR_EVER = """
import sys
from dataclasses import replace
from datetime import UTC, datetime
from controller.workshop.calibrate.calibrations import Calibrations
from hw.building.design import drawn_table
store, table = Calibrations(sys.argv[1]), drawn_table()
print("ready", flush=True)
for grams in range(100, 100000):
    if len(list(store.folder.glob("*"))) > 30:
        for old in sorted(store.folder.glob("0*"))[:20]:
            old.unlink()
    store.save(replace(table, empty_mass_g=float(grams)), datetime.now(UTC), "calibrate", "")
    print(grams, flush=True)
"""


def test_killed_at_any_moment_a_whole_calibration_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    store = Calibrations(path)
    saved(store, 50.0)
    for attempt in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVE_FOR_EVER, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[4],
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        reached = 0.0
        for _ in range(attempt % 5):
            reached = float(process.stdout.readline())
        # A moment that differs from attempt to attempt, by spinning instead of sleeping.
        until = time.perf_counter() + 0.0007 * attempt
        while time.perf_counter() < until:
            pass
        os.kill(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_S)
        process.stdout.close()

        in_use = parse_calibration(path.read_bytes())
        assert in_use.empty_mass_g >= reached
        assert store.current() == in_use
        assert any(each.in_use for each in store.kept())
        assert all(each.readable for each in store.kept())
