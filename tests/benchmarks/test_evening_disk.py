"""The cost of an evening on the card: short here, eight hours with `--soak`."""

from pathlib import Path

import pytest

from tests.benchmarks.evening_disk import evening

LARGEST_GROWTH_MB = 8.0
"""In 48 hours it is six, and none of it after the 14th (docs/results.md)."""


@pytest.mark.slow
def test_an_evening_waits_for_the_disk_once_a_turn_and_twice_a_minute_and_stays_small(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    hours = 8.0 if pytestconfig.getoption("--soak") else 0.5
    cost = evening(hours, tmp_path)
    _, journal, log, copies, memory_mb = cost.half_hours[-1]
    waits = sum(cost.waits.values())
    print(f"{waits} waits in {cost.turns} turns and {60 * hours:.0f} minutes")

    assert cost.turns > 200 * hours
    assert waits > 0.5 * cost.turns, "a journal that never waits is none"
    assert waits <= cost.allowed
    assert cost.waits["copy"] >= 1
    assert memory_mb - cost.half_hours[0][-1] < LARGEST_GROWTH_MB
    assert log < 5e6, "the log goes into the file every thousand pages"
    assert journal + copies < 5000 * cost.entries
    # A tenth of it on an idle machine: the limit only bounds a failure.
    assert cost.start_s < 30.0
