"""The command line of `make mutants`."""

import argparse
import os
import sys

from tests.mutants import planting


def main() -> int:
    """Read the arguments, and give the exit code."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument(
        "--planted", nargs="?", const="", metavar="WORD",
        help="try the faults that were planted by hand, or those with this word",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="copies at work")
    asked = parser.parse_args()
    return planting.main(asked.planted, asked.jobs)


if __name__ == "__main__":
    sys.exit(main())
