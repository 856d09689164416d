"""The command: pieces weighed, a slip undone, the calibration that remembers, putty."""

import io
import json
import os
import pty
from pathlib import Path
from typing import Any, TextIO

import pytest

from controller import cli
from controller.common.errors import BadInput
from controller.workshop.calibrate import command as calibrate
from controller.workshop.calibrate import weigh_pieces
from controller.workshop.calibrate.calibrations import Calibrations
from controller.workshop.calibrate.core.result import CalibrationVerdict
from controller.workshop.calibrate.core.steps import StepLook, StepState
from controller.workshop.calibrate.core.weighing import PieceWeighing
from controller.workshop.calibrate.phone import Page
from controller.workshop.calibrate.weigh_pieces import weighing_result
from controller.workshop.keys import Keys
from hw.drivers.panel import Face
from lab import workshop
from lab.twin.owner import Owner
from lab.twin.tower import Tower
from tests.controller.workshop.calibrate.core.tables import drawn
from tests.controller.workshop.calibrate.core.test_weighing import coloured, session, weighed

TWO = ["--colour", "red", "--colour", "blue"]


def command(file: Path, *more: str) -> int:
    return cli.main(["calibrate", "--simulated", "--to", str(file), *more])


def weighed_file(folder: Path) -> Path:
    """A calibration that knows what the pieces of two colours weigh."""
    file = folder / "calibration.json"
    weigh_pieces.run(None, colours=("red", "blue"), simulated=True, to=file, out=io.StringIO())
    return file


@pytest.mark.slow
def test_an_owner_weighs_the_pieces_and_hears_what_to_glue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "calibration.json"

    assert command(file, "--pieces", *TWO) == 0

    words = " ".join(capsys.readouterr().out.split())
    assert "✓ Twelve red" in words
    assert "✓ One blue, 5 of 5" in words
    assert "cannot be told apart" in words
    assert "in each blue piece" in words
    saved = Calibrations(file).current()
    assert saved is not None
    assert [each.colour for each in saved.piece.colours] == ["red", "blue"]
    assert json.loads(file.read_text())["made"]["how"] == "pieces"


class Slips(Owner):
    """Lays something else for the third blue piece, once."""

    slipped = False

    def masses_g(self, colour: str) -> list[float]:
        masses = super().masses_g(colour)
        if colour == "blue" and self._busy_with == "one_blue_3" and not self.slipped:
            self.slipped = True
            return [*masses[:2], 1.4 * masses[2], *masses[3:]]
        return masses


class Types(Keys):
    """Types `u` once at the terminal, when the fourth blue piece is asked for."""

    def __init__(self, stream: TextIO | None, keyboard: int, page: Page) -> None:
        super().__init__(stream)
        self._keyboard, self._page, self._done = keyboard, page, False

    def pressed(self) -> str:
        if not self._done and "One blue, 4" in self._page.prompts.now.progress:
            self._done = True
            os.write(self._keyboard, b"u")
        return super().pressed()


@pytest.mark.slow
def test_a_slip_is_mended_by_undo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, out = tmp_path / "calibration.json", io.StringIO()

    def spread_g() -> float:
        weigh_pieces.run(None, colours=("red", "blue"), simulated=True, to=file, out=out)
        saved = Calibrations(file).current()
        assert saved is not None
        return saved.piece.colours[1].mass_std_g

    plain_g = spread_g()
    monkeypatch.setattr(workshop, "Owner", Slips)
    slipped_g = spread_g()
    page, (keyboard, theirs) = Page(), pty.openpty()
    monkeypatch.setattr(weigh_pieces, "Page", lambda: page)
    monkeypatch.setattr(weigh_pieces, "Keys", lambda stream: Types(stream, keyboard, page))
    with os.fdopen(theirs, "r") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        mended_g = spread_g()
    os.close(keyboard)

    assert out.getvalue().count("again: One blue, 3 of 5") == 1
    assert out.getvalue().count("✓ One blue, 3") == 4
    assert slipped_g > 2 * plain_g
    assert mended_g == pytest.approx(plain_g, abs=0.05)


class Buzzes(Tower):
    """A simulated tower with a panel."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.heard: list[str] = []

    def show(self, face: Face) -> None:
        assert face.sound is not None
        self.heard.append(face.occasion)


@pytest.mark.slow
def test_the_buzzer_sounds_once_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Buzzes] = []

    def tower(*args: Any) -> Buzzes:
        made.append(Buzzes(*args))
        return made[-1]

    monkeypatch.setattr(workshop, "Tower", tower)
    weigh_pieces.run(None, colours=("red", "blue"), simulated=True, out=io.StringIO())

    (one,) = made
    assert len(one.heard) == len(set(one.heard)) == 14
    assert one.heard[3].startswith("one_red_1 at ")


def test_the_phone_offers_undo() -> None:
    course, page = PieceWeighing(Tower(drawn(), 1).calibration, ("red", "blue")), Page()

    page.show(course, course.step, StepLook(StepState.WAITING, "Waiting."))

    assert [button.label for button in page.prompts.now.buttons] == ["Undo", "Stop"]


@pytest.mark.slow
def test_colours_that_differ_enough_are_good_and_a_heap_that_lacks_a_piece_is_named() -> None:
    one = session(coloured("calm", red=3.0, blue=4.0))
    one.owner.masses_g("blue").pop()
    weighed(one)
    assert isinstance(one.course, PieceWeighing)

    result = weighing_result(one.course)

    assert result.verdict is CalibrationVerdict.GOOD
    assert "will be known in 99.99 of 100 cases" in result.text
    assert [figure.name for figure in result.figures][:2] == ["a red piece", "a blue piece"]
    (notice,) = result.notices
    assert notice.startswith("The blue heap was 11 pieces, by its single ones; is one missing?")


@pytest.mark.slow
def test_putty_is_added_to_every_piece(tmp_path: Path) -> None:
    file, out = weighed_file(tmp_path), io.StringIO()

    assert weigh_pieces.run(None, putty="blue", simulated=True, to=file, out=out) == 0

    assert "Each blue piece is to weigh" in out.getvalue()
    assert "✓ Piece 12 of 12" in out.getvalue()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["--pieces"], "whose pieces are there"),
        (["--pieces", "--colour", "red"], "two to four different colours"),
        (["--pieces", "--colour", "red", "--colour", "red"], "two to four different colours"),
        (["--pieces", "--colour", "red", "--colour", "Red"], "two to four different colours"),
        (["--putty", "blue"], "have not been weighed yet"),
        (["--putty", "blue", "--zero"], "exclude each other"),
        (["--colour", "red"], "give that too"),
    ],
)
def test_wrong_use_says_what_to_do(
    wrong: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(tmp_path / "calibration.json", *wrong) == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_putty_where_nothing_is_wanting_says_so_and_a_new_zero_keeps_what_pieces_weigh(
    tmp_path: Path,
) -> None:
    file = weighed_file(tmp_path)
    before = Calibrations(file).current()
    assert before is not None

    with pytest.raises(BadInput, match="nothing need be added to red pieces"):
        weigh_pieces.run(None, putty="red", simulated=True, to=file, out=io.StringIO())
    assert calibrate.zero(None, to=file, out=io.StringIO()) == 0

    after = Calibrations(file).current()
    assert after is not None
    assert after.piece == before.piece


def test_a_real_table_is_calibrated_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = calibrate.bench(None, (), simulated=True)
    nobodys = calibrate.Bench(table.source, table.start, None, None)
    monkeypatch.setattr(weigh_pieces, "bench", lambda *_args, **_more: nobodys)

    with pytest.raises(BadInput, match="no calibration yet"):
        weigh_pieces.run(None, colours=("red", "blue"), out=io.StringIO())


@pytest.mark.slow
def test_a_starter_weighs_its_pieces_in_the_middle_of_the_board(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, file = tmp_path / "table.toml", tmp_path / "calibration.json"
    config.write_text('[table]\nid = "t1"\n[source]\nkind = "twin"\nstarter = true\n')

    assert command(file, "--config", str(config), "--pieces", *TWO) == 0

    assert "✓ Twelve blue" in capsys.readouterr().out
    saved = Calibrations(file).current()
    assert saved is not None
    assert saved.weight_only
    assert [each.colour for each in saved.piece.colours] == ["red", "blue"]
