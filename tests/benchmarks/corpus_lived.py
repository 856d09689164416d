"""An evening of the corpus, played again through back end and referee; nobody answers.

Imports of the benchmarks only how an evening is read, so that `detection_before` can run it with
the packages of an earlier commit in the place of the present ones.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

from controller.replay.replay import line_of
from controller.table.pipeline import Pipeline
from engine.detect.back.parameters import BEHAVIOUR, Priors
from engine.detect.observed import ObservedDetector
from engine.events import HumanInput
from tests.benchmarks.corpus import Kept, read


class Lived(NamedTuple):
    """What the table made of an evening.

    Attributes:
        events: as `topple-table replay --json` has them.
        scores: by name.
        cpu_s: of one core.
    """

    events: list[dict[str, Any]]
    scores: dict[str, int]
    cpu_s: float


def lived(kept: Kept, priors: Priors = BEHAVIOUR) -> Lived:
    begun_s = time.process_time()
    detector = ObservedDetector(kept.tabletop, kept.observations, priors)
    table = Pipeline(detector, masses=kept.tabletop.piece.masses)
    outputs = [output for said in kept.said for output in table.feed(said)]
    outputs += table._decide()
    events = [
        line_of(output.cause, output.state)
        for output in outputs
        if not isinstance(output.cause, HumanInput)
    ]
    return Lived(events, dict(table.state.position.scores), time.process_time() - begun_s)


def answer(evening: str) -> dict[str, Any]:
    """`lived`, for another process (`served`)."""
    return lived(read(Path(evening)))._asdict()
