"""Plays one case second by second and records what the table publishes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from typing import Any

import msgspec

from engine.events import HumanInput
from hw.source import Item
from lab.bench.account import broken_accounts
from lab.bench.actions import perform
from lab.bench.board_account import Heard, board_figures
from lab.bench.encore import Encore
from lab.bench.habits import Habits
from lab.bench.observed import ANSWER, Mark, Order, Run, Sent
from lab.bench.scenario import Case
from lab.bench.shown_account import TowerWitness
from lab.bench.steps import LONGEST_S, MISHAPS, SPEAKER, FaultOrder, Line, ScenarioStep
from lab.bench.table import BenchTable
from lab.bench.targets import Played
from lab.bench.wire import BenchWire
from lab.demo.demo import Answering
from lab.people.ways import ways_of

STEP_S = 0.1
"""Table time of one step: the span in which the simulated tower delivers. Fixed, so that one seed
is one run."""

BEGIN_S = 1.0
"""The empty board is seen at rest before anything happens; then the game is started."""

LOOKING_S = 4.0
"""After a start the table looks at the board at rest before anybody goes on."""

UNPLAYED = "the case is broken off here; not all of its steps were played"


@dataclass(slots=True)
class Stage:
    """One case, being played.

    Attributes:
        now_s: bench time.
        habits: how the hands of the script behave.
        marks, checks: as in `Run`.
    """

    case: Case
    played: Played
    table: BenchTable
    wire: BenchWire
    now_s: float = 0.0
    marks: list[Mark] = field(default_factory=list)
    checks: list[tuple[float, str, bool]] = field(default_factory=list)
    stopped: str = ""
    habits: Habits = field(init=False)
    _ids: int = 0
    _turns: int = 0
    _witness: TowerWitness = field(init=False)

    def __post_init__(self) -> None:
        """Seat the people of the script."""
        scenario = self.case.scenario
        seats = len(scenario.game.players) if scenario.game is not None else 2
        ways = ways_of(scenario.people, self.case.seed)
        self.habits = Habits(self.played.tower, ways, self.case.seed, seats)

    def command(self, verb: str, data: dict[str, Any] | None = None) -> None:
        """What a phone at the table sends."""
        self._ids += 1
        payload = {"id": f"c{self._ids}", "client": SPEAKER, "data": data or {}}
        self.wire.command(verb, msgspec.json.encode(payload))

    def after_turn(self) -> Iterator[float]:
        """A turn is over; after one of them the process is started again, if chance wants it."""
        self._turns += 1
        if self._turns == self.played.world.restart_after:
            begin_s = self.now_s
            yield from perform(self, ScenarioStep(kill=True, pause=LOOKING_S))
            self.marks.append(Mark(begin_s, "started again", "fault", end_s=self.now_s))

    def say(self, verb: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and have its answer, while time stands still."""
        place = len(self.wire.sent)
        self.command(verb, data)
        self.wire.deliver()
        self.table.step(self.now_s)
        sent = self.wire.sent[place:]
        return next((m.document() for m in sent if m.suffix == ANSWER), {})

    def again(self) -> None:
        """Deliver the last command once more, as a broker may."""
        last = self.wire.delivered[-1]
        self.wire.command(last.verb, last.payload)
        self.wire.deliver()
        self.table.step(self.now_s)

    def restart(self) -> None:
        """Kill the table and start it again, while time stands still."""
        self.table.kill()
        self.table.start(self.now_s)

    @property
    def messages(self) -> Sequence[Sent]:
        """All that was published."""
        return self.wire.sent

    def run(self) -> Run:
        """Play it to its end."""
        said = Heard()
        self._witness = TowerWitness(self.played.tower.parameters.scale.positions_mm)
        self.played.tower.witnesses.append(self._witness.take)
        self.table.source.listeners.append(self._overhear)
        if self.played.board is not None:
            self.table.source.listeners.append(said.take)
        self.table.start(0.0)
        answering = self._answering()
        script = self._script()
        wake_s, end_s = next(script), inf
        while self.now_s < min(end_s, LONGEST_S):
            self.now_s = self.wire.now_s = round(self.now_s + STEP_S, 6)
            while wake_s <= self.now_s + 1e-9:
                wake_s = next(script, inf)
            if (wake_s == inf or self._left()) and end_s == inf and self._over():
                end_s = self.now_s + self.case.scenario.settle
            if self.played.evening is None:
                self.habits.fidget()
            self._step(answering)
        if wake_s < inf and not self._left():
            self.checks.append((self.now_s, UNPLAYED, False))
        return self._concluded(said)

    def _script(self) -> Iterator[float]:
        scenario = self.case.scenario
        yield BEGIN_S
        setup = scenario.game
        if setup is not None and self.played.evening is None:
            self.command("start", setup.command())
            yield self.now_s + 0.5
        for number, step in enumerate(scenario.steps):
            if step.at is not None and step.at > self.now_s:
                yield step.at
            begin_s = self.now_s
            place = len(self.marks)
            yield from perform(self, step, next(iter(scenario.steps[number + 1 :]), None))
            name, until_s = step.id or f"#{number}", _lasts_to(step, begin_s)
            mark = Mark(begin_s, _words(step), _kind(step), name, self.now_s, until_s)
            self.marks.insert(place, mark)
            if _ends_faults(step):
                self.marks[:] = [_ended(mark, begin_s) for mark in self.marks]

    def _over(self) -> bool:
        evening = self.played.evening
        setup = self.case.scenario.evening
        if evening is None or setup is None:
            return True
        return self.played.source.ended or self.now_s >= setup.seconds

    def _left(self) -> bool:
        """Whether the people of an evening have gone: no sensor tells of what comes later."""
        return self.played.evening is not None and self.played.source.ended

    def _answering(self) -> Answering | None:
        evening, setup = self.played.evening, self.case.scenario.evening
        if evening is None or setup is None or not setup.answers:
            return None
        answering = Answering(evening)
        self.table.heard = answering.note
        return answering

    def _step(self, answering: Answering | None) -> None:
        if answering is not None and self.table.running:
            answering.act(self.table.board.pending, self.now_s)
        self.wire.deliver()
        self.table.step(self.now_s)

    def _overhear(self, items: list[Item]) -> None:
        """Keep what people said by buttons and without a phone: it comes with the samples."""
        heard, place = self.table.running, len(self.wire.sent)
        self.wire.delivered += [
            Order(
                item.t_s, item.type, msgspec.json.encode({"data": item.data}),
                by_mqtt=False, place=place, heard=heard,
            )
            for item in items
            if isinstance(item, HumanInput)
        ]  # fmt: skip

    def _encore(self) -> tuple[str, ...]:
        """Try everything once more that must hold wherever an evening stands."""
        self.wire.come_up()
        self.wire.delay_s, self.wire.deliveries = 0.0, 1
        if not self.table.running or not self.case.scenario.account.encore:
            return ()
        return Encore(self, Random(self.case.id)).play()

    def _world(self) -> dict[str, float]:
        """True figures of the sensors."""
        if self.played.board is not None:
            # Its chips have clocks of their own, and average what the tower's noise makes of them.
            return dict(self.played.board.rates_hz)
        parameters = self.played.tower.parameters
        known = {"scale_hz": parameters.scale.rate_hz, "imu_hz": parameters.imu.rate_hz}
        scale = parameters.scale
        pairs = zip(scale.noise_counts, scale.counts_per_gram, strict=True)
        noise_g = {f"scale.{n}.noise_g": abs(c / per_g) for n, (c, per_g) in enumerate(pairs)}
        return known | noise_g

    def _concluded(self, said: Heard) -> Run:
        sent, retained, asked = tuple(self.wire.sent), dict(self.wire.retained), self.wire.asked
        disturbed = any(mark.kind == "fault" for mark in self.marks)
        behind = board_figures(self.played.felt, said, self.now_s, disturbed=disturbed)
        encored = self._encore()
        broken = self.table.finish(self.now_s)
        people = self.played.evening.people if self.played.evening else None
        # Copied: the twin completes its entries later.
        truth = tuple(dict(entry) for entry in self.played.truth())
        run = Run(
            end_s=self.now_s,
            seen=tuple(self.table.seen),
            sent=sent,
            retained=retained,
            marks=tuple(self.marks),
            checks=tuple(self.checks),
            asked=asked,
            truth=truth,
            scores=dict(people.scores) if people is not None else None,
            broken=(*broken, *encored),
            stopped=self.stopped,
            extra={
                "deaths": float(len(self.table.deaths)),
                "dropped": float(self.wire.missed),
                **self.played.counters(),
                **behind,
            },
            orders=tuple(self.wire.delivered),
            journal=self.table.journal_rows(),
            encore=tuple(self.wire.sent[len(sent) :]),
            world=self._world(),
            signals=self._witness.signals(),
        )
        return replace(run, broken=(*run.broken, *broken_accounts(run)))


def _kind(step: ScenarioStep) -> str:
    return "fault" if step.verb in MISHAPS else "check" if step.verb == "check" else "step"


def _lasts_to(step: ScenarioStep, begin_s: float) -> float | None:
    """When the fault of a step ends by itself; infinity if never, None if it does not last."""
    if isinstance(step.fault, FaultOrder) and step.fault.seconds is not None:
        return begin_s + step.fault.seconds
    lasting = step.fault is not None or step.broker in ("down", "slow", "duplicate")
    return inf if lasting or step.disk == "full" or _starts_on_line(step) else None


def _starts_on_line(step: ScenarioStep) -> bool:
    what = step.line.what if isinstance(step.line, Line) else step.line
    deed = (step.chip or "").split(" ")[0]
    return what in ("flip", "drop", "duplicate", "unplug") or deed in ("unplug", "short")


def _ends_faults(step: ScenarioStep) -> bool:
    """Whether a step ends a fault."""
    deed = (step.chip or "").split(" ")[0]
    well = step.mend or step.broker in ("up", "steady") or step.disk == "free"
    return bool(well or step.line in ("ok", "plug") or deed in ("plug", "free"))


def _ended(mark: Mark, t_s: float) -> Mark:
    return replace(mark, lasts_to_s=t_s) if mark.lasts_to_s == inf else mark


def _words(step: ScenarioStep) -> str:
    if isinstance(step.fault, FaultOrder):
        seconds = "" if step.fault.seconds is None else f", {step.fault.seconds:g} s"
        return f"{step.fault.words}{seconds}"
    if step.fault is not None:
        return step.fault
    value = msgspec.to_builtins(getattr(step, step.verb))
    verb = step.verb.rstrip("_").replace("_", " ")
    if isinstance(value, dict):
        value = ", ".join(f"{key} {_plain(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return verb if value is True else f"{verb} {value}"[:90]


def _plain(value: Any) -> str:
    """Paths and their values without brackets."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    return str(value)
