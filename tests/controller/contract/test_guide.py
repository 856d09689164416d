"""The table of events in docs/mqtt.md: current, and whole."""

import re
from pathlib import Path

import pytest

from controller.contract import guide
from controller.contract.guide import BEGIN, END, GUIDE, main, renewed, table
from controller.contract.schema import event_schema
from controller.mqtt.topics import Publication
from engine.public_events import BESIDE, EVENTS
from tests.controller.judge import faults_of_said

TEXT = GUIDE.read_text(encoding="utf-8")


def test_the_table_is_current() -> None:
    assert renewed(TEXT) == TEXT, "run make contract"


def test_every_event_has_a_row_with_its_fields_and_the_schema_says_what_they_mean() -> None:
    rows, parts = table(), event_schema()["$defs"]

    for tag, kind in EVENTS.items():
        row = re.search(rf"^\| {f'`{tag}`' if tag else 'others'} \|.*", rows, re.MULTILINE)
        assert row is not None, tag
        for name in set(kind.__struct_fields__) - set(BESIDE):
            assert f"`{name}`" in row[0]
            assert parts[kind.__name__]["properties"][name]["description"]


def test_the_message_shown_is_one() -> None:
    (message,) = re.findall(r"^```json\n(.+)\n```", TEXT, re.MULTILINE)

    assert faults_of_said(Publication("topple/1/t1/event", message.encode(), 1, retain=False)) == []


def test_an_old_table_is_noticed_and_put_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mqtt.md"
    path.write_text(f"before\n{BEGIN}| old |\n{END}after\n", encoding="utf-8")

    assert main(["--check"], path) == 1
    assert "run make contract" in capsys.readouterr().out
    assert main([], path) == 0
    assert main(["--check"], path) == 0
    written = path.read_text(encoding="utf-8")
    assert written.startswith("before\n")
    assert written.endswith("after\n")


def test_a_guide_without_the_two_comments_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the lines"):
        guide.renewed("before\nafter\n")
