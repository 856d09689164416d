"""What a person who writes scenarios is given: the list, a first file, the schema."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from controller import cli
from lab.bench.scenario_files import SHIPPED

Capture = pytest.CaptureFixture[str]


def test_the_list_fits_eighty_columns_and_names_every_scenario(capsys: Capture) -> None:
    assert cli.main(["bench", "list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    names = [line.split("  ")[0] for line in lines if line and not line.startswith(" ")][:-1]
    assert names == sorted(path.stem for path in SHIPPED.glob("*.yaml"))
    assert max(map(len, lines)) <= 80


def test_the_list_is_filtered_by_name_sentence_and_cover(capsys: Capture) -> None:
    for word, name in {
        "power_cut": "power_cut",
        "SHARE THE WIN": "rule_tie",
        "t11": "rule_stack",
    }.items():
        assert cli.main(["bench", "list", word]) == 0
        assert f"{name}  (" in capsys.readouterr().out
    assert cli.main(["bench", "list", "dragon"]) == 2
    assert "no scenario has that word" in capsys.readouterr().err


def test_programs_read_the_list_as_json(capsys: Capture) -> None:
    assert cli.main(["bench", "list", "line_flip", "--json"]) == 0

    (one,) = json.loads(capsys.readouterr().out)
    assert one["targets"] == ["lab"]
    assert one["left_out"]["sim"] == "it is written for lab"
    assert one["covers"] == ["serial flip"]


@pytest.mark.slow
def test_a_new_scenario_passes_as_it_is_and_is_not_overwritten(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "not there yet" / "mine.yaml"

    assert cli.main(["bench", "new", str(path.with_suffix(""))]) == 0
    said = capsys.readouterr().out
    first = path.read_text().splitlines()[0]
    schema = json.loads((path.parent / first.partition("$schema=")[2]).read_text())
    jsonschema_rs.validate(schema, yaml.safe_load(path.read_text()))
    for text in (said, path.read_text()):
        assert f"topple-table bench '{path}'" in text
    assert cli.main(["bench", str(path), "--jobs", "1"]) == 0
    assert cli.main(["bench", "new", str(path)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_the_schema_is_printed_or_written(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "not there yet" / "scenario.json"

    assert cli.main(["bench", "schema"]) == 0
    printed = capsys.readouterr().out
    assert cli.main(["bench", "schema", "--out", str(out)]) == 0
    assert json.loads(printed) == json.loads(out.read_text())
    assert cli.main(["bench", "schema", "more"]) == 2


@pytest.mark.slow
def test_only_what_covers_a_word_is_played(capsys: Capture) -> None:
    assert cli.main(["bench", "all", "--covers", "t25", "--jobs", "1"]) == 0
    assert "1 of 1 cases passed" in capsys.readouterr().out
    assert cli.main(["bench", "all", "--covers", "dragons"]) == 2
    assert "--covers dragons: no scenario does" in capsys.readouterr().err
