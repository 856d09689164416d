"""The command: measured, printed and reported, small enough for every test run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import detection, detection_evenings
from tests.benchmarks.detection_before import ROOT, Before
from tests.benchmarks.detection_games import Event, Game
from tests.benchmarks.detection_kinds import ODD, OTHER_PEOPLE, USUAL_PEOPLE, group_of
from tests.benchmarks.detection_tables import MATRICES


def test_without_recordings_the_benchmark_says_so_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(detection, "KINDS", ())
    monkeypatch.setattr(detection, "print_results", lambda *_, **__: None)

    assert detection.main(["--no-report"]) == 0
    assert "no recordings were given" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        ["--spread", "9"],
        ["--seconds", "1"],
        ["--out", "no/such/folder/r.html"],
        ["--seed", "-1"],
        ["--others", "-1"],
        ["--only", "nobody"],
        ["--before", "4baec3e", "--real-noise"],
        ["--recordings", "no/such/folder"],
        ["--table", "no/such/table.json"],
        ["--table", "README.md"],
        ["--measures", "README.md"],
    ],
)
def test_what_cannot_be_measured_is_refused_in_words(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        detection.main(given)

    assert stopped.value.code == 2
    assert given[0] in capsys.readouterr().err.splitlines()[-1]


def test_the_quick_form_plays_one_evening_of_each_group() -> None:
    quick = detection.arguments(["--quick", "--no-report"])

    assert (quick.games, quick.others, quick.dice, quick.preset) == (1, 1, "told", ["normal"])
    assert {group_of(name) for name in quick.only} == {USUAL_PEOPLE, OTHER_PEOPLE, ODD}
    assert detection.arguments(["--quick", "--only", "slow"]).only == ["slow"]


def test_evenings_are_played_once_and_lived_through_by_each_detector(tmp_path: Path) -> None:
    played = list[str]()

    def games() -> Iterator[Game]:
        for kind in ("usual", "lively"):
            truth = tmp_path / f"{kind}.truth.jsonl"
            truth.write_text('{"type": "scores", "t": 1.0, "scores": {}}\n')
            played.append(kind)
            yield Game(kind, "public", "rough", tmp_path / "none.mcap", truth, "", kind)

    def silent(_game: Game, _die: bool) -> list[Event]:
        return [{"type": "summary", "scores": {}, "duration_s": 60.0}]

    detectors = {"now": silent, "4baec3e": silent, "naive": silent}
    results = detection.put_together(
        detection.lived_by_all(game, (False,), detectors) for game in games()
    )

    assert played == ["usual", "lively"]
    assert {(key.detector, key.kind) for key in results.tallies} == {
        ("now", "usual"), ("now", "lively"), ("4baec3e", "usual"), ("4baec3e", "lively"),
        ("naive", "usual"),
    }  # fmt: skip


@pytest.mark.slow
def test_tables_and_report_come_out_of_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detection_evenings, "REST_OF_ROUND_S", 0.0)
    # The earlier detector is today's: its commit need not be in the history.
    monkeypatch.setattr(detection, "lay_out", lambda _commit, _tree: None)
    monkeypatch.setattr(detection, "Before", lambda _tree: Before(ROOT))
    out = tmp_path / "report.html"
    given = ["--games", "1", "--seconds", "25", "--only", "usual", "--only", "lively"]
    given += ["--preset", "rough", "--dice", "told", "--jobs", "1", "--before", "an-earlier-one"]

    assert detection.main([*given, "--out", str(out)]) == 0
    printed, report = capsys.readouterr().out, out.read_text()
    for group in ("usual", "other"):
        assert f"rough, {group} people" in printed
        assert f"<h2>rough, {group} people</h2>" in report
    for title in MATRICES:
        assert title in printed
        assert f"<h2>{title}</h2>" in report
    assert "an-earlier-one" in printed
    assert "<h2>Film strips</h2>" in report
    assert all(f"<h2>{group}: " in report for group in ("Usual people", "Other people"))
    assert report.count("data:image/png;base64,") >= 3
    assert "src='http" not in report
