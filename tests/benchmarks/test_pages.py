import json
import subprocess
import sys

from tests.pages.browser import BROWSER_NEEDED

pytestmark = BROWSER_NEEDED


def test_the_way_to_the_screen_and_the_memory_are_measured() -> None:
    # As a process: a browser of the pages' tests may be open in this one.
    command = [sys.executable, "-m", "tests.benchmarks.pages", "--states", "5", "--hours", "0.01"]
    printed = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=240
    ).stdout
    painted, *memory = map(json.loads, printed.splitlines())

    assert painted["n"] == 5
    assert 0 < painted["p50_ms"] <= painted["p99_ms"] <= painted["worst_ms"]
    assert [weight["messages"] > 0 for weight in memory] == [False, True]
    assert all(10 < weight["rss_mb"] < 500 for weight in memory)
