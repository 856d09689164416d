"""The long evening, short: the table really plays, and what grows is seen."""

from pathlib import Path

import pytest

from tests.benchmarks.evening import STATM, Mark, evening, growth_mb_per_h, main
from tests.recorded import simulate_game


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="needs /proc/self/statm (Linux)")
def test_a_game_repeated_is_played_every_time(tmp_path: Path) -> None:
    trace, _ = simulate_game(5, "calm", tmp_path, seconds=25.0)
    marks = list(evening(trace, 0.02))

    assert len(marks) == 3
    each = marks[0].placements
    assert each > 1
    assert [mark.placements for mark in marks] == [each, 2 * each, 3 * each]


def test_growth_counts_from_the_first_hour() -> None:
    marks = [Mark(0.1, 80.0, 1), Mark(1.0, 100.0, 2), Mark(3.0, 104.0, 3)]

    assert growth_mb_per_h(marks) == pytest.approx(2.0)
    assert growth_mb_per_h(marks[:1]) == 0.0


def test_the_command_prints_hours_and_growth(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hours", "0.005", "--seconds", "10"]) == 0

    assert "growth after the first hour" in capsys.readouterr().out
