"""How often a diagnosis cries wolf on healthy tables, and how often it names a planted fault.

    .venv/bin/python -m tests.benchmarks.diagnosis --healthy 20 --each 2

Tables are drawn as widely as for detection (`tests.planted_tables`); every one is healthy but for
the fault that was planted, at the lowest place where it happens. Each is read on pins by the
drivers and behind the bridge by the firmware, at 10 and at 80 conversions a second. A fault is
named when a finding of its kind speaks of its sensor.
"""

import argparse
import sys
from collections.abc import Iterator

from controller.common.intervals import wilson
from lab.planted import PLANTED
from tests.planted_tables import BY_HANDS, PATHS, RATES, trial


def lines(healthy: int, each: int) -> Iterator[str]:
    for path in PATHS:
        for rates_hz in RATES:
            trials = [trial(path, n, rates_hz=rates_hz) for n in range(healthy)]
            wrong = [t for t in trials if t.beside]
            low, high = wilson(len(wrong), healthy)
            yield (
                f"healthy, {path}, {min(rates_hz):g} to {max(rates_hz):g} SPS: {len(wrong)} of "
                f"{healthy} with a false alarm [{100 * low:.1f}, {100 * high:.1f} %] "
                f"{[t.said for t in wrong] or ''}"
            )
    yield "| fault | planted at | on | named | beside | says |\n|---|---|---|---|---|---|"
    for words, fault in PLANTED.items():
        for path in fault.paths:
            trials = [trial(path, 1000 + n, words, hands=words in BY_HANDS) for n in range(each)]
            beside = sorted({kind for t in trials for kind in t.beside})
            yield (
                f"| `{words}` | {fault.place} | {path} | {sum(t.named for t in trials)}/{each} | "
                f"{', '.join(beside)} | {trials[0].said} |"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--healthy", type=int, default=8, help="healthy tables of each way and rate"
    )
    parser.add_argument("--each", type=int, default=2, help="tables with each fault, on each way")
    given = parser.parse_args()
    for line in lines(given.healthy, given.each):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
