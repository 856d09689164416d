"""Spoil inputs and see who minds: `python -m tests.fuzz [TARGET...] [--count N] [--seed S]`.

Without targets all are fuzzed. `--count` is for a quick parser; slow ones get their share of it
(`--list` says which). An input that was not dealt with well is written to `--to` and makes the
exit code 1; `--again FILE` gives it to its target once more.
"""

import argparse
import logging
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.fuzz import files, firmware, game, line, seeing
from tests.fuzz.running import GROWTH_MB, Finding, Outcome, Target, judged, run

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (*line.TARGETS, *game.TARGETS, *files.TARGETS, *seeing.TARGETS)
}
NAMES = (*TARGETS, firmware.NAME)
SHORT = 2000


def outcomes(names: Sequence[str], count: int, seed: int, *, quiet: bool) -> Iterator[Outcome]:
    """Fuzz one target after the other."""
    for name in names:
        if name == firmware.NAME:
            yield firmware.run(count, seed)
        else:
            target = TARGETS[name]
            yield run(target, max(round(count * target.share), 1), seed, quiet=quiet)


def words(finding: Finding) -> str:
    """What was wrong, with the places in the code."""
    error = finding.error
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    where = "".join(f"\n    {frame.filename}:{frame.lineno} {frame.name}" for frame in frames)
    return f"{finding.target}: input {finding.number}: {type(error).__name__}: {error}{where}"


def failed(outcome: Outcome) -> bool:
    """Whether something was found; memory that grows is a finding too."""
    return bool(outcome.findings) or outcome.growth_mb > GROWTH_MB


def main(given: Sequence[str] | None = None) -> int:
    """Fuzz and print; 0 when all was dealt with well, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--count", type=int, default=SHORT, help=f"inputs ({SHORT})")
    parser.add_argument("--seed", type=int, default=1, help="of the chance (1)")
    parser.add_argument("--to", type=Path, default=Path("fuzz-findings"), help="folder of findings")
    parser.add_argument("--again", type=Path, help="give this input to the target")
    parser.add_argument("--list", action="store_true", help="say what can be fuzzed")
    chosen = parser.parse_args(given)
    unknown = [name for name in chosen.targets if name not in NAMES]
    if unknown:
        parser.error(f"there is no target {unknown[0]}; there are {', '.join(NAMES)}")
    # What a table says of bad messages is not to be read a million times.
    logging.disable(logging.CRITICAL)
    names = chosen.targets or NAMES
    if chosen.list:
        return _list()
    if chosen.again is not None:
        print(judged(TARGETS[names[0]].make(), chosen.again.read_bytes()))
        return 0
    return _report(names, chosen.count, chosen.seed, chosen.to)


def _list() -> int:
    for target in TARGETS.values():
        print(f"{target.name:14} {target.what} (share {target.share:g})")
    print(f"{firmware.NAME:14} {firmware.WHAT} (share 1)")
    return 0


def _report(names: Sequence[str], count: int, seed: int, to: Path) -> int:
    table = Table(title=f"Fuzzing, seed {seed}", title_justify="left", box=None, pad_edge=False)
    for name in ("target", "inputs", "outcomes", "seconds", "growth MB", "findings"):
        table.add_column(name, justify="left" if name == "target" else "right")
    bad = False
    for found in outcomes(names, count, seed, quiet=not sys.stderr.isatty()):
        bad = bad or failed(found)
        table.add_row(
            found.target, f"{found.inputs:,}", f"{found.outcomes:,}", f"{found.seconds:.0f}",
            f"{found.growth_mb:+.1f}", str(len(found.findings)),
        )  # fmt: skip
        for finding in found.findings:
            to.mkdir(parents=True, exist_ok=True)
            path = to / f"{finding.target}-{seed}-{finding.number}"
            path.write_bytes(finding.data)
            print(f"{words(finding)}\n    kept as {path}", flush=True)
        print(f"{found.target}: {found.inputs:,} inputs", file=sys.stderr, flush=True)
    Console(width=96).print(table)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
