"""Files to make the parts from: STL and STEP of what is printed, STEP of the whole, PDF sheets.

They are large and differ between versions of the libraries, so they are made into `dist/`, and what
they say is tested instead.
"""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from build123d import Compound, export_step, export_stl

from scripts.schematics.model.printed import as_printed, file_name
from scripts.schematics.model.solids import Solid
from scripts.schematics.plan import PlanError

TOLERANCE_MM = 0.02
"""Between a curve and its facets: less than a printer's step."""


def write(
    folder: Path, parts: Sequence[Solid], made: Sequence[Solid], sheets: Mapping[str, str]
) -> list[Path]:
    """Write all files for making a table.

    Args:
        folder: for them.
        parts: of the whole table.
        made: what is printed.
        sheets: SVG of each by its name, of which PDFs are made.

    Returns:
        The files.

    Raises:
        PlanError: what makes PDFs is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [
        *_printed(folder, made),
        _whole(folder, parts),
        *(_pdf(folder, name, sheet) for name, sheet in sheets.items()),
    ]


def _printed(folder: Path, parts: Sequence[Solid]) -> list[Path]:
    written = []
    for each in parts:
        stem = folder / file_name(each.name)
        if stem.with_suffix(".stl") in written:
            continue
        lying = as_printed(each)
        export_stl(lying, stem.with_suffix(".stl"), tolerance=TOLERANCE_MM)
        export_step(lying, stem.with_suffix(".step"))
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
