"""Target rig: a person at the real table follows the scenario, one instruction at a time.

The acceptance test of a newly built table. Samples come from the configured source in real time;
the bench sends rolls, passes and answers, so the person has both hands free for the pieces. After
each action the terminal and the phone show what the table saw.
"""

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from controller.app import wiring
from controller.common.config import SourceConfig, load
from controller.common.errors import BadInput
from controller.workshop.pace import Pace
from hw.source import SampleSource
from hw.traces.recorder import Recorder
from lab.bench.actions import ACTS
from lab.bench.observed import Mark, Run
from lab.bench.outside.deeds import coloured
from lab.bench.outside.hands import BegunAgain, LeftOut
from lab.bench.outside.people_hand import WORDS, answer_of, listen_to_keys, words_for
from lab.bench.prompts import SpokenPrompts
from lab.bench.running import Result, file_name
from lab.bench.scenario import Case
from lab.bench.steps import ScenarioStep
from lab.bench.table import BenchTable
from lab.bench.verdict import describe, judge
from lab.bench.wire import BenchWire
from lab.fit import command as fit
from pages.prompts.prompt_page import on_phones

HEARD_S = 0.5
"""The next step takes the command; the one after it has the answer."""

EMPTY_S = 5.0
"""The empty board is seen at rest before anything happens."""

AFTERWARDS_S = 3.0
"""After a deed the board swings, and the table decides."""

LOOK_S = 0.05
"""How often is looked whether people have answered."""

WAIT = "Wait {:g} seconds."
WEIGHT = "Put {grams:g} g (a full glass, say) on the base plate beside the board; hands off."
WEIGHT_AWAY = "Take the weight off the base plate."

MEASURED = "table_assumptions"
"""The scenario whose recording is fitted."""


def guided(
    cases: Sequence[Case], config: Path | None, *, phone: bool = False, record: Path | None = None
) -> Iterator[Result | LeftOut]:
    """Play cases with people at the configured table; those that they skip are left out.

    Args:
        cases: what to do.
        config: of the real table.
        phone: ask on a page too, which phones in this network can open.
        record: folder for a recording of each case.

    Raises:
        BadInput: no configuration was given, and no table is installed.
        BadConfig: it cannot be read.
    """
    if config is None:
        raise BadInput(
            "--target rig: no table is installed here; name its configuration: --config FILE"
        )
    return _each(cases, load(config).source, phone=phone, record=record)


def _each(
    cases: Sequence[Case], chosen: SourceConfig, *, phone: bool, record: Path | None
) -> Iterator[Result | LeftOut]:
    prompts = SpokenPrompts()
    with contextlib.ExitStack() as stack:
        if phone:
            stack.enter_context(on_phones(prompts, sys.stdout))
        listen_to_keys(prompts, sys.stdin)
        for case in cases:
            try:
                yield _one(case, chosen, prompts, record)
            except LeftOut as why:
                yield why


def _one(case: Case, chosen: SourceConfig, prompts: SpokenPrompts, record: Path | None) -> Result:
    print(f"\n{case.id}: {case.scenario.about}", flush=True)
    while True:
        source = wiring.source(chosen)
        try:
            run = recorded(Guide(case, source, prompts, Pace(live=True)), case, source, record)
            break
        except BegunAgain:
            continue
        finally:
            source.close()
    result = Result(case, "rig", run, judge(case, run))
    prompts.tell("; ".join(result.verdict.failures) or f"{case.id}: all as it should be")
    return result


def recorded(guide: "Guide", case: Case, source: SampleSource, record: Path | None) -> Run:
    """Play a case, keep what was heard if wanted, and fit the one that measures the table."""
    if record is None:
        return guide.run()
    record.mkdir(parents=True, exist_ok=True)
    trace = record / f"{file_name(case.id)}.mcap"
    with Recorder.create(trace, source.calibration, simulated=source.simulated) as recorder:
        run = guide.run(recorder)
    if case.scenario.name == MEASURED:
        try:
            fit.run(trace, table=record / "table.json", report=record / "table.html")
            print(f"This table and our simulation: {record / 'table.html'}", flush=True)
        except BadInput as problem:  # broken off early: what was played still has its report
            print(problem, flush=True)
    return replace(run, recording=trace.name)


class Guide:
    """One case with a person.

    Args:
        case: what to do.
        source: samples of the real table.
        prompts: asks the person.
        pace: of the samples.

    Attributes:
        table, wire, marks, checks, now_s: as a `Stage` has them, so that what people say is the
            same on both.
    """

    def __init__(
        self, case: Case, source: SampleSource, prompts: SpokenPrompts, pace: Pace
    ) -> None:
        self._case, self._source, self._prompts, self._pace = case, source, prompts, pace
        self.wire = BenchWire()
        self.marks: list[Mark] = []
        self.checks: list[tuple[float, str, bool]] = []
        self._number = self._told = 0

    def run(self, recorder: Recorder | None = None) -> Run:
        """Ask, listen, and return what was seen."""
        with tempfile.TemporaryDirectory(prefix="topple-rig-") as folder:
            self.table = BenchTable(self._source, self.wire, Path(folder))
            if recorder is not None:
                self.table.source.listeners.append(recorder.write)
            self.table.start(0.0)
            self._ask_words(words_for("clear", True))
            self._listen(EMPTY_S)
            if self._case.scenario.game is not None:
                self.command("start", self._case.scenario.game.command())
                self._listen(HEARD_S)
            for step in self._case.scenario.steps:
                self._do(step)
            self._listen(self._case.scenario.settle)
            now_s = self.now_s
            broken = self.table.finish(now_s)
        return Run(
            end_s=now_s,
            seen=tuple(self.table.seen),
            sent=tuple(self.wire.sent),
            retained=dict(self.wire.retained),
            marks=tuple(self.marks),
            checks=tuple(self.checks),
            broken=broken,
        )

    @property
    def now_s(self) -> float:
        """Bench time."""
        return self._pace.now_s

    def _listen(self, seconds: float) -> None:
        """Let the table run."""
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self.wire.now_s = self._pace.next()
            self.wire.deliver()
            self.table.step(self.now_s)
            self._tell()

    def _tell(self) -> None:
        """What the table has decided since the last look."""
        for seen in self.table.seen[self._told :]:
            self._prompts.tell(describe(seen))
        self._told = len(self.table.seen)

    def command(self, verb: str, data: dict[str, Any] | None = None) -> None:
        """What a phone at the table would send."""
        self._number += 1
        fields = {"id": f"r{self._number}", "client": "bench", "data": data or {}}
        self.wire.command(verb, msgspec.json.encode(fields))

    def _do(self, step: ScenarioStep) -> None:
        begin_s = self.now_s
        value = getattr(step, step.verb)
        match step.verb:
            case "turns":
                for turn in value:
                    self._turn(str(turn))
            case "weight":
                self._ask_words(WEIGHT.format(grams=value.grams))
                self._listen(value.seconds)
                self._ask_words(WEIGHT_AWAY)
            case "wait":
                self._prompts.ask(WAIT.format(value), self._progress())
                self._listen(float(value))
            case verb if verb in WORDS:
                what = coloured(value, self._colour()) if verb == "place" else value
                self._ask_words(words_for(verb, what))
            case verb:
                self._say(verb, value)
        self.marks.append(Mark(begin_s, step.verb, id=step.id, end_s=self.now_s))

    def _turn(self, turn: str) -> None:
        die, _, deed = turn.partition(" ")
        self._say("roll", int(die))
        if deed == "pass":
            self._say("pass_", True)
        elif deed:
            self._ask_words(words_for("place", coloured(deed, self._colour())))

    def _say(self, verb: str, value: Any) -> None:
        """Send what people say, as the simulated stage does."""
        stage: Any = self
        for _ in ACTS[verb](stage, value):
            self._listen(HEARD_S)

    def _ask_words(self, text: str) -> None:
        """Ask, and let the table run until people have confirmed it."""
        told = len(self.table.seen)
        self._prompts.ask(text, self._progress())
        while not answer_of(self._prompts, told=len(self.table.seen) > told):
            self._listen(LOOK_S)
        self._listen(AFTERWARDS_S)

    def _progress(self) -> str:
        return f"{self._case.id}, {len(self.marks) + 1} of {len(self._case.scenario.steps)}"

    def _colour(self) -> str:
        board = self.table.board
        names = {player.name: player.colours for player in board.players}
        colours = names.get(board.turn.player, ()) if board.turn is not None else ()
        return colours[0] if colours else "red"
