"""Command line of the generator; `make schematics` runs it."""

import argparse
import shutil
import sys
from pathlib import Path

from hw.building import verdict
from hw.building.mechanics import Mechanics
from hw.calibration import parse_calibration
from hw.errors import BadCalibration, BadMeasures
from scripts.schematics import geometry, output
from scripts.schematics import plan as wiring
from scripts.schematics.plan import PlanError


def main(arguments: list[str] | None = None) -> int:
    """Run the generator.

    Returns:
        0 done; 1 the plan is not sound, or with `--check` a file is out of date; 2 wrong use.
    """
    parser = argparse.ArgumentParser(prog="make schematics", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    parser.add_argument("--calibration", type=Path, help="draw the mechanics of this table")
    parser.add_argument("--to", type=Path, help="folder for these drawings")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.calibration:
            return _draw_another(_another(chosen.calibration), chosen.to or Path())
        return _make(check=chosen.check)
    except (PlanError, BadCalibration, BadMeasures, OSError) as error:
        print(error, file=sys.stderr)
        return 2


def _make(*, check: bool) -> int:
    plan, mechanics = wiring.load(), geometry.load()
    objections = output.objections(plan, mechanics)
    if objections:
        print("\n".join(objections), file=sys.stderr)
        return 1
    if shutil.which("dot") is None:
        raise PlanError("Graphviz is not installed (dot); try: apt-get install graphviz")
    if check:
        stale = output.stale(plan, mechanics)
        print("\n".join(f"{name} is out of date; run: make schematics" for name in stale))
        return 1 if stale else 0
    written = output.write(plan, mechanics)
    print("\n".join(f"wrote {name}" for name in written) or "all is up to date")
    return 0


def _another(calibration: Path) -> Mechanics:
    tabletop = parse_calibration(calibration.read_bytes()).tabletop()
    return geometry.as_built(geometry.load(), tabletop)


def _draw_another(mechanics: Mechanics, folder: Path) -> int:
    objections = [str(each) for each in verdict.against(mechanics)]
    if objections:
        print("\n".join(objections), file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, sheet in output.mechanical(mechanics).items():
        (folder / name).write_text(sheet, encoding="utf-8")
        print(f"wrote {folder / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
