"""The drawings of a release: all files of the assumed game, of three toys and of the carrier.

`make dist` makes it, so that nobody needs the library for solids to build a table of these sizes.
Its table of contents names each file, what it is for, and its fingerprint.
"""

import argparse
import io
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from controller.workshop import drawings
from hw.building.measures import load
from hw.building.mechanics import Mechanics, built
from hw.building.purchases import as_csv, lists
from scripts.schematics import output
from scripts.schematics.geometry import MEASURES_FILE
from scripts.schematics.model import files, slicing
from scripts.schematics.model.printed import file_name, printed
from scripts.schematics.model.solids import Solid, solids
from scripts.schematics.plan import FOLDER, PlanError
from scripts.schematics.tables import in_markdown

SIZES = {"assumed-game": MEASURES_FILE} | {
    path.stem: path for path in sorted((FOLDER / "sizes").glob("*.toml"))
}
"""The measures of each size by the folder that it has in the archive."""
CONTENTS = "CONTENTS.md"
CARRIER = "carrier"
"""The folder of the bridge's board, which is the same for every game."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Of every file: two archives of the same drawings do not differ by their clocks."""
USES = {
    ".stl": "to print",
    ".step": "the solid, for a machine shop or another program",
    ".dxf": "to cut, 1 : 1 in mm",
    ".pdf": "to print on paper, A3",
    ".svg": "the same, or a picture, for a screen",
    ".csv": "as a table",
    ".toml": "the measures from which all this follows",
    ".md": "what to do, in order",
    ".zip": "to send to a manufacturer of printed boards",
}
"""What a file is for, by its ending."""


def write(to: Path, sizes: Mapping[str, Path] = SIZES) -> Path:
    """Write the archive into a folder.

    Returns:
        The archive.

    Raises:
        PlanError: a part cannot be printed as it lies, or what makes PDFs is missing.
        BadMeasures: a file of measures cannot be read.
    """
    held: dict[str, bytes] = {}
    copies: Counter[str] = Counter()
    for name, path in sizes.items():
        build = built(load(path))
        made = printed(build)
        copies.update(f"{name}/{file_name(each.name)}.stl" for each in made)
        held |= {f"{name}/{file}": content for file, content in _files(path, build, made)}
    held |= {f"{CARRIER}/{file}": content for file, content in _carrier()}
    held |= {
        CONTENTS: contents(sizes, held, copies).encode(),
        "LICENSE": (FOLDER / "LICENSE").read_bytes(),
    }
    to.mkdir(parents=True, exist_ok=True)
    archive = to / f"topple-table-drawings-{version('topple-table')}.zip"
    archive.write_bytes(_zipped(held))
    return archive


def _zipped(held: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(held):
            target.writestr(zipfile.ZipInfo(name, EPOCH), held[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _carrier() -> Iterator[tuple[str, bytes]]:
    """The board of the bridge, on stripboard and printed."""
    for path in (output.STRIPBOARD.with_suffix(ending) for ending in (".md", ".svg")):
        yield path.name, path.read_bytes()
    printed_board = {path.name: path.read_bytes() for path in output.PRINTED_BOARD.iterdir()}
    yield "board.zip", _zipped(printed_board)


def _files(
    measures_file: Path, build: Mechanics, made: Sequence[Solid]
) -> Iterator[tuple[str, bytes]]:
    """Everything of one size: names and contents."""
    yield "measures.toml", measures_file.read_bytes()
    for name, text in drawings.documents(build.measures, build, "bridge").items():
        if name != "parts.csv":
            yield name, text.encode()
    for wiring in drawings.WIRINGS:
        yield f"parts-{wiring}.csv", as_csv(lists()[wiring], build).encode()
    with tempfile.TemporaryDirectory() as folder:
        for path in files.write(Path(folder), solids(build), made, output.mechanical(build)):
            content = path.read_bytes()
            if path.suffix == ".stl":
                _check_prints(path.name, content)
            yield path.name, content


def _check_prints(name: str, stl: bytes) -> None:
    found = slicing.problems(slicing.sliced(slicing.triangles_of(stl)))
    if found:
        raise PlanError(f"{name}: {'; '.join(found)}; change scripts/schematics/model/printed.py")


def contents(
    sizes: Mapping[str, Path], held: Mapping[str, bytes], copies: Mapping[str, int]
) -> str:
    """The table of contents, in Markdown; `copies` says how often each part is printed."""
    text = f"# Drawings of Topple Table {version('topple-table')}\n\nNobody has built this yet.\n"
    folders = {}
    for name, measures_file in sizes.items():
        board = load(measures_file).board
        folders[name] = (
            f"Cells of {board.cell_pitch_mm:g} mm in steps of {board.level_step_mm:g} mm, walls of "
            f"{board.wall_mm:g} mm; the board is {board.made}."
        )
    folders[CARRIER] = "The bridge's board for every game: on stripboard, or printed."
    for name, what in folders.items():
        rows = [
            (file, _use(file, copies), f"{len(held[file])}", sha256(held[file]).hexdigest())
            for file in sorted(held) if file.startswith(f"{name}/")
        ]  # fmt: skip
        table = in_markdown(("file", "what for", "bytes", "SHA-256"), rows)
        text += f"\n## {name}\n\n{what}\n\n{table}"
    return text


def _use(file: str, copies: Mapping[str, int]) -> str:
    times = copies.get(file, 1)
    return USES[Path(file).suffix] + (f", {times} times" if times > 1 else "")


def main(arguments: list[str] | None = None) -> int:
    """Write the archive and say where."""
    parser = argparse.ArgumentParser(prog="make dist", description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("dist"))
    try:
        print(f"wrote {write(parser.parse_args(arguments).to)}")
    except PlanError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
