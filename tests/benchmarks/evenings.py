"""Whole games of simulated people: is the final score exact? `python -m tests.benchmarks.evenings`.

What a user counts is games. Each game is played to its end by simulated people on the simulated
tower, recorded once, and lived through by the table in three modes: untouched (nobody looks or
answers), answered (every question is answered truthfully, as far as these people do not err, and
nothing else is done) and watched (people also object when the screen is wrong).
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from controller.common.intervals import wilson
from lab.people.ways import WayName
from lab.twin.parameters import PRESETS, Preset
from lab.twin.sets import SETS
from tests.benchmarks.detection_falls import reliability
from tests.benchmarks.evenings_played import MODES, TOLD, Evenings, Mode, Played, played

ROOT = Path(__file__).resolve().parents[2]

FRESH = 12
"""Games of each preset in CI, with seeds that nobody has looked at."""

LONG_OUT_OF_STEP = 2
"""Turns in a row for which the table may take the wrong player to be in turn."""


COLOUR_EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 1.01)
"""Bins of how probable the colour of a piece was held."""

HEADINGS = (
    "table", "people", "mode", "games", "exact", "95 %", "winner", "long out of step",
    "questions in 12 min",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of some games in one mode.

    Attributes:
        games: how many.
        exact, winner: games with the exact score, and with the right winner.
        out_of_step: games in which the table was out of step for longer than `LONG_OUT_OF_STEP`.
        questions: questions a game of twelve minutes.
    """

    games: int
    exact: int
    winner: int
    out_of_step: int
    questions: float


def figures(found: Sequence[Played], mode: Mode) -> Figures:
    """Add up the games of one mode."""
    ended = [each.ended[mode] for each in found]
    minutes = sum(each.minutes for each in found)
    return Figures(
        games=len(ended),
        exact=sum(each.exact for each in ended),
        winner=sum(each.winner for each in ended),
        out_of_step=sum(each.turns_out_of_step > LONG_OUT_OF_STEP for each in ended),
        questions=12.0 * sum(each.asked for each in ended) / max(minutes, 1e-9),
    )


def fresh_seed(commit: str) -> int:
    """First of the seeds that belong to a commit: they cannot be known before it is made.

    >>> fresh_seed("0f" * 20) == fresh_seed("0f" * 20) != fresh_seed("10" * 20)
    True
    """
    return 100_000 + int(commit[:7], 16) % 800_000


def head() -> str:
    """The commit that is checked out.

    Raises:
        SystemExit: this is no checkout, so a seed must be given.
    """
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        raise SystemExit("evenings: this is no git checkout; give --seed")
    return found.stdout.strip()


def report(found: Sequence[Played]) -> Table:
    """A line for each preset, way of people and mode, with 95 % intervals."""
    table = Table(title="Whole games")
    for heading in HEADINGS:
        table.add_column(heading)
    kinds = dict.fromkeys((each.preset, each.people) for each in found)
    for preset, people in kinds:
        of_kind = [each for each in found if (each.preset, each.people) == (preset, people)]
        for mode in of_kind[0].ended:
            row = figures(of_kind, mode)
            low, high = wilson(row.exact, row.games)
            table.add_row(
                preset, people, mode, str(row.games), f"{row.exact / row.games:.1%}",
                f"{low:.0%} to {high:.0%}", f"{row.winner / row.games:.1%}",
                f"{row.out_of_step / row.games:.1%}", f"{row.questions:.1f}",
            )  # fmt: skip
    return table


def divergences(found: Iterable[Played]) -> Iterable[str]:
    """A line for each game whose score is not exact: where table and people first disagreed."""
    for each in found:
        for mode, ended in each.ended.items():
            if not ended.exact:
                yield (
                    f"{each.preset} {each.people} seed {each.seed} {mode}: table {ended.scores}, "
                    f"people {each.scores}; {ended.divergence}"
                )


def colours(found: Iterable[Played]) -> str:
    """How probable the colours of announced pieces were held, beside how many had them."""
    claims = [claim for each in found for ended in each.ended.values() for claim in ended.colours]
    bins = reliability(claims, COLOUR_EDGES)
    return ", ".join(f"{mean:.3f}: {right} of {of}" for mean, right, of in bins)


def games(  # noqa: PLR0917
    presets: Sequence[Preset], people: Sequence[WayName], count: int, first: int,
    evenings: Evenings, modes: tuple[Mode, ...],
) -> list[Played]:  # fmt: skip
    """Play so many games of each preset and way; `first` is the seed of the first."""
    jobs = [
        (preset, name, first + index, evenings, modes)
        for preset in presets
        for name in people
        for index in range(count)
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(played, *zip(*jobs, strict=True)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, print the table and the divergences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=FRESH, help="of each preset and way")
    parser.add_argument("--seed", type=int, help="of the first; by the commit when left out")
    parser.add_argument("--preset", action="append", choices=PRESETS)
    parser.add_argument("--people", action="append", choices=get_args(WayName))
    parser.add_argument("--target", type=int, default=40, help="points that win")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES, metavar="MODE",
                        help=f"of {', '.join(MODES)}; all when left out")  # fmt: skip
    parser.add_argument("--pieces", choices=SETS, default="equal", help="what colours weigh")
    parser.add_argument("--told", choices=TOLD, default="all", help="of the die and of passes")
    parser.add_argument("--unweighed", action="store_true", help="withhold masses from the table")
    parser.add_argument("--minutes", type=float, default=60.0, help="after which a game ends")
    parser.add_argument("--quick", action="store_true", help="one short game")
    chosen = parser.parse_args(arguments)
    presets: Sequence[Preset] = chosen.preset or PRESETS
    if chosen.quick:
        chosen.games, chosen.target, presets = 1, 8, presets[:1]
    people = [name for name in get_args(WayName) if name in (chosen.people or ["usual"])]
    first = fresh_seed(head()) if chosen.seed is None else chosen.seed
    modes = tuple(mode for mode in MODES if mode in chosen.modes)
    evenings = Evenings(
        chosen.target, chosen.pieces, chosen.told, not chosen.unweighed, 60.0 * chosen.minutes
    )
    found = games(presets, people, chosen.games, first, evenings, modes)
    # In a file a table has room for every heading.
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(report(found))
    for line in divergences(found):
        console.print(line, highlight=False)
    if told := colours(found):
        console.print(f"Whose piece by its weight, claimed and right: {told}", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
