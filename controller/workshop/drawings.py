"""`topple-table drawings`: everything for building a table for one's own game, in one folder.

Sheets to print, plates to cut, every hole in numbers, the parts list with its cuts, the picture of
the board. What is refused is refused by the same verdict as in `topple-table measure`.
"""

import sys
from pathlib import Path
from typing import TextIO, get_args

from controller.common.outputs import ready_for_folder, write_result
from hw.building.drawings import dxf, sheets
from hw.building.measures import STANDARD, Measures, load
from hw.building.mechanics import Mechanics, built
from hw.building.picture import picture
from hw.building.plates import Plate
from hw.building.purchases import as_csv, lists
from hw.building.verdict import against

WIRINGS = ("bridge", "direct")
"""The starter has no plates, no stem and no board of ours."""
SOLIDS = (
    "STL and STEP of what is printed need a library for solids, a gigabyte: in a clone of the\n"
    "repository, after make setup-drawings, type\n"
    "  .venv/bin/python -m scripts.schematics.model --measures {file} --to {folder}"
)


def run(file: Path, to: Path, wiring: str, out: TextIO | None = None) -> int:
    """Write all files for the game of a file of measures; for the assumed game without the file.

    Returns:
        Exit code: 0 written, 1 no table can be built for this game.

    Raises:
        BadInput: the folder cannot be written.
        BadMeasures: the file cannot be read.
    """
    out = out or sys.stdout
    measures = load(file) if file.exists() else STANDARD
    build = built(measures)
    refused = against(build)
    for each in refused:
        print(f"WRONG  {each.what};\n       {each.change}", file=out)
    if refused:
        print(f"Nothing is written. Measures that would do: topple-table measure {file}", file=out)
        return 1
    ready_for_folder("--to", to)
    of = f"of {file}" if file.exists() else f"of the assumed game; {file} is not there"
    print(f"Drawings {of}:", file=out)
    for name, text in documents(measures, build, wiring).items():
        write_result("--to", to / name, text)
        print(f"  {to / name}", file=out)
    print(SOLIDS.format(file=file, folder=to), file=out)
    return 0


def documents(measures: Measures, build: Mechanics, wiring: str) -> dict[str, str]:
    """All files by name."""
    return {
        "board.svg": picture(measures),
        "base-plate.svg": sheets.base_sheet(build),
        "sensor-pocket.svg": sheets.board_sheet(build),
        **{f"{plate}-plate.dxf": dxf.drawing(build, plate) for plate in get_args(Plate)},
        "holes.csv": dxf.hole_table(build),
        "parts.csv": as_csv(lists()[wiring], build),
    }
