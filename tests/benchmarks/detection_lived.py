"""A recorded evening, lived through by a detector with people who answer what it asks.

Imports nothing of the benchmarks, so that `detection_before` can run it with the packages of an
earlier commit in the place of the present ones.
"""

import importlib
import importlib.util
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from controller.app.wiring import new_id
from controller.app.wiring import pipeline as usual_pipeline
from controller.replay.replay import line_of
from controller.table.pipeline import Output, Pipeline
from engine.detect.detector import Detector
from engine.events import HumanInput
from engine.scoreboard import QuestionShown, document
from engine.tabletop import Tabletop
from hw.calibration import ScaleCalibration
from hw.source import Item, item_time_s, play
from hw.traces.recording import Recording
from lab.demo.demo import Answering
from lab.people.eyewitness import Eyewitness

Line = dict[str, Any]
Noise = Callable[[Iterable[Item], ScaleCalibration], Iterable[Item]]

PRIORS = "engine.detect.back.parameters"
STEP_S = 1.0
"""People look at the table's question so often; blocks of another length would cost more."""

LAST_ANSWERS_S = 30.0
"""Before they go home, people answer what is still open."""


class Recalled:
    """The people of a recorded evening: they know what they had seen by then, and answer.

    Has what `lab.demo.demo.Answering` wants of an evening and `Eyewitness` of a tower.

    Attributes:
        people: itself.
        truth: `entries` known so far.
        topple: the latest one known so far.
        said: answers nobody has fetched yet.
        began_s: unknown; nobody else plays at this table.
    """

    began_s: float | None = None

    def __init__(self, seen: Path) -> None:
        """Read what they saw, from the file that `detection_evenings` wrote."""
        first, *lines = (json.loads(line) for line in seen.read_text().splitlines())
        self.people = self
        self.truth = SimpleNamespace(entries=list[Line]())
        self.topple: SimpleNamespace | None = None
        self.said: list[HumanInput] = []
        self._names, self._coming, self._now_s = first["names"], iter(lines), 0.0
        self._next = next(self._coming, None)
        self._entries: dict[int, Line] = {}

    def now(self, now_s: float) -> None:
        """Time goes on; they see what happens."""
        self._now_s = now_s
        while self._next is not None and self._next["known"] <= now_s:
            self._see(self._next)
            self._next = next(self._coming, None)
        self.truth.entries = list(self._entries.values())

    def _see(self, line: Mapping[str, Any]) -> None:
        if "topple" in line:
            self.topple = SimpleNamespace(**line["topple"])
        elif line["entry"] is None:
            self._entries.pop(line["key"], None)
        else:
            self._entries[line["key"]] = line["entry"]

    def answer(
        self, kind: str, about_s: float, options: tuple[str, ...], player: str | None = None
    ) -> str | None:
        """As `lab.people.players.People.answer`."""
        # Those of an earlier commit do not ask whose piece is meant.
        meant = () if player is None else (player,)
        return Eyewitness(cast("Any", self), self._names).answer(kind, about_s, options, *meant)

    def say(self, verb: str, **data: Any) -> None:
        """As `lab.people.simulation.SimulatedEvening.say`."""
        self.said.append(HumanInput(self._now_s, verb, data))

    def take_said(self) -> list[HumanInput]:
        """What they said, once."""
        said, self.said = self.said, []
        return said


def offers_priors() -> bool:
    """Whether this detector has priors about behaviour that can be switched off."""
    try:
        return importlib.util.find_spec(PRIORS) is not None
    except ModuleNotFoundError:  # an earlier commit has not even the package
        return False


def pipeline(tabletop: Tabletop, *, priors: object = True) -> Pipeline:
    """Detector and referee, with what the detector expects of people, nothing, or otherwise."""
    if priors is True:
        return usual_pipeline(tabletop)
    assumed = priors or importlib.import_module(PRIORS).OFF
    detector = cast("Any", Detector)(tabletop, priors=assumed)
    return Pipeline(detector, new_game_id=new_id, masses=tabletop.piece.masses)


class _Life:
    """One detector in one evening."""

    def __init__(self, table: Pipeline, people: Recalled | None) -> None:
        self._table, self._people = table, people
        self._answering = None if people is None else Answering(cast("Any", people))
        # Until 22 November 2026 `note` was called `heard`.
        self._note = getattr(self._answering, "note", getattr(self._answering, "heard", None))
        self._asked = set[str]()

    def feed(self, item: Item) -> Iterator[Line]:
        """What is decided and asked when an item comes."""
        for output in self._table.feed(item):
            if not isinstance(output.cause, HumanInput):
                yield line_of(output.cause, output.state)
            if self._note is not None:
                for outcome in output.outcomes:
                    self._note(outcome)
            yield from self._questions(output)

    def answers(self, now_s: float) -> Iterator[Line]:
        """People look at the question, and perhaps answer it."""
        if self._people is None or self._answering is None:
            return
        self._people.now(now_s)
        self._answering.act(self._pending(), now_s)
        for said in self._people.take_said():
            yield from self.feed(said)

    @property
    def asking(self) -> bool:
        """Whether something is asked."""
        return bool(self._table.state.questions())

    def _pending(self) -> QuestionShown | None:
        return document(self._table.state, table="t", boot="b").pending if self.asking else None

    def _questions(self, output: Output) -> Iterator[Line]:
        """Each question the first time it is asked; `ref`: the event it is about."""
        for question in output.state.questions():
            if question.id in self._asked:
                continue
            self._asked.add(question.id)
            move = next((m for m in output.state.ledger if m.ref == question.ref), None)
            cause: Any = output.cause
            t_s = cause.decided_s if hasattr(cause, "decided_s") else cause.t_s
            yield {
                "type": "question",
                "t": round(t_s, 4),
                "id": question.id,
                "kind": question.kind,
                "ref": None if move is None else move.source,
                "text": question.text,
            }


def lived(
    trace: Path,
    seen: Path | None = None,
    *,
    dice: bool = True,
    priors: object = True,
    noise: Noise | None = None,
) -> list[Line]:
    """What the table decided and asked; the last line is the summary.

    Args:
        trace: the recording.
        seen: what people saw; without it nobody answers.
        dice: false to leave the rolls out.
        priors: false to let the detector expect nothing of people; or `Priors` of one's own.
        noise: spoils what the recording holds.
    """
    recording = Recording.open(trace)
    try:
        begun_s, found, due_s, end_s = time.process_time(), list[Line](), 0.0, 0.0
        table = pipeline(recording.tabletop, priors=priors)
        life = _Life(table, None if seen is None else Recalled(seen))
        items: Iterable[Item] = play(recording, STEP_S)
        if noise is not None:
            items = noise(items, recording.calibration.scale)
        for item in items:
            end_s = max(end_s, item_time_s(item))
            while item_time_s(item) > due_s:
                found += life.answers(due_s)
                due_s += STEP_S
            heard = item if dice else _without_dice(item)
            if heard is not None:
                found += life.feed(heard)
        cpu_s = time.process_time() - begun_s
        while seen is not None and life.asking and due_s < end_s + LAST_ANSWERS_S:
            found += life.answers(due_s)
            due_s += STEP_S
    finally:
        recording.close()
    scores = dict(table.state.position.scores)
    summary = {"type": "summary", "scores": scores, "duration_s": end_s, "cpu_s": cpu_s}
    return [*found, summary]


def _without_dice(item: Item) -> Item | None:
    """As `topple-table replay --no-dice` hears it."""
    if not isinstance(item, HumanInput) or item.type not in ("roll", "start"):
        return item
    if item.type == "roll":
        return None
    options = {**item.data.get("options", {}), "dice": "untold"}
    return HumanInput(item.t_s, item.type, {**item.data, "options": options})


def answer(trace: str, seen: str | None, dice: bool) -> list[Line]:
    """`lived`, for another process (`served`)."""
    return lived(Path(trace), None if seen is None else Path(seen), dice=dice)
