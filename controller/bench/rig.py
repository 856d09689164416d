"""Target rig: a person at the real table does what the scenario says, one prompt at a time.

The acceptance test of a newly built table. Samples come from the configured source by the clock;
rolls, passes and answers are sent by the bench, so both hands stay free for the pieces.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

import msgspec

from controller import wiring
from controller.bench.observed import Mark, Run
from controller.bench.running import Result
from controller.bench.scenario import Case
from controller.bench.steps import Step
from controller.bench.table import BenchTable
from controller.bench.tracing import Tracing
from controller.bench.verdict import judge
from controller.bench.wire import BenchWire
from controller.config import load
from controller.errors import BadInput
from hw.source import SampleSource

LOOK_S = 0.1
SECONDS_FOR = {"wait": 0.0, "lean": 6.0, "clear": 20.0}
USUAL_S = 8.0
"""How long a person takes to read a prompt, do it, and take the hands away."""

SPOKEN = ("roll", "undo", "redo", "cleared", "end")

WORDS = {
    "place": "Place a {colour} piece on {what}, let it go, hands off.",
    "put_back": "Place a piece on {what} and take it back at once.",
    "hesitate": "Touch {what} with a piece and take it away again.",
    "lift": "Take the top piece off {what}.",
    "touch": "Rest a hand on the board at {what} for a moment.",
    "nudge": "Push the top piece on {what} aside by some millimetres.",
    "bump": "Bump into the table, gently.",
    "tap": "Drum on the table {what} times.",
    "lean": "Lean on the table for three seconds.",
    "clear": "Take all pieces off the board.",
    "wait": "Wait {what} seconds.",
}


def guided(cases: Sequence[Case], config: Path | None) -> list[Result]:
    """Play cases with a person at the table that a configuration names.

    Raises:
        BadInput: no configuration was given.
    """
    if config is None:
        raise BadInput("--target rig needs --config FILE, the configuration of the real table")
    chosen = load(config).source
    results = []
    for case in cases:
        print(f"\n{case.id}: {case.scenario.about}\nClear the board; hands off.", flush=True)
        source = wiring.source(chosen)
        try:
            run = Guide(case, source).run()
        finally:
            source.close()
        results.append(Result(case, "rig", run, judge(case, run)))
    return results


class Guide:
    """One case with a person.

    Args:
        case: what to do.
        source: samples of the real table.
        out: where prompts go; standard output when left out.
        clock, sleep: the clock of the samples, and how to wait for it.
    """

    def __init__(
        self,
        case: Case,
        source: SampleSource,
        *,
        out: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._case, self._source, self._out = case, source, out
        self._clock, self._sleep = clock, sleep
        self._wire = BenchWire()
        self._marks: list[Mark] = []
        self._began_s = clock()
        self._number = 0

    def run(self) -> Run:
        """Ask, listen, and give what was seen."""
        with tempfile.TemporaryDirectory(prefix="topple-rig-") as folder:
            self._table = BenchTable(self._source, self._wire, Path(folder))
            tracing = Tracing()
            self._table.source.listeners.append(tracing.take)
            self._table.start(0.0)
            self._listen(5.0)
            if self._case.scenario.game is not None:
                self._send("start", self._case.scenario.game.command())
            for step in self._case.scenario.steps:
                self._do(step)
            self._listen(self._case.scenario.settle)
            now_s = self._now_s
            broken = self._table.finish(now_s)
        return Run(
            end_s=now_s,
            seen=tuple(self._table.seen),
            sent=tuple(self._wire.sent),
            retained=dict(self._wire.retained),
            marks=tuple(self._marks),
            broken=broken,
            trace=tracing.trace(),
        )

    @property
    def _now_s(self) -> float:
        return self._clock() - self._began_s

    def _listen(self, seconds: float) -> None:
        until_s = self._now_s + seconds
        while self._now_s < until_s:
            self._sleep(LOOK_S)
            self._wire.now_s = self._now_s
            self._wire.deliver()
            self._table.step(self._now_s)

    def _send(self, verb: str, data: dict[str, object] | None = None) -> None:
        self._number += 1
        fields = {"id": f"r{self._number}", "client": "bench", "data": data or {}}
        self._wire.command(verb, msgspec.json.encode(fields))
        self._listen(0.5)

    def _do(self, step: Step) -> None:
        begin_s = self._now_s
        if step.turns is not None:
            for turn in step.turns:
                self._turn(str(turn))
        elif step.verb in SPOKEN:
            self._send(step.verb, {"value": step.roll} if step.roll else None)
        elif step.verb == "pass_":
            self._send("pass")
        elif step.verb in WORDS:
            value = getattr(step, step.verb)
            self._ask(step.verb, str(getattr(value, "cell", value)))
        self._marks.append(Mark(begin_s, step.verb, id=step.id, end_s=self._now_s))

    def _turn(self, turn: str) -> None:
        die, _, deed = turn.partition(" ")
        self._send("roll", {"value": int(die)})
        if deed == "pass":
            self._send("pass")
        elif deed:
            self._ask("place", deed)

    def _ask(self, verb: str, what: str) -> None:
        board = self._table.board
        colour = next(
            (p.colours[0] for p in board.players if board.turn and p.name == board.turn.player),
            "red",
        )
        print(WORDS[verb].format(what=what, colour=colour), file=self._out, flush=True)
        self._listen(float(what) if verb == "wait" else SECONDS_FOR.get(verb, USUAL_S))
