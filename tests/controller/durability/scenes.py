"""What a table does while it is killed. Each scene works on one folder and can be begun again."""

import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from controller.calibrations import Calibrations
from controller.journal import Journal
from controller.pipeline import Output
from hw.calibrating.design import drawn_table
from hw.calibration import Calibration
from tests.controller.durability.playing import SHOWN, ShownLog, Table

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PLAIN = drawn_table()


def play(folder: Path, seed: int, moves: int) -> None:
    """Start, play, and stop in order."""
    table = Table(folder, seed)
    table.play(moves)
    table.close()


class Careless(Journal):
    """A journal that writes each decision when the next one comes: what no journal may do."""

    late: Output | None = None

    def write(self, output: Output) -> None:
        """Write the one before."""
        if self.late is not None:
            super().write(self.late)
        self.late = output


def play_carelessly(folder: Path, seed: int, moves: int) -> None:
    """As `play`, with the fault that the judge must find."""
    table = Table(folder, seed, kind=Careless)
    table.play(moves)
    table.close()


def calibrate(folder: Path, seed: int, moves: int) -> None:
    """Save one calibration after the other, and take some back."""
    shown = ShownLog(folder / SHOWN)
    kept = Calibrations(folder / "calibration.json")
    for number in range(seed, seed + moves):
        if number % 5 == 4:
            kept.take_back()
            shown.note("taken back", number)
        else:
            kept.save(calibration(number), NOW, "calibrate", f"number {number}")
            shown.note("saved", number)


def in_use_after(step: int) -> int:
    """Which calibration is in use after a step of `calibrate`: every fifth goes one back."""
    return step - 2 if step % 5 == 4 else step


def calibration(number: int) -> Calibration:
    """A calibration that can be told from all others."""
    return replace(PLAIN, empty_mass_g=PLAIN.empty_mass_g + number / 100)


def warm_up() -> None:
    """Load all that is loaded on first use."""
    with tempfile.TemporaryDirectory() as folder:
        for scene in (play, calibrate):
            place = Path(folder) / scene.__name__
            place.mkdir()
            scene(place, 1, 4)
