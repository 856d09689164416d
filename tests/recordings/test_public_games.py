"""Games of another simulated tower, whose sensors are well: nothing is said of any of them.

They lie in a folder beside the clone, as the recordings of `signals.py`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.detection_games import product
from tests.tree import ROOT

GAMES = sorted(ROOT.parent.glob("*/traces/public/*.mcap"))

pytestmark = [
    pytest.mark.soak,
    pytest.mark.recordings_apart,
    pytest.mark.skipif(not GAMES, reason="no recorded games in a folder beside the clone"),
]


@pytest.mark.parametrize("trace", GAMES, ids=lambda trace: trace.stem)
def test_no_sensor_of_a_well_table_is_named(trace: Path) -> None:
    assert [each for each in product(trace, True) if each["type"] == "fault"] == []
