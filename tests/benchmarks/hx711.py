"""How far HX711 drivers can be trusted on a busy computer: `python -m tests.benchmarks.hx711`.

On the simulated chip (`lab.chips`): undisturbed, with 1 % of the pulses stretched to 200 us, and
with the usual faults. A count is wrong when it is not the data word the chip had to give; a wrong
count that is not refused is silently wrong. Kept are the right counts, of all conversions.

The prescribed library is measured in our adapter, with shims and as it is, each driver in a process
of its own with a time limit.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from tests.benchmarks.hx711_drivers import CASES, DRIVERS, Outcome, play

FAULT_S = 3.0
LIMIT_S = 600.0
FAULTS = ("saturated", "unplugged", "stuck low")
Outcomes = dict[str, Outcome]
Row = tuple[str, Outcomes]


def measure(driver: str, seconds: float) -> Outcomes:
    """All cases of one driver, in this process."""
    return {case: play(driver, case, FAULT_S if case in FAULTS else seconds) for case in CASES}


def measure_apart(driver: str, seconds: float) -> Outcomes | str:
    """The same in a process of its own; a text when it came to nothing."""
    wanted = DRIVERS[driver]
    if importlib.util.find_spec(wanted.module) is None:
        return f"{wanted.title} skipped: pip install {wanted.package}"
    # The child gives its figures on the last line; peers may print before.
    code = f"from tests.benchmarks import hx711; hx711.tell({driver!r}, {seconds})"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return f"{wanted.title} skipped: not finished after {LIMIT_S:.0f} s"
    except subprocess.CalledProcessError as error:
        return f"{wanted.title} skipped: {error.stderr.strip().splitlines()[-1]}"
    told = json.loads(done.stdout.splitlines()[-1])
    return {case: Outcome(**figures) for case, figures in told.items()}


def tell(driver: str, seconds: float) -> None:
    """Print the outcomes of a driver for the parent process."""
    print(json.dumps({case: asdict(one) for case, one in measure(driver, seconds).items()}))


def lines(drivers: list[str], seconds: float) -> Iterator[Row | str]:
    """Title and outcomes of each driver, or why there are none."""
    for driver in drivers:
        outcomes = measure_apart(driver, seconds)
        yield outcomes if isinstance(outcomes, str) else (DRIVERS[driver].title, outcomes)


def _counts(outcome: Outcome) -> str:
    if not outcome.right + outcome.wrong + outcome.refused:
        return outcome.said
    return f"{outcome.right} / {outcome.wrong} / {outcome.refused}"


def _kept(outcome: Outcome) -> str:
    return f"{outcome.right / outcome.conversions:.1%}" if outcome.conversions else "-"


def _said(outcome: Outcome) -> str:
    first, stop, _ = outcome.said.partition(".")
    return first + stop


def figures_of(rows: list[Row]) -> Table:
    """Counts for people."""
    table = Table(title="HX711 drivers: right / silently wrong / refused")
    for title in ("driver", "undisturbed", "1 % of pulses 200 us", "kept", "rules broken"):
        table.add_column(title)
    for title, outcomes in rows:
        clean, stretched = outcomes["clean"], outcomes["stretched"]
        figures = _counts(clean), _counts(stretched), _kept(stretched), str(clean.broken)
        table.add_row(title, *figures)
    return table


def answers_of(rows: list[Row]) -> Table:
    """What each says when something is broken."""
    table = Table(title="The same, when something is broken")
    for title in ("driver", *FAULTS):
        table.add_column(title)
    for title, outcomes in rows:
        table.add_row(title, *(_said(outcomes[fault]) for fault in FAULTS))
    return table


def main() -> None:
    """Measure all and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="simulated, for each driver")
    seconds = parser.parse_args().seconds
    rows, remarks = [], []
    for line in lines(list(DRIVERS), seconds):
        if isinstance(line, str):
            remarks.append(line)
        else:
            rows.append(line)
    console = Console()
    console.print(figures_of(rows))
    console.print(f"n = {rows[0][1]['stretched'].conversions} conversions for each figure\n")
    console.print(answers_of(rows))
    for remark in remarks:
        console.print(remark, highlight=False)


if __name__ == "__main__":
    main()
