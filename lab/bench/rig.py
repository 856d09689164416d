"""Target rig: people at the real table follow the scenario, one instruction at a time.

The acceptance test of a newly built table. It is played as any table from outside
(`lab.bench.outside.sitting`), but the table runs in this process: samples come from the configured
source in real time, can be recorded, and what the sensors saw is known.
"""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from controller.app import wiring
from controller.common.config import SourceConfig, load
from controller.common.errors import BadInput
from controller.workshop.pace import Pace
from hw.source import SampleSource
from lab.bench.invariants import QOS
from lab.bench.observed import Run, Sent
from lab.bench.outside.sitting import Known, Sitting
from lab.bench.outside.table_target import OneTable
from lab.bench.running import recorded
from lab.bench.scenario import Case, Scenario, Target
from lab.bench.table import BenchTable
from lab.bench.wire import TABLE, BenchWire
from lab.fit import command as fit

MEASURED = "table_assumptions"
"""The scenario whose recording is fitted."""


class RigLink:
    """A table in this process as a `Link`.

    Args:
        table: not started yet.
        pace: of its samples.

    Attributes:
        broken: what does not hold of the journal and the like; known when it is closed.
    """

    flags = True

    def __init__(self, table: BenchTable, pace: Pace) -> None:
        self.table, self.wire, self._pace = table, table.wire, pace
        self.broken: tuple[str, ...] = ()
        self._heard = 0
        table.start(0.0)
        self.listen(1.0)

    @property
    def now_s(self) -> float:
        """Bench time."""
        return self._pace.now_s

    def unix_s(self) -> float:
        """The table's own clock."""
        return self.table.unix_s(self.now_s)

    def join(self) -> dict[str, Sent]:
        """What is retained."""
        self._heard = len(self.wire.sent)
        return self.kept()

    def listen(self, seconds: float) -> list[Sent]:
        """Let the table go on by a step, and give what it has said."""
        self.wire.now_s = self._pace.next(self.now_s + seconds)
        self.wire.deliver()
        self.table.step(self.now_s)
        found = self.wire.sent[self._heard :]
        self._heard = len(self.wire.sent)
        return found

    def say(self, verb: str, payload: bytes) -> None:
        """Ask the table for something."""
        self.wire.command(verb, payload)

    def kept(self) -> dict[str, Sent]:
        """What is retained."""
        return {
            suffix: Sent(self.now_s, suffix, payload, QOS.get(suffix, 1), retain=True)
            for suffix, payload in self.wire.retained.items()
        }

    def close(self) -> None:
        """End the table."""
        self.broken = self.table.finish(self.now_s)


@dataclass
class RigTarget(OneTable):
    """The table of a configuration.

    Attributes:
        config: its file; None where no table is installed and none was named.
        record: folder for a recording of each case, if wanted.
        source, pace: make the samples of a case and their pace.
    """

    config: Path | None = None
    record: Path | None = None
    source: Callable[[SourceConfig], SampleSource] = wiring.source
    pace: Callable[[], Pace] = lambda: Pace(live=True)
    name = "rig"
    like: ClassVar[Target] = "rig"

    def left_out(self, scenario: Scenario) -> str:  # noqa: ARG002
        """Nothing but what scenarios themselves say."""
        return ""

    def need(self) -> None:
        """Read the configuration.

        Raises:
            BadInput: no configuration was given, and no table is installed.
            BadConfig: it cannot be read.
        """
        self._configured()

    def _configured(self) -> SourceConfig:
        if self.config is None:
            raise BadInput(
                "--target rig: no table is installed here; name its configuration: --config FILE"
            )
        return load(self.config).source

    def sat(self, case: Case) -> tuple[Run, Known]:
        """Play a case, keep what was heard if wanted, and fit the one that measures the table."""
        print(f"\n{case.id}: {case.scenario.about}", flush=True)
        with ExitStack() as stack:
            source = self.source(self._configured())
            stack.callback(source.close)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="topple-rig-"))
            table = BenchTable(source, BenchWire(), Path(folder))
            trace = stack.enter_context(recorded(case, table.source, self.record))
            link = RigLink(table, self.pace())
            run, known = Sitting(case, TABLE, link, self.hand).play()
        if trace is not None and case.scenario.name == MEASURED:
            self._fit(trace)
        broken = tuple(dict.fromkeys((*run.broken, *link.broken)))
        recording = "" if trace is None else trace.name
        run = replace(run, seen=tuple(table.seen), broken=broken, recording=recording)
        return run, replace(known, timed=True, sensors=True)

    def _fit(self, trace: Path) -> None:
        page = trace.with_name("table.html")
        try:
            fit.run(trace, table=trace.with_name("table.json"), report=page)
            print(f"This table and our simulation: {page}", flush=True)
        except BadInput as problem:  # broken off early: what was played still has its report
            print(problem, flush=True)
