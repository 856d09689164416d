"""What a table does while it is killed. Each scene works on one folder and can be begun again."""

import gc
import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from controller.journal.journal import Journal
from controller.table.pipeline import Output
from controller.workshop.calibrate.calibrations import Calibrations
from hw.building.design import drawn_table
from hw.calibration import Calibration
from tests.controller.durability.playing import JOURNAL, SHOWN, ShownLog, Table

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PLAIN = drawn_table()


def play(folder: Path, seed: int, moves: int) -> None:
    """Start, play, and stop in order."""
    table = Table(folder, seed)
    table.play(moves)
    table.close()


EVENING_STEP_S = 5.0
"""Two things happen in a turn of ten seconds: the roll and the placement."""
EVENING_TROUBLE = 0.05
"""Of twenty moves one is a correction, an undo, a second thought of the sensors."""
HALF_HOURS = "half-hours.log"
_STATM = Path("/proc/self/statm")


def evening(folder: Path, seed: int, moves: int) -> None:
    """A long evening at the pace of a table, with a line on sizes every half hour."""
    now_s = [0.0]

    def kept(path: Path, *, kept_games: int) -> Journal:
        del kept_games
        return Journal(path, clock=lambda: now_s[0])

    table = Table(folder, seed, kind=kept, trouble=EVENING_TROUBLE, step_s=EVENING_STEP_S)
    turns, player = 0, None
    with (folder / HALF_HOURS).open("w") as lines:
        for number in range(moves):
            table.move()
            now_s[0] = table.now_s
            position = table.pipeline.state.position
            turns, player = turns + (position.player != player), position.player
            if number % round(1800 / EVENING_STEP_S) == 0:
                print(json.dumps([turns, *_sizes(folder, table.now_s)]), file=lines, flush=True)
        print(json.dumps([turns, *_sizes(folder, table.now_s)]), file=lines)
    table.close()


def _sizes(folder: Path, now_s: float) -> tuple[float, int, int, int, float]:
    gc.collect()
    memory_mb = int(_STATM.read_text().split()[1]) * 4096 / 1e6
    copies = sum(file.stat().st_size for file in (folder / f"{JOURNAL}.d").glob("*"))
    sizes = [(folder / name).stat().st_size for name in (JOURNAL, f"{JOURNAL}-wal")]
    return now_s / 3600, sizes[0], sizes[1], copies, memory_mb


def read_half_hours(folder: Path) -> tuple[list[tuple[float, int, int, int, float]], int]:
    """The lines of `evening`, and how many turns there were."""
    rows = [json.loads(line) for line in (folder / HALF_HOURS).read_text().splitlines()]
    return [tuple(row[1:]) for row in rows], rows[-1][0]


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
