"""The archive of drawings that a release carries, opened as an owner opens it."""

import hashlib
import io
import re
import zipfile
from pathlib import Path

import ezdxf
import pytest

from hw.building import verdict
from hw.building.measures import load, parse
from scripts.schematics.model.slicing import problems, sliced, triangles_of
from scripts.schematics.output import PRINTED_BOARD
from scripts.schematics.plan import FOLDER

ROOT = FOLDER.parent


def test_every_size_of_a_release_can_be_built() -> None:
    sizes = [FOLDER / "measures.toml", *(FOLDER / "sizes").glob("*.toml")]

    assert len(sizes) == 4
    assert [str(each) for path in sizes for each in verdict.objections(load(path))] == []


def test_a_release_is_made_with_it() -> None:
    _, _, recipe = (ROOT / "Makefile").read_text().partition("\ndist:")

    assert "scripts.schematics.model.archive --to dist" in recipe.partition("\n\n")[0]


@pytest.mark.slow
def test_an_archive_holds_what_its_table_of_contents_says(tmp_path: Path) -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model import archive

    assert set(archive.SIZES) == {"assumed-game", "22-mm", "25-mm-bought", "28-mm"}
    made = archive.write(tmp_path, {"22-mm": archive.SIZES["22-mm"]})
    with zipfile.ZipFile(made) as opened:
        held = {name: opened.read(name) for name in opened.namelist()}
    told = re.findall(r"^\| (\S+) \| .* \| (\d+) \| (\w{64}) \|$",
                      held["CONTENTS.md"].decode(), flags=re.MULTILINE)  # fmt: skip

    assert {name for name, *_ in told} == set(held) - {"CONTENTS.md", "LICENSE"}
    for name, size, fingerprint in told:
        assert (len(held[name]), hashlib.sha256(held[name]).hexdigest()) == (int(size), fingerprint)
    assert verdict.objections(parse(held["22-mm/measures.toml"].decode())) == []
    twice = re.findall(r"^\| (\S+) \| to print, 2 times \|",
                       held["CONTENTS.md"].decode(), flags=re.MULTILINE)  # fmt: skip
    assert twice == ["22-mm/board-rank-1-and-5.stl", "22-mm/board-rank-2-and-4.stl"]
    stl = [content for name, content in held.items() if name.endswith(".stl")]
    assert len(stl) == 7
    assert [problems(sliced(triangles_of(each))) for each in stl] == [[]] * 7
    assert held["22-mm/table.step"].startswith(b"ISO-10303-21;")
    assert held["22-mm/base-plate.pdf"].startswith(b"%PDF")
    plate = ezdxf.read(io.StringIO(held["22-mm/base-plate.dxf"].decode()))
    assert len(plate.modelspace().query("CIRCLE")) == sum(
        row.startswith("base") for row in held["22-mm/holes.csv"].decode().splitlines()
    )
    assert "M6 x 5" in held["22-mm/parts-direct.csv"].decode()
    with zipfile.ZipFile(io.BytesIO(held["carrier/board.zip"])) as board:
        packed = {name: board.read(name) for name in board.namelist()}
    assert packed == {path.name: path.read_bytes() for path in PRINTED_BOARD.iterdir()}
    assert b"30 cuts" in held["carrier/stripboard.md"]
