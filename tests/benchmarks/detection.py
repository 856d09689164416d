"""How well the table sees: `python -m tests.benchmarks.detection [--games 3] [--out REPORT]`.

Evenings of usual people, of people of every other way (`lab.people.ways`) and on odd tables
are drawn and recorded once; each detector lives through the same evenings, with people who answer
what it asks: today's, on request that of an earlier commit beside it (`--before COMMIT`) and
today's without its priors about people (`--priors-off`), and a naive one. See detection_kinds and
detection_evenings (what is played), detection_lived and detection_before (by whom),
detection_figures and detection_falls (what is counted), detection_tables (goals), detection_sheets
(what is printed), detection_report.
"""

import argparse
import importlib.util
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hw.errors import BadTwin
from lab.fit.fitted import read_table
from lab.twin.parameters import PRESETS
from tests.benchmarks.detection_before import Before, NotThereError, lay_out
from tests.benchmarks.detection_evenings import evenings
from tests.benchmarks.detection_figures import tally
from tests.benchmarks.detection_games import (
    Event,
    Game,
    decision_costs_ms,
    judged,
    naive,
    recorded_games,
)
from tests.benchmarks.detection_kinds import KINDS, Kind, fitted_kind
from tests.benchmarks.detection_limit import preset_limit
from tests.benchmarks.detection_lived import Noise, lived, offers_priors
from tests.benchmarks.detection_results import NAIVE, NOW, OFF, Key, Results
from tests.benchmarks.detection_sheets import Sheet, sheets
from tests.benchmarks.real_noise import with_real_noise

WIDEST = 3.0
"""Beyond this spread the twin draws no tables (`lab.twin.drawing`)."""

REPORT = Path("test-output") / "detection.html"
"""Where `make clean` finds it."""

SHORTEST_S = 20.0
"""In less time than that nobody places a piece that can be counted."""

QUICK_S = 60.0
QUICK_KINDS = ("usual", "lively", "soft tablecloth")
"""One of each group."""

WIDTH = 170
"""Columns, where the output is no terminal."""

LEFT_OUT = "simulated evenings only: no recordings were given (--recordings FOLDER)"

DICE = {"told": (True,), "untold": (False,), "both": (True, False)}

Detector = Callable[[Game, bool], list[Event]]
"""A game and whether the die is told, to what was decided; see `detection_lived.lived`."""


def measure(
    games: Iterable[Game],
    dice: Iterable[bool],
    detectors: Mapping[str, Detector],
) -> Results:
    """Have every detector live through every game, and judge them.

    Args:
        games: of any kind.
        dice: whether the die is told; both ways for the whole table.
        detectors: by name. The naive one knows usual people only.
    """
    results, told, timed = Results(), tuple(dice), set[str]()
    for game in games:
        print(game.name, file=sys.stderr, flush=True)
        for die in told:
            for name, detector in detectors.items():
                if name == NAIVE and game.kind not in ("usual", "public"):
                    continue
                events = detector(game, die)
                run = judged(game, events, float(events[-1].get("cpu_s", 0.0)))
                results.add(Key(name, game.kind, game.preset, die), tally([run]))
        key = Key(NOW, game.kind, game.preset, die=True)
        if key in results.tallies and game.preset not in timed:
            # The first game of each preset is enough: a decision costs what it costs.
            timed.add(game.preset)
            results.tallies[key].decision_ms = decision_costs_ms(game.trace)
    played = [preset for preset in PRESETS if preset in results.presets]
    results.limits = {p: (preset_limit(p), preset_limit(p, rests=3)) for p in played}
    return results


def today(game: Game, die: bool, *, priors: bool = True, noise: Noise | None = None) -> list[Event]:
    """The present detector."""
    return lived(game.trace, game.seen, dice=die, priors=priors, noise=noise)


# --- on the terminal --------------------------------------------------------------------------


def text_table(sheet: Sheet) -> Table:
    """A sheet for the terminal."""
    table = Table(title=sheet.title, title_justify="left", box=None, pad_edge=False)
    table.caption, table.caption_justify = sheet.note or None, "left"
    for name in sheet.heads:
        table.add_column(name)
    for row in sheet.rows:
        table.add_row(*row)
    return table


def print_results(results: Results, console: Console, *, by_preset: bool) -> None:
    """All tables, then every miss with where to find it."""
    for sheet in sheets(results, by_preset=by_preset):
        console.print(text_table(sheet))
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
    add = parser.add_argument
    add("--games", type=int, default=3, help="evenings of usual people, of each preset (3)")
    add("--others", type=int, default=1, help="evenings of each other kind and preset (1)")
    add("--only", action="append", default=[], metavar="KIND", help="this kind; may be repeated")
    add("--kinds", action="store_true", help="list the kinds of evenings")
    add("--preset", action="append", default=[], choices=PRESETS, help="this one; may be repeated")
    add("--seed", type=int, default=1, help="of tables and people (1)")
    add("--spread", type=float, help="how widely the tables differ (1.5 and 2 in turn)")
    add("--seconds", type=float, default=300.0, help="of each evening, then its round ends (300)")
    add("--quick", action="store_true", help="three short evenings on normal tables, die told")
    add("--dice", choices=DICE, default="both", help="whether the table hears the rolls (both)")
    add("--before", metavar="COMMIT", help="beside the detector of this commit")
    add("--priors-off", action="store_true", help="beside today's without priors about people")
    add("--real-noise", action="store_true", help="lay the noise of real sensors over them")
    add("--recordings", type=Path, metavar="FOLDER", help="and these, with their truth")
    add("--table", type=Path, metavar="FILE", help="on the twin of one table (topple-table fit)")
    add("--by-preset", action="store_true", help="print each kind for each preset as well")
    add("--out", type=Path, default=REPORT, help=f"HTML report with plots ({REPORT})")
    add("--no-report", action="store_true", help="print the figures only")
    chosen = parser.parse_args(given)
    wrong = next(_wrong(chosen), None)
    if wrong is not None:
        parser.error(wrong)
    if chosen.quick:
        chosen.games = chosen.others = 1
        chosen.only = chosen.only or list(QUICK_KINDS)
        chosen.seconds, chosen.dice, chosen.preset = QUICK_S, "told", ["normal"]
    return chosen


def _wrong(chosen: argparse.Namespace) -> Iterator[str]:  # noqa: C901 - one line for each thing wrong
    """What cannot be measured, in words."""
    known = [kind.name for kind in KINDS]
    if chosen.out != REPORT and not chosen.out.parent.is_dir():
        yield f"--out {chosen.out} lies in a folder that does not exist"
    if not chosen.no_report and importlib.util.find_spec("matplotlib") is None:
        yield (
            "the report needs matplotlib, which make setup-dev installs; "
            "or leave it out with --no-report"
        )
    if chosen.spread is not None and not 0 <= chosen.spread <= WIDEST:
        yield f"--spread is {chosen.spread:g}; it must be 0 to {WIDEST:g}"
    if not chosen.seconds >= SHORTEST_S:
        yield f"--seconds is {chosen.seconds:g}; it must be at least {SHORTEST_S:g}"
    for name in ("games", "others", "seed"):
        if getattr(chosen, name) < 0:
            yield f"--{name} is {getattr(chosen, name)}; it must not be negative"
    for name in chosen.only:
        if name not in known:
            yield f"--only {name!r} is no kind of evening; there are: {', '.join(known)}"
    if chosen.priors_off and not offers_priors():
        yield "--priors-off: this detector has no priors that could be switched off"
    if chosen.recordings is not None and not recorded_games(chosen.recordings):
        yield (
            f"--recordings {chosen.recordings}: no recording there is called after a preset, as "
            "game_calm.mcap is, and has its truth, game_calm.truth.jsonl, beside it"
        )
    if chosen.table is not None and (problem := _unusable(chosen.table)):
        yield f"--table {problem}"
    if chosen.real_noise and chosen.before:
        yield "--real-noise and --before: noise is laid over the present detector's evenings only"


def _unusable(table: Path) -> str:
    """Why no twin can be made of a file; empty if it can."""
    try:
        read_table(table.read_bytes(), str(table))
    except (OSError, BadTwin) as problem:
        return str(problem)
    return ""


def main(given: list[str] | None = None) -> int:
    """Measure, print, and write the report."""
    chosen = arguments(given)
    if chosen.kinds:
        print("\n".join(f"{kind.name:36} {kind.group}" for kind in KINDS))
        return 0
    if chosen.recordings is None:
        print(LEFT_OUT, file=sys.stderr)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="topple-bench-")))
        try:
            detectors = _detectors(chosen, folder, stack)
            results = measure(_games(chosen, folder), DICE[chosen.dice], detectors)
        except NotThereError as error:
            print(error, file=sys.stderr)
            return 2
        console = Console(width=None if sys.stdout.isatty() else WIDTH)
        print_results(results, console, by_preset=chosen.by_preset)
        if not chosen.no_report:
            _write_report(results, chosen.out)
    return 0


def _detectors(
    chosen: argparse.Namespace, folder: Path, stack: ExitStack
) -> Mapping[str, Detector]:
    """Who lives through the evenings.

    Raises:
        NotThereError: the earlier detector cannot be had.
    """
    noise: Noise | None = with_real_noise if chosen.real_noise else None
    found: dict[str, Detector] = {NOW: partial(today, noise=noise)}
    if chosen.before:
        tree = folder / "before"
        lay_out(chosen.before, tree)
        before = stack.enter_context(Before(tree))
        found[chosen.before] = lambda game, die: before.lived(game, dice=die)
    if chosen.priors_off:
        found[OFF] = partial(today, priors=False, noise=noise)
    found[NAIVE] = lambda game, die: naive(game.trace, die)
    return found


def _games(chosen: argparse.Namespace, folder: Path) -> Iterable[Game]:
    """Recordings that were given, then evenings of one table or of each kind, as asked for."""
    presets = tuple(preset for preset in PRESETS if preset in (chosen.preset or PRESETS))
    if chosen.recordings is not None:
        yield from (game for game in recorded_games(chosen.recordings) if game.preset in presets)
    if chosen.table is not None:
        preset, twin = read_table(chosen.table.read_bytes(), str(chosen.table))
        kind = fitted_kind(twin)
        yield from evenings(
            [kind],
            folder,
            chosen.games,
            seed=chosen.seed,
            presets=(preset,),
            seconds=chosen.seconds,
        )
        return
    for kind in KINDS:
        if not chosen.only or kind.name in chosen.only:
            yield from evenings(
                [kind],
                folder,
                _count(chosen, kind),
                seed=chosen.seed,
                presets=presets,
                spread=chosen.spread,
                seconds=chosen.seconds,
            )


def _count(chosen: argparse.Namespace, kind: Kind) -> int:
    games: int = chosen.games if kind.name == "usual" else chosen.others
    return games


def _write_report(results: Results, out: Path) -> None:
    """While the traces are still there: the plots of the misses need their samples."""
    from tests.benchmarks.detection_report import report  # only here is matplotlib needed

    out.parent.mkdir(exist_ok=True)
    out.write_text(report(results), encoding="utf-8")
    print(f"report: {out}")


if __name__ == "__main__":
    sys.exit(main())
