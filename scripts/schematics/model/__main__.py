"""Makes pictures and files of the model; `make schematics` runs it after the drawings."""

import argparse
import sys
from pathlib import Path

from hw.building import verdict
from hw.errors import BadMeasures
from scripts.schematics import geometry, output
from scripts.schematics.geometry import MEASURES_FILE
from scripts.schematics.model import collisions, files, pictures, slicing
from scripts.schematics.model.benchtop import in_tray
from scripts.schematics.model.printed import printed
from scripts.schematics.model.solids import solids
from scripts.schematics.plan import FOLDER, PlanError

PICTURES = FOLDER / "mechanics" / "pictures"
FILES = FOLDER.parent / "dist" / "model"


def main(arguments: list[str] | None = None) -> int:
    """Run the model.

    Returns:
        0 done; 1 it cannot be built, or with `--check` a picture is out of date; 2 wrong use.
    """
    parser = argparse.ArgumentParser(prog="make schematics", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    parser.add_argument("--measures", type=Path, default=MEASURES_FILE, help="of another game")
    parser.add_argument("--to", type=Path, help="folder for everything of another game")
    chosen = parser.parse_args(arguments)
    try:
        return _make(chosen.measures, chosen.to, check=chosen.check)
    except (PlanError, BadMeasures, OSError) as error:
        print(error, file=sys.stderr)
        return 2


def _make(measures: Path, to: Path | None, *, check: bool) -> int:
    m = geometry.load(measures_file=measures)
    objections = [str(each) for each in verdict.against(m)]
    parts = [] if objections else solids(m)
    objections += [] if check else collisions.overlaps(parts) + collisions.strikes(m, parts)
    if objections:
        print("\n".join(objections), file=sys.stderr)
        return 1
    folder = to / "pictures" if to else PICTURES
    drawn = {"exploded.svg": pictures.exploded([*parts, in_tray(m)])}
    steps = pictures.step_pictures(m, parts)
    drawn |= {f"step-{number:02d}.svg": picture for number, picture in steps.items()}
    if check:
        stale = [name for name, picture in drawn.items() if not _same(folder / name, picture)]
        print("\n".join(f"{name} is out of date; run: make schematics" for name in stale))
        return 1 if stale else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        if not _same(folder / name, picture):
            (folder / name).write_text(picture, encoding="utf-8")
            print(f"wrote {folder / name}")
    written = files.write(to or FILES, parts, printed(m), output.mechanical(m))
    for path in written:
        print(f"wrote {path}")
    return _slice([path for path in written if path.suffix == ".stl"])


def _slice(paths: list[Path]) -> int:
    """Say how each part prints; 1 if one does not as it lies."""
    failed = 0
    for path in paths:
        found = slicing.sliced(slicing.triangles_of(path.read_bytes()))
        said = slicing.problems(found)
        failed |= bool(said)
        print(
            f"{path.name}: {found.first_layer_mm2:.0f} mm2 on the bed, {found.over_air_mm2:.0f} "
            f"over air, {found.size_mm[2]:.0f} mm high; {'; '.join(said) or 'needs no support'}"
        )
    return failed


def _same(file: Path, picture: str) -> bool:
    return file.exists() and pictures.alike(file.read_text(encoding="utf-8"), picture)


if __name__ == "__main__":
    sys.exit(main())
