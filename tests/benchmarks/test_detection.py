"""The command: measured, printed and reported, small enough for every test run."""

from pathlib import Path

import pytest

from tests.benchmarks import detection
from tests.benchmarks.detection_figures import load_judge


def test_without_the_judge_the_benchmark_says_so_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.benchmarks.detection.load_judge", lambda: None)

    assert detection.main([]) == 0
    assert "evaluate.py is not there" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [["--spread", "9"], ["--seconds", "1"], ["--out", "no/such/folder/r.html"], ["--seed", "-1"]],
)
def test_what_cannot_be_measured_is_refused_in_words(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        detection.main(given)

    assert stopped.value.code == 2
    assert given[0] in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.slow
def test_tables_and_report_come_out_of_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if load_judge() is None:
        pytest.skip("the judge (../shared/traces/evaluate.py) is not beside the checkout")
    out = tmp_path / "report.html"
    given = ["--games", "1", "--seconds", "45", "--no-public", "--out", str(out)]

    assert detection.main(given) == 0
    printed, report = capsys.readouterr().out, out.read_text()
    for preset in ("calm", "normal", "rough"):
        assert f"{preset}, twin games" in printed
        assert f"<h2>{preset}, twin games</h2>" in report
    assert printed.count("right cell, die known") == 3
    assert report.count("data:image/png;base64,") >= 9
    assert "src='http" not in report
