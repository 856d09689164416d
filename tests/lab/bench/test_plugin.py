"""Scenarios as tests: what pytest itself collects, chooses, plays in parallel and reports."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lab import bench

ROOT = Path(__file__).parents[3]

GOOD = """about: A red piece on $cell is seen there.
covers: [T1]
sweep: {cell: [d4, b2]}
steps:
  - turns: [3 $cell]
expect:
  - placed: $cell
"""
BAD = GOOD.replace("placed: $cell", "placed: a1").replace("[d4, b2]", "[d4]").replace("T1", "T2")


def by_pytest(folder: Path, *words: str) -> str:
    """What pytest says, in a folder of somebody's own scenarios."""
    (folder / "good.yaml").write_text(GOOD)
    (folder / "bad.yaml").write_text(BAD)
    (folder / "pytest.ini").write_text("[pytest]\n")
    order = [sys.executable, "-m", "pytest", ".", *words]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        order, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_without_a_target_no_scenario_is_a_test(tmp_path: Path) -> None:
    assert "collected 0 items" in by_pytest(tmp_path)


@pytest.mark.slow
def test_cases_are_chosen_by_name_and_by_what_they_cover(tmp_path: Path) -> None:
    said = by_pytest(tmp_path, "--target", "sim", "--collect-only", "-q")
    assert [line for line in said.splitlines() if "::" in line] == [
        "bad.yaml::bad[cell=d4]", "good.yaml::good[cell=d4]", "good.yaml::good[cell=b2]",
    ]  # fmt: skip
    said = by_pytest(tmp_path, "--target", "sim", "--collect-only", "-q", "-k", "b2")
    assert "1/3 tests collected" in said
    said = by_pytest(tmp_path, "--target", "sim", "--collect-only", "-q", "--covers", "t2")
    assert "1 test collected" in said


@pytest.mark.slow
def test_cases_are_played_in_parallel_line_by_line_and_reported(tmp_path: Path) -> None:
    said = by_pytest(
        tmp_path, "-v", "--target=sim", "-n", "2", "--bench-report=out",
        "--junitxml=out/junit.xml",
    )  # fmt: skip

    lines = said.splitlines()
    assert sum("PASSED" in line for line in lines) == 2
    assert "FAILED bad[cell=d4]: A red piece on d4 is seen there." in lines
    assert any("bad.yaml line 7: expected placed a1; came placed d4" in line for line in lines)
    assert "Traceback" not in said
    assert "2 of 3 cases passed (2 scenarios, " in said
    assert "3 cases, 1 failed" in (tmp_path / "out" / "report.html").read_text()
    xml = (tmp_path / "out" / "junit.xml").read_text()
    assert '<property name="placements" value="1" />' in xml
    assert "topple_bench_result" not in xml


@pytest.mark.slow
def test_what_failed_last_is_played_again(tmp_path: Path) -> None:
    by_pytest(tmp_path, "--target=sim")

    said = by_pytest(tmp_path, "--target=sim", "--lf")

    assert "0 of 1 cases passed" in said
    assert "add --bench-report out --bench-record" in said


@pytest.mark.slow
def test_a_file_that_is_no_scenario_is_named_with_line_and_key(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("about: x\nsteps:\n  - plaice: d4\n")

    said = by_pytest(tmp_path, "--target=sim", "--collect-only")

    assert "line 3: steps.0.plaice: there is no such key; did you mean place?" in said


@pytest.mark.slow
def test_the_program_in_the_documents_runs_as_it_stands_there() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "bench.md").read_text(), re.DOTALL)
    (program,) = [block for block in blocks if "heard(" in block]
    order = [sys.executable, "-c", program.replace('"place_one", "rule_stack"', '"place_one"')]

    said = subprocess.run(order, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert said == "place_one passed\nkeeps all of docs/mqtt.md\n"


@pytest.mark.parametrize("name", bench.__all__)
def test_what_others_may_use_can_be_imported_from_one_place(name: str) -> None:
    assert getattr(bench, name) is not None


def test_what_is_not_there_is_named_with_what_is() -> None:
    with pytest.raises(AttributeError, match=r"lab.bench has no played; there are Board, .*play"):
        bench.played  # noqa: B018 - the look is the test
