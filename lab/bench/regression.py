"""Regression tests made from recordings, each with the result its replay must give.

`adopt` stores the present result of a recording beside it; `replay_folder` replays every recording
of a folder and compares. So the recording of a bug report becomes a regression test.
"""

from pathlib import Path
from typing import Any

import msgspec

from controller.app.wiring import pipeline
from controller.common.errors import BadInput
from controller.replay.replay import lines
from engine.errors import UNREADABLE
from engine.plainly import plainly
from hw.source import play
from hw.traces.recording import Recording

DONE, FAILED = 0, 1

TIME_TOLERANCE_S = 0.05
CONFIDENCE_TOLERANCE = 0.05
"""Linear algebra libraries differ in the last digits. In a long evening the difference can grow to
this, but it never changes a cell or a score."""

_ROUGH = {"t": TIME_TOLERANCE_S, "decided": 0.2, "confidence": CONFIDENCE_TOLERANCE}
_LEFT_OUT = ("alternatives", "cause_confidence", "wall_s")


def outcome(recording: Path) -> list[dict[str, Any]]:
    """The result of replaying a recording, one line for each event and score.

    Raises:
        BadTrace: it cannot be replayed.
    """
    source = Recording.open(recording)
    try:
        found = lines(pipeline(source.tabletop), play(source))
        return [{k: v for k, v in line.items() if k not in _LEFT_OUT} for line in found]
    finally:
        source.close()


def stored(recording: Path) -> Path:
    """The file with the stored result of a recording."""
    return recording.with_suffix(".outcome.jsonl")


def adopt(recording: Path) -> int:
    """Store the present result of a recording as the expected one."""
    found = outcome(recording)
    path = stored(recording)
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in found))
    print(f"{path}: {len(found)} lines. Check them, and correct by hand what is wrong;")
    print(f"then `topple-table bench replay {recording.parent}` compares every version with it.")
    return DONE


def replay_folder(folder: Path) -> int:
    """Replay every recording of a folder and compare; 1 when one differs.

    Raises:
        BadInput: there is nothing to replay.
    """
    recordings = sorted(folder.glob("**/*.mcap"))
    if not recordings:
        raise BadInput(f"{folder}: no recording (*.mcap) is there; check the path")
    failed = 0
    for recording in recordings:
        text = compare_with_stored(recording)
        failed += bool(text)
        print(f"{recording}: {text or 'as stored'}")
    print(f"{len(recordings) - failed} of {len(recordings)} recordings as stored.")
    return FAILED if failed else DONE


def compare_with_stored(recording: Path) -> str:
    """The first difference from the stored outcome, in words; empty when there is none."""
    path = stored(recording)
    if not path.is_file():
        return f"no outcome is stored; run `topple-table bench adopt {recording}`"
    try:
        wanted = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    except UNREADABLE as problem:
        return f"{path.name} cannot be read: {plainly(problem)}"
    return first_difference(wanted, outcome(recording))


def first_difference(wanted: list[dict[str, Any]], found: list[dict[str, Any]]) -> str:
    """The first line that differs by more than rounding."""
    for number, (want, have) in enumerate(zip(wanted, found, strict=False), start=1):
        keys = [k for k in want if not _same(k, want[k], have.get(k))]
        if keys:
            key = keys[0]
            return f"line {number} ({want.get('type')}): {key} {have.get(key)}, not {want[key]}"
    if len(wanted) != len(found):
        return f"{len(found)} lines, not {len(wanted)}"
    return ""


def _same(key: str, want: Any, have: Any) -> bool:
    if key in _ROUGH and isinstance(want, int | float) and isinstance(have, int | float):
        return abs(want - have) <= _ROUGH[key]
    return bool(want == have)
