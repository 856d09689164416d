"""What is kept of a benchmark is what the next run would make again."""

import json
from pathlib import Path

import pytest

from tests.benchmarks import detection
from tests.benchmarks.detection_kept import decided_once, evenings_folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("lab/people/ways.py", "engine/events.py", "engine/detect/detector.py"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    return tmp_path / "tree"


@pytest.mark.parametrize(
    ("changed", "same"), [("engine/detect/detector.py", True), ("lab/people/ways.py", False)]
)
def test_another_simulator_makes_other_evenings_and_another_detector_does_not(
    changed: str, same: bool, tree: Path, tmp_path: Path
) -> None:
    before = evenings_folder(tmp_path, tree)
    (tree / changed).write_text("changed = True\n")

    assert before.is_dir()
    assert (evenings_folder(tmp_path, tree) == before) == same


def test_what_has_been_decided_is_read_and_not_decided_again(tmp_path: Path) -> None:
    path, events = tmp_path / "evening.287cdd3-told.json", [{"type": "summary", "cpu_s": 1.5}]

    assert decided_once(path, lambda: events) == events
    assert decided_once(path, list) == events
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow
def test_a_second_run_plays_no_evening_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ["--keep", str(tmp_path), "--only", "usual", "--preset", "calm", "--games", "1",
              "--seconds", "20", "--dice", "told", "--no-report", "--jobs", "1"]  # fmt: skip
    assert detection.main(chosen) == 0
    first = capsys.readouterr().out
    monkeypatch.setattr("tests.benchmarks.detection_evenings._recorded", None)
    assert detection.main(chosen) == 0
    again = capsys.readouterr().out

    def figures(out: str) -> list[str]:
        measured = ("cost ", "last sample to", "decision, p99")
        return [line for line in out.splitlines() if not line.startswith(measured)]

    assert figures(again) == figures(first)
    (trace,) = tmp_path.rglob("*.mcap")
    assert json.loads(trace.with_suffix(".truth.jsonl").read_text().splitlines()[0])
