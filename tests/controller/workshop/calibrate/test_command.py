"""The command: a table calibrated, saved, zeroed, listed, taken back."""

import io
import json
from pathlib import Path

import pytest

from controller import cli
from controller.common.errors import BadInput
from controller.workshop.calibrate import command as calibrate
from controller.workshop.calibrate.calibrations import Calibrations
from controller.workshop.calibrate.core.steps import StepLook, StepState
from hw.errors import BadReferenceMass


@pytest.mark.slow
def test_the_simulated_table_is_calibrated_and_its_file_can_be_used(tmp_path: Path) -> None:
    out, file = io.StringIO(), tmp_path / "calibration.json"

    code = calibrate.run(None, seed=3, to=file, out=out)

    assert code == 0
    words = out.getvalue()
    assert "✓ Weight front left" in words
    assert "The calibration is good" in words
    assert Calibrations(file).current() is not None
    made = json.loads(file.read_text())["made"]
    assert made["how"] == "calibrate"
    assert {"name", "value", "sd", "unit", "verdict"} <= set(made["figures"][0])

    assert calibrate.zero(None, seed=3, to=file, out=out) == 0
    assert calibrate.list_kept(None, to=file, out=out) == 0
    assert calibrate.take_back(None, to=file, out=out) == 0
    assert [each.in_use for each in Calibrations(file).kept()] == [True, False]
    assert "Took back number 2" in out.getvalue()


@pytest.mark.slow
def test_a_simulated_calibration_never_comes_into_use_on_a_real_table(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[source]\nkind = "bridge"\ncalibration = "calibration.json"\n')

    assert calibrate.run(config, simulated=True, out=io.StringIO()) == 0
    assert list(tmp_path.iterdir()) == [config]


class AttentiveOwner:
    """Keeps what a step said to it."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float, bool, bool]] = []

    def attend(self, step: str, now_s: float, *, wrong: bool = False, nudge: bool = False) -> None:
        self.told.append((step, now_s, wrong, nudge))


def test_the_simulated_owner_is_told_by_the_look_and_not_by_its_words() -> None:
    owner = AttentiveOwner()

    for look in (
        StepLook(StepState.WAITING, "Any words.", nudge=True),
        StepLook(StepState.WRONG, "You need not nudge the board."),
    ):
        calibrate._help(owner, "piece_a1", look, 1.0)

    assert owner.told == [("piece_a1", 1.0, False, True), ("piece_a1", 1.0, True, False)]


def test_two_things_at_most(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="one or two"):
        calibrate.reference_masses(["2eur", "1eur"], [100.0])
    with pytest.raises(BadReferenceMass):
        calibrate.reference_masses(["doubloon"], [])


def test_a_recording_cannot_be_calibrated(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[source]\nkind = "recording"\npath = "x.mcap"\n')

    with pytest.raises(BadInput, match="only a table"):
        calibrate.run(config)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--list"], "--to"),
        (["--list", "--zero"], "exclude each other"),
        (["--phone", "--zero"], "--phone"),
    ],
)
def test_wrong_use_is_named(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["calibrate", *options]) == 2
    assert words in capsys.readouterr().err
