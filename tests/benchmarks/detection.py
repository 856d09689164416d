"""How well the table sees: `python -m tests.benchmarks.detection [--games 3] [--out REPORT]`.

Evenings of usual people, of people of every other way (`lab.people.ways`) and on odd tables
are drawn and recorded once; each detector lives through the same evenings, with people who answer
what it asks: today's, on request that of an earlier commit beside it (`--before COMMIT`) and
today's without its priors about people (`--priors-off`), and a naive one. See detection_kinds and
detection_evenings (what is played), detection_lived and detection_before (by whom), detection_kept
(for the next run), detection_figures and detection_falls (what is counted), detection_tables
(goals), detection_sheets (what is printed), paired (better or worse), detection_report.
"""

import argparse
import importlib.util
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from hw.building import measures
from hw.errors import BadMeasures, BadTwin
from lab.fit.fitted import read_table
from lab.twin.parameters import PRESETS
from tests.benchmarks.detection_before import Before, NotThereError, lay_out
from tests.benchmarks.detection_evenings import plays
from tests.benchmarks.detection_figures import Tally, tally
from tests.benchmarks.detection_games import (
    Event,
    Game,
    decision_costs_ms,
    judged,
    naive,
    recorded_games,
)
from tests.benchmarks.detection_kept import decided_once, evenings_folder
from tests.benchmarks.detection_kinds import KINDS, fitted_kind, group_of, measured_kind
from tests.benchmarks.detection_limit import preset_limit
from tests.benchmarks.detection_lived import Noise, lived, offers_priors
from tests.benchmarks.detection_results import NAIVE, NOW, OFF, Key, Results
from tests.benchmarks.detection_sheets import Sheet, sheets
from tests.benchmarks.fitting import changed
from tests.benchmarks.paired import changes, changes_sheet, verdict
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


class Found(NamedTuple):
    """What one evening gave.

    Attributes:
        tallies: of each detector, with the die told and without.
        decision_ms: what each decision cost, where that was asked for.
    """

    game: Game
    tallies: dict[Key, Tally]
    decision_ms: list[float]


def lived_by_all(
    game: Game, dice: Iterable[bool], detectors: Mapping[str, Detector], *, timed: bool = False
) -> Found:
    """Have every detector live through a game, and judge them.

    Args:
        game: of any kind.
        dice: whether the die is told; both ways for the whole table.
        detectors: by name. The naive one knows usual people only.
        timed: measure what a decision costs.
    """
    found = dict[Key, Tally]()
    for die in dice:
        for name, detector in detectors.items():
            if name == NAIVE and game.kind not in ("usual", "public"):
                continue
            events = detector(game, die)
            run = judged(game, events, float(events[-1].get("cpu_s", 0.0)))
            found[Key(name, game.kind, game.preset, die)] = tally([run])
    return Found(game, found, decision_costs_ms(game.trace) if timed else [])


def put_together(found: Iterable[Found]) -> Results:
    """All evenings of a run."""
    results = Results()
    for each in found:
        print(each.game.name, file=sys.stderr, flush=True)
        for key, of in each.tallies.items():
            results.add(key, of)
        key = Key(NOW, each.game.kind, each.game.preset, die=True)
        if each.decision_ms and key in results.tallies:
            results.tallies[key].decision_ms = each.decision_ms
    played = [preset for preset in PRESETS if preset in results.presets]
    results.limits = {p: (preset_limit(p), preset_limit(p, rests=3)) for p in played}
    return results


def today(
    game: Game,
    die: bool,
    *,
    priors: object = True,
    noise: Noise | None = None,
    numbers: Mapping[str, float] | None = None,
) -> list[Event]:
    """The present detector; with other numbers in its table of parameters, if given."""
    if numbers:
        with changed(numbers) as own:
            return lived(game.trace, game.seen, dice=die, priors=own, noise=noise)
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
    for sheet in [*sheets(results, by_preset=by_preset), *_paired(results)]:
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


def _paired(results: Results) -> Iterator[Sheet]:
    """Each group's evenings, today's beside those of each other detector."""
    for group in results.groups:
        of = {
            name: [each for kind, each in evenings if group_of(kind) == group]
            for (name, die), evenings in results.evenings.items()
            if die
        }
        for name in results.detectors:
            if name != NOW and name in of:
                found = changes(of[name], of[NOW])
                words, _ = verdict(found, group, len(of[NOW]), name)
                sheet = changes_sheet(found, group, name)
                yield replace(sheet, note=f"{words} {sheet.note}")


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
    add("--before", action="append", default=[], metavar="COMMIT",
        help="beside the detector of this commit; may be repeated")  # fmt: skip
    add("--against", type=Path, action="append", default=[], metavar="FILE",
        help="beside today's with other parameters (a JSON object); may be repeated")  # fmt: skip
    add("--jobs", type=int, default=os.cpu_count() or 1, help="evenings at once (one per core)")
    add("--priors-off", action="store_true", help="beside today's without priors about people")
    add("--real-noise", action="store_true", help="lay the noise of real sensors over them")
    add("--keep", type=Path, metavar="FOLDER",
        help="keep evenings, and what earlier commits decide, for the next run")  # fmt: skip
    add("--recordings", type=Path, metavar="FOLDER", help="and these, with their truth")
    add("--table", type=Path, metavar="FILE", help="on the twin of one table (topple-table fit)")
    add("--measures", type=Path, metavar="FILE", help="of this game only (topple-table measure)")
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


def _wrong(chosen: argparse.Namespace) -> Iterator[str]:  # noqa: C901, PLR0912 - a line for each
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
    for option, given in (("--table", chosen.table), ("--measures", chosen.measures)):
        if given is not None and chosen.keep is not None:
            yield f"{option} and --keep: evenings of one table are not kept"
        if given is not None and (problem := _unusable(option, given)):
            yield f"{option} {problem}"
    if chosen.table is not None and chosen.measures is not None:
        yield "--table and --measures: a fitted table has its own game; leave one out"
    if chosen.real_noise and chosen.before:
        yield "--real-noise and --before: noise is laid over the present detector's evenings only"


def _unusable(option: str, file: Path) -> str:
    """Why no twin can be made of a file; empty if it can."""
    try:
        if option == "--measures":
            measures.load(file)
        else:
            read_table(file.read_bytes(), str(file))
    except (OSError, BadTwin, BadMeasures) as problem:
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
    with tempfile.TemporaryDirectory(prefix="topple-bench-") as name:
        folder = Path(name)
        chosen.evenings = folder if chosen.keep is None else _kept_evenings(chosen)
        try:
            chosen.hashes = {each: lay_out(each, _tree(folder, each)) for each in chosen.before}
            results = put_together(_evenings(chosen, folder))
        except NotThereError as error:
            print(error, file=sys.stderr)
            return 2
        finally:
            while _earlier:
                _earlier.popitem()[1].close()
        console = Console(width=None if sys.stdout.isatty() else WIDTH)
        print_results(results, console, by_preset=chosen.by_preset)
        if not chosen.no_report:
            _write_report(results, chosen.out)
    return 0


def _kept_evenings(chosen: argparse.Namespace) -> Path:
    """A folder of their own for evenings of other length or on tables that differ otherwise."""
    spread = "mixed" if chosen.spread is None else f"{chosen.spread:g}"
    folder = evenings_folder(chosen.keep) / f"{chosen.seconds:g}-s-spread-{spread}"
    folder.mkdir(exist_ok=True)
    return folder


def _tree(folder: Path, commit: str) -> Path:
    return folder / f"before {commit}".replace("/", "-")


def _evenings(chosen: argparse.Namespace, folder: Path) -> Iterable[Found]:
    """All evenings, several at once."""
    count = sum(1 for _ in _plays(chosen, chosen.evenings))
    if chosen.jobs == 1:
        yield from map(partial(_evening, chosen, folder), range(count))
        return
    with ProcessPoolExecutor(chosen.jobs) as workers:
        yield from workers.map(partial(_evening, chosen, folder), range(count))


def _evening(chosen: argparse.Namespace, folder: Path, index: int) -> Found:
    """Play one evening, and have all detectors live through it; in a process of its own."""
    plays_ = list(_plays(chosen, chosen.evenings))
    game = plays_[index].play()
    # The first game of each preset is enough: a decision costs what it costs.
    timed = all(each.preset != game.preset for each in plays_[:index])
    detectors = _detectors(chosen, folder)
    found = lived_by_all(game, DICE[chosen.dice], detectors, timed=timed)
    if chosen.no_report and game.source == "twin" and chosen.keep is None:
        game.trace.unlink()  # forty hours of samples would fill a small disk
    return found


def _detectors(chosen: argparse.Namespace, folder: Path) -> Mapping[str, Detector]:
    """Who lives through the evenings.

    Raises:
        NotThereError: an earlier detector does not run.
    """
    noise: Noise | None = with_real_noise if chosen.real_noise else None
    found: dict[str, Detector] = {NOW: partial(today, noise=noise)}
    for path in chosen.against:
        numbers = json.loads(path.read_text())
        found[path.stem] = partial(today, noise=noise, numbers=numbers)
    for commit in chosen.before:
        kept_as = None if chosen.keep is None else chosen.hashes[commit]
        found[commit] = partial(_lived_before, _tree(folder, commit), kept_as)
    if chosen.priors_off:
        found[OFF] = partial(today, priors=False, noise=noise)
    found[NAIVE] = lambda game, die: naive(game.trace, die)
    return found


_earlier: dict[Path, Before] = {}
"""Earlier programs of this process, by their tree: each is started once, and ends with it."""


def _before(tree: Path) -> Before:
    if tree not in _earlier:
        _earlier[tree] = Before(tree)
    return _earlier[tree]


def _lived_before(tree: Path, kept_as: str | None, game: Game, die: bool) -> list[Event]:
    """What an earlier program decides; of our own evenings kept, if asked for, by its hash."""

    def live() -> list[Event]:
        return _before(tree).lived(game, dice=die)

    if kept_as is None or game.source != "twin":
        return live()
    suffix = f".{kept_as}-{'told' if die else 'untold'}.json"
    return decided_once(game.trace.with_suffix(suffix), live)


class Play(NamedTuple):
    """An evening that can be played: its preset is known before."""

    preset: str
    play: Callable[[], Game]


def _plays(chosen: argparse.Namespace, folder: Path) -> Iterator[Play]:
    """Recordings that were given, then evenings of one table or of each kind, as asked for."""
    presets = tuple(preset for preset in PRESETS if preset in (chosen.preset or PRESETS))
    if chosen.recordings is not None:
        for game in recorded_games(chosen.recordings):
            if game.preset in presets:
                yield Play(game.preset, partial(_itself, game))
    kinds = [kind for kind in KINDS if not chosen.only or kind.name in chosen.only]
    if chosen.table is not None:
        preset, twin = read_table(chosen.table.read_bytes(), str(chosen.table))
        kinds, presets = [fitted_kind(twin)], (preset,)
    if chosen.measures is not None:
        kinds = [measured_kind(measures.load(chosen.measures))]
    for kind in kinds:
        of_one = chosen.table or chosen.measures or kind.name == "usual"
        games = chosen.games if of_one else chosen.others
        for one in presets:
            for play in plays(
                kind, one, folder, games,
                seed=chosen.seed, spread=chosen.spread, seconds=chosen.seconds,
            ):  # fmt: skip
                yield Play(one, play)


def _itself(game: Game) -> Game:
    return game


def _write_report(results: Results, out: Path) -> None:
    """While the traces are still there: the plots of the misses need their samples."""
    from tests.benchmarks.detection_report import report  # only here is matplotlib needed

    out.parent.mkdir(exist_ok=True)
    out.write_text(report(results), encoding="utf-8")
    print(f"report: {out}")


if __name__ == "__main__":
    sys.exit(main())
