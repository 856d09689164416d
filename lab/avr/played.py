"""Plays a game of any source through simulated chips and the real firmware.

    source (tower and players, a recording) -> signals -> chips -> firmware -> UART -> wire
        -> pyserial -> firmware_bridge -> `BridgeSource` -> items

`LabSource` is a `SampleSource` again, so whatever plays, detects and scores can be run on it as it
is. What the people of the source say goes past the firmware, as on a real table.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from engine.events import HumanInput
from engine.samples import SwitchSample
from firmware_bridge.connection import Connection
from firmware_bridge.events import Event
from firmware_bridge.link import SerialLink
from hw.calibration import Calibration
from hw.conversions import OfEach
from hw.serial.bridge import BridgeSource
from hw.serial.link_reader import LinkState, state_of
from hw.source import ImuService, Item, LinkHealth, SampleSource, TableSource
from lab.avr.table import CLOCK_BITS, RATES_HZ, Begun, LabTable
from lab.avr.wires import MemoryWire, TerminalWire
from lab.planted import Repeated, Site
from lab.twin.sampled_signals import SampledSignals

AHEAD_S = 0.5
"""So far the source is ahead of the chips: the simulated tower delivers spans of 0.1 s, a
recording blocks of a second, and a chip must know what comes next."""

PIECE_S = 0.1
"""Table time the source is let go on at a time."""

SLICES_A_LOOK = 5
"""The host moves bytes every slice (2 ms), and looks at what has come every 10 ms."""


class PlayedTable:
    """Processor and chips, which feel what a source plays.

    Args:
        inner: what happens at the tower.
        elf: the firmware.
        rates_hz: of the four HX711.
        begun: where the microcontroller's counters stand at first.
        clock_bits: bits of port B that their clocks are on.

    Attributes:
        lab: processor and chips.
        signals: what the chips feel.
        said: what people have said since somebody took it away; it goes past the firmware.
    """

    def __init__(
        self,
        inner: SampleSource,
        elf: Path,
        rates_hz: tuple[float, ...] = RATES_HZ,
        *,
        begun: Begun | None = None,
        clock_bits: tuple[int, ...] = CLOCK_BITS,
    ) -> None:
        self._inner, self.signals = inner, SampledSignals()
        self.lab = LabTable(
            elf, rates_hz=rates_hz, signals=self.signals, begun=begun, clock_bits=clock_bits
        )
        self.said: list[HumanInput] = []
        self._known_s = 0.0
        self._tips: list[SwitchSample] = []

    @property
    def t_s(self) -> float:
        """How far it has come."""
        return self.lab.elapsed_us * 1e-6

    @property
    def ended(self) -> bool:
        """True once the source has ended and the chips have felt the last of it."""
        return self._inner.ended and self.t_s >= self._known_s

    def pass_time(self) -> None:
        """Let tower, chips and processor go on by one slice; what was sent waits in `lab.avr`."""
        if self._known_s < self.t_s + AHEAD_S and not self._inner.ended:
            self._know(self._known_s + PIECE_S)
        self.lab.pass_time()
        while self._tips and self._tips[0].t_s <= self.lab.t_s:
            self.lab.tip_switch(int(not self._tips.pop(0).closed))

    def _know(self, until_s: float) -> None:
        """Let the source go on, ahead of the chips."""
        self._known_s = until_s
        for item in self._inner.poll(until_s):
            if isinstance(item, HumanInput):
                self.said.append(item)
            elif isinstance(item, SwitchSample):
                self._tips.append(item)
            else:
                self.signals.put(item)


class LabReader:
    """Listens when the lab lets it: a `LinkReader` in simulated time."""

    def __init__(self, connect: Callable[[], SerialLink]) -> None:
        """Make a link with `connect`, now and after each restart."""
        self._connect = connect
        self.link = connect()
        self._events: list[Event] = []

    @property
    def state(self) -> LinkState:
        """How the line is."""
        return state_of(self.link)

    def listen(self) -> None:
        """Move bytes."""
        self._events += self.link.poll()

    def read(self) -> list[Event]:
        """What has happened since the last call."""
        events, self._events = self._events, []
        return events

    def restart(self) -> None:
        """The program starts anew: it opens the port, knows nobody, and counts from one again."""
        self.link.close()
        self.link, self._events = self._connect(), []

    def close(self) -> None:
        """Give the port back."""
        self.link.close()


class LabSource(TableSource):
    """A source whose samples have gone through chips, firmware and line.

    Args:
        inner: what happens at the tower.
        calibration: of its tower.
        elf: the firmware.
        rates_hz: of the four HX711.
        terminal: use a pseudo-terminal with pyserial, instead of memory.
        begun: where the microcontroller's counters stand at first.

    Attributes:
        table: processor and chips; pull its plugs at any time.
        wire: the serial line; pull it at any time.
        earlier_links: how the line was, as each program saw it that has listened before.
    """

    def __init__(
        self,
        inner: SampleSource,
        calibration: Calibration,
        elf: Path,
        *,
        rates_hz: tuple[float, ...] = RATES_HZ,
        terminal: bool = False,
        begun: Begun | None = None,
    ) -> None:
        super().__init__(calibration, simulated=True)
        self._inner = inner
        self._played = PlayedTable(inner, elf, rates_hz, begun=begun)
        self.table = self._played.lab
        self.wire = TerminalWire(self.table.avr) if terminal else MemoryWire(self.table.avr)
        self.earlier_links: list[LinkHealth] = []
        self._repeated = Repeated()
        self._reader = LabReader(self._link)
        self._bridge = BridgeSource(self._reader, calibration, self._clock, simulated=True)

    @property
    def ended(self) -> bool:
        """True once the inner source has ended and the chips have felt the last of it."""
        return self._played.ended

    @property
    def notices(self) -> tuple[str, ...]:
        """What inner source and line have to say."""
        return (*self._inner.notices, *self._bridge.notices)

    @property
    def connection(self) -> Connection:
        """The host's side of the conversation."""
        return self._reader.link.connection

    @property
    def imu_temperature_c(self) -> float | None:
        """Degrees Celsius of the inertial sensor's chip; None before the first reading."""
        return self._bridge.imu_temperature_c

    def imu_service(self) -> ImuService:
        """How the inertial sensor is read."""
        return self._bridge.imu_service()

    def conversions(self) -> OfEach:
        """What each chip has converted since the last call."""
        return self._bridge.conversions()

    def link_health(self) -> LinkHealth:
        """How the line is."""
        return self._bridge.link_health()

    def site(self, noise_counts: Sequence[float]) -> Site:
        """Where faults can be planted; of cells whose healthy conversions have such noise."""
        lab = self.table
        return Site(
            [cell.chip for cell in lab.cells],
            lab.cells,
            lab.imu,
            self.calibration,
            noise_counts,
            # Again and again: a reset of the processor opens it.
            lambda closed: self._repeated.every(PIECE_S, lambda: lab.tip_switch(int(not closed))),
            line=self.wire,
            reset=lab.avr.reset,
            later=self._repeated.every,
        )

    def poll(self, until_s: float) -> list[Item]:
        """Run tower, chips, processor and host up to `until_s`."""
        items: list[Item] = []
        slices = 0
        while self._played.t_s < until_s:
            self._slice()
            slices += 1
            if slices % SLICES_A_LOOK == 0:
                items += self._look(until_s)
        return items + self._look(until_s)

    def restart_host(self) -> None:
        """The program that listens was ended and starts anew; the microcontroller goes on."""
        self.earlier_links.append(self.link_health())
        self._reader.restart()

    def close(self) -> None:
        """Let go of source and line."""
        self._inner.close()
        self._bridge.close()
        self.wire.unplug()

    def _link(self) -> SerialLink:
        return SerialLink("the lab's port", self._clock, self.wire.open)

    def _clock(self) -> float:
        return self.table.now_s

    def _look(self, until_s: float) -> list[Item]:
        return self._bridge.poll(min(self._played.t_s, until_s))

    def _slice(self) -> None:
        self._repeated.due(self._played.t_s)
        self._played.pass_time()
        if self._played.said:
            self._bridge.put_events(self._played.said)
            self._played.said = []
        self.wire.carry()
        self._reader.listen()
