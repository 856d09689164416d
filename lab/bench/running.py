"""Plays a case, and judges it.

One seed is one run: nothing in a run depends on the other runs, on the clock of the machine, or
on how many processes there are.
"""

import contextlib
import logging
import os
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from controller.common.errors import BadScenario, BadTarget
from engine.detect.detector import Detector
from hw.errors import BadTwin
from hw.traces.recorder import Recorder, write_truth
from lab.bench.boards import Where, board_target, name_of
from lab.bench.observed import Run
from lab.bench.scenario import Case
from lab.bench.stage import Stage
from lab.bench.table import BenchTable, DetectorFactory
from lab.bench.tapped import TappedSource
from lab.bench.targets import prepared
from lab.bench.verdict import CaseVerdict, Check, judge
from lab.bench.wire import BenchWire

# Cases are full of strangers and mishaps; what a table warns of would fill the screen, and what it
# must do about them is judged.
for room in ("controller", "pages"):
    logging.getLogger(room).addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Result:
    """One case, played and judged.

    Attributes:
        target: name of where it was played.
        number: which repetition, from 1.
        known: why it fails, when that is known; then it must.
    """

    case: Case
    target: str
    run: Run
    verdict: CaseVerdict
    number: int = 1
    known: str = ""

    @property
    def id(self) -> str:
        """Unique within a run of the bench."""
        return self.case.id + (f" #{self.number}" if self.number > 1 else "")

    @property
    def as_it_must_be(self) -> bool:
        """Whether it passed, or failed as is known."""
        return self.verdict.passed != bool(self.known)

    @property
    def complaint(self) -> str:
        """What is wrong with it, in words; empty when it is as it must be."""
        if self.as_it_must_be:
            return ""
        if self.verdict.passed:
            return f"it passes, and was known to fail ({self.known}); take it off the list"
        return "\n".join(self.verdict.failures)


def play(
    case: Case,
    target: Where = "sim",
    *,
    record: Path | None = None,
    detector: DetectorFactory = Detector,
) -> Run:
    """Play one case.

    Args:
        case: what to play.
        target: `sim`, `lab`, or a board of your own.
        record: folder for the recording and its truth.
        detector: another one to put to the test.

    Raises:
        BadScenario: something in it cannot be done.
        BadTarget: the target cannot be had here.
    """
    with tempfile.TemporaryDirectory(prefix="topple-bench-") as folder:
        wire = BenchWire()
        try:
            played = prepared(case, target)
            chance = Random(case.seed).random
            table = BenchTable(
                played.source,
                wire,
                Path(folder),
                detector=detector,
                earlier=played.world.earlier,
                chance=chance,
            )
            stage = Stage(case, played, table, wire)
            with _in_zone(played.world.zone), recorded(case, table.source, record) as trace:
                run = stage.run()
            if trace is None:
                return run
            write_truth(trace.with_suffix(".truth.jsonl"), run.truth)
            return replace(run, recording=trace.name)
        except BadTwin as problem:
            raise BadScenario(f"{case.id}: {problem}") from problem


@contextlib.contextmanager
def recorded(case: Case, source: TappedSource, folder: Path | None) -> Iterator[Path | None]:
    """Record what a source gives of a case, if there is a folder for it; the file."""
    if folder is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    trace = folder / f"{file_name(case.id)}.mcap"
    with Recorder.create(trace, source.calibration, simulated=source.simulated) as recorder:
        source.listeners.append(recorder.write)
        yield trace


@contextlib.contextmanager
def _in_zone(zone: str) -> Iterator[None]:
    """This process in another time zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


def file_name(text: str) -> str:
    """A case's id as a file may be called."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in text)


def play_and_judge(
    case: Case, target: Where = "sim", number: int = 1, record: Path | None = None
) -> Result:
    """Play a case and judge it. A bug of ours or of a scenario is a failure, with its place."""
    try:
        result = as_result(case, target, play(case, target, record=record))
    except (BadTarget, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - one broken case must not end the others
        place = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
        verdict = CaseVerdict((Check("it could not be played", ok=False, text=text),), {}, {})
        where, known = name_of(target), _known(case, target)
        result = Result(case, where, Run(stopped=text), verdict, known=known)
    return replace(result, number=number)


def as_result(case: Case, where: Where, run: Run) -> Result:
    """A run, judged."""
    verdict = judge(case, run, _known_of(where))
    return Result(case, name_of(where), run, verdict, known=_known(case, where))


def _known_of(where: Where) -> Mapping[str, str]:
    target = board_target(where)
    return {} if target is None else target.known


def _known(case: Case, where: Where) -> str:
    """Why a case is known to fail with a board."""
    known = _known_of(where)
    return known.get(case.id) or known.get(case.scenario.name, "")


def unsteady(results: Iterable[Result]) -> list[str]:
    """Cases whose repetitions gave different measurements."""
    first: dict[str, Result] = {}
    found = []
    for result in results:
        before = first.setdefault(result.case.id, result)
        if _steady(before) != _steady(result):
            found.append(f"{result.id}: not the same as the first time")
    return found


def _steady(result: Result) -> dict[str, float]:
    """Measurements without the one that depends on the machine's clock.

    The state is published at most twenty times a second of that clock.
    """
    return {k: v for k, v in result.verdict.measures.items() if k != "messages"}
