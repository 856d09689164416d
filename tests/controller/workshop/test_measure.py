"""`topple-table measure`: every answer asked until it can be, the verdict, the files."""

import io
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from controller.common.config import parse
from controller.common.errors import BadInput
from controller.workshop import measure
from controller.workshop.measure import measured, run
from hw.building.measures import STANDARD, load, text_of
from hw.errors import BadMeasures
from tests.hw.building.games import TRAVEL

TRAVEL_ANSWERS = ("printed", "no", "20", "7,5", "4", "2", "", "14", "5.5", "1.1")


class Owner:
    """Types answers, and keeps what was asked."""

    def __init__(self, answers: Sequence[str]) -> None:
        self._answers: Iterator[str] = iter(answers)
        self.asked: list[str] = []

    def __call__(self, words: str) -> str:
        self.asked.append(words)
        try:
            return next(self._answers)
        except StopIteration:
            raise EOFError from None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "measures.toml"


def said(file: Path, answers: Sequence[str] = (), *, again: bool = False) -> tuple[int, str]:
    out = io.StringIO()
    code = run(file, again=again, ask=Owner(answers), out=out)
    return code, out.getvalue()


def test_a_game_is_asked_for_checked_written_and_drawn(file: Path) -> None:
    code, words = said(file, TRAVEL_ANSWERS)

    assert code == 0
    assert load(file) == TRAVEL
    assert "It will do: this game can be built." in words
    assert "centre of gravity 15.6 mm under the tip" in words
    assert file.with_suffix(".svg").read_text().startswith("<svg")


def test_a_file_that_is_there_is_checked_without_a_question_and_asked_again_if_wanted(
    file: Path,
) -> None:
    file.write_text(text_of(STANDARD))

    code, words = said(file)

    assert code == 0
    assert f"Read: {file}" in words
    assert load(file) == STANDARD
    # Its values are what Enter keeps.
    said(file, [""] * 12, again=True)
    assert load(file) == STANDARD


def test_a_game_that_does_not_balance_is_refused_in_words_and_still_written(file: Path) -> None:
    code, words = said(file, ["p", "n", "", "", "35", "", "", "", "", ""])

    assert code == 1
    assert "WRONG  the empty board does not hang" in words
    assert "glue" in words
    assert "CHANGE board.cell_pitch_mm" not in words
    assert load(file).centre_height_mm == 35
    assert "does not hang" in file.with_suffix(".svg").read_text()


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (("printed", "no", "wide", "32"), "'wide' is not a number"),
        (("printed", "no", "3.2", "32"), "it must be 12 to 80"),
        (("neither", "printed", "no"), "type bought or printed"),
        (("printed", "perhaps", "no"), "type yes or no"),
        (("printed", "no", "", "", "", "", "", "40", "", "", "22"), "room side by side"),
    ],
)
def test_an_answer_that_cannot_be_is_asked_for_again(
    file: Path, answers: tuple[str, ...], words: str
) -> None:
    code, printed = said(file, [*answers, *[""] * 12])

    assert code == 0
    assert words in printed


def test_a_bought_board_is_weighed_and_set_on_its_tip(file: Path) -> None:
    owner, out = Owner(["bought", *[""] * 8, "190", "90", "6.9"]), io.StringIO()
    run(file, ask=owner, out=out)

    assert load(file).board.made == "bought"
    assert load(file).board.mass_g == 190
    assert "sink" in owner.asked[-1]
    # A drop that no ruler can have measured is asked for again.
    assert "board.corner_sinks_mm is 90" in out.getvalue()
    assert load(file).board.corner_sinks_mm == 6.9


def test_nobody_at_the_keyboard_is_refused_and_nothing_is_written(file: Path) -> None:
    with pytest.raises(BadInput, match="nobody answers"):
        said(file, TRAVEL_ANSWERS[:4])
    assert not file.exists()


def test_a_spoilt_file_is_refused_and_left_alone(file: Path) -> None:
    file.write_text("[board]\n")

    with pytest.raises(BadMeasures):
        said(file)
    assert file.read_text() == "[board]\n"


def test_a_table_is_calibrated_from_the_measures_beside_its_calibration(tmp_path: Path) -> None:
    chosen = parse(f'[source]\nkind = "bridge"\ncalibration = "{tmp_path}/calibration.json"').source

    assert measured(chosen) == STANDARD
    (tmp_path / measure.FILE).write_text(text_of(TRAVEL))
    assert measured(chosen) == TRAVEL


def test_the_command_reads_what_a_person_types(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "controller.cli", "measure", str(tmp_path / "game.toml")]
    typed = "\n".join(TRAVEL_ANSWERS) + "\n"
    done = subprocess.run(command, input=typed, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert load(tmp_path / "game.toml") == TRAVEL


def test_the_file_of_a_table_lies_beside_its_calibration(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[source]\nkind = "bridge"\ncalibration = "calibration.json"\n')

    assert measure.file_of(config) == tmp_path / measure.FILE
    assert measure.file_of(None) == Path(measure.FILE)
