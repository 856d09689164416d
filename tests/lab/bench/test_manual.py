"""The written documents of the bench: current, and whole."""

import re

import pytest

from controller.contract.documents import main, outdated
from lab.bench import manual
from lab.bench.figures import CATALOGUE
from lab.bench.scenario import Expected
from lab.bench.steps import VERBS


def test_the_documents_are_current() -> None:
    assert outdated(manual.FOLDER, manual.files()) == [], "run make contract"


def test_the_table_has_every_verb_with_targets_and_pause() -> None:
    table = manual.reference().partition("## Expectations")[0]
    rows = {name: row for row in table.splitlines() if (name := _verb(row))}

    assert list(rows) == [verb.rstrip("_") for verb in VERBS]
    assert rows["place"].endswith("| A piece is put down. | 2.4 s |")
    assert rows["line"].endswith("| 0.3 s | lab |")
    assert "| number above 0, g |" in table


def test_the_tables_have_every_expectation_detail_document_and_measurement() -> None:
    rows = manual.reference().partition("## Expectations")[2].splitlines()
    named = [found[1] for row in rows if (found := re.match(r"\| \**`(\w+)`", row))]

    wanted = set(Expected.__struct_fields__) | set(CATALOGUE)
    assert set(named) == wanted
    assert len(named) == len(wanted)
    assert "| **`toppled`** | `any`, `bump`, `placing` | The cause, or `any`. |" in rows
    assert "| **`truth`** | `yes` | All that happened" in "\n".join(rows)
    assert any(row.startswith("| `fallen` |") and row.endswith("| `toppled` |") for row in rows)
    assert any(row.endswith("| events, `mqtt`, `never` |") for row in rows)
    assert "| `latency_max_s` | From release to decision, longest. | s |" in rows


def _verb(row: str) -> str:
    found = re.match(r"\| \*\*`(\w+)`\*\* \|", row)
    return found[1] if found else ""


def test_wrong_use_names_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--what"], manual.FOLDER, {}, "lab.bench.manual") == 2
    assert "python -m lab.bench.manual" in capsys.readouterr().err
