"""The last minutes of a recording, as a recording of their own."""

from pathlib import Path

import pytest

from engine.events import HumanInput
from engine.samples import ImuSamples, ScaleSamples
from hw.errors import BadTrace
from hw.source import item_time_s, play
from hw.traces.cutting import MARGIN_S, last_part
from hw.traces.recorder import Recorder
from hw.traces.recording import Recording
from lab.mock import MockTable, living_parameters

CUT = (ScaleSamples, ImuSamples)


def recorded(path: Path, seconds: float, *, ended: bool) -> None:
    table = MockTable(living_parameters())
    recorder = Recorder.create(path, table.calibration, simulated=True)
    for second in range(round(seconds)):
        recorder.write([*table.poll(second + 1.0), HumanInput(second + 0.5, "undo", {})])
    if ended:
        recorder.close()


@pytest.mark.parametrize("ended", [True, False])
def test_the_last_part_is_a_recording_of_just_that(tmp_path: Path, *, ended: bool) -> None:
    path, part = tmp_path / "whole.mcap", tmp_path / "part.mcap"
    recorded(path, 60.0, ended=ended)
    part.write_bytes(last_part(path, 20.0))
    recording = Recording.open(part)
    items = list(play(recording))
    recording.close()

    assert 18.0 < max(map(item_time_s, items)) - MARGIN_S <= 20.01
    assert sum(isinstance(item, HumanInput) for item in items) in {19, 20, 21}
    assert sum(len(item.t_s) for item in items if isinstance(item, CUT)) > 5000
    assert recording.simulated
    assert recording.notices == ()
    assert part.stat().st_size < path.stat().st_size


def test_a_short_recording_is_given_whole(tmp_path: Path) -> None:
    path, part = tmp_path / "whole.mcap", tmp_path / "part.mcap"
    recorded(path, 5.0, ended=True)
    part.write_bytes(last_part(path))

    assert sum(isinstance(item, HumanInput) for item in play(Recording.open(part))) == 5


def test_what_holds_nothing_yet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "whole.mcap"
    Recorder.create(path, MockTable().calibration).close()

    with pytest.raises(BadTrace, match="holds nothing yet"):
        last_part(path)
