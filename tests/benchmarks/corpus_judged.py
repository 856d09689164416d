"""What the back end makes of the corpus: `python -m tests.benchmarks.corpus_judged`.

Every evening of `tests.benchmarks.corpus` is played again from its observations, with the referee
and what people said, and judged as any detection is (`tests.benchmarks.detection_figures`), and by
its whole game: is the score exact that the players counted? Nobody answers. Ordinary people at
ordinary tables stand beside all others.

The same evenings are played by an earlier version in the same run (`--before REV`; by itself the
last release), and paired (`tests.benchmarks.paired`): it ends with 1 if ordinary people became
worse by more than chance. `--against FILE` plays each evening with other parameters as well (a JSON
object, name to number).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from rich.console import Console

from tests.benchmarks import corpus_lived
from tests.benchmarks.corpus import FOLDER, Kept, Recipe, is_ordinary, read
from tests.benchmarks.corpus_lived import Lived, lived
from tests.benchmarks.detection import WIDTH, text_table
from tests.benchmarks.detection_before import ROOT, Before, NotThereError, lay_out
from tests.benchmarks.detection_figures import Miss, Tally, tally
from tests.benchmarks.detection_games import Game, Replayed, decidable, in_play
from tests.benchmarks.detection_results import NOW, STRIP_KINDS, Key, Results
from tests.benchmarks.detection_sheets import CLAIM_SORTS, Sheet, calibration_sheet
from tests.benchmarks.detection_tables import (
    CAUSE,
    COST,
    DECIDED_P50,
    DECIDED_P95,
    EXACT,
    IN_2_S,
    INVENTED,
    RIGHT,
    SEEN,
    SHOWN_IN_1_S,
    SILENT,
    SURE_RIGHT,
    printed,
)
from tests.benchmarks.fitting import changed
from tests.benchmarks.paired import changes, changes_sheet, verdict

PUBLISHED = "87ccfe99"
"""Compared with as long as there is no release: the commit whose figures of the corpus are those in
docs/results.md."""

FIRST = "865bf7f"
"""The first commit that can play a corpus again."""

ORDINARY, OTHERS = "ordinary people", "others"

FIGURES = (
    EXACT,
    replace(RIGHT, name="right cell"),  # whether the die is told differs from evening to evening
    SILENT,
    SEEN,
    CAUSE,
    INVENTED,
    SHOWN_IN_1_S,
    IN_2_S,
    DECIDED_P50,
    DECIDED_P95,
    SURE_RIGHT,
    COST,
)

MORE = 'make corpus ARGS="--ordinary --hours 10"'
"""One evening in eleven is ordinary by itself; these ten hours are some sixty."""

WORST = 10
"""Evenings that are listed of each group."""


class Judged(NamedTuple):
    """One evening, and what is counted in it."""

    recipe: Recipe
    tally: Tally

    @property
    def group(self) -> str:
        """`ORDINARY` or `OTHERS`."""
        return ORDINARY if is_ordinary(self.recipe) else OTHERS

    @property
    def wrong(self) -> list[Miss]:
        """What people find wrong on the screen and were not asked about, by time."""
        wrong = [miss for miss in self.tally.misses if miss.kind in STRIP_KINDS]
        return sorted(wrong, key=lambda miss: miss.t_s)


def judge(kept: Kept, found: Lived) -> Judged:
    """Hold what a table made of an evening against its truth."""
    truth, events = decidable(in_play(kept.truth), found.events, kept.lasts_s)
    game = Game("", "twin", kept.recipe.preset, Path(), Path(), f"evening {kept.recipe.number}")
    counted = tally([Replayed(game, events, truth, found.cpu_s, kept.lasts_s)])
    counted.scored, counted.exact = 1, int(found.scores == kept.scores)
    return Judged(kept.recipe, counted)


# --- who plays ----------------------------------------------------------------------------------


def again(evening: Path, variants: Sequence[Mapping[str, float]]) -> list[Judged]:
    """Play an evening again with each of some parameters, and judge it."""
    kept, judged = read(evening), list[Judged]()
    for parameters in variants:
        with changed(parameters) as priors:
            judged.append(judge(kept, lived(kept, priors)))
    return judged


def earlier(commit: str, evenings: Sequence[Path], jobs: int) -> list[Judged]:
    """Have an earlier version play all evenings again, and judge them as today's.

    Raises:
        NotThereError: it cannot be had, or cannot play them.
    """
    with tempfile.TemporaryDirectory(prefix="topple-before-") as folder:
        tree = Path(folder)
        lay_out(commit, tree)
        if not (tree / "tests" / "benchmarks" / "corpus.py").is_file():
            raise NotThereError(f"{commit} cannot play a corpus again; that works from {FIRST} on")
        return played_there(tree, evenings, jobs)


def played_there(tree: Path, evenings: Sequence[Path], jobs: int) -> list[Judged]:
    """All evenings, played again by the packages in a folder in processes of their own."""
    with ExitStack() as stack:
        free = SimpleQueue[Before]()
        for _ in range(jobs):
            free.put(stack.enter_context(Before(tree, corpus_lived)))

        def there(evening: Path) -> Judged:
            before = free.get()
            try:
                found = before.ask(evening=str(evening.resolve()))
            finally:
                free.put(before)
            return judge(read(evening), Lived(**found))

        with ThreadPoolExecutor(jobs) as askers:
            return list(askers.map(there, evenings))


def last_release() -> str:
    """The latest tag before this commit; `PUBLISHED` where there is none."""
    command = ["git", "-C", str(ROOT), "describe", "--tags", "--abbrev=0"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return PUBLISHED
    return found.stdout.strip() or PUBLISHED


# --- what is said -------------------------------------------------------------------------------

Columns = Mapping[str, Sequence[Judged]]
"""The same evenings, by who played them."""


def sheets(columns: Columns, group: str) -> Iterator[Sheet]:
    """The figures of a group by who played, how sure they were, and today's worst evenings."""
    results = Results()
    for name, column in columns.items():
        for each in column:
            results.add(Key(name, group, each.recipe.preset, die=True), each.tally)
    tallies = [results.of(name) or Tally() for name in columns]
    rows = [
        [row.name, row.unit, *(printed(row.figure(each), row.digits) for each in tallies)]
        for row in FIGURES
    ]
    title = f"{group}: {tallies[0].games} evenings, {tallies[0].hours:.1f} h"
    yield Sheet(title, ["figure", "unit", *columns], rows, "[95 %], n")
    for sort in ("placements", "topples"):
        yield calibration_sheet(results, sort, CLAIM_SORTS[sort])
    yield worst(columns[NOW], group)


def worst(judged: Sequence[Judged], group: str) -> Sheet:
    """The evenings with most that was silently wrong, and what came first."""
    rows = []
    for each in sorted(judged, key=lambda one: (-len(one.wrong), one.recipe.number))[:WORST]:
        if each.wrong:
            of, first = each.recipe, each.wrong[0]
            made_of = [" + ".join(of.ways), of.preset, of.odd, of.size, "" if of.told else "untold"]
            rows.append([
                str(of.number),
                ", ".join(filter(None, made_of)),
                str(len(each.wrong)),
                f"{first.t_s:.1f} s: {first.kind}: {first.words}",
            ])  # fmt: skip
    heads = ["evening", "ways, preset, odd table, size, die", "wrong", "what came first"]
    return Sheet(f"{group}: the worst evenings", heads, rows)


def report(columns: Columns, before: str, console: Console) -> bool:
    """Print all; whether ordinary people became worse than before (empty: nothing to compare)."""
    said = dict[str, tuple[str, bool]]()
    for group in (ORDINARY, OTHERS):
        these = {
            name: [each for each in column if each.group == group]
            for name, column in columns.items()
        }
        shown = list(sheets(these, group)) if these[NOW] else []
        if before:
            was, has = ([each.tally for each in these[name]] for name in (before, NOW))
            found = changes(was, has)
            shown += [changes_sheet(found, group, before)] if these[NOW] else []
            said[group] = verdict(
                found, group, len(has), before, more=MORE if group == ORDINARY else ""
            )
        for sheet in shown:
            if sheet.rows:
                console.print(text_table(sheet))
                console.print()
    for words, _ in said.values():
        console.print(words, highlight=False, soft_wrap=True)
    return said.get(ORDINARY, ("", False))[1]


# --- the command --------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Judge the corpus: 0, 1 if ordinary people became worse, 2 if the earlier version is not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--before", metavar="REV", help="this version (the last release)")
    parser.add_argument("--alone", action="store_true", help="without an earlier version")
    asked = parser.parse_args(arguments)
    evenings = sorted(asked.folder.glob("*.evening"))
    if not evenings:
        print(f"There is no evening in {asked.folder}: {MORE}")
        return 0
    before = "" if asked.alone else asked.before or last_release()
    names = [NOW, *(path.stem for path in asked.against)]
    variants = [{}, *(json.loads(path.read_text()) for path in asked.against)]
    try:
        columns = {before: earlier(before, evenings, asked.jobs)} if before else {}
    except NotThereError as error:
        print(error, file=sys.stderr)
        return 2
    with ProcessPoolExecutor(asked.jobs) as workers:
        played = list(workers.map(partial(again, variants=variants), evenings))
    columns = dict(zip(names, zip(*played, strict=True), strict=True)) | columns
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    return int(report(columns, before, console))


if __name__ == "__main__":
    sys.exit(main())
