"""What a long evening costs the card: bytes, waits for the disk, memory, and the next start.

    python -m tests.benchmarks.evening_disk [--hours 8] [--evenings 1]

A simulated evening is played through the real journal as fast as it goes, with a clock that runs
as at a table (something happens every five seconds). Every call that changes a file is counted
where the program makes it (`tests/controller/durability/plug.c`), SQLite's own included.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as Columns

from controller.journal.journal import KEPT_GAMES, Journal
from tests.controller.durability import yard
from tests.controller.durability.disk import calls
from tests.controller.durability.playing import JOURNAL, SHOWN
from tests.controller.durability.scenes import EVENING_STEP_S, HALF_HOURS, read_half_hours

FOR_THE_FILE = 15
"""SQLite waits for file, log and folder when a journal is made, and once more when it is closed;
the mark for itself and the folder, and once more."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an evening cost.

    Attributes:
        hours: of table time.
        turns: that were played; entries: of the journal.
        waits: calls that waited for the disk, by file. written_mb: handed to the disk.
        half_hours: hours, bytes of journal, of log and of copies, megabytes of memory.
        start_s: until the journal is open and the game is rebuilt.
    """

    hours: float
    turns: int
    entries: int
    waits: dict[str, int]
    written_mb: float
    half_hours: list[tuple[float, int, int, int, float]]
    start_s: float

    @property
    def allowed(self) -> float:
        """One wait for each turn and two for each minute, and those of making and closing it."""
        return self.turns + 2 * 60 * self.hours + FOR_THE_FILE


def evening(hours: float, folder: Path, seed: int = 1) -> Cost:
    """Play so long, and see what it cost."""
    place, log = folder / "table", folder / "calls.log"
    place.mkdir(exist_ok=True)
    moves = round(3600 * hours / EVENING_STEP_S)
    with yard.opened(folder) as a_yard:
        ending = a_yard.run(yard.Order("evening", str(place), seed=seed, moves=moves, log=str(log)))
    if ending.code != yard.DONE:
        raise RuntimeError(ending.words)
    made = [call for call in calls(log) if call.path.name not in (SHOWN, HALF_HOURS)]
    log.unlink()
    half_hours, turns = read_half_hours(place)
    began_s = time.perf_counter()
    with Journal(place / JOURNAL) as journal:
        entries = journal.resume().entries
        start_s = time.perf_counter() - began_s
        entries = int(journal._value("SELECT max(entry) FROM entries"))
    return Cost(
        hours, turns, entries,
        dict(Counter(_kind(call.path) for call in made if call.what == "sync")),
        sum(len(call.data) for call in made) / 1e6, half_hours, start_s,
    )  # fmt: skip


def _kind(path: Path) -> str:
    return "copy" if path.parent.name.endswith(".d") else path.name


def main(given: list[str] | None = None) -> int:
    """Measure and print; 1 when the card is asked for more than was promised."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.evening_disk")
    parser.add_argument("--hours", type=float, default=8.0, help="of table time (8)")
    parser.add_argument("--seed", type=int, default=1, help="of the evening (1)")
    chosen = parser.parse_args(given)
    with tempfile.TemporaryDirectory(prefix="topple-evening-") as folder:
        cost = evening(chosen.hours, Path(folder), chosen.seed)
    _print(cost, Console())
    return 0 if sum(cost.waits.values()) <= cost.allowed else 1


def _print(cost: Cost, console: Console) -> None:
    columns = Columns(title="A long evening on the card", title_justify="left", box=None)
    for name in ("hours", "journal kB", "log kB", "copies kB", "memory MB"):
        columns.add_column(name, justify="right")
    for at_h, *sizes, memory_mb in cost.half_hours:
        columns.add_row(f"{at_h:.1f}", *(f"{size / 1e3:.0f}" for size in sizes), f"{memory_mb:.1f}")
    console.print(columns)
    waits = sum(cost.waits.values())
    console.print(
        f"{cost.turns} turns, {cost.entries} entries, {cost.written_mb:.1f} MB written\n"
        f"{waits} waits for the disk {cost.waits}; allowed are one a turn and two a minute: "
        f"{cost.allowed:.0f}\n"
        f"the journal is open and the game rebuilt in {cost.start_s:.2f} s; "
        f"{KEPT_GAMES} games are kept"
    )


if __name__ == "__main__":
    sys.exit(main())
