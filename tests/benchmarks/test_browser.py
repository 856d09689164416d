import json
import subprocess
import sys

from tests.pages.browser import BROWSER_NEEDED

pytestmark = BROWSER_NEEDED


def test_weight_frames_and_memory_of_the_pages_are_measured() -> None:
    # As a process: a browser of the pages' tests may be open in this one.
    command = [sys.executable, "-m", "tests.benchmarks.browser"]
    printed = subprocess.run(
        [*command, "--hours", "0.02", "--speed", "20", "--seconds", "3", "--cards", "1"],
        check=True, capture_output=True, text=True, timeout=240,
    ).stdout  # fmt: skip
    found = [json.loads(line) for line in printed.splitlines()]
    weights = [one for one in found if "kilobytes" in one]
    cards = [one for one in found if "first_card_s" in one]
    (frames,) = (one for one in found if "mean_hz" in one)
    memory = [one for one in found if "heap_mb" in one]

    assert {one["page"] for one in weights} >= {"/t/demo", "/t/demo/play", "/t/demo/try"}
    assert all(one["kilobytes"] > 10 for one in weights)
    assert [one["page"] for one in cards] == ["scoreboard", "phone"]
    assert all(one["first_card_s"] > 1.2 for one in cards)  # three answers of 0.4 s at least
    assert frames["mean_hz"] > 0
    assert [one["page"] for one in memory] == ["scoreboard"] * 10 + ["phone"] * 10
    assert all(one["heap_mb"] > 0 and one["nodes"] > 0 for one in memory)
