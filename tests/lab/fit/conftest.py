"""An evening that is fitted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hw.source import play
from hw.traces.recording import Recording
from lab.fit.evening import EveningSignals
from lab.fit.signals import evening_of


@pytest.fixture(scope="module")
def evening(calm_recording: Path) -> Iterator[EveningSignals]:
    recording = Recording.open(calm_recording)
    yield evening_of(recording.calibration, play(recording))
    recording.close()
