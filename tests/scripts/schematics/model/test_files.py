"""Files to make the parts from, read back."""

from pathlib import Path
from typing import Any

import pytest

from scripts.schematics import geometry, output

pytestmark = pytest.mark.slow

BUILD = geometry.load()


def only(parts: list[Any], name: str) -> Any:
    return next(each.part for each in parts if each.name == name)


def test_files_for_making_are_written_and_are_what_they_say(
    parts: list[Any], tmp_path: Path
) -> None:
    from build123d import import_step, import_stl

    from scripts.schematics.model import files
    from scripts.schematics.model.printed import printed

    made = printed(BUILD)
    written = files.write(tmp_path, parts, made, output.mechanical(BUILD))
    rank, file = only(made, "board rank 5"), tmp_path / "board-rank-1-and-5.step"

    assert {path.suffix for path in written} == {".stl", ".step", ".pdf"}
    assert len(written) == len(set(written))
    assert import_step(file).volume == pytest.approx(rank.volume, rel=1e-6)
    low = import_stl(file.with_suffix(".stl")).bounding_box()
    assert pytest.approx(0, abs=1e-3) == low.min.Z
    assert (tmp_path / "base-plate.pdf").read_bytes().startswith(b"%PDF")
