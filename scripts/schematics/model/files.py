"""Files to make the parts from: STL and STEP of what is printed, STEP of the whole, PDF sheets.

They are large and differ between versions of the libraries, so they are made into `dist/`, and what
they say is tested instead.
"""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from build123d import Compound, Part, Pos, export_step, export_stl

from scripts.schematics.model.solids import PRINTED, Solid
from scripts.schematics.plan import PlanError

TOLERANCE_MM = 0.02
"""Between a curve and its facets: less than a printer's step."""


def write(folder: Path, parts: Sequence[Solid], sheets: Mapping[str, str]) -> list[Path]:
    """Write all files for making a table.

    Returns:
        The files.

    Raises:
        PlanError: what makes PDFs is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [
        *_printed(folder, parts),
        _whole(folder, parts),
        *(_pdf(folder, name, sheet) for name, sheet in sheets.items()),
    ]


def as_printed(part: Part) -> Part:
    """The part lying on the printer's bed."""
    box = part.bounding_box()
    middle = box.center()
    return Part() + Pos(-middle.X, -middle.Y, -box.min.Z) * part


def _printed(folder: Path, parts: Sequence[Solid]) -> list[Path]:
    written = []
    for each in parts:
        if each.name in PRINTED:
            stem = folder / each.name.replace(" ", "-")
            export_stl(as_printed(each.part), stem.with_suffix(".stl"), tolerance=TOLERANCE_MM)
            export_step(as_printed(each.part), stem.with_suffix(".step"))
            written += [stem.with_suffix(".stl"), stem.with_suffix(".step")]
    return written


def _whole(folder: Path, parts: Sequence[Solid]) -> Path:
    labelled = []
    for each in parts:
        each.part.label = each.name
        labelled.append(each.part)
    path = folder / "table.step"
    export_step(Compound(label="Topple Table", children=labelled), path)
    return path


def _pdf(folder: Path, name: str, sheet: str) -> Path:
    """A sheet as PDF, at the size of its paper."""
    program = shutil.which("rsvg-convert")
    if program is None:
        raise PlanError("rsvg-convert is not installed; try: apt-get install librsvg2-bin")
    path = folder / Path(name).with_suffix(".pdf")
    command = [program, "--format=pdf", f"--output={path}"]
    subprocess.run(command, input=sheet, text=True, check=True)  # noqa: S603 - our own words
    return path
