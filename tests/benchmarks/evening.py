"""Does memory stay flat over a long evening? `python -m tests.benchmarks.evening [--hours 8]`.

One simulated game is recorded and played through one table again and again, each time with its
times moved on, as fast as it goes. Detector, referee and game live through all of it, like those
of a table that is never switched off; what they keep is seen in the memory of the process.
"""

import argparse
import gc
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from controller.app import wiring
from engine.events import HumanInput
from hw.source import play, shifted
from hw.traces.recording import Recording
from tests.recorded import simulate_game

PAUSE_S = 5.0
"""Between two games."""

PAGE_BYTES = 4096
STATM = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Mark:
    """Where memory stood after one more game.

    Attributes:
        table_h: hours of table time since the start.
        resident_mb: memory of the whole process.
        placements: seen so far, so that nobody measures an idle table.
    """

    table_h: float
    resident_mb: float
    placements: int


def resident_mb() -> float:
    """Memory that this process holds, after what can be given back was given back."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * PAGE_BYTES / 1e6


def evening(trace: Path, hours: float) -> Iterator[Mark]:
    """Play a trace for so long; a mark after each time."""
    offset_s, placements = 0.0, 0
    first = Recording.open(trace)
    pipeline = wiring.pipeline(first.tabletop)
    first.close()
    while offset_s < 3600 * hours:
        recording = Recording.open(trace)
        for item in play(recording):
            outputs = pipeline.feed(shifted(item, offset_s))
            placements += sum(type(output.cause).__name__ == "Placed" for output in outputs)
        recording.close()
        for said in ("end", "cleared"):
            pipeline.say(HumanInput(pipeline.now_s, said))
        offset_s = pipeline.now_s + PAUSE_S
        yield Mark(offset_s / 3600, resident_mb(), placements)


def growth_mb_per_h(marks: list[Mark]) -> float:
    """Between the first game after the first hour (or the first at all) and the last."""
    begun = next((mark for mark in marks if mark.table_h >= 1.0), marks[0])
    span_h = marks[-1].table_h - begun.table_h
    return (marks[-1].resident_mb - begun.resident_mb) / span_h if span_h else 0.0


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.evening")
    parser.add_argument("--hours", type=float, default=8.0, help="of table time (8)")
    parser.add_argument("--seconds", type=float, default=360.0, help="of the game repeated (360)")
    parser.add_argument("--seed", type=int, default=1, help="of that game (1)")
    chosen = parser.parse_args(given)
    if not STATM.exists():
        print(f"evening benchmark skipped: it reads {STATM}, which Linux has", file=sys.stderr)
        return 0
    table = Table(title="A long evening", title_justify="left", box=None, pad_edge=False)
    for name in ("hours", "placements", "memory MB"):
        table.add_column(name, justify="right")
    with tempfile.TemporaryDirectory(prefix="topple-evening-") as folder:
        trace, _ = simulate_game(chosen.seed, "rough", Path(folder), seconds=chosen.seconds)
        marks = list(evening(trace, chosen.hours))
    step = max(1, len(marks) // 16)
    for mark in [*marks[:-1:step], marks[-1]]:
        table.add_row(f"{mark.table_h:.2f}", str(mark.placements), f"{mark.resident_mb:.1f}")
    console = Console()
    console.print(table)
    console.print(f"growth after the first hour: {growth_mb_per_h(marks):+.2f} MB an hour")
    return 0


if __name__ == "__main__":
    sys.exit(main())
