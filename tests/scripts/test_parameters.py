"""The table of the parameters is read from the code, whole."""

import importlib
from pathlib import Path

import pytest

from engine.detect.back.parameters import Source, Within
from scripts.parameters import Row, lines, rows

TWO = Row(
    group="Groups", name="TWO", value=((0.9, 1.0), (0.8, 2.5)),
    ranges=(Within("share", 0.5, 1.0), Within("s", 0.1, 3.0)),
    source=Source.COST, meaning="Said so soon.",
)  # fmt: skip


def test_a_row_tells_value_range_source_and_meaning() -> None:
    assert list(lines([TWO])) == [
        "\nGroups\n",
        "TWO = 0.9, 1; 0.8, 2.5 (0.5 to 1 share; 0.1 to 3 s; cost)",
        "    Said so soon.",
    ]
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
