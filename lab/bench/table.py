"""The table under test: source, detector, referee, journal and announcer, as in a real run.

`BenchTable` is a table process that can be killed and started again. Everything between the
samples and the broker is the program itself; only the clock and the broker are the bench's.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from controller.common.errors import JournalError
from controller.journal.journal import Journal
from controller.table.loop import LiveTable
from controller.table.pipeline import Cause, Detecting, Output, Pipeline
from controller.table.publisher import Announcer, Home, Identity
from engine.detect.detector import Detector
from engine.events import Dismissed, Fault, HumanInput, LaterEvidence, Restored
from engine.referee import Outcome, RefereeState, Ruling
from engine.scoreboard import Scoreboard
from engine.tabletop import Tabletop
from hw.source import SampleSource
from lab.bench.earlier import play_earlier
from lab.bench.invariants import broken_at_end, shown_is_lost, times_broken
from lab.bench.observed import Row, Seen
from lab.bench.tapped import TappedSource
from lab.bench.wire import TABLE, BenchWire
from lab.bench.world import Earlier

WALL_S = 1_800_000_000.0
"""The day of every scenario, so that a run is the same on every day."""

MOST_PAGES = 2**30 - 2
"""The limit of every SQLite since 2006."""

DetectorFactory = Callable[[Tabletop], Detecting]


class CappedJournal(Journal):
    """A journal on a disk that can be made full, so that SQLite itself reports it."""

    def fill_disk(self) -> None:
        """From now on not one page more."""
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._database.execute(f"PRAGMA max_page_count={int(self._value('PRAGMA page_count'))}")

    def free_disk(self) -> None:
        """Room again."""
        self._database.execute(f"PRAGMA max_page_count={MOST_PAGES}")


class WatchedPipeline(Pipeline):
    """A pipeline that shows every decision, also unpublished ones."""

    watch: Callable[[Output], None] = staticmethod(lambda _output: None)

    def _conclude(self, cause: Cause, ruling: Ruling) -> Output:
        output = super()._conclude(cause, ruling)
        self.watch(output)
        return output


class BenchTable:
    """One table on the bench.

    Args:
        source: samples.
        wire: the broker.
        folder: for the journal.
        detector: makes the detector; another one can be put to the test.
        earlier: the evening its journal holds already; none for a new table.
        chance: draws and shuffles of games by hand.

    Attributes:
        seen: table events so far, in bench time.
        deaths: why a process ended by itself, with the time.
        process: number of this process.
        running: whether there is a process.
        heard: told of each outcome in the source's time, as a person at the table would be.
    """

    def __init__(
        self,
        source: SampleSource,
        wire: BenchWire,
        folder: Path,
        *,
        detector: DetectorFactory = Detector,
        earlier: Earlier | None = None,
        chance: Callable[[], float] | None = None,
    ) -> None:
        self.source = TappedSource(source)
        self.wire = wire
        self.seen: list[Seen] = []
        self.deaths: list[tuple[float, str]] = []
        self.process = -1
        self.running = False
        self.clock_jump_s = 0.0
        self._clocks_s: set[float] = set()
        self.heard: Callable[[Outcome], None] = lambda _outcome: None
        self._path = folder / "journal.sqlite"
        if earlier is not None:
            play_earlier(self._path, earlier)
        self._detector = detector
        self._chance = chance
        self._time_offset_s = 0.0
        self._games = 0
        self._shown: Scoreboard | None = None
        self._lost: list[str] = []

    @property
    def board(self) -> Scoreboard:
        """The public document now."""
        return self._live.board

    @property
    def state(self) -> RefereeState:
        """The referee now."""
        return self._pipeline.state

    def unix_s(self, t_s: float) -> float:
        """The wall clock."""
        clock_s = WALL_S + self.clock_jump_s
        self._clocks_s.add(clock_s)
        return clock_s + t_s

    def start(self, t_s: float) -> None:
        """Start the process; it goes on with what its journal holds."""
        self.process += 1
        if self.process:
            self.source.restart_host()
        self.wire.process = self.process
        self._journal = CappedJournal(self._path)
        resumed = self._journal.resume()
        if self._shown is not None:
            self._lost += shown_is_lost(self._shown, resumed.state)
        if resumed.entries:
            # The bench's source does not begin at zero again, a real table's does.
            self._time_offset_s = max(self._time_offset_s, resumed.resume_s - t_s)
        self._pipeline = WatchedPipeline(
            self._detector(self.source.tabletop),
            resumed.state,
            resume_s=self._time_offset_s,
            new_game_id=self._next_game,
            masses=self.source.tabletop.piece.masses,
            chance=self._chance,
        )
        self._pipeline.watch = self._noticed
        identity = Identity(TABLE, f"boot{self.process}", simulated=self.source.simulated)
        announcer = Announcer(self.wire, identity, Home())
        self._live = LiveTable(
            self.source,
            self._pipeline,
            self._journal,
            announcer,
            identity,
            begin_s=t_s,
            listener=self._told,
            # Nothing in a run may depend on how fast the machine is.
            clock=lambda: self.wire.now_s,
        )
        self.wire.birth = announcer.birth
        self.wire.on_message(self._live.receive)
        self._live.open(self.unix_s(t_s))
        self.running = True

    def step(self, t_s: float) -> None:
        """Let the process go on to a time; without one, the samples are lost."""
        if not self.running:
            self.source.poll(t_s)
            return
        try:
            self._live.step(t_s, self.unix_s(t_s))
        except JournalError as error:
            self.deaths.append((t_s, str(error)))
            self.kill()

    def kill(self) -> None:
        """End the process where it stands: nothing is flushed, nothing is said."""
        if self.running:
            self.running = False
            self._shown = self.board
            self._journal.close()
            self.wire.lose_table()

    def fill_disk(self) -> None:
        """No more room for the journal."""
        if self.running:
            self._journal.fill_disk()

    def free_disk(self, t_s: float) -> None:
        """Room again; a process that ended for want of it is started again."""
        if self.running:
            self._journal.free_disk()
        else:
            self.start(t_s)

    def finish(self, t_s: float) -> tuple[str, ...]:
        """Flush, and say which invariants do not hold."""
        if not self.running:
            return ("the table is not running at the end",)
        # The state is sent at most twenty times a second of the clock; the last is still due.
        self._live.step(t_s, self.unix_s(t_s))
        self._live.close(self.unix_s(t_s))
        last, kept = self.state, self._journal.resume().state
        self._journal.close()
        self.running = False
        return (
            *self._lost,
            *broken_at_end(last, kept, self.wire.sent, self.wire.retained),
            *times_broken(self.wire.sent, self._clocks_s),
        )

    def journal_rows(self) -> tuple[Row, ...]:
        """The entries of the journal as any program reads them."""
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as database:
            found = database.execute(
                "SELECT entry, kind, t_s, cause, outcomes FROM entries ORDER BY entry"
            )
            return tuple(Row(*row) for row in found)

    def _next_game(self) -> str:
        self._games += 1
        return f"game{self.process}-{self._games}"

    def _told(self, outcome: Outcome, _board: Scoreboard) -> None:
        self.heard(msgspec.structs.replace(outcome, t_s=outcome.t_s - self._time_offset_s))

    def _noticed(self, output: Output) -> None:
        cause = output.cause
        if isinstance(cause, HumanInput):
            return
        offset_s = self._time_offset_s
        happened_s = cause.decided_s if isinstance(cause, LaterEvidence | Dismissed) else cause.t_s
        decided_s = happened_s if isinstance(cause, Fault | Restored) else cause.decided_s
        self.seen.append(Seen(happened_s - offset_s, decided_s - offset_s, cause, self.process))
