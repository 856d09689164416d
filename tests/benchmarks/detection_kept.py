"""Evenings, and what earlier versions decided about them, kept from one run to the next (`--keep`).

Both come again to the digit. A second run on the same seed simulates no evening, and of the
detectors only the present one lives through them.
"""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from tests.benchmarks.detection_before import ROOT
from tests.benchmarks.detection_games import Event

SOURCES = (
    "lab/**/*.py", "hw/**/*.py", "engine/*.py", "engine/games/**/*.py",
    "tests/benchmarks/detection_evenings.py", "tests/benchmarks/detection_kinds.py",
)  # fmt: skip
"""Of what an evening is made; the detector and the referee have no part in it."""


def evenings_folder(keep: Path, root: Path = ROOT) -> Path:
    """Where the evenings of the present simulator are kept.

    Args:
        keep: folder of all; made if it is not there.
        root: of the program's files.
    """
    digest = sha256()
    for path in sorted(_sources(root)):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    folder = keep / digest.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def decided_once(path: Path, live: Callable[[], list[Event]]) -> list[Event]:
    """What was decided, read from a file; where there is none it is decided and written."""
    if path.is_file():
        kept: list[Event] = json.loads(path.read_text(encoding="utf-8"))
        return kept
    events = live()
    half = path.with_suffix(".half")
    half.write_text(json.dumps(events, default=float), encoding="utf-8")
    half.replace(path)  # a run that is broken off leaves no half of a file
    return events


def _sources(root: Path) -> Iterator[Path]:
    for pattern in SOURCES:
        yield from root.glob(pattern)
