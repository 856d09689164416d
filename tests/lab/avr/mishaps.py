"""A table moved by hand on the real firmware, and what can happen to its wires."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.detect.detector import Detector
from engine.events import Fault, HumanInput, Placed, Restored, TableEvent
from engine.samples import SensorReport
from lab.avr.played import LabSource
from lab.avr.wires import MemoryWire
from lab.mock import MockTable, living_parameters


def living_table() -> MockTable:
    """Quiet, but its cells flicker as live ones do."""
    return MockTable(living_parameters())


class Game:
    """Somebody plays on the lab; the detector watches."""

    def __init__(self, elf: Path, *, terminal: bool = False) -> None:
        self.hand = living_table()
        self.lab = LabSource(self.hand, self.hand.calibration, elf, terminal=terminal)
        self.detector = Detector(self.lab.tabletop)
        self.events: list[TableEvent] = []
        self.reports: list[SensorReport] = []
        self.t_s = 0.0

    def run(self, seconds: float) -> None:
        self.t_s += seconds
        for item in self.lab.poll(self.t_s):
            if isinstance(item, SensorReport):
                self.reports.append(item)
            if not isinstance(item, HumanInput):
                self.detector.feed(item)
            while (event := self.detector.next_event()) is not None:
                self.events.append(event)

    def place(self, cell: str) -> None:
        self.hand.tower.place(cell, grams=3.0, hold_s=0.3)
        self.run(3.5)

    @property
    def placed(self) -> list[str | None]:
        return [event.cell for event in self.events if isinstance(event, Placed)]

    @property
    def wire(self) -> MemoryWire:
        """The line, where no terminal is in between."""
        assert isinstance(self.lab.wire, MemoryWire)
        return self.lab.wire

    @property
    def unforeseen(self) -> list[TableEvent]:
        """Anything but placements and words about sensors."""
        return [e for e in self.events if not isinstance(e, Placed | Fault | Restored)]


@dataclass(frozen=True)
class Mishap:
    """What happens, what mends it, and which sensor is named in which words.

    Attributes:
        back: whether the sensor is told to be well again (a cell may take longer than the test).
    """

    happen: Callable[[Game], None]
    mend: Callable[[Game], None]
    sensor: str
    words: str
    back: bool = True


def _garbage(game: Game) -> None:
    game.wire.damage = bytes(range(1, 200)) + b"\0\x05\x01\x02\0"


def _other_speed(baud: float) -> Callable[[Game], None]:
    def change(game: Game) -> None:
        game.wire.host_baud = baud

    return change


def _nothing(_game: Game) -> None:
    pass


MISHAPS = {
    "unplugged": Mishap(
        lambda game: game.lab.wire.unplug(),
        lambda game: game.lab.wire.plug_in(),
        "link", "Check the USB plug",
    ),
    "garbage": Mishap(_garbage, _nothing, "", ""),
    "wrong speed": Mishap(_other_speed(115_200), _other_speed(250_000), "link", "half a second"),
    "reset": Mishap(lambda game: game.lab.table.avr.reset(), _nothing, "link", "reset line"),
    "hang": Mishap(lambda game: game.lab.table.avr.hang(), _nothing, "link", "watchdog"),
    "no imu": Mishap(
        lambda game: game.lab.table.imu.unplug(),
        lambda game: game.lab.table.imu.plug(),
        "imu", "four wires",
    ),
    "dead cell": Mishap(
        lambda game: game.lab.table.cells[1].unplug(),
        lambda game: game.lab.table.cells[1].plug(),
        "scale.1", "Load cell C1 is silent; check the plug",
    ),
    "shorted cell": Mishap(
        lambda game: game.lab.table.cells[2].short(),
        _nothing,
        "scale.2", "Load cell C2 has its DOUT held low", back=False,
    ),
}  # fmt: skip
