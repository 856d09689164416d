"""How sure the table is of its placements, and how often people had to correct it.

Pure: the pipeline's outputs go in. A placement counts when the sensors saw it; it counts as
corrected when somebody's word moved it elsewhere or away, whether they were asked or not. A
probability is worth something only beside what came of it, so both are published: the
corrections the probabilities led one to expect, and those there were.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace

import msgspec

from controller.table.pipeline import Output
from engine.events import HumanInput, Placed

KEPT = 50
"""Placements looked back on: about two rounds of Topple, so that a repair soon shows."""

ENOUGH = 20
"""Below this, three corrections say more about chance than about the table."""

RECALIBRATE_FROM = 0.05
"""Share of corrected placements from which a calibration is advised. Under four in a hundred
are to be expected of a table that works, with questions included."""

AT_LEAST = 3
"""One slip of a finger on a phone is no reason to calibrate anything."""


class Sureness(msgspec.Struct, frozen=True):
    """The last `KEPT` placements that the sensors saw since the table was started.

    Attributes:
        placements: how many they are; the other numbers are of these.
        mean_confidence: mean probability the table gave them; None before the first.
        asked: how many it asked about.
        expected_wrong: corrections to be expected, if the probabilities are right.
        corrected: how many people put right.
        recalibrate: true when people correct so often that a calibration is worth the time.
    """

    placements: int
    mean_confidence: float | None
    asked: int
    expected_wrong: float
    corrected: int
    recalibrate: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    confidence: float
    asked: bool
    corrected: bool = False


class ConfidenceTracker:
    """Watches the decisions."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str | None, int], _Seen] = OrderedDict()

    def output(self, output: Output) -> None:
        """Take note of a decision."""
        match output.cause:
            case Placed(confidence=confidence):
                self._placed(output, confidence)
            case HumanInput(type="answer" | "correct"):
                self._put_right(output)
            case _:
                pass

    def document(self) -> Sureness:
        """What is to be published."""
        seen = tuple(self._seen.values())
        corrected = sum(one.corrected for one in seen)
        often = bool(seen) and corrected / len(seen) >= RECALIBRATE_FROM
        return Sureness(
            placements=len(seen),
            mean_confidence=_mean([one.confidence for one in seen]),
            asked=sum(one.asked for one in seen),
            expected_wrong=round(sum(1.0 - one.confidence for one in seen), 2),
            corrected=corrected,
            recalibrate=often and len(seen) >= ENOUGH and corrected >= AT_LEAST,
        )

    def _placed(self, output: Output, confidence: float) -> None:
        for outcome in output.outcomes:
            if outcome.type == "placed" and "ref" in outcome.data:
                key = (output.state.game_id, int(outcome.data["ref"]))
                self._seen[key] = _Seen(confidence, outcome.data.get("status") == "asked")
        while len(self._seen) > KEPT:
            self._seen.popitem(last=False)

    def _put_right(self, output: Output) -> None:
        for outcome in output.outcomes:
            if outcome.type != "corrected" or outcome.data.get("was") == outcome.data.get("cell"):
                continue
            key = (output.state.game_id, int(outcome.data.get("ref", -1)))
            if key in self._seen:
                self._seen[key] = replace(self._seen[key], corrected=True)


def _mean(numbers: list[float]) -> float | None:
    return round(sum(numbers) / len(numbers), 4) if numbers else None
