"""Calibration files survive whatever happens, and any of them comes back."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controller.common.errors import BadInput
from controller.workshop.calibrate.calibrations import Calibrations
from hw.building.design import drawn_table
from hw.calibration import Calibration, calibration_json
from hw.errors import BadCalibration

NOW = datetime(2026, 11, 21, 14, 0, tzinfo=UTC)
TABLE = drawn_table()


def weighing(grams: float) -> Calibration:
    return replace(TABLE, empty_mass_g=grams)


def saved(store: Calibrations, *masses_g: float) -> None:
    for grams in masses_g:
        store.save(weighing(grams), NOW, "calibrate", f"weighs {grams:g}")


@pytest.fixture
def store(tmp_path: Path) -> Calibrations:
    return Calibrations(tmp_path / "calibration.json")


def test_the_newest_is_in_use_and_every_one_is_kept(store: Calibrations) -> None:
    saved(store, 181.0, 182.0)

    assert store.current() == weighing(182.0)
    assert [(each.number, each.in_use, each.words) for each in store.kept()] == [
        (1, False, "weighs 181"),
        (2, True, "weighs 182"),
    ]
    assert store.kept()[0].date == "2026-11-21T14-00-00Z"


def test_a_wrong_one_is_taken_back_and_the_one_before_it_too_but_not_the_first(
    store: Calibrations,
) -> None:
    saved(store, 181.0, 182.0, 183.0)

    store.take_back()
    wrong, back = store.take_back()

    assert (wrong.number, back.number) == (2, 1)
    assert store.current() == weighing(181.0)
    assert [each.taken_back for each in store.kept()] == [False, True, True]
    with pytest.raises(BadInput, match="no earlier calibration"):
        store.take_back()
    assert store.current() == weighing(181.0)
    saved(store, 184.0)
    assert store.kept()[-1].number == 4
    assert store.current() == weighing(184.0)


def test_a_file_that_somebody_else_wrote_is_kept_before_it_is_written_over(
    store: Calibrations,
) -> None:
    store.path.write_text(calibration_json(weighing(179.0)))

    saved(store, 181.0)
    store.take_back()

    assert store.current() == weighing(179.0)


def test_a_damaged_file_is_refused_with_advice_that_helps(store: Calibrations) -> None:
    saved(store, 181.0, 182.0)
    store.path.write_text('{"version": 1')

    with pytest.raises(BadCalibration, match="--take-back"):
        store.current()
    store.take_back()

    assert store.current() == weighing(182.0)


def test_a_folder_that_cannot_be_written_leaves_the_one_in_use(
    store: Calibrations, tmp_path: Path
) -> None:
    saved(store, 181.0)
    before = sorted(tmp_path.rglob("*"))
    store.folder.rename(tmp_path / "elsewhere")
    (tmp_path / "calibration.d").write_text("in the way")

    with pytest.raises(OSError, match="calibration"):
        store.save(weighing(182.0), NOW, "calibrate", "")

    assert store.current() == weighing(181.0)
    assert len(sorted(tmp_path.rglob("*"))) == len(before) + 1
