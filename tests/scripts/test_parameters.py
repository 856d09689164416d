"""The document of the parameters: current, whole, and made by one command."""

import importlib
from pathlib import Path

import pytest

from engine.detect.back.parameters import Source, Within
from scripts.parameters import DOCUMENT, Row, document, main, rows

TWO = Row(
    group="Groups", name="TWO", value=((0.9, 1.0), (0.8, 2.5)),
    ranges=(Within("share", 0.5, 1.0), Within("s", 0.1, 3.0)),
    source=Source.COST, meaning="Said so soon.",
)  # fmt: skip


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(rows()), "run make contract"


def test_a_row_tells_value_range_source_and_meaning() -> None:
    written = document([TWO])

    assert "\n## Groups\n" in written
    assert "| `TWO` | 0.9, 1; 0.8, 2.5 | 0.5 to 1 share; 0.1 to 3 s | cost | Said so" in written
    assert TWO.numbers == [
        (0.9, TWO.ranges[0]), (1.0, TWO.ranges[1]), (0.8, TWO.ranges[0]), (2.5, TWO.ranges[1]),
    ]  # fmt: skip


def test_the_table_is_read_from_annotations_and_docstrings() -> None:
    table = {row.name: row for row in rows()}

    assert table["MASS_SD_G"].group == "What the load cells weigh"
    assert table["MASS_SD_G"].ranges == (Within("g", 0.02, 0.2),)
    assert table["MASS_SD_G"].source is Source.PHYSICS
    assert table["MASS_SD_G"].meaning.startswith("Error of a weight step however long")
    assert table["Priors.nothing"].value == 0.3
    assert table["Priors.nothing"].meaning == "Hands, sleeves, taps and bumps that change nothing."


def test_what_is_not_said_in_the_code_is_missing_in_the_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "careless.py").write_text("LIKELY: float = 0.1\nOTHER: float = 0.2\n")
    monkeypatch.syspath_prepend(tmp_path)
    careless = importlib.import_module("careless")

    assert rows(careless) == [
        Row("", "LIKELY", 0.1, (), None, ""), Row("", "OTHER", 0.2, (), None, ""),
    ]  # fmt: skip


def test_the_command_writes_what_its_check_misses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "parameters.md"
    path.write_text("old")

    assert main(["--check"], path) == 1
    assert "run make contract" in capsys.readouterr().out
    assert path.read_text() == "old"
    assert main([], path) == 0
    assert main(["--check"], path) == 0


def test_wrong_use_names_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--what"]) == 2
    assert "python -m scripts.parameters" in capsys.readouterr().err
