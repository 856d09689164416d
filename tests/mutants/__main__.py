"""Make small faults in a copy of the tree, and see whether tests and bench notice.

Called again, it goes on where it stopped, as long as no source has changed. The report goes to
build/mutants/ as well.

Made by chance in what decides, keeps, tells and converts: another operator or constant, a condition
turned round, a statement dropped, two arguments swapped. Each is tried in a copy of the tree, first
by the unit tests that run its line, then by the scenarios that do; of the lab, those of line, chips
and microcontroller, for what lies on that side. Which run which line is measured once for a state
of the sources, in some ten minutes on two cores; then a mutant takes from a few seconds to two
minutes each of tests and of bench.

The report says how many were caught, with 95 % intervals (Wilson), and lists those that got past
the tests, then those that got past the bench only. "Where a table does something else" counts
mutants with which some scenario failed or sent other messages than usual; of those a bench can be
expected to see something. The scenario with most of them is named as the nearest.
"""

import argparse
import os
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

import msgspec

from tests.mutants import planting
from tests.mutants.copies import ROOT, Copy, in_copies
from tests.mutants.covering import Covering, Judge, covering, state_of_tree
from tests.mutants.lines import paths
from tests.mutants.report import report
from tests.mutants.sites import Mutation, mutations
from tests.mutants.trial import Trial, tried

OUT = ROOT / "build" / "mutants"


def sample(found: Sequence[Mutation], seed: int, number: int) -> list[Mutation]:
    """Some of them by chance, in an order of chance: any first part of it is a sample too."""
    order = list(found)
    random.Random(seed).shuffle(order)
    return order[:number]


class Ledger:
    """What has been tried of this tree, kept in a file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        lines = file.read_bytes().splitlines() if file.is_file() else []
        self.trials = [msgspec.json.decode(line, type=Trial) for line in lines]

    def add(self, trial: Trial) -> None:
        """Keep it, also when the power goes."""
        self.trials.append(trial)
        with self._file.open("ab") as file:
            file.write(msgspec.json.encode(trial) + b"\n")

    def of(self, chosen: Iterable[Mutation]) -> list[Trial]:
        """What is known of some mutants, in their order."""
        found = {(trial.mutant, trial.judge): trial for trial in self.trials}
        keys = [(m.name, judge) for m in chosen for judge in get_args(Judge)]
        return [found[key] for key in keys if key in found]

    def catchers(self, path: str) -> set[str]:
        """Tests and scenarios that have caught mutants of a file."""
        return {trial.by for trial in self.trials if trial.mutant.startswith(f"{path}:")}


def try_all(
    chosen: Sequence[Mutation], judge: Judge, known: Covering, ledger: Ledger, jobs: int
) -> None:
    """Let the tests, or the bench, try what they have not tried yet."""
    done = {trial.mutant for trial in ledger.trials if trial.judge == judge}
    waiting = [mutation for mutation in chosen if mutation.name not in done]
    print(f"{judge}: {len(waiting)} to try, {len(chosen) - len(waiting)} known", flush=True)

    def one(copy: Copy, mutation: Mutation) -> Trial:
        return tried(copy, mutation, judge, known, ledger.catchers(mutation.path))

    for number, trial in enumerate(in_copies(jobs, waiting, one), 1):
        ledger.add(trial)
        by = f" by {trial.by[:90]}" if trial.by else ""
        print(f"{number:4} {trial.fate}{by}\n       {trial.mutant}", flush=True)


def main(given: Sequence[str] | None = None) -> int:
    """Read the arguments, try, report; 0 also when mutants get past, 2 for wrong use."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--seed", type=int, help="of the sample (by chance)")
    parser.add_argument("--count", type=int, default=60, help="mutants (60)")
    parser.add_argument("--of", default="", metavar="PATH", help="only of files with this path")
    parser.add_argument("--by", choices=get_args(Judge), help="ask only the tests, or the bench")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="trials at a time")
    parser.add_argument(
        "--planted", nargs="?", const="", metavar="WORD",
        help="instead, try the faults that were planted by hand, or those with this word",
    )  # fmt: skip
    asked = parser.parse_args(given)
    if asked.count < 1 or asked.jobs < 1:
        parser.error("--count and --jobs begin at 1")
    if asked.planted is not None:
        return planting.main(asked.planted, asked.jobs)
    files = [path for path in paths() if asked.of in path]
    if not files:
        parser.error(f"--of {asked.of}: no file in which faults are made has that in its path")
    found = [each for path in files for each in mutations(path, (ROOT / path).read_text())]
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(8000)
    chosen = sample(found, seed, asked.count)
    print(f"Seed {seed}: {len(chosen)} of {len(found)} mutants of {len(files)} files", flush=True)
    judges: Sequence[Judge] = [asked.by] if asked.by else get_args(Judge)
    ledger = Ledger(OUT / f"trials-{state_of_tree()}.jsonl")
    try:
        for judge in judges:
            try_all(chosen, judge, covering(judge, OUT, asked.jobs), ledger, asked.jobs)
    except KeyboardInterrupt:
        print("Stopped; called again, it goes on from here.")
    title = f"Mutants, seed {seed}" + (f", of {asked.of}" if asked.of else "")
    text = report(ledger.of(chosen), title)
    (OUT / f"report-{seed}.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
