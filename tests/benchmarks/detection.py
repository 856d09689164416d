"""How well pieces are seen: `python -m tests.benchmarks.detection [--games 3] [--out REPORT]`.

Per preset, on freshly drawn twin tables and on the public games: every figure of the detection
goals with its number and its 95 % interval (Wilson), beside a naive baseline that lives through
the same games, and beside the idealised limit of one rest. See detection_games (what is played),
detection_figures (what is counted), detection_naive, detection_limit, detection_report.
"""

import argparse
import importlib.util
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.table import Table

from hw.twin.parameters import PRESETS
from tests.benchmarks.detection_figures import Miss, Tally, load_judge, merged, tally
from tests.benchmarks.detection_games import (
    SHARED,
    Game,
    Replay,
    decision_costs_ms,
    naive,
    product,
    public_games,
    replayed,
    twin_games,
)
from tests.benchmarks.detection_limit import Limit, preset_limit
from tests.benchmarks.detection_tables import AT_LEAST, ROWS, Row, limit_words, printed
from tests.benchmarks.real_noise import RealNoise

WIDEST = 3.0
"""Beyond this spread the twin draws no tables (`hw.twin.drawing`)."""

REPORT = Path("test-output") / "detection.html"
"""Where `make clean` finds it."""

SHORTEST_S = 20.0
"""In less time than that nobody places a piece that can be counted."""

Key = tuple[str, str]
"""Source (`twin`, `public`) and preset."""


@dataclass(slots=True)
class Results:
    """What a run has found.

    Attributes:
        ours, naive: tallies by source, preset, and whether the die was told.
        limits: of each preset: one rest, and three rests averaged.
    """

    ours: dict[tuple[Key, bool], Tally] = field(default_factory=dict)
    naive: dict[tuple[Key, bool], Tally] = field(default_factory=dict)
    limits: dict[str, tuple[Limit, Limit]] = field(default_factory=dict)

    @property
    def keys(self) -> list[Key]:
        """Sources and presets, each once, in the order in which they were measured."""
        return list(dict.fromkeys(key for key, _ in self.ours))

    @property
    def misses(self) -> Iterator[tuple[bool, Miss]]:
        """Everything our detection got wrong, with whether the die was told."""
        for (_, die), one in self.ours.items():
            for miss in one.misses:
                yield die, miss


def measure(
    judge: ModuleType, games: Iterable[Game], dice: Iterable[bool], ours: Replay = product
) -> Results:
    """Replay every game with both methods and judge them.

    Args:
        judge: `evaluate.py` as a module.
        games: of any source.
        dice: whether the die is told; both ways for the whole table.
        ours: the table's own replay.
    """
    results, told = Results(), tuple(dice)
    for game in games:
        key = game.source, game.preset
        for die in told:
            for replay, book in ((ours, results.ours), (naive, results.naive)):
                fresh = tally(judge, [replayed(game, replay, dice=die)])
                book[key, die] = merged((book.get((key, die), Tally()), fresh))
        if True in told and not results.ours[key, True].decision_ms:
            # The first game of each kind is enough: a decision costs what it costs.
            results.ours[key, True].decision_ms = decision_costs_ms(game.trace)
    presets = [preset for preset in PRESETS if any(preset == key[1] for key in results.keys)]
    results.limits = {p: (preset_limit(p), preset_limit(p, rests=3)) for p in presets}
    return results


# --- on the terminal --------------------------------------------------------------------------


def text_table(results: Results, key: Key) -> Table:
    """The goal table of one source and preset."""
    source, preset = key
    table = Table(title=f"{preset}, {source} games", title_justify="left", box=None, pad_edge=False)
    for name in ("figure", "unit", "goal", "measured [95 %] n", "", "naive", "limit 1 / 3 rests"):
        table.add_column(name, no_wrap=True)
    for row in ROWS:
        ours = results.ours.get((key, row.die))
        if ours is None:
            continue
        found = row.figure(ours)
        beside = printed(row.figure(results.naive[key, row.die]), row.digits).partition(" ")[0]
        limit = limit_words(row, results.limits[preset])
        verdict = row.verdict(found, preset)
        table.add_row(
            row.name, row.unit, goal_words(row, preset), printed(found, row.digits), verdict,
            beside, limit,
        )  # fmt: skip
    return table


def goal_words(row: Row, preset: str) -> str:
    """The goal as printed."""
    goal = row.goals.get(preset)
    return "" if goal is None else f"{'>=' if row.sense == AT_LEAST else '<='} {goal:g}"


def print_results(results: Results, console: Console) -> None:
    """All tables, then every miss with where to find it."""
    for key in results.keys:
        console.print(text_table(results, key))
        console.print()
    counted = Counter((miss.kind, die) for die, miss in results.misses)
    for (kind, die), count in sorted(counted.items()):
        console.print(f"{count:4} x {kind}{'' if die else ' (die not told)'}")
    for die, miss in results.misses:
        where = f"{miss.run.game.name} {miss.t_s:7.2f} s{'' if die else ' no dice'}"
        console.print(f"  {where}: {miss.kind}: {miss.words}", markup=False, soft_wrap=True)
    recipes = {m.run.game.name: m.run.game.recipe for _, m in results.misses}
    for name, recipe in recipes.items():
        console.print(f"  {name} = {recipe}", markup=False, soft_wrap=True)


# --- the command ------------------------------------------------------------------------------


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.detection",
        description=(__doc__ or "").splitlines()[0].partition(":")[0],
    )
    parser.add_argument("--games", type=int, default=3, help="twin games of each preset (3)")
    parser.add_argument("--seed", type=int, default=1, help="of the twin tables (1)")
    parser.add_argument("--spread", type=float, help="how widely they differ (1.5 and 2 in turn)")
    parser.add_argument("--seconds", type=float, default=360.0, help="of each twin game (360)")
    parser.add_argument(
        "--out",
        type=Path,
        default=REPORT,
        help=f"HTML report, with a plot of every miss ({REPORT})",
    )
    parser.add_argument("--no-report", action="store_true", help="print the figures only")
    parser.add_argument("--no-dice", action="store_true", help="only with the die not told")
    parser.add_argument(
        "--real-noise", action="store_true", help="lay recorded noise of real sensors over them"
    )
    parser.add_argument("--no-public", action="store_true", help="leave the public games out")
    chosen = parser.parse_args(given)
    if chosen.out != REPORT and not chosen.out.parent.is_dir():
        parser.error(f"--out {chosen.out} lies in a folder that does not exist")
    if not chosen.no_report and importlib.util.find_spec("matplotlib") is None:
        parser.error(
            "the report needs matplotlib, which make setup-dev installs; "
            "or leave it out with --no-report"
        )
    if chosen.spread is not None and not 0 <= chosen.spread <= WIDEST:
        parser.error(f"--spread is {chosen.spread:g}; it must be 0 to {WIDEST:g}")
    if not chosen.seconds >= SHORTEST_S:
        parser.error(f"--seconds is {chosen.seconds:g}; it must be at least {SHORTEST_S:g}")
    if chosen.seed < 0:
        parser.error(f"--seed is {chosen.seed}; it must not be negative")
    return chosen


def main(given: list[str] | None = None) -> int:
    """Measure, print, and write the report; 0, also when the judge is not there."""
    chosen = arguments(given)
    judge = load_judge()
    if judge is None:
        print(
            f"detection benchmark skipped: {SHARED / 'traces' / 'evaluate.py'} is not there; "
            "it holds the judge and is kept beside the repository",
            file=sys.stderr,
        )
        return 0
    ours: Replay = product
    if chosen.real_noise:
        noise = RealNoise.load()
        if noise is None:
            print(f"--real-noise needs the recordings in {SHARED / 'data'}", file=sys.stderr)
            return 2
        ours = partial(product, noise=noise.over)
    with tempfile.TemporaryDirectory(prefix="topple-bench-") as folder:
        games = twin_games(
            Path(folder),
            chosen.games,
            seed=chosen.seed,
            spread=chosen.spread,
            seconds=chosen.seconds,
        )
        everything = [*([] if chosen.no_public else public_games()), *games]
        results = measure(judge, everything, (False,) if chosen.no_dice else (True, False), ours)
        print_results(results, Console(width=None if sys.stdout.isatty() else 150))
        if not chosen.no_report:
            _write_report(results, chosen.out)
    return 0


def _write_report(results: Results, out: Path) -> None:
    """While the traces are still there: the plots of the misses need their samples."""
    from tests.benchmarks.detection_report import report  # only here is matplotlib needed

    out.parent.mkdir(exist_ok=True)
    out.write_text(report(results), encoding="utf-8")
    print(f"report: {out}")


if __name__ == "__main__":
    sys.exit(main())
