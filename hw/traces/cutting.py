"""Cuts the end out of recordings: what happened before somebody complained."""

import io
from collections.abc import Callable
from pathlib import Path

from engine.events import HumanInput
from hw.errors import BadTrace
from hw.source import Item, item_time_s, shifted
from hw.traces.recorder import Recorder
from hw.traces.recording import Recording

LAST_S = 600.0
"""Ten minutes: who complains has seen it happen."""

STEP_S = 10.0
MARGIN_S = 1.0
"""Blocks of two sensors overlap by less."""


class _Uncloseable(io.BytesIO):
    """Keeps its content when the recorder closes it."""

    def close(self) -> None:
        """Not yet."""


def last_part(
    path: Path,
    seconds: float = LAST_S,
    *,
    shown: Callable[[HumanInput], HumanInput] = lambda said: said,
) -> bytes:
    """The last so many seconds of a recording as a recording, also of one that is being made.

    `shown` says what of an input may be seen by whoever gets the part.

    Raises:
        BadTrace: it cannot be read.
    """
    recording = Recording.open(path)
    try:
        kept: list[Item] = []
        now_s = 0.0
        while not recording.ended:
            now_s += STEP_S
            kept += recording.poll(now_s)
            while kept and item_time_s(kept[0]) < now_s - seconds - 2 * STEP_S:
                del kept[0]
    finally:
        recording.close()
    if not kept:
        raise BadTrace(f"{path.name} holds nothing yet")
    begin_s = max(0.0, max(map(item_time_s, kept)) - seconds)
    part = [
        shifted(shown(item) if isinstance(item, HumanInput) else item, MARGIN_S - begin_s)
        for item in kept
        if item_time_s(item) >= begin_s
    ]
    stream = _Uncloseable()
    with Recorder(stream, recording.calibration, simulated=recording.simulated) as recorder:
        recorder.write(part)
    return stream.getvalue()
